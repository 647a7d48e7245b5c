"""What a task is given, checked: the robot, knots, loads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.plan.quantity import Loads
from kinetree.robot import Robot


def refuse(robot: Any, closed: bool = False) -> None:
    """Refuse robots whose motions can't be planned, and say why."""
    if not isinstance(robot, Robot):
        kind = type(robot).__name__
        raise InputError(f"planning takes a Robot, a tree of bodies; got {kind}")
    if robot.quaternions:
        raise InputError(
            f"robot {robot.name!r} has quaternions among its coordinates; plan its joints on a fixed or prescribed "
            "base, or give it joints with angles"
        )
    if not closed and (robot.loops or robot.couplings):
        names = ", ".join(repr(x) for x in (*(loop.name for loop in robot.loops), *(c.joint for c in robot.couplings)))
        raise InputError(f"robot {robot.name!r} has closed loops ({names}); plan kinetree.ClosedChain(robot)")
    if robot.transmissions:
        raise InputError(f"robot {robot.name!r} has elastic transmissions; plan the robot with rigid joints")
    if robot.parameters:
        raise InputError(f"the model has open parameters ({', '.join(robot.parameters)}); planning needs numbers")
    if not robot.nv:
        raise InputError(f"robot {robot.name!r} has no joint that moves")


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
