"""One displacement along a fixed axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import AXES, across
from kinetree.joints.joint import AxisJoint, forces, moments
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Rotation, Transform, Vec3


@dataclass(frozen=True)
class Prismatic(AxisJoint):
    """q: the displacement in metres."""

    nq = nv = 1

    def transform(self, q: Vector) -> Transform:
        return Transform(Rotation.identity, self.axis * q[0])

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(Vec3.zero, self.axis),)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (self.axis.dot(X.p),)

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return (*moments(*AXES), *forces(*across(self.axis)))
