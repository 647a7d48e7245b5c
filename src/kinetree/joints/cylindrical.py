"""An angle about an axis and a displacement along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import across, angle_about, rotation_about
from kinetree.joints.joint import AxisJoint, forces, moments
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Cylindrical(AxisJoint):
    """q: the angle in radians, then the displacement in metres."""

    nq = nv = 2

    def transform(self, q: Vector) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.axis * q[1])

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis, Vec3.zero), Motion(Vec3.zero, self.axis))

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (angle_about(self.axis, X.R), self.axis.dot(X.p))

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        beside = across(self.axis)
        return (*moments(*beside), *forces(*beside))
