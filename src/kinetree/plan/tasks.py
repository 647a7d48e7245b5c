"""The common tasks in one call."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, UnknownNameError
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.robot import Robot

Bound = ArrayLike | str | None
_LIMITED = ("force", "force_rate", "velocity", "acceleration", "jerk")
_ENDS = ("qd0", "qd1", "qdd0", "qdd1")
_OF_PROBLEM = ("control_points", "degree", "knots", "external", "path")


def minimum_time(
    robot: Robot | ClosedChain,
    *,
    q0: ArrayLike,
    q1: ArrayLike,
    force_limits: Bound = None,
    force_rate_limits: ArrayLike | None = None,
    velocity_limits: Bound = None,
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
    """The fastest motion from one configuration to another, from rest to rest unless told otherwise.

    Args:
        robot: a `Robot`, or a `ClosedChain`, of which limits of force are those of its actuated joints.
        q0, q1: where it starts and ends (nv,); of a closed chain, its independent joints.
        qd0, qd1, qdd0, qdd1: velocities and accelerations there, as for `Problem.start`: at rest by default, and with
            limits of jerks or force rates without acceleration; qdd0="free" to allow any.
        force_limits: the largest joint forces [N m, N], a number or one for each joint; "model" for the model's own.
        force_rate_limits: how fast they may change [N m/s, N/s].
        velocity_limits: likewise [rad/s, m/s]; "model" for the model's own.
        acceleration_limits, jerk_limits: likewise [rad/s^2, m/s^2], [rad/s^3, m/s^3].
        position_limits: lower and upper [rad, m], or "model".
        limits: "model" takes all limits of position, velocity and force that the model has, beside those given.
        control_points, degree, knots, external: those of `Problem`.
        options: those of `kinetree.plan.Options`.

    Returns:
        A `Plan` with ``duration``, ``status`` and ``motion(t)``.

    Example:
        >>> import kinetree as kt
        >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
        >>> round(plan.duration, 3)
        0.393
    """
    given = {
        "force_limits": force_limits, "force_rate_limits": force_rate_limits, "velocity_limits": velocity_limits,
        "acceleration_limits": acceleration_limits, "jerk_limits": jerk_limits, "position_limits": position_limits,
        "limits": limits, "control_points": control_points, "degree": degree, "knots": knots, "external": external,
    }  # fmt: skip
    problem, options = _limited(robot, given | options)
    _ended(problem, q0, q1, options)
    problem.minimise("time")
    return problem.solve(**options)


def minimum_effort(
    robot: Robot | ClosedChain, *, q0: ArrayLike, q1: ArrayLike, duration: float, **options: Any
) -> Plan:
    """The motion from rest to rest in a given time with the least integral of the squared joint forces.

    Args:
        robot: a `Robot`, or a `ClosedChain`, of which limits of force are those of its actuated joints.
        q0, q1: where it starts and ends (nv,); of a closed chain, its independent joints.
        duration: how long it takes [s].
        options: velocities and accelerations at the ends, limits, splines (12 control points by default) and the rest
            as for `minimum_time`.

    Returns:
        A `Plan`; its ``cost`` is the integral [N^2 m^2 s, N^2 s].

    Example:
        >>> import kinetree as kt
        >>> plan = kt.plan.minimum_effort(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], duration=1.0)
        >>> plan.ok
        True
    """
    problem, options = _limited(robot, {"control_points": 12} | options)
    _ended(problem, q0, q1, options)
    problem.duration(duration)
    problem.minimise("effort")
    return problem.solve(**options)


def time_optimal_path(robot: Robot, *, path: Any, **options: Any) -> Plan:
    """The fastest motion along a given path, from rest at its start to rest at its end.

    Args:
        robot: a `Robot`.
        path: points (m, nv) that a smooth curve is laid through, a function of s from 0 to 1, or a `Path` [rad, m].
        options: limits, splines (80 control points and adapted knots by default) and the rest as for `minimum_time`;
            of the ends, qdd0="free" and qdd1="free".

    Returns:
        A `Plan` whose spline describes the path parameter.

    Example:
        >>> import kinetree as kt
        >>> path = [[0.0, -2.0], [0.8, -1.8], [1.0, -1.0]]
        >>> plan = kt.plan.time_optimal_path(kt.robots.two_link(), path=path, force_limits=10)
        >>> plan.ok
        True
    """
    problem, options = _limited(robot, {"control_points": 80, "knots": "adapted", "path": path} | options)
    problem.jerky_ends = {s for s, name in ((0.0, "qdd0"), (1.0, "qdd1")) if options.pop(name, None) == "free"}
    problem.minimise("time")
    return problem.solve(**options)


def _ended(problem: Problem, q0: ArrayLike, q1: ArrayLike, options: dict[str, Any]) -> None:
    """Start and end, with the velocities and accelerations there among some keywords, which are taken out."""
    problem.start(q0, options.pop("qd0", 0.0), options.pop("qdd0", None))
    problem.end(q1, options.pop("qd1", 0.0), options.pop("qdd1", None))


def _limited(robot: Robot | ClosedChain, given: dict[str, Any]) -> tuple[Problem, dict[str, Any]]:
    """A problem with the limits among some keywords, and the keywords that are left."""
    problem = Problem(robot, **{name: given.pop(name) for name in _OF_PROBLEM if name in given})
    if (limits := given.pop("limits", None)) is not None:
        if limits != "model":
            raise UnknownNameError("source of limits", limits, ["model"])
        for name in ("position", "velocity", "force"):
            problem.limit(name, "model")
    for name in _LIMITED:
        if (bound := given.pop(f"{name}_limits", None)) is not None:
            problem.limit(name, bound)
    position = given.pop("position_limits", None)
    if isinstance(position, str):
        problem.limit("position", position)
    elif position is not None:
        try:
            lower, upper = position
        except (TypeError, ValueError):
            raise InputError(f'position_limits are a lower and an upper side, or "model"; got {position!r}') from None
        problem.limit("position", lower=lower, upper=upper)
    Options.of(
        {name: x for name, x in given.items() if name not in _ENDS},
        (*_ENDS, "limits", "position_limits", *(f"{name}_limits" for name in _LIMITED), *_OF_PROBLEM),
    )
    return problem, given
