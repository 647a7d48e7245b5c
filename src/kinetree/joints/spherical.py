"""A ball: any orientation about a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints import quaternion
from kinetree.joints.axis import AXES
from kinetree.joints.joint import JointKind, forces
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Spherical(JointKind):
    """q: a unit quaternion (x, y, z, w); qd: the angular velocity in body axes."""

    nq, nv = 4, 3
    quaternion = 0

    def transform(self, q: Vector) -> Transform:
        return Transform(quaternion.rotation(q))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return tuple(Motion(axis, Vec3.zero) for axis in AXES)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return quaternion.of_rotation(X.R)

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return forces(*AXES)

    def rates(self, q: Vector, qd: Vector) -> tuple[Any, ...]:
        return quaternion.rates(q, qd)

    def integrate(self, q: Vector, v: Vector) -> tuple[Any, ...]:
        return quaternion.product(q, quaternion.of_rotation_vector(v))

    def difference(self, start: Vector, end: Vector) -> tuple[Any, ...]:
        return quaternion.rotation_vector_between(end, start)

    def displacement(self, q: Vector, rest: Vector) -> tuple[Any, ...]:
        return quaternion.rotation_vector_between(q, rest)

    def displacement_derivative(self, q: Vector, rest: Vector) -> list[list[Any]]:
        return quaternion.rotation_vector_derivative(self.displacement(q, rest))

    def bracket(self, a: Vector, b: Vector) -> tuple[Any, ...]:
        return tuple(Vec3.of(a).cross(Vec3.of(b)))

    @property
    def neutral(self) -> tuple[float, ...]:
        return quaternion.IDENTITY
