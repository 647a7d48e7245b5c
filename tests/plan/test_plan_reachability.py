"""The parts of reachability analysis, each against brute force."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.plan import Path
from kinetree.plan.reachability import passes, slowing
from kinetree.plan.reachability.rows import Rows


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
    s = np.linspace(0.0, 1.0, 4)
    b = (4.8 * s * (1.0 - s))[None, :, None]
    of = Rows(np.zeros_like(b), b, np.full_like(b, -np.inf), np.ones_like(b), np.zeros_like(b))
    found = slowing.slowed(of, np.zeros((1, 4)), np.ones((1, 4)), 1e-6)
    assert found.factor == pytest.approx(np.sqrt(1.2), rel=1e-6)
    assert found.violation <= 1e-6
    assert found.worst == 0


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
