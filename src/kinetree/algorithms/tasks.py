"""Tasks of inverse kinematics: what a frame, or the centre of mass, shall do, as equations e = 0 with their Jacobian.

Each task gives the errors e from a configuration to its target, in world axes, and the rows J of their rates:
a small motion dq makes e smaller by J dq. Distances and angles are kept apart, since their units differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kinetree.algorithms.kinematics import jacobian, world_poses
from kinetree.algorithms.momentum import center_of_mass, centroidal_momentum_matrix, total_mass
from kinetree.errors import ModelError
from kinetree.given import Given, default
from kinetree.joints import quaternion
from kinetree.joints.axis import Z_AXIS, across, unit
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector, atan2, is_finite, is_zero, select, sqrt
from kinetree.spatial import Mat3, Rotation, Transform, Vec3

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Residual:
    """What is left of a task, or how fast it shall change.

    Args:
        lin: distances [m], along three axes or none.
        ang: angles [rad].
    """

    lin: Sequence[Any] = ()
    ang: Sequence[Any] = ()


@dataclass(frozen=True)
class KinematicTask:
    """What a task must define; its target is an array of the shape ``shape``.

    Args:
        weight: of its errors; it counts where not all tasks can be fulfilled.
    """

    weight: float = field(default=1.0, kw_only=True)

    shape: ClassVar[tuple[int, ...]] = (3,)
    quantity: ClassVar[str] = "position"  # what the target is: pose, position, rotation or direction
    size: ClassVar[int] = 3  # of the velocity that it can be given instead: a twist has six numbers, angular first

    def __post_init__(self) -> None:
        if not is_finite(self.weight) or not self.weight > 0:
            raise ModelError(f"the weight {self.weight!r} of a task must be a finite number above 0")

    def residual(self, robot: Mechanism, q: Vector, target: Any) -> Residual:
        """What is left of it at a configuration."""
        raise NotImplementedError

    def jacobian(self, robot: Mechanism, q: Vector) -> tuple[Rows, Rows]:
        """The rows of its distances and of its angles, nv numbers each."""
        raise NotImplementedError

    def velocity(self, robot: Mechanism, q: Vector, motion: Vector) -> Residual:
        """How fast its distances and angles change in a motion of the frame."""
        return Residual(motion)

    def reach(self, robot: Mechanism) -> Any:
        """A length that its distances are measured by [m]."""
        raise NotImplementedError

    def check(self, robot: Mechanism) -> None:
        """Refuse what the robot does not have."""


@dataclass(frozen=True)
class FrameTask(KinematicTask):
    """A task of a named frame.

    Args:
        frame: one of the robot's ``frames``.
        weight: as for all tasks.
    """

    frame: str

    def reach(self, robot: Mechanism) -> Any:
        """The length of the chain that moves the frame [m]."""
        return _chain_length(robot, *robot.frame(self.frame))

    def check(self, robot: Mechanism) -> None:
        body, _ = robot.frame(self.frame)
        if body == WORLD:
            raise ModelError(f"the frame {self.frame!r} is fixed in the world: no joint moves it")


class Pose(FrameTask):
    """A frame at a given pose: position and orientation; the target is a homogeneous matrix (4, 4).

    Example:
        >>> import kinetree as kt
        >>> kt.tasks.Pose("tool0", weight=2.0)
        Pose(weight=2.0, frame='tool0')
    """

    shape = (4, 4)
    quantity = "pose"
    size = 6

    def residual(self, robot: Mechanism, q: Vector, target: Any) -> Residual:
        X = _frame(robot, q, self.frame)
        lin = Vec3(*(row[3] for row in target[:3])) - X.p
        return Residual((*lin,), (*rotation_vector(X.R.matrix, [row[:3] for row in target[:3]]),))

    def jacobian(self, robot: Mechanism, q: Vector) -> tuple[Rows, Rows]:
        J = jacobian(robot, q, self.frame)
        return J[3:], J[:3]

    def velocity(self, robot: Mechanism, q: Vector, motion: Vector) -> Residual:
        return Residual(motion[3:], motion[:3])


class Position(FrameTask):
    """The origin of a frame at a given point, whatever its orientation; the target is that point (3,) [m].

    Example:
        >>> import kinetree as kt
        >>> kt.tasks.Position("left_foot")
        Position(weight=1.0, frame='left_foot')
    """

    def residual(self, robot: Mechanism, q: Vector, target: Any) -> Residual:
        return Residual((*(Vec3.of(target) - _frame(robot, q, self.frame).p),))

    def jacobian(self, robot: Mechanism, q: Vector) -> tuple[Rows, Rows]:
        return jacobian(robot, q, self.frame)[3:], ()


class Orientation(FrameTask):
    """A frame with given axes, wherever it is; the target is its rotation matrix (3, 3).

    Example:
        >>> import kinetree as kt
        >>> kt.tasks.Orientation("camera")
        Orientation(weight=1.0, frame='camera')
    """

    shape = (3, 3)
    quantity = "rotation"

    def residual(self, robot: Mechanism, q: Vector, target: Any) -> Residual:
        return Residual(ang=(*rotation_vector(_frame(robot, q, self.frame).R.matrix, target),))

    def jacobian(self, robot: Mechanism, q: Vector) -> tuple[Rows, Rows]:
        return (), jacobian(robot, q, self.frame)[:3]

    def velocity(self, robot: Mechanism, q: Vector, motion: Vector) -> Residual:
        return Residual(ang=motion)


@dataclass(frozen=True)
class Axis(FrameTask):
    """An axis of a frame along a given direction, as of a drill; the target is that direction (3,) in world axes.

    Args:
        frame, weight: as for all tasks.
        axis: the axis, a unit vector in the frame; z by default.

    Example:
        >>> import kinetree as kt
        >>> tuple(kt.tasks.Axis("tool0", axis=(1, 0, 0)).axis)
        (1.0, 0.0, 0.0)
    """

    axis: Given[Vec3, Iterable[Any]] = default(Z_AXIS)

    quantity = "direction"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", unit(self.axis))

    def residual(self, robot: Mechanism, q: Vector, target: Any) -> Residual:
        axis, wanted = _frame(robot, q, self.frame).R @ self.axis, Vec3.of(target)
        normal, cosine = axis.cross(wanted), axis.dot(wanted)
        square = normal.dot(normal)
        small = square < _STRAIGHT
        sine = sqrt(select(small, 1.0, square))
        scale = select(small, 1.0, atan2(sine, cosine) / sine)
        # backwards there is no shortest way: take one
        turned = select(small & (cosine < 0.0), math.pi, 0.0)
        u, v = self._sides(robot, q)
        return Residual(ang=(scale * normal.dot(u) + turned, scale * normal.dot(v)))

    def jacobian(self, robot: Mechanism, q: Vector) -> tuple[Rows, Rows]:
        columns = [Vec3.of(column) for column in zip(*jacobian(robot, q, self.frame)[:3])]
        return (), [[side.dot(column) for column in columns] for side in self._sides(robot, q)]

    def velocity(self, robot: Mechanism, q: Vector, motion: Vector) -> Residual:
        return Residual(ang=[side.dot(Vec3.of(motion)) for side in self._sides(robot, q)])

    def _sides(self, robot: Mechanism, q: Vector) -> list[Vec3]:
        """Two directions across the axis: the rotation about the axis itself is free."""
        return [_frame(robot, q, self.frame).R @ side for side in across(self.axis)]


@dataclass(frozen=True)
class CenterOfMass(KinematicTask):
    """The centre of mass of all bodies at a given point; the target is that point (3,) [m].

    Example:
        >>> import kinetree as kt
        >>> kt.tasks.CenterOfMass(weight=0.5).weight
        0.5
    """

    def residual(self, robot: Mechanism, q: Vector, target: Any) -> Residual:
        return Residual((*(Vec3.of(target) - Vec3.of(center_of_mass(robot, q))),))

    def jacobian(self, robot: Mechanism, q: Vector) -> tuple[Rows, Rows]:
        mass = total_mass(robot)
        return [[x / mass for x in row] for row in centroidal_momentum_matrix(robot, q)[3:]], ()

    def reach(self, robot: Mechanism) -> Any:
        lengths = [_chain_length(robot, i, Transform.identity) for i in range(robot.nbodies)]
        numbers = [x for x in lengths if isinstance(x, float)]
        return max(numbers) if len(numbers) == len(lengths) else lengths[-1]

    def check(self, robot: Mechanism) -> None:
        if is_zero(total_mass(robot)):
            raise ModelError(f"robot {robot.name!r} has no mass, and so no centre of mass")


_STRAIGHT = 1e-24  # the squared sine of an angle that is zero but for rounding


def rotation_vector(R: Mat3, target: Sequence[Sequence[Any]]) -> Vec3:
    """The rotation vector from one orientation to another, in world axes; at most pi long."""
    E = Mat3(*(Vec3.of(tuple(row)) for row in target)).times(R.T)
    return Vec3.of(quaternion.rotation_vector_between(quaternion.of_rotation(Rotation.of(E)), quaternion.IDENTITY))


def _frame(robot: Mechanism, q: Vector, frame: str) -> Transform:
    body, X = robot.frame(frame)
    return world_poses(robot, q, body)[body] @ X


def _chain_length(robot: Mechanism, body: int, X: Transform) -> Any:
    places = [*(robot.bodies[i].joint.placement.p for i in robot.path(body)), X.p]
    return sum((sqrt(p.dot(p)) for p in places), 0.0)
