"""What is refused before any work: robots that can't be planned for, and tasks that can't be solved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.constraints import ROUNDING, PathConstraint, PointConstraint
from kinetree.plan.coordinates import FlatCoordinates, LoopCoordinates, Path, PathCoordinate, free_base
from kinetree.plan.forces import Force
from kinetree.plan.obstacles.scene import check_ends
from kinetree.plan.quantity import Coordinate, Derivative
from kinetree.robot import Robot

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

_INSIDE = "; np.clip(q, robot.lower, robot.upper) is inside those of the model"
DURATIONS = (1e-3, 1e3)  # s, between which a free duration is looked for
_SAMPLES = 400  # of a path where its positions are looked at


def refuse_robot(robot: Any, closed: bool) -> None:
    """Refuse robots whose motions can't be planned, and say why."""
    if not isinstance(robot, Robot):
        raise InputError(f"planning takes a Robot, a tree of bodies; got {type(robot).__name__}")
    if closed and robot.quaternions:
        raise InputError(
            f"robot {robot.name!r} has closed loops and quaternions among its coordinates; plan it on a fixed or "
            "prescribed base, or give it joints with angles"
        )
    if robot.transmissions and (closed or robot.quaternions):
        raise InputError(
            f"robot {robot.name!r} has elastic transmissions beside closed loops or quaternions; plan the robot with "
            "rigid joints"
        )
    if not closed and (robot.loops or robot.couplings):
        names = ", ".join(repr(x) for x in (*(loop.name for loop in robot.loops), *(c.joint for c in robot.couplings)))
        raise InputError(f"robot {robot.name!r} has closed loops ({names}); plan kinetree.ClosedChain(robot)")
    if robot.parameters:
        raise InputError(f"the model has open parameters ({', '.join(robot.parameters)}); planning needs numbers")
    if not robot.nv:
        raise InputError(f"robot {robot.name!r} has no joint that moves")


def check(problem: Problem) -> None:
    """Refuse a task that can't be solved whatever the motion."""
    robot, coordinates, constraints = problem.robot, problem.coordinates, problem.constraints
    if not problem.costs and not problem.time_weight:
        raise InputError('nothing is to be minimised: say problem.minimise("time"), or another cost')
    if isinstance(coordinates, LoopCoordinates):
        _closable(coordinates, problem.point_constraints)
    else:
        _actuated(problem)
    _agree(robot, problem.point_constraints)
    _inside(robot, _of_joints(problem), constraints)
    check_ends(problem)
    if isinstance(coordinates, PathCoordinate):
        _path_inside(robot, coordinates.path, constraints)
    else:
        _enough_control_points(problem)
    if problem.knots == "free" and any(c.equality.any() for c in constraints):
        raise InputError('knots can\'t be free beside limits that are equalities; take knots="adapted"')
    slows = any(c.quantity.order > 0 and not isinstance(c.quantity, Coordinate) for c in constraints)
    if not problem.costs and not slows and problem.durations == DURATIONS:
        raise InputError("nothing keeps the motion from being endlessly fast: limit velocities or forces, for example")


def _actuated(problem: Problem) -> None:
    """An unactuated joint must not be planned with any force, unless the task says which."""
    robot = problem.robot
    if any(c.quantity.includes_contact for c in problem.constraints):
        return
    springs = {spring.joint for spring, _, _ in robot.transmissions}
    passive = {body.joint.name for body in robot.bodies if not body.joint.actuated} - springs
    passive -= {*free_base(robot)} if problem.base_driven else set()
    forces = [c for c in problem.constraints if isinstance(c.quantity, Force)]
    limited = np.any([np.isfinite(c.lower) & np.isfinite(c.upper) for c in forces] or [[False] * robot.nv], axis=0)
    for joint in robot.joint_names:
        if joint in passive and not limited[list(robot.velocities_of(joint))].all():
            raise InputError(
                f"joint {joint!r} is not driven: lock it, or say with problem.limit('force', lower=..., upper=...) "
                "what its force may be"
            )


