"""A rotor: rotates about a fixed axis, through a gear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import AXES, across, angle_about, rotation_about
from kinetree.joints.joint import AxisJoint, forces, moments
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Rotor(AxisJoint):
    """q: the angle on the joint side of the gear in radians; the body, round about the axis, rotates by gear_ratio * q.

    A cut joint of this type has q between -pi/gear_ratio and pi/gear_ratio.
    """

    gear_ratio: Any = 1.0
    nq = nv = 1

    def transform(self, q: Vector) -> Transform:
        return Transform(rotation_about(self.axis, self.gear_ratio * q[0]))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis * self.gear_ratio, Vec3.zero),)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (angle_about(self.axis, X.R) / self.gear_ratio,)

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return (*moments(*across(self.axis)), *forces(*AXES))
