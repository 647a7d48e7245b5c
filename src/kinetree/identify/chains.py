"""Robots and closed chains alike: the tree of either, and the positions of all joints of a chain."""

from __future__ import annotations

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.errors import InputError
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

CLOSED = 1e-13  # the error of loops [m, rad], which is one of the regressor


def tree_of(robot: Robot | ClosedChain) -> Robot:
    """The robot, without its closed loops."""
    tree = robot.robot if isinstance(robot, ClosedChain) else robot
    if not isinstance(tree, Robot):
        raise InputError(f"identification is for a Robot or a ClosedChain, got {robot!r}")
    return tree


def with_tree(robot: Robot | ClosedChain, tree: Robot) -> Robot | ClosedChain:
    """Another tree, with its loops closed where those of the robot are."""
    return ClosedChain(tree, robot.actuated) if isinstance(robot, ClosedChain) else tree


def independent_positions(chain: ClosedChain) -> list[int]:
    """The indices of the independent joints in q."""
    robot = chain.robot
    slices = {body.joint.name: own for body, own in zip(robot.bodies, robot.q_slices)}
    return [k for name in chain.independent for k in range(robot.nq)[slices[name]]]


def all_positions(robot: Robot | ClosedChain, q: Array, configuration: Array | None = None) -> Array:
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
