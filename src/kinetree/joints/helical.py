"""A screw: one angle about an axis that also advances along it."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

from kinetree.joints.axis import across, angle_about, rotation_about
from kinetree.joints.joint import AxisJoint, forces, moments
from kinetree.scalar import Vector, equal, rint, select
from kinetree.spatial import Force, Motion, Transform


@dataclass(frozen=True)
class Helical(AxisJoint):
    """q: the angle in radians; the body advances by pitch (metres per radian) times q."""

    pitch: Any = 0.0
    nq = nv = 1

    def transform(self, q: Vector) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.axis * (self.pitch * q[0]))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis, self.axis * self.pitch),)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        angle = angle_about(self.axis, X.R)
        # of the angles with this orientation the one nearest to the displacement; no pitch, no displacement
        pitch = select(equal(self.pitch, 0.0), 1.0, self.pitch)
        turns = rint((self.axis.dot(X.p) / pitch - angle) * (0.5 / pi))
        return (angle + turns * (2.0 * pi),)

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        u, v = across(self.axis)
        # a force along the axis would turn the screw, but for the moment -pitch
        return (*moments(u, v), *forces(u, v), Force(self.axis * -self.pitch, self.axis))
