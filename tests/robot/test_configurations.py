"""Configurations as arrays: limits, random ones, and the way from one to another."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import on_floats, relative_error, states, tree, trees

import kinetree as kt
from kinetree.joints import KINDS

LIMITED = dataclasses.replace(
    kt.robots.two_link(),
    bodies=tuple(
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, limits=limits))
        for b, limits in zip(kt.robots.two_link().bodies, (kt.Limits(-1.0, 2.0, 3.0, 4.0), kt.Limits(lower=0.5)))
    ),
)


def test_limits_are_arrays():
    assert LIMITED.lower.tolist() == [-1.0, 0.5]
    assert LIMITED.upper.tolist() == [2.0, math.inf]
    assert LIMITED.velocity_limits.tolist() == [3.0, math.inf]
    assert LIMITED.effort_limits.tolist() == [4.0, math.inf]


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("mimics", [False, True])
def test_every_kind_of_joint_has_its_arrays(kind, mimics):
    robot = tree(1, 4, (kind,), mimics=mimics)
    assert robot.lower.shape == robot.upper.shape == robot.neutral.shape == (robot.nq,)
    assert robot.velocity_limits.shape == robot.effort_limits.shape == (robot.nv,)
    q = robot.random(50, seed=0)
    assert q.shape == (50, robot.nq)
    assert ((q >= robot.lower) & (q <= robot.upper)).all()
    for _, start in robot.quaternions:
        assert np.abs(np.linalg.norm(q[:, start : start + 4], axis=1) - 1).max() < 1e-15


def test_random_configurations_fill_the_limits():
    q = LIMITED.random(20_000, seed=1)
    assert (q.min(axis=0) >= [-1.0, 0.5]).all()
    assert (q.max(axis=0) <= [2.0, 0.5 + 2 * math.pi]).all()
    assert np.abs(q.min(axis=0) - [-1.0, 0.5]).max() < 1e-2
    assert np.abs(q.max(axis=0) - [2.0, 0.5 + 2 * math.pi]).max() < 1e-2
    assert LIMITED.random().shape == (2,)
    assert (LIMITED.random(5, seed=np.random.default_rng(7)) == LIMITED.random(5, seed=7)).all()
    with pytest.raises(kt.errors.InputError, match="how many"):
        LIMITED.random(-1)


def test_random_orientations_are_uniform():
    robot = tree(0, 1, ("spherical",))
    x = robot.random(40_000, seed=2)
    assert np.abs(x.mean(axis=0)).max() < 0.02
    assert np.abs(x.T @ x / len(x) - np.eye(4) / 4).max() < 0.02


@settings(max_examples=60, deadline=None)
@given(robot=trees())
def test_difference_is_the_inverse_of_integrate(robot):
    f, s = on_floats(robot), states(robot)
    end = s.q[::-1]
    v = f("difference", s.q, end)
    there = f("integrate", s.q, v, np.ones(len(v)))
    for _, start in robot.quaternions:  # q and -q are one orientation
        part, other = there[:, start : start + 4], end[:, start : start + 4]
        there[:, start : start + 4] = part * np.sign(np.vecdot(part, other))[:, None]
    assert relative_error(there, end) < 1e-12


@settings(max_examples=30, deadline=None)
@given(robot=trees())
def test_integrate_starts_with_the_rates(robot):
    f, s, h = on_floats(robot), states(robot), 1e-5
    steps = [f("integrate", s.q, s.qd, np.full(len(s.q), dt)) for dt in (-h, h)]
    assert relative_error((steps[1] - steps[0]) / (2 * h), f("rates", s.q, s.qd)) < 1e-8


def test_a_constant_twist_is_a_screw():
    """A turn in small steps is a turn in one, and ends where the closed form says."""
    robot = tree(0, 1, ("free",))
    q, v = robot.neutral, np.array([0.0, 0.0, 2.0, 1.0, 0.0, 0.2])
    small = q
    for _ in range(1000):
        small = robot.integrate(small, v, 1e-3)
    once = robot.integrate(q, v)
    assert np.abs(small - once).max() < 1e-12
    assert np.abs(once[:3] - [math.sin(2.0) / 2, (1 - math.cos(2.0)) / 2, 0.2]).max() < 1e-15
    assert np.abs(robot.difference(q, once) - v).max() < 1e-12


def test_times_broadcast():
    arm = kt.robots.two_link()
    assert arm.integrate([0.0, 0.0], [1.0, 2.0], np.linspace(0, 1, 5)).shape == (5, 2)
    assert arm.integrate(np.zeros((3, 1, 2)), [1.0, 2.0], np.ones(4)).shape == (3, 4, 2)


def test_tiny_and_zero_rotations_are_exact():
    robot = tree(0, 1, ("free",))
    for size in (0.0, 1e-300, 1e-12, 1e-4, 0.02, 0.49, 0.51):
        v = size * np.array([0.6, 0.0, 0.8, 0.3, -0.2, 0.1])
        back = robot.difference(robot.neutral, robot.integrate(robot.neutral, v))
        assert np.abs(back - v).max() <= 4e-16 * max(size, 1e-290) + 1e-16 * size


def test_total_mass():
    assert kt.robots.two_link().total_mass == 1.0
    m = kt.parameter("m")
    body = kt.Body("b", kt.Joint("j", kt.joints.Revolute()), kt.Inertia(m, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
    with pytest.raises(kt.errors.InputError, match="open parameters"):
        _ = kt.Robot((body,)).total_mass


def test_wrong_quaternions_are_refused_on_both_sides():
    robot = tree(0, 1, ("spherical",))
    long = np.array([0.0, 0.0, 0.0, 2.0])
    for pair in ((long, robot.neutral), (robot.neutral, long)):
        assert (robot.difference(robot.neutral, robot.neutral) == 0).all()  # a direct call, from the second on
        with pytest.raises(kt.errors.InputError, match="not of length one"):
            robot.difference(*pair)


def test_parameters_without_a_default_are_not_needed() -> None:
    arm = kt.Robot.from_dh([kt.DH(a=kt.parameter("length"), mass=1.0)])
    np.testing.assert_allclose(arm.integrate([0.1], [2.0], 0.5), [1.1])
    np.testing.assert_allclose(arm.difference([0.1], [0.4]), [0.3])
