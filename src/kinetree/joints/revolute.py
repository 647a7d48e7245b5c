"""One angle about a fixed axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import AXES, across, angle_about, rotation_about
from kinetree.joints.joint import AxisJoint, forces, moments
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Revolute(AxisJoint):
    """q: the angle in radians; the body is rotated by q + offset about the axis."""

    offset: Any = 0.0
    nq = nv = 1

    def transform(self, q: Vector) -> Transform:
        return Transform(rotation_about(self.axis, q[0], self.offset))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis, Vec3.zero),)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (angle_about(self.axis, X.R, self.offset),)

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return (*moments(*across(self.axis)), *forces(*AXES))
