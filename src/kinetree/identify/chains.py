"""Robots and closed chains alike: the tree of either, the positions of all joints of a chain, and what is measured."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

AnyRobot: TypeAlias = Robot | ClosedChain
CLOSED = 1e-13  # the error of loops [m, rad], which is one of the regressor


def tree_of(robot: AnyRobot) -> Robot:
    """The robot, without its closed loops."""
    tree = robot.robot if isinstance(robot, ClosedChain) else robot
    if not isinstance(tree, Robot):
        raise InputError(f"identification is for a Robot or a ClosedChain, got {robot!r}")
    return tree


def with_tree(robot: AnyRobot, tree: Robot) -> AnyRobot:
    """Another tree, with its loops closed where those of the robot are."""
    return ClosedChain(tree, robot.actuated, configuration=robot.neutral) if isinstance(robot, ClosedChain) else tree


def independent_positions(chain: ClosedChain) -> list[int]:
    """The indices of the independent joints in q."""
    robot = chain.robot
    slices = {body.joint.name: own for body, own in zip(robot.bodies, robot.q_slices)}
    return [k for name in chain.independent for k in range(robot.nq)[slices[name]]]


def all_positions(robot: AnyRobot, q: Array, configuration: Array | None = None) -> Array:
    """The positions of all joints (..., nq) of a closed chain for those of the independent ones; of a robot, q."""
    if not isinstance(robot, ClosedChain):
        return q
    own = q.reshape(-1, q.shape[-1])
    guess = np.broadcast_to(robot.neutral if configuration is None else configuration, (len(own), robot.robot.nq))
    found = robot.close(own, guess, tolerance=CLOSED)
    while not found.closed.all() and found.closed.any():
        # rows that are too far from the configuration start from the nearest closed ones
        closed = np.flatnonzero(found.closed)
        nearest = closed[np.abs(np.arange(len(own))[:, None] - closed).argmin(axis=1)]
        again = robot.close(own, found.q[nearest], tolerance=CLOSED)
        if again.closed.sum() <= found.closed.sum():
            break
        found = again
    return found.check().reshape(*q.shape[:-1], -1)


# -- columns of measured series ----------------------------------------------------------------------------------------


class Columns(NamedTuple):
    """The names of positions, velocities and forces; of a closed chain the velocities of the independent joints.

    ``passive`` are forces that need not be measured, because no actuator gives them.
    """

    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    forces: tuple[str, ...]
    passive: frozenset[str]


def columns_of(robot: AnyRobot) -> Columns:
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
