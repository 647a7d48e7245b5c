"""The parts of reachability analysis, each against brute force."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import kinetree as kt
from kinetree.plan import Path
from kinetree.plan.reachability import passes, slowing
from kinetree.plan.reachability.rows import Rows, rows_along

reachable = sys.modules["kinetree.plan.reachability.reachable"]


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_x_is_that_of_all_pairs_of_sides(seed):
    """Lower and upper sides of u meet where their difference is zero; only those whose lower one is steeper bound x."""
    rng = np.random.default_rng(seed)
    slope, off, width = rng.normal(size=(3, 50, 9))
    off[:30] = 0.0  # these have room at x = 1
    low, high = off - slope - np.abs(width), off - slope + np.abs(width)
    low[rng.uniform(size=low.shape) < 0.3] = -np.inf
    high[rng.uniform(size=high.shape) < 0.3] = np.inf
    steeper = slope[:, :, None] - slope[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = np.where(steeper > 0.0, (high[:, None, :] - low[:, :, None]) / steeper, np.inf)
    expected, found = meet.min(axis=(1, 2)), passes._most(slope, low, high)
    np.testing.assert_allclose(found[:30], expected[:30], rtol=1e-9)
    least = -passes._most(-slope, low, high)
    # where there is no room the largest is left of the least, by all pairs and by those that were looked at
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = np.where(steeper < 0.0, (high[:, None, :] - low[:, :, None]) / steeper, -np.inf)
    below = meet.max(axis=(1, 2))
    assert ((found < least) == (expected < below)).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_recursion_is_the_least_row_at_each_step(seed):
    rng = np.random.default_rng(seed)
    slope, offset = rng.normal(size=(30, 2, 7, 2)), rng.normal(size=(30, 2, 7))
    offset[rng.uniform(size=offset.shape) < 0.2] = np.inf
    x = np.zeros(2)
    for a, b, found in zip(slope, offset, passes._recursion(slope, offset)[1:]):
        np.testing.assert_allclose(found, x := (a @ x + b).min(axis=1), rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_least_values_of_cubic_polynomials_are_exact(seed):
    coefficients = np.random.default_rng(seed).normal(size=(40, 4))
    coefficients[:3] = [[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 3.0], [3.0, 1.0, 1.0, 3.0]]  # constant, linear, quadratic
    least, at = slowing._least(coefficients)
    t = np.linspace(0.0, 1.0, 20_001)
    samples = slowing._cubic(coefficients[:, None], t)
    assert ((at >= 0.0) & (at <= 1.0)).all()
    np.testing.assert_allclose(slowing._cubic(coefficients, at), least, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(samples.min(axis=1), least, rtol=0.0, atol=1e-7)
    assert (least <= samples.min(axis=1) + 1e-14).all()


def test_a_peak_within_an_interval_slows_the_motion_down():
    """b x is a parabola of height 1.2 for x = 1, over a limit of 1: squares of speeds must fall by that."""
    b = (4.8 * slowing.PLACES * (1.0 - slowing.PLACES))[None, :, None]
    of = Rows(np.zeros_like(b), b, np.full_like(b, -np.inf), np.ones_like(b), np.zeros_like(b))
    checked, motion = slowing.Checked(of), (np.zeros((1, 5)), np.ones((1, 5)))
    found = checked.slowed(*motion, 1e-6)
    assert found.factor == pytest.approx(np.sqrt(1.2), rel=1e-6)
    assert found.violation <= 1e-6
    assert found.worst == 0
    assert checked.excess(*motion)[0, 0] == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(10))
def test_no_sample_of_smooth_rows_is_farther_outside_than_is_said(seed):
    """Rows that are no polynomials, on pieces in which they hardly change, and others that are not looked at closer."""
    rng, t = np.random.default_rng(seed), np.linspace(0.0, 1.0, 501)
    speed, phase, size = rng.uniform(0.1, 0.7, 60), rng.uniform(0.0, 7.0, 60), rng.uniform(0.5, 1.5, 60)
    waves = [(size * np.sin(np.outer(at, speed) + phase)).T[..., None] for at in (slowing.PLACES, t)]
    b, one = waves[0], np.ones_like(waves[0])
    checked = slowing.Checked(Rows(0.0 * b, b, -one, one, 0.0 * b))
    said = checked.excess(np.zeros(b.shape[:2]), np.ones(b.shape[:2]))[:, 0]
    sampled = np.maximum(np.abs(waves[1]).max(axis=(1, 2)) - 1.0, 0.0)
    assert (said >= sampled - 1e-12).all()
    assert (said <= sampled + 1e-3).all()
    assert (sampled == 0.0).any()
    assert (sampled > 0.0).any()


@pytest.mark.parametrize("seed", range(3))
def test_limits_inside_of_intervals_cost_hardly_any_time(seed):
    """Ten points that a path goes through; on its grid alone no motion is faster than the first pass says."""
    robot, rng = kt.robots.ur10(), np.random.default_rng(seed)
    path = Path.through(rng.uniform(-1.0, 1.0, (10, robot.nv)))
    limits = {"force_limits": np.full(6, 400.0), "acceleration_limits": np.full(6, 15.0)}
    plan = kt.plan.time_optimal_path(robot, path=path, grid=1000, **limits)
    t = np.linspace(0.0, plan.duration, 50_001)
    assert (np.abs(plan.forces(t)) <= 400.0 * (1.0 + 1e-6)).all()
    assert (np.abs(plan.motion(t)[2]) <= 15.0 * (1.0 + 1e-6)).all()
    problem = plan.problem
    s = reachable._places(reachable._grid(path, 1000))
    x = passes.fastest(passes.speed_sides(rows_along(problem, path, s), s), s[:, -1] - s[:, 0])
    assert reachable._time(x, s) <= plan.duration <= 1.001 * reachable._time(x, s)


@pytest.mark.parametrize("seed", range(4))
def test_limits_hold_between_the_points_of_coarse_grids_too(seed):
    """Of forces near gravity, velocities and accelerations, one joint without a limit of its force."""
    robot, rng = kt.robots.puma560(), np.random.default_rng(seed)
    path = Path.through(rng.uniform(-1.0, 1.0, (5, robot.nv)))
    still = np.zeros(robot.nv)
    gravity = np.abs(robot.inverse_dynamics(path(np.linspace(0.0, 1.0, 500)), still, still)).max(axis=0)
    force = 1.1 * gravity + 1.0
    force[seed] = np.inf
    velocity, acceleration = np.full(robot.nv, 1.0), np.full(robot.nv, 8.0)
    plan = kt.plan.time_optimal_path(
        robot, path=path, grid=60, force_limits=force, velocity_limits=velocity, acceleration_limits=acceleration
    )
    assert plan.ok
    assert plan.iterations == 0  # no search
    t = np.linspace(0.0, plan.duration, 20_001)
    _, qd, qdd, *_ = plan.motion(t)
    for values, limit in ((plan.forces(t), force), (qd, velocity), (qdd, acceleration)):
        assert (np.abs(values) <= limit * (1.0 + 2e-6)).all()
