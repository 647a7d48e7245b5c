"""Barman, figures 4.2 to 4.7: what the thesis says of its curves, of ours."""

from __future__ import annotations

import numpy as np
import pytest
from papers.barman import LIMIT
from papers.barman_curves import AT_BOUND, slider_curves, two_link_curves
from papers.barman_planning import OFFSET, PR_END, PR_START


def test_the_two_link_arm_has_its_torques_at_the_bounds():
    arm = two_link_curves()
    at_bound = (np.abs(arm.forces) > AT_BOUND * LIMIT).mean(axis=0)
    assert at_bound[0] > 0.95
    assert at_bound[1] > 0.8  # three switches, each rounded by a knot interval
    assert arm.forces[0] == pytest.approx([LIMIT, -LIMIT], rel=0.05)
    assert arm.forces[-1] == pytest.approx([-LIMIT, -LIMIT], rel=0.05)


def test_its_internal_forces_have_two_peaks_those_of_the_first_link_higher():
    arm = two_link_curves()
    assert (arm.peaks > 3 * arm.valley).all()
    assert (arm.peaks[:, 0] > arm.peaks[:, 1]).all()
    assert arm.internal[-1, 0] == pytest.approx(arm.internal[-1, 1], rel=0.05)  # they merge


@pytest.mark.parametrize("literal", [False, True])
def test_the_slider_accelerates_and_brakes(literal):
    slider = slider_curves(literal)
    force, torque = slider.forces.T
    assert (force.argmax(), force.argmin()) == (0, len(force) - 1)
    assert (torque.argmin(), torque.argmax()) == (0, len(torque) - 1)
    for curve in (force, torque):
        assert np.count_nonzero(np.diff(np.sign(curve))) == 1
    assert (slider.peaks > 2 * slider.valley).all()
    assert (slider.peaks[:, 0] > slider.peaks[:, 1]).all()
    assert slider.first_higher > 0.9
    shift = 0.0 if literal else -OFFSET
    assert slider.q[0] == pytest.approx([PR_START[0], PR_START[1] + shift])
    assert slider.q[-1] == pytest.approx([PR_END[0], PR_END[1] + shift])
    assert (np.diff(slider.q, axis=0) * [1, -1] > -1e-9).all()  # one way
