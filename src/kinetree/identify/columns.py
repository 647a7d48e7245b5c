"""What the columns of measured series are: a position, velocity or force of each joint of a robot, by name."""

from __future__ import annotations

from typing import NamedTuple

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.identify.chains import tree_of
from kinetree.robot import Robot


class Columns(NamedTuple):
    """The names of positions, velocities and forces; of a closed chain the velocities of the independent joints.

    ``passive`` are forces that need not be measured, because no actuator gives them.
    """

    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    forces: tuple[str, ...]
    passive: frozenset[str]


def columns_of(robot: Robot | ClosedChain) -> Columns:
    """The columns that the measurements of a robot have."""
    tree = tree_of(robot)
    positions, velocities = tree.position_names, tree.coordinate_names
    if isinstance(robot, ClosedChain):
        if len(robot.actuation.actuated) != robot.mobility:
            raise InputError(
                f"{robot!r} has {robot.mobility} degrees of freedom and {len(robot.actuation.actuated)} actuated "
                "joints; its forces are identified only where these are as many"
            )
        own = tuple(velocities[k] for k in robot.actuation.independent)
        return Columns(positions, own, own, frozenset())
    joints = [body.joint for body in tree.bodies if body.joint.name in tree.joint_names]
    idle = [joint.name for joint in joints if not joint.actuated or joint.name in tree.base_joints]
    passive = frozenset(velocities[k] for name in idle for k in tree.velocities_of(name))
    return Columns(positions, velocities, velocities, passive)
