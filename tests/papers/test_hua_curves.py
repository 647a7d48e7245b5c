"""Hua, figures 3 to 8: what the text says of its curves, of our own arm."""

from __future__ import annotations

import numpy as np
import pytest
from papers.hua import FILTERS, REFERENCE, tracking
from papers.hua_curves import NEAR, SETTLED, at_lowest, settling

import kinetree as kt

EACH = range(3)  # without payload, lifted, loaded


@pytest.fixture(scope="module")
def motion() -> kt.Motion:
    return tracking(FILTERS["filtered"])


@pytest.mark.parametrize("case", EACH)
def test_the_load_positions_follow_the_sine(motion: kt.Motion, case: int) -> None:
    times = settling(motion, case)
    assert max(times) < 0.5
    error = np.abs(REFERENCE.sample(motion.t).q - motion.q[case, :, :3])
    assert error[motion.t > max(times)].max() <= NEAR


@pytest.mark.parametrize("case", EACH)
def test_the_torque_of_the_elastic_joint_oscillates_at_the_beginning_only(motion: kt.Motion, case: int) -> None:
    tau = np.abs(motion.tau[case, :, 3])
    assert tau[motion.t < 1.0].max() > 100 * tau[motion.t > SETTLED].max()


def test_at_3_s_torques_are_lower_with_the_payload_as_printed_and_higher_with_a_load(motion: kt.Motion) -> None:
    """The sentence on figure 8; joint 1 is vertical and carries neither."""
    none, lifted, loaded = (np.array(at_lowest(motion, case)) for case in EACH)
    assert (lifted[1:] < none[1:]).all()
    assert (loaded[1:] > none[1:]).all()
    # 3 N at 0.8 m cos 0.5 rad and 0.4 m cos 1 rad, less what the lag of the arm changes
    lever = np.array([0.4 * np.cos(0.5) + 0.4 * np.cos(1.0), 0.4 * np.cos(1.0)])
    assert none[1:] - lifted[1:] == pytest.approx(3.0 * lever, rel=0.05)
