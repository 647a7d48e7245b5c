"""The two planar arms of Barman's thesis (tables 4.1 to 4.4) against their equations of motion in closed form.

Both move in a horizontal plane. For the second the DH table is taken literally: the angle of link 2 from x1 is
th2 = q2 + pi/2.
"""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import kinetree as kt

LENGTH, MASS, INERTIA, COM = 0.4, 0.5, 0.1, 0.2  # m, kg, kg m^2 about the centre of mass, m from the joint
ROUNDING = 1e-14  # a dozen products of numbers of size one


@pytest.fixture
def motion() -> np.ndarray:
    """Positions, velocities and accelerations of a hundred states."""
    return 2.0 * np.random.default_rng(1).normal(size=(3, 100, 2))


def two_link_forces(q, qd, qdd):
    """The textbook's planar two-link arm."""
    (q2, w1, w2, a1, a2) = (q[:, 1], *qd.T, *qdd.T)
    c, s = np.cos(q2), np.sin(q2)
    one, two = INERTIA + MASS * COM**2, INERTIA + MASS * COM**2  # about the joints
    cross = MASS * LENGTH * COM
    tau1 = (one + two + MASS * LENGTH**2 + 2 * cross * c) * a1 + (two + cross * c) * a2
    tau1 -= cross * s * (2 * w1 * w2 + w2**2)
    tau2 = (two + cross * c) * a1 + two * a2 + cross * s * w1**2
    return np.stack([tau1, tau2], -1)


def prismatic_revolute_forces(q, qd, qdd):
    """f1   = (m1 + m2) q1'' + m2 lc (cos th2 th2'' - sin th2 th2'^2)
    tau2 = (I2 + m2 lc^2) th2'' + m2 lc cos th2 q1''"""
    th2, w2, (a1, a2) = q[:, 1] + pi / 2, qd[:, 1], qdd.T
    f1 = 2 * MASS * a1 + MASS * COM * (np.cos(th2) * a2 - np.sin(th2) * w2**2)
    tau2 = (INERTIA + MASS * COM**2) * a2 + MASS * COM * np.cos(th2) * a1
    return np.stack([f1, tau2], -1)


ARMS = {"two_link": two_link_forces, "prismatic_revolute": prismatic_revolute_forces}
each_arm = pytest.mark.parametrize("name", list(ARMS))


@each_arm
def test_joint_forces_are_those_of_the_closed_form(name, motion):
    robot, expected = getattr(kt.robots, name)(), ARMS[name](*motion)
    np.testing.assert_allclose(robot.inverse_dynamics(*motion), expected, rtol=ROUNDING, atol=10 * ROUNDING)


@each_arm
def test_accelerations_are_those_of_the_closed_form(name, motion):
    q, qd, qdd = motion
    robot, tau = getattr(kt.robots, name)(), ARMS[name](*motion)
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=100 * ROUNDING)


@each_arm
def test_mass_matrix_is_that_of_the_closed_form(name, motion):
    q, rest = motion[0], np.zeros_like(motion[0])
    columns = [ARMS[name](q, rest, np.broadcast_to(e, q.shape)) for e in np.eye(2)]
    M = getattr(kt.robots, name)().mass_matrix(q)
    np.testing.assert_allclose(M, np.stack(columns, -1), rtol=ROUNDING, atol=ROUNDING)


@each_arm
def test_data_are_those_of_the_tables(name):
    robot = getattr(kt.robots, name)()
    assert [b.inertia.mass for b in robot.bodies] == [MASS, MASS]
    assert [b.inertia.about_com.zz for b in robot.bodies] == [INERTIA, INERTIA]
    assert tuple(robot.gravity) == (0.0, 0.0, 0.0)


def test_two_link_reaches_where_two_links_reach():
    for q1, q2 in ((0.0, 0.0), (0.4, -2.0), (1.0, -1.0)):
        tip = kt.robots.two_link().pose([q1, q2], "dh2")[:3, 3]
        x = LENGTH * np.cos(q1) + LENGTH * np.cos(q1 + q2)
        y = LENGTH * np.sin(q1) + LENGTH * np.sin(q1 + q2)
        np.testing.assert_allclose(tip, [x, y, 0.0], atol=ROUNDING)


def test_prismatic_revolute_reaches_by_its_literal_table():
    """A1 = Rz(pi/2) Tz(L1 + q1) Rx(pi/2), A2 = Rz(q2 + pi/2) Tx(L2): x1 is the world's y, y1 its z (the slider)."""
    q1, q2 = 0.3, 0.6
    tip = kt.robots.prismatic_revolute().pose([q1, q2], "dh2")[:3, 3]
    th2 = q2 + pi / 2
    np.testing.assert_allclose(tip, [0.0, LENGTH * np.cos(th2), LENGTH + q1 + LENGTH * np.sin(th2)], atol=ROUNDING)
