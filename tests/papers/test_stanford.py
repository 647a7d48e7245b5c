"""The Stanford arm of Guarino Lo Bianco, "Evaluation of generalized force derivatives by means of a recursive
Newton-Euler approach", section VI: data of tables I and II (restored), joint forces along the quintic trajectory.

The paper prints no forces; these were computed from its data by an independent program and checked with Pinocchio.
"""

from __future__ import annotations

import numpy as np
import pytest
from stanford_trajectory import DIGITS, FORCES, quintic

import kinetree as kt

ZERO = 1e-13  # N m; what a sum of moments of 100 N m that cancel leaves


@pytest.mark.parametrize("t", list(FORCES))
def test_joint_forces_along_the_trajectory(t):
    tau = kt.robots.stanford().inverse_dynamics(*quintic(t))
    for ours, text in zip(tau, FORCES[t]):
        printed = float(text)
        if printed == 0:
            assert abs(ours) < ZERO
        else:
            assert float(f"{ours:.{DIGITS - 1}e}") == printed


def test_the_table_is_that_of_the_paper():
    """Table I: five revolute joints and a slider behind a quarter turn; the wrist 0.263 m from the hand."""
    robot = kt.robots.stanford()
    assert [type(b.joint.kind).__name__ for b in robot.bodies] == ["Revolute"] * 2 + ["Prismatic"] + ["Revolute"] * 3
    assert [b.inertia.mass for b in robot.bodies] == [9.29, 5.01, 4.25, 1.08, 0.63, 0.51]
    # at q = 0 but for the slider: up by d1, sideways by d2, up by q3 and d6
    tip = robot.pose([0.0, 0.0, 0.7, 0.0, 0.0, 0.0], "link6")[:3, 3]
    np.testing.assert_allclose(tip, [0.0, 0.154, 0.412 + 0.7 + 0.263], atol=1e-15)
