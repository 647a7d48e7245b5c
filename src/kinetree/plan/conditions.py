"""Limits along a motion and conditions at places of it: what they are, and what is refused before any work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.model.mechanism import Mechanism
from kinetree.plan.chains import Closed, ClosedForce, Independent
from kinetree.plan.flat import Elastic
from kinetree.plan.floating import free_base
from kinetree.plan.path import Path
from kinetree.plan.quantity import Derivative, Force, Parameter, Quantity
from kinetree.plan.way import Described

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]
TIMES = (1e-3, 1e3)  # s, between which a free duration is looked for
_ROUND = 1e-9  # relative; two statements may differ by so much and still agree
_CHECKED = 400  # places of a path where its positions are looked at


@dataclass(frozen=True)
class Limit:
    """Bounds on a quantity along the whole motion, or from one place s to another."""

    quantity: Quantity
    lower: Array
    upper: Array
    during: tuple[float, float] = (0.0, 1.0)
    scale: float | None = None  # what a violation is measured by; the bounds themselves by default

    def sides(self, places: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Bounds at places (k, size), infinite where the limit does not hold."""
        away = (places < self.during[0] - _ROUND) | (places > self.during[1] + _ROUND)
        return np.where(away[:, None], -np.inf, lower), np.where(away[:, None], np.inf, upper)


@dataclass(frozen=True)
class Condition:
    """Bounds on a quantity at one place s of the motion, 0 its start and 1 its end."""

    quantity: Quantity
    place: float
    lower: Array
    upper: Array

    @property
    def exact(self) -> bool:
        """Whether it is an equation."""
        return bool(np.array_equal(self.lower, self.upper))


def bounds(robot: Mechanism, wanted: Quantity, lower: Any, upper: Any) -> tuple[Array, Array]:
    """Both sides as arrays, one number for each of the quantity's; refuses what makes no sense."""
    wanted.check(robot)
    n = wanted.size(robot)
    sides = []
    for side, missing in ((lower, -np.inf), (upper, np.inf)):
        if sides and upper is lower is not None:
            break
        try:
            values = np.asarray(missing if side is None else side, float)
        except (TypeError, ValueError):
            raise InputError(f"a bound on {wanted.title} is one number or {n}, got {side!r}") from None
        if values.ndim > 1 or (values.ndim == 1 and values.shape != (n,)):
            raise InputError(f"{wanted.title} has {n} numbers; a bound is one number or {n}, got {side!r}")
        if np.isnan(values).any():
            raise InputError(f"a bound on {wanted.title} is not a number: {side!r}")
        sides.append(np.full(n, values))
    low, high = sides[0], sides[-1]
    if np.isfinite(low).all() and (high is low or (np.isfinite(high).all() and (low <= high).all())):
        return low, high
    if (low > high).any():
        raise InputError(f"the lower bound of {wanted.title} is above the upper one: {low} and {high}")
    if np.isposinf(low).any() or np.isneginf(high).any() or not (np.isfinite(low) | np.isfinite(high)).any():
        raise InputError(f"a limit on {wanted.title} needs a finite bound, got {low} and {high}")
    return low, high


def span(during: tuple[float, float], scale: float | None) -> tuple[tuple[float, float], float | None]:
    """The part of a motion in which a limit holds, and its scale, checked."""
    try:
        start, end = (float(x) for x in during)
    except (TypeError, ValueError):
        start, end = np.nan, np.nan
    if not 0.0 <= start <= end <= 1.0:
        raise InputError(f"a limit holds between two places from 0 to 1, got during={during!r}")
    if scale is not None and not (isinstance(scale, int | float | np.number) and 0.0 < scale < np.inf):
        raise InputError(f"the scale of a limit is a positive number, got {scale!r}")
    return (start, end), scale


def of_model(robot: Mechanism, wanted: Quantity) -> tuple[Array, Array]:
    """The limits of position, velocity or force that the model has; infinite where it has none."""
    joints = {body.joint.name: body.joint.limits for body in robot.bodies}
    own = [joints[name] for name in robot.joint_names for _ in robot.velocities_of(name)]
    if wanted == Derivative(0) or (isinstance(wanted, Described) and wanted.degree == 0):
        return np.array([x.lower for x in own]), np.array([x.upper for x in own])
    if wanted == Derivative(1):
        high = np.array([x.velocity for x in own])
    elif isinstance(wanted, Force):
        high = np.array([x.effort for x in own])
        if isinstance(wanted, ClosedForce):
            high = high[list(wanted.actuation.actuated)]
    else:
        raise InputError(f"models have limits of position, velocity and force, not of {wanted.title}; give numbers")
    return -high, high


def check(problem: Problem) -> None:
    """Refuse a task that can't be solved whatever the motion."""
    if not problem.costs and not problem.time_weight:
        raise InputError('nothing is to be minimised: say problem.minimise("time"), or another cost')
    if problem.closed is None:
        _driven(problem)
    else:
        _closable(problem.closed, problem.conditions)
    _agree(problem.robot, problem.conditions)
    _inside(problem.robot, _of_joints(problem), problem.limits)
    if problem.path is None:
        _enough_points(problem)
    else:
        _path_inside(problem.robot, problem.path, problem.limits)
    if problem.knots == "free" and any((x.lower == x.upper).any() for x in problem.limits):
        raise InputError('knots can\'t be free beside limits that are equations; take knots="adapted"')
    slows = any(x.quantity.order > 0 and not isinstance(x.quantity, Parameter) for x in problem.limits)
    if not problem.costs and not slows and problem.times == TIMES:
        raise InputError("nothing keeps the motion from being endlessly fast: limit velocities or forces, for example")