def _closable(chain: LoopCoordinates, constraints: Sequence[PointConstraint]) -> None:
    """Where the independent joints shall be, the loops must close."""
    for c in constraints:
        known = c.quantity == chain.linear(0) and c.equality
        if known and not np.isfinite(chain.closed(c.lower[None])).all():
            raise InputError(f"the loops can't be closed at s = {c.s:g}, at {c.lower} of the independent joints")


def _agree(robot: Mechanism, constraints: Sequence[PointConstraint]) -> None:
    same = (pair for pair in combinations(constraints, 2) if pair[0].s == pair[1].s)
    for one, other in (pair for pair in same if pair[0].quantity == pair[1].quantity):
        low, high = np.maximum(one.lower, other.lower), np.minimum(one.upper, other.upper)
        bad = low > high + ROUNDING * np.maximum(1.0, np.abs(high))
        if bad.any():
            name = one.quantity.names(robot)[int(np.argmax(bad))]
            raise InputError(f"two constraints at s = {one.s:g} of the motion contradict each other in {name}")


def _inside(robot: Mechanism, points: Sequence[PointConstraint], constraints: Sequence[PathConstraint]) -> None:
    for point in points:
        for c in constraints:
            if not c.during[0] <= point.s <= c.during[1]:
                continue
            low, high = point.lower, point.upper
            if c.quantity != point.quantity:
                known = c.quantity.order == 0 and not c.quantity.needs_parameters
                if point.quantity != Derivative(0) or not known or not point.equality:
                    continue
                still = [0.0] * robot.nv
                low = high = np.array(c.quantity.values(robot, point.lower.tolist(), still, still, still), float)
            room = ROUNDING * np.maximum(1.0, np.abs(low))
            bad = (low > c.upper + room) | (high < c.lower - room)
            if bad.any():
                k = int(np.argmax(bad))
                where = {0.0: "the start", 1.0: "the end"}.get(point.s, f"the point s = {point.s:g}")
                raise InputError(
                    f"{where} is outside the limits: {c.quantity.names(robot)[k]} is {low[k]:g} there, "
                    f"allowed are {c.lower[k]:g} to {c.upper[k]:g}{_INSIDE if c.quantity == Derivative(0) else ''}"
                )


def _of_joints(problem: Problem) -> list[PointConstraint]:
    """Positions of links before elastic motors as those of all joints, of which motors are free."""
    if not isinstance(problem.coordinates, FlatCoordinates):
        return problem.point_constraints
    found, position, links = [], problem.coordinates.linear(0), list(problem.coordinates.springs.links)
    for c in problem.point_constraints:
        if c.quantity == position:
            lower, upper = np.full(problem.robot.nv, -np.inf), np.full(problem.robot.nv, np.inf)
            lower[links], upper[links] = c.lower, c.upper
            c = PointConstraint(Derivative(0), c.s, lower, upper)
        found.append(c)
    return found


def _enough_control_points(problem: Problem) -> None:
    """Each equality on positions or their derivatives needs a control point for each coordinate."""
    linear = problem.coordinates.is_linear
    distinct = {(c.s, c.quantity) for c in problem.point_constraints if linear(c.quantity) and c.equality}
    needed = len(distinct) + (0 if problem.periodic_order is None else problem.periodic_order + 1)
    if problem.spline.size < needed:
        raise InputError(
            f"{needed} constraints on the positions of each joint and their derivatives need {needed} control points "
            f"or more, got {problem.spline.size}"
        )


def _path_inside(robot: Mechanism, path: Path, constraints: Sequence[PathConstraint]) -> None:
    """A path fixes the positions, whatever the motion along it."""
    q = path(np.linspace(0.0, 1.0, _SAMPLES))
    for c in constraints:
        if c.quantity == Derivative(0):
            room = ROUNDING * np.maximum(1.0, np.abs(q))
            bad = ((q > c.upper + room) | (q < c.lower - room)).any(axis=0)
            if bad.any():
                name = c.quantity.names(robot)[int(np.argmax(bad))]
                raise InputError(f"the path leaves the limits of {name}")
