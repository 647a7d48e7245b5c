"""The Stanford arm of Guarino Lo Bianco, "Evaluation of generalized force derivatives by means of a recursive
Newton-Euler approach", section VI: data of tables I and II (restored), joint forces along the quintic trajectory.

The paper prints no forces; these were computed from its data by an independent program and checked with Pinocchio.
"""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import kinetree as kt

DIGITS = 9  # significant ones of the numbers below
FORCES = {  # time [s]: tau [N m, N]
    0.0: ("0", "-1.72753401", "63.4707000", "0", "-1.72753401", "0"),
    1.0: ("-13.9801093", "-9.33750992", "35.2859443", "-0.986000157", "-1.09456872", "2.15581492e-4"),
    2.0: ("0", "-99.9647731", "0", "-1.76798894", "0", "0"),
}
ZERO = 1e-13  # N m; what a sum of moments of 100 N m that cancel leaves

START = np.array([pi / 2, 0, 0, pi / 2, pi / 4, pi / 2])
END = np.array([pi / 4, pi / 2, 2, pi / 4, pi / 2, 0])
DURATION = 2.0


def quintic(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd of the trajectory with zero velocities and accelerations at both ends."""
    s = t / DURATION
    way = END - START
    q = START + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    qd = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / DURATION
    qdd = way * (60 * s - 180 * s**2 + 120 * s**3) / DURATION**2
    return q, qd, qdd


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