def _driven(problem: Problem) -> None:
    """A joint without a drive must not be planned with any force, unless the task says which."""
    robot = problem.robot
    if any(limit.quantity.carries for limit in problem.limits):
        return
    springs = {spring.joint for spring, _, _ in robot.transmissions}
    passive = {body.joint.name for body in robot.bodies if not body.joint.actuated} - springs
    passive -= {*free_base(robot)} if problem.base_driven else set()
    told = np.zeros(robot.nv, bool)
    for limit in problem.limits:
        if isinstance(limit.quantity, Force):
            told |= np.isfinite(limit.lower) & np.isfinite(limit.upper)
    for joint in robot.joint_names:
        if joint in passive and not told[list(robot.velocities_of(joint))].all():
            raise InputError(
                f"joint {joint!r} is not driven: lock it, or say with problem.limit('force', lower=..., upper=...) "
                "what its force may be"
            )


def _closable(closed: Closed, conditions: Sequence[Condition]) -> None:
    """Where the independent joints shall be, the loops must close."""
    for c in conditions:
        known = isinstance(c.quantity, Independent) and c.quantity.degree == 0 and c.exact
        if known and not np.isfinite(closed.postures(c.lower[None])).all():
            raise InputError(f"the loops can't be closed at place {c.place:g}, at {c.lower} of the driven joints")


def _agree(robot: Mechanism, conditions: Sequence[Condition]) -> None:
    for k, one in enumerate(conditions):
        for other in conditions[:k]:
            if one.place != other.place or one.quantity != other.quantity:
                continue
            low, high = np.maximum(one.lower, other.lower), np.minimum(one.upper, other.upper)
            bad = low > high + _ROUND * np.maximum(1.0, np.abs(high))
            if bad.any():
                name = one.quantity.names(robot)[int(np.argmax(bad))]
                raise InputError(f"two conditions at place {one.place:g} of the motion contradict each other in {name}")


def _inside(robot: Mechanism, conditions: Sequence[Condition], limits: Sequence[Limit]) -> None:
    for c in conditions:
        for limit in limits:
            if not limit.during[0] <= c.place <= limit.during[1]:
                continue
            low, high = c.lower, c.upper
            if limit.quantity != c.quantity:
                known = limit.quantity.order == 0 and not limit.quantity.informed
                if c.quantity != Derivative(0) or not known or not c.exact:
                    continue
                still = [0.0] * robot.nv
                low = high = np.array(limit.quantity.values(robot, c.lower.tolist(), still, still, still), float)
            room = _ROUND * np.maximum(1.0, np.abs(low))
            bad = (low > limit.upper + room) | (high < limit.lower - room)
            if bad.any():
                k = int(np.argmax(bad))
                where = {0.0: "the start", 1.0: "the end"}.get(c.place, f"place {c.place:g}")
                raise InputError(
                    f"{where} is outside the limits: {limit.quantity.names(robot)[k]} is {low[k]:g} there, "
                    f"allowed are {limit.lower[k]:g} to {limit.upper[k]:g}"
                )


def _of_joints(problem: Problem) -> list[Condition]:
    """The conditions; positions of links before elastic motors as those of all joints, of which motors are open."""
    if not isinstance(problem.coordinates, Elastic):
        return problem.conditions
    found = []
    for c in problem.conditions:
        if isinstance(c.quantity, Described) and c.quantity.degree == 0:
            links = list(problem.coordinates.springs.links)
            lower, upper = np.full(problem.robot.nv, -np.inf), np.full(problem.robot.nv, np.inf)
            lower[links], upper[links] = c.lower, c.upper
            c = Condition(Derivative(0), c.place, lower, upper)
        found.append(c)
    return found


def _enough_points(problem: Problem) -> None:
    """Each equation on positions or their derivatives needs a control point for each joint."""
    straight = type(problem.linear(0))
    distinct = {(c.place, c.quantity) for c in problem.conditions if isinstance(c.quantity, straight) and c.exact}
    needed = len(distinct) + (problem.seam + 1 if problem.seam is not None else 0)
    if problem.spline.points < needed:
        raise InputError(
            f"{needed} conditions on the positions of each joint and their derivatives need {needed} control points "
            f"or more, got {problem.spline.points}"
        )


def _path_inside(robot: Mechanism, path: Path, limits: Sequence[Limit]) -> None:
    """A path fixes the positions, whatever the motion along it."""
    q = path(np.linspace(0.0, 1.0, _CHECKED))
    for limit in limits:
        if limit.quantity == Derivative(0):
            room = _ROUND * np.maximum(1.0, np.abs(q))
            bad = ((q > limit.upper + room) | (q < limit.lower - room)).any(axis=0)
            if bad.any():
                name = limit.quantity.names(robot)[int(np.argmax(bad))]
                raise InputError(f"the path leaves the limits of {name}")
