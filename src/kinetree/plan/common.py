"""The common tasks in one call."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.robot import Robot


def minimum_time(
    robot: Robot,
    *,
    q0: ArrayLike,
    q1: ArrayLike,
    force_limits: ArrayLike | None = None,
    force_rate_limits: ArrayLike | None = None,
    velocity_limits: ArrayLike | None = None,
    acceleration_limits: ArrayLike | None = None,
    position_limits: tuple[ArrayLike, ArrayLike] | None = None,
    control_points: int = 20,
    degree: int = 3,
    **options: Any,
) -> Plan:
    """The fastest motion from rest to rest.

    Args:
        robot: a `Robot`.
        q0, q1: where it starts and ends (nv,).
        force_limits: the largest joint forces [N m, N], a number or one for each joint.
        force_rate_limits: how fast they may change [N m/s, N/s].
        velocity_limits, acceleration_limits: likewise [rad/s, m/s], [rad/s^2, m/s^2].
        position_limits: lower and upper [rad, m].
        control_points, degree: of the splines.
        options: those of `Problem.solve`.

    Returns:
        A `Plan` with ``duration``, ``status`` and ``motion(t)``.

    Example:
        >>> import kinetree as kt
        >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
        >>> round(plan.duration, 3)
        0.393
    """
    problem = Problem(robot, control_points=control_points, degree=degree)
    problem.start(q0)
    problem.end(q1)
    for name, bound in (
        ("force", force_limits),
        ("force_rate", force_rate_limits),
        ("velocity", velocity_limits),
        ("acceleration", acceleration_limits),
    ):
        if bound is not None:
            problem.limit(name, bound)
    if position_limits is not None:
        problem.limit("position", lower=position_limits[0], upper=position_limits[1])
    problem.minimise("time")
    return problem.solve(**options)
