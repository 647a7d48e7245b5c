"""Motion in a plane: two displacements along the parent's x and y, then an angle about z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import X_AXIS, Y_AXIS, Z_AXIS, angle_about, rotation_about
from kinetree.joints.joint import JointKind, forces, moments
from kinetree.joints.prismatic import Prismatic
from kinetree.joints.revolute import Revolute
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Planar(JointKind):
    """q: x and y in metres, in the axes of the joint frame, then the angle in radians."""

    nq = nv = 3

    @property
    def factors(self) -> tuple[JointKind, ...]:
        return (Prismatic(X_AXIS), Prismatic(Y_AXIS), Revolute(Z_AXIS))

    def transform(self, q: Vector) -> Transform:
        return Transform(rotation_about(Z_AXIS, q[2]), Vec3(q[0], q[1], 0.0))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        R = rotation_about(Z_AXIS, q[2]).T
        return (Motion(Vec3.zero, R @ X_AXIS), Motion(Vec3.zero, R @ Y_AXIS), Motion(Z_AXIS, Vec3.zero))

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (X.p.x, X.p.y, angle_about(Z_AXIS, X.R))

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return (*moments(X_AXIS, Y_AXIS), *forces(Z_AXIS))

    def bias(self, q: Vector, qd: Vector) -> Motion:
        # the parent's axes, seen from the body, turn backwards
        lin = self.velocity(q, qd).lin
        return Motion(Vec3.zero, lin.cross(Z_AXIS) * qd[2])
