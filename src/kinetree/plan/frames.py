"""Quantities of frames: position, velocity, orientation error, distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.kinematics import jacobian, pose
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Vector
from kinetree.plan.forces import TINY
from kinetree.plan.quantity import Quantity
from kinetree.scalar import dot, sqrt

_SAME = 1e-6  # how far a matrix may be from a rotation


@dataclass(frozen=True)
class OfFrame(Quantity):
    """A quantity of a frame with three numbers."""

    frame: str = ""

    def check(self, robot: Mechanism) -> None:
        robot.frame(self.frame)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"{self.title} {axis} of {self.frame}" for axis in "xyz"]


@dataclass(frozen=True)
class FramePosition(OfFrame):
    """The position of the origin of a frame in the world [m], x, y, z."""

    order, label = 0, "position"

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [row[3] for row in pose(robot, q, self.frame)[:3]]


@dataclass(frozen=True)
class FrameVelocity(OfFrame):
    """The velocity of the origin of a frame in world axes [m/s]."""

    order, label = 1, "velocity"

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [sum((j * v for j, v in zip(row, qd)), 0.0) for row in jacobian(robot, q, self.frame)[3:]]


@dataclass(frozen=True)
class FrameOrientation(OfFrame):
    """The orientation error of a frame: 2 tan(angle / 2) along the axis of the rotation from given axes, in these.

    Nearly the rotation vector [rad] for small angles; zero where the axes agree and nowhere else.

    Args:
        frame: its name.
        axes: the desired orientation: a rotation matrix, the rows one after the other; see `from_axes`.
    """

    axes: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    order, label = 0, "orientation error"

    @staticmethod
    def from_axes(frame: str, axes: ArrayLike) -> FrameOrientation:
        """From a rotation matrix (3, 3), world from desired frame."""
        R = np.asarray(axes, float)
        if R.shape != (3, 3) or not np.isfinite(R).all():
            raise InputError(f"axes are a rotation matrix (3, 3) of finite numbers, got an array {R.shape}")
        if np.abs(R @ R.T - np.eye(3)).max() > _SAME or np.linalg.det(R) < 0:
            raise InputError("axes are a rotation matrix; these are not orthogonal, or left-handed")
        return FrameOrientation(frame, tuple(R.ravel().tolist()))

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        R = [row[:3] for row in pose(robot, q, self.frame)[:3]]
        A = [self.axes[3 * i : 3 * i + 3] for i in range(3)]
        C = [[dot([row[i] for row in A], [row[j] for row in R]) for j in range(3)] for i in range(3)]
        # C - C^T = 2 sin(angle) [axis], 1 + trace = 2 + 2 cos(angle)
        half = 2.0 / (1.0 + TINY + C[0][0] + C[1][1] + C[2][2])
        return [half * (C[2][1] - C[1][2]), half * (C[0][2] - C[2][0]), half * (C[1][0] - C[0][1])]


@dataclass(frozen=True)
class Distance(Quantity):
    """The distance between the origins of two frames [m]."""

    one: str = ""
    other: str = "world"
    order = 0

    def check(self, robot: Mechanism) -> None:
        robot.frame(self.one)
        robot.frame(self.other)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"distance of {self.one} from {self.other}"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        ends = ([row[3] for row in pose(robot, q, frame)[:3]] for frame in (self.one, self.other))
        return [sqrt(sum(((a - b) * (a - b) for a, b in zip(*ends)), TINY))]
