"""Poses of several frames of a walker in one compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import world_poses
from kinetree.compile import compiled
from kinetree.model import Mechanism
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.signature import Signature, parse


@dataclass(frozen=True)
class _FramePoses:
    frames: tuple[str, ...]
    __name__ = "frame_poses"

    def signature(self, robot: Mechanism) -> Signature:
        return parse(f"q({robot.nq}) -> poses({len(self.frames)},12)")

    def __call__(self, robot: Mechanism, q: Any) -> list[list[Any]]:
        X, found = world_poses(robot, q), []
        for name in self.frames:
            body, place = robot.frame(name)
            pose = X[body] @ place
            found.append([x for row, p in zip(pose.R.matrix, pose.p) for x in (*row, p)])
        return found


def frame_poses(robot: Robot, q: Array, frames: Sequence[str]) -> Array:
    """The rows of [R, p] of frames in the world: (k, n, 3, 4).

    Args:
        robot: whose frames.
        q: positions (k, nq) [rad, m].
        frames: names of n of them.

    Example:
        >>> import kinetree as kt
        >>> frame_poses(kt.robots.two_link(), np.zeros((5, 2)), ["link1", "dh2"])[0, 1, :, 3].tolist()
        [0.8, 0.0, 0.0]
    """
    found = compiled(_FramePoses(tuple(frames)), robot)(np.asarray(q, float))
    return np.asarray(found, float).reshape(len(q), len(frames), 3, 4)
