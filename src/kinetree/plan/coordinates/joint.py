"""The joints' own coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinetree.plan.coordinates.coordinates import Array, Motion, PlanCoordinates
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.robot import Robot
from kinetree.transcribe.quantity import SampleQuantity


class JointCoordinates(PlanCoordinates):
    """Those of a robot without loops, elastic joints and quaternions: the curves are those of its joints."""

    kind, map, are_joints = "joint", None, True

    def __init__(self, robot: Robot) -> None:
        self.robot, self.labels = robot, robot.coordinate_names

    def linear(self, degree: int) -> Quantity:
        return Derivative(degree)

    def is_linear(self, quantity: SampleQuantity) -> bool:
        return isinstance(quantity, Derivative)

    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]:
        return (z,)

    def positions(self, z: Array, near: Array | None = None) -> Array:
        return z

    def joint_motion(self, z: Callable[[int], Array]) -> Motion:
        q, qd, qdd, qddd = z(3)
        return q, qd, qdd, qddd

    def to_json(self) -> dict[str, Any] | None:
        return None
