"""The common tasks in one call."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, UnknownNameError
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.robot import Robot

Bounds = ArrayLike | str | None


def minimum_time(
    robot: Robot | ClosedChain,
    *,
    q0: ArrayLike,
    q1: ArrayLike,
    force_limits: Bounds = None,
    force_rate_limits: ArrayLike | None = None,
    velocity_limits: Bounds = None,
    acceleration_limits: ArrayLike | None = None,
    jerk_limits: ArrayLike | None = None,
    position_limits: tuple[ArrayLike, ArrayLike] | str | None = None,
    limits: str | None = None,
    control_points: int = 20,
    degree: int = 3,
    knots: str | ArrayLike = "even",
    external: ArrayLike | None = None,
    **options: Any,
) -> Plan:
    """The fastest motion from rest to rest.

    Args:
        robot: a `Robot`, or a `ClosedChain`, of which limits of force are those of its drives.
        q0, q1: where it starts and ends (nv,); of a closed chain, its independent joints.
        force_limits: the largest joint forces [N m, N], a number or one for each joint; "model" for the model's own.
        force_rate_limits: how fast they may change [N m/s, N/s].
        velocity_limits: likewise [rad/s, m/s]; "model" for the model's own.
        acceleration_limits, jerk_limits: likewise [rad/s^2, m/s^2], [rad/s^3, m/s^3].
        position_limits: lower and upper [rad, m], or "model".
        limits: "model" takes all limits of position, velocity and force that the model has, beside those given.
        control_points, degree, knots, external: those of `Problem`.
        options: those of `Problem.solve`.

    Returns:
        A `Plan` with ``duration``, ``status`` and ``motion(t)``.

    Example:
        >>> import kinetree as kt
        >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
        >>> round(plan.duration, 3)
        0.393
    """
    problem = Problem(robot, control_points=control_points, degree=degree, knots=knots, external=external)
    _between(problem, q0, q1, limits, position_limits, force=force_limits, force_rate=force_rate_limits,
             velocity=velocity_limits, acceleration=acceleration_limits, jerk=jerk_limits)  # fmt: skip
    problem.minimise("time")
    return problem.solve(**options)


def minimum_effort(
    robot: Robot | ClosedChain,
    *,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float,
    force_limits: Bounds = None,
    force_rate_limits: ArrayLike | None = None,
    velocity_limits: Bounds = None,
    acceleration_limits: ArrayLike | None = None,
    jerk_limits: ArrayLike | None = None,
    position_limits: tuple[ArrayLike, ArrayLike] | str | None = None,
    limits: str | None = None,
    control_points: int = 12,
    degree: int = 3,
    knots: str | ArrayLike = "even",
    external: ArrayLike | None = None,
    **options: Any,
) -> Plan:
    """The motion from rest to rest in a given time with the least integral of the squared joint forces.

    Args:
        robot: a `Robot`, or a `ClosedChain`, of which limits of force are those of its drives.
        q0, q1: where it starts and ends (nv,); of a closed chain, its independent joints.
        duration: how long it takes [s].
        options: limits, splines and the rest as for `minimum_time`.

    Returns:
        A `Plan`; its ``cost`` is the integral [N^2 m^2 s, N^2 s].

    Example:
        >>> import kinetree as kt
        >>> plan = kt.plan.minimum_effort(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], duration=1.0)
        >>> plan.ok
        True
    """
    problem = Problem(robot, control_points=control_points, degree=degree, knots=knots, external=external)
    _between(problem, q0, q1, limits, position_limits, force=force_limits, force_rate=force_rate_limits,
             velocity=velocity_limits, acceleration=acceleration_limits, jerk=jerk_limits)  # fmt: skip
    problem.duration(duration)
    problem.minimise("effort")
    return problem.solve(**options)


def time_optimal_path(
    robot: Robot,
    *,
    path: Any,
    force_limits: Bounds = None,
    force_rate_limits: ArrayLike | None = None,
    velocity_limits: Bounds = None,
    acceleration_limits: ArrayLike | None = None,
    jerk_limits: ArrayLike | None = None,
    control_points: int = 80,
    degree: int = 3,
    knots: str | ArrayLike = "adapted",
    external: ArrayLike | None = None,
    **options: Any,
) -> Plan:
    """The fastest motion along a given path, from rest at its start to rest at its end.

    Args:
        robot: a `Robot`.
        path: points (m, nv) that a smooth curve is laid through, a function of s from 0 to 1, or a `Path` [rad, m].
        force_limits: the largest joint forces [N m, N], a number or one for each joint; "model" for the model's own.
        force_rate_limits: how fast they may change [N m/s, N/s].
        velocity_limits, acceleration_limits, jerk_limits: of the joints.
        control_points, degree, knots, external: those of `Problem`; of the place on the path over time.
        options: those of `Problem.solve`.

    Returns:
        A `PathPlan`.

    Example:
        >>> import kinetree as kt
        >>> path = [[0.0, -2.0], [0.8, -1.8], [1.0, -1.0]]
        >>> plan = kt.plan.time_optimal_path(kt.robots.two_link(), path=path, force_limits=10)
        >>> plan.ok
        True
    """
    problem = Problem(robot, control_points=control_points, degree=degree, knots=knots, external=external, path=path)
    _limit(problem, force=force_limits, force_rate=force_rate_limits, velocity=velocity_limits,
           acceleration=acceleration_limits, jerk=jerk_limits)  # fmt: skip
    problem.minimise("time")
    return problem.solve(**options)


def _between(problem: Problem, q0: ArrayLike, q1: ArrayLike, limits: str | None, position: Any, **bounds: Any) -> None:
    """From rest to rest under limits."""
    problem.start(q0)
    problem.end(q1)
    if limits is not None:
        if limits != "model":
            raise UnknownNameError("source of limits", limits, ["model"])
        for name in ("position", "velocity", "force"):
            problem.limit(name, "model")
    _limit(problem, **bounds)
    if isinstance(position, str):
        problem.limit("position", position)
    elif position is not None:
        try:
            lower, upper = position
        except (TypeError, ValueError):
            raise InputError(f'position_limits are a lower and an upper side, or "model"; got {position!r}') from None
        problem.limit("position", lower=lower, upper=upper)


def _limit(problem: Problem, **bounds: Any) -> None:
    for name, bound in bounds.items():
        if bound is not None:
            problem.limit(name, bound)
