"""What a task is given, checked: the robot, knots, loads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError, UnknownNameError
from kinetree.plan.flat import Elastic
from kinetree.plan.floating import Charts, free_base
from kinetree.plan.quantity import Loads
from kinetree.plan.way import Coordinates
from kinetree.robot import Robot

KNOTS = ("even", "adapted", "free")
BASES = ("undriven", "driven")

SECOND = ("compiled", "differences")  # where second derivatives of limits come from


def refuse(robot: Any, closed: bool = False) -> None:
    """Refuse robots whose motions can't be planned, and say why."""
    if not isinstance(robot, Robot):
        kind = type(robot).__name__
        raise InputError(f"planning takes a Robot, a tree of bodies; got {kind}")
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


def base_is_driven(robot: Robot, base: str | None) -> bool:
    """Whether something drives the base of a floating robot; nothing does by default."""
    if base is None:
        return False
    if base not in BASES:
        raise UnknownNameError("kind of base", base, BASES)
    if not free_base(robot):
        raise InputError(f"robot {robot.name!r} has no floating base, which base={base!r} speaks of")
    return base == "driven"


def coordinates_of(robot: Robot, external: Loads | None, degree: int, base_driven: bool) -> Coordinates | None:
    """The coordinates that splines describe where they are not those of the robot."""
    if robot.quaternions:
        return Charts(robot, base_driven)
    if not robot.transmissions:
        return None
    elastic = Elastic(robot, external)
    elastic.check_degree(degree)
    return elastic


def choice_of_knots(knots: Any) -> str:
    """How the knots of a problem are chosen; "given" where they are numbers."""
    if not isinstance(knots, str):
        return "given"
    if knots not in KNOTS:
        raise UnknownNameError("choice of knots", knots, KNOTS)
    return knots


def image(width: int, mirror: ArrayLike | None) -> NDArray[np.float64] | None:
    """A matrix that maps the start of a motion to its end, checked."""
    if mirror is None:
        return None
    matrix = np.asarray(mirror, float)
    if matrix.shape != (width, width) or not np.isfinite(matrix).all():
        raise InputError(f"a mirror of {width} coordinates is a matrix ({width}, {width}), got shape {matrix.shape}")
    return matrix


def kind_of_second(second: str) -> str:
    """Where second derivatives come from, checked."""
    if second not in SECOND:
        raise UnknownNameError("kind of second derivatives", second, SECOND)
    return second


def flat(values: Any) -> list[float]:
    """Numbers as a list."""
    return np.asarray(values, float).ravel().tolist()


def loads(robot: Robot, external: ArrayLike | None) -> Loads | None:
    """Constant loads on the bodies."""
    if external is None:
        return None
    given = np.asarray(external, float)
    if given.shape != (robot.nbodies, 6) or not np.isfinite(given).all():
        raise InputError(f"external loads are finite numbers ({robot.nbodies}, 6), got an array {given.shape}")
    return tuple(tuple(row) for row in given.tolist())
