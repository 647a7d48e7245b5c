"""Motions along given paths, against a reference of their own: the phase plane, cut into thin slices.

On a path the joint forces are linear in sdd and u = sd^2, tau = a(s) sdd + b(s) u + c(s), and so are accelerations.
From slice to slice u grows by 2 ds sdd. Backwards the slices give the largest u from which the end can still be
reached; forwards the largest of these is taken. Both are exact for accelerations constant in each slice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.plan import Path, PlanStatus

TWO_LINK = kt.robots.two_link()
SLICES = 1500
NEAR = 0.005  # relative; what a spline with 80 control points loses, and the slices
KEPT = 1e-6  # relative; how far a limit may be broken anywhere
LINK = {"mass": 2.0, "inertia": (0.02, 0.05, 0.05)}
ARM = kt.Robot.from_dh(
    [
        kt.DH(d=0.3, alpha=np.pi / 2, com=(0.0, -0.1, 0.0), **LINK),
        kt.DH(a=0.4, com=(-0.2, 0.0, 0.0), **LINK),
        kt.DH(a=0.3, com=(-0.15, 0.0, 0.0), **LINK),
    ],
    "standard",
    name="arm",
)


def least_time(robot: Any, path: Path, force: Any = np.inf, acceleration: Any = np.inf) -> float:
    """The least time of a path from rest to rest, in the phase plane."""
    s = np.linspace(0.0, 1.0, SLICES + 1)
    q, slope, bend = path.spline.curve(path.points, s, 2)
    still = np.zeros_like(q)
    c = robot.inverse_dynamics(q, still, still)
    a, b = robot.inverse_dynamics(q, still, slope) - c, robot.inverse_dynamics(q, slope, bend) - c
    A = np.concatenate([a, slope], axis=1)
    B = np.concatenate([b, bend], axis=1)
    high = np.concatenate([np.broadcast_to(force, c.shape) - c, np.broadcast_to(acceleration, c.shape)], axis=1)
    low = np.concatenate([-np.broadcast_to(force, c.shape) - c, -np.broadcast_to(acceleration, c.shape)], axis=1)
    # rows A sdd + B u <= d
    A, B, d = np.r_["1", A, -A], np.r_["1", B, -B], np.r_["1", high, -low]
    step = 2.0 / SLICES
    top, reach = 0.0, np.zeros(SLICES + 1)
    for k in reversed(range(SLICES)):
        more = [0.0, step, -step], [-1.0, 1.0, -1.0], [0.0, top, 0.0]  # 0 <= u, 0 <= u + step sdd <= top
        used = np.isfinite(d[k])
        reach[k] = top = highest(*(np.r_[x[k][used], y] for x, y in zip((A, B, d), more)))
    u = np.zeros(SLICES + 1)
    for k in range(SLICES):
        used = np.isfinite(d[k]) & (np.abs(A[k]) > 1e-12)
        bounds = (d[k] - B[k] * u[k])[used] / A[k][used]
        most = bounds[A[k][used] > 0].min()
        u[k + 1] = min(max(0.0, u[k] + step * most), reach[k + 1])
    return float((step / (np.sqrt(u[1:]) + np.sqrt(u[:-1]))).sum())


def highest(A: np.ndarray, B: np.ndarray, d: np.ndarray) -> float:
    """The largest u with A x + B u <= d for some x: the best corner."""
    i, j = np.triu_indices(len(A), 1)
    det = A[i] * B[j] - A[j] * B[i]
    ok = np.abs(det) > 1e-14
    i, j, det = i[ok], j[ok], det[ok]
    u = (A[i] * d[j] - A[j] * d[i]) / det
    x = (d[i] * B[j] - d[j] * B[i]) / det
    inside = (A[:, None] * x + B[:, None] * u <= d[:, None] + 1e-9 * (1.0 + np.abs(d[:, None]))).all(axis=0)
    return float(u[inside].max())


def checked(plan: Any) -> tuple[np.ndarray, ...]:
    """The motion on a fine grid: it is on the path, from rest to rest, and never goes back."""
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    t = np.linspace(0.0, plan.duration, 10_000)
    s, sd, *_ = plan.coordinate_motion(t)[..., 0]
    assert s[0] == 0.0
    assert abs(s[-1] - 1.0) <= 1e-12
    assert sd.min() >= -KEPT
    motion = plan.motion(t)
    assert np.abs(motion[0] - plan.coordinates.path(s)).max() <= 1e-9
    assert np.abs(motion[1][[0, -1]]).max() <= 1e-9
    return motion


def test_the_reference_knows_the_straight_line():
    """One joint-like way of length 1 with |qdd| <= 4 takes 2 sqrt(1 / 4)."""
    path = Path.through([[0.0, 0.0], [1.0, 0.0]])
    assert least_time(TWO_LINK, path, acceleration=4.0) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_two_links_follow_a_path_in_the_least_time_that_forces_allow(seed):
    path = Path.through(np.random.default_rng(seed).uniform(-1.5, 1.5, (5, 2)))
    plan = kt.plan.time_optimal_path(TWO_LINK, path=path, force_limits=10, acceleration_limits=60)
    q, qd, qdd, _ = checked(plan)
    assert np.abs(TWO_LINK.inverse_dynamics(q, qd, qdd)).max() <= 10.0 * (1.0 + KEPT)
    assert np.abs(qdd).max() <= 60.0 * (1.0 + KEPT)
    best = least_time(TWO_LINK, path, 10.0, 60.0)
    assert best * (1.0 - 1e-3) <= plan.duration <= best * (1.0 + NEAR)


def test_an_arm_under_gravity_follows_a_path_in_the_least_time():
    path = Path.through(np.random.default_rng(7).uniform(-1.0, 1.0, (6, 3)))
    force = np.array([40.0, 60.0, 30.0])
    plan = kt.plan.time_optimal_path(ARM, path=path, force_limits=force)
    q, qd, qdd, _ = checked(plan)
    assert (np.abs(ARM.inverse_dynamics(q, qd, qdd)).max(axis=0) <= force * (1.0 + KEPT)).all()
    best = least_time(ARM, path, force)
    assert best * (1.0 - 1e-3) <= plan.duration <= best * (1.0 + NEAR)
    # how fast the forces change costs time, and is kept
    slower = kt.plan.time_optimal_path(
        ARM, path=path, force_limits=force, force_rate_limits=10.0 * force, velocity_limits=2.5
    )
    motion = checked(slower)
    assert slower.duration > 1.02 * plan.duration
    assert (np.abs(ARM.force_rates(*motion)).max(axis=0) <= 10.0 * force * (1.0 + KEPT)).all()
    assert np.abs(motion[1]).max() <= 2.5 * (1.0 + KEPT)


def test_points_functions_and_paths_are_the_same_way():
    points = [[0.0, 0.0], [0.25, 0.5], [0.5, 1.0]]  # a straight line
    plans = [
        kt.plan.time_optimal_path(TWO_LINK, path=path, acceleration_limits=5.0, control_points=12, knots="even")
        for path in (points, Path.through(points), lambda s: [0.5 * s, s])
    ]
    for plan in plans:
        assert plan.ok
        assert plan.duration == pytest.approx(plans[0].duration, rel=1e-6)


def test_a_path_that_no_force_can_follow_is_infeasible():
    pytest.importorskip("ipyopt", reason="IPOPT says that it is infeasible")
    with pytest.warns(kt.errors.PlanWarning, match="at rest at the start the force of joint2"):
        plan = kt.plan.time_optimal_path(ARM, path=[[0.0, 0.0, 0.0], [0.5, 0.3, 0.0]], force_limits=[40.0, 2.0, 30.0])
    assert plan.status is PlanStatus.INFEASIBLE
    assert plan.worst.startswith("force of joint2 is")
