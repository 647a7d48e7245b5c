"""What the columns of measured series are: a position, velocity or force of each joint of a robot, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.robot import Robot


class Columns(NamedTuple):
    """The names of positions, velocities and forces; of a closed chain the velocities of the independent joints.

    ``resting`` are forces that need not be measured, because no drive gives them.
    """

    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    forces: tuple[str, ...]
    resting: frozenset[str]


def columns_of(robot: Robot | ClosedChain) -> Columns:
    """The columns that the measurements of a robot have."""
    tree = tree_of(robot)
    joints = [body.joint for body in tree.bodies if not body.joint.mimic]
    positions = _numbered([(joint.name, joint.kind.nq) for joint in joints])
    velocities = _numbered([(joint.name, joint.kind.nv) for joint in joints])
    if isinstance(robot, ClosedChain):
        if len(robot.actuation.actuated) != robot.mobility:
            raise InputError(
                f"{robot!r} has {robot.mobility} degrees of freedom and {len(robot.actuation.actuated)} driven joints; "
                "what its forces depend on is known where these are as many"
            )
        own = tuple(velocities[k] for k in robot.actuation.independent)
        return Columns(positions, own, own, frozenset())
    idle = [(joint.name, joint.kind.nv) for joint in joints if not joint.actuated or joint.name in tree.base_joints]
    return Columns(positions, velocities, velocities, frozenset(_numbered(idle)))


def tree_of(robot: Robot | ClosedChain) -> Robot:
    """The robot, without its closed loops."""
    tree = robot.robot if isinstance(robot, ClosedChain) else robot
    if not isinstance(tree, Robot):
        raise InputError(f"identification is for a Robot or a ClosedChain, got {robot!r}")
    return tree


def _numbered(names: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(name if size == 1 else f"{name}[{k}]" for name, size in names for k in range(size))
