"""Which coordinates the splines of a problem describe."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, check_name
from kinetree.plan.coordinates.coordinates import PlanCoordinates
from kinetree.plan.coordinates.flat import FlatCoordinates
from kinetree.plan.coordinates.joint import JointCoordinates
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.coordinates.orientation import OrientationCharts, free_base
from kinetree.plan.coordinates.path import Path, PathCoordinate
from kinetree.plan.dynamics import Loads
from kinetree.robot import Robot

BASES = ("undriven", "driven")


def coordinates_of(
    robot: Robot | ClosedChain, external: Loads | None, base_driven: bool, configuration: ArrayLike | None, path: Any
) -> PlanCoordinates:
    """Those of a robot, or of the motion along a path; arguments as for `kinetree.plan.Problem`."""
    if isinstance(robot, ClosedChain):
        special, found = "a closed chain", LoopCoordinates(robot, configuration)
    elif robot.quaternions or robot.transmissions:
        special = "elastic joints and quaternions"
        found = OrientationCharts(robot, base_driven) if robot.quaternions else FlatCoordinates(robot, external)
    else:
        return JointCoordinates(robot) if path is None else PathCoordinate(robot, Path.of(path, robot.nv))
    if path is not None:
        raise InputError(f"{special} can't be planned along a path yet; give via points")
    return found


def base_is_driven(robot: Robot, base: str | None) -> bool:
    """Whether something drives the base of a floating robot; nothing does by default."""
    if base is None:
        return False
    check_name("kind of base", base, BASES)
    if not free_base(robot):
        raise InputError(f"robot {robot.name!r} has no floating base, which base={base!r} speaks of")
    return base == "driven"
