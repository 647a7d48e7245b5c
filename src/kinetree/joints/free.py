"""No constraint at all: a floating body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints import quaternion
from kinetree.joints.axis import AXES
from kinetree.joints.joint import JointKind
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3, skew


@dataclass(frozen=True)
class Free(JointKind):
    """q: position in the joint frame, unit quaternion (x, y, z, w); qd: angular, then linear velocity in body axes."""

    nq, nv = 7, 6
    quaternion = 3

    def transform(self, q: Vector) -> Transform:
        return Transform(quaternion.rotation(q[3:]), Vec3.of(q[:3]))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (*(Motion(a, Vec3.zero) for a in AXES), *(Motion(Vec3.zero, a) for a in AXES))

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (*X.p, *quaternion.of_rotation(X.R))

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return ()

    def rates(self, q: Vector, qd: Vector) -> tuple[Any, ...]:
        return (*(self.transform(q).R @ Vec3.of(qd[3:])), *quaternion.rates(q[3:], qd[:3]))

    def integrate(self, q: Vector, v: Vector) -> tuple[Any, ...]:
        along = quaternion.mean_rotation(v[:3], Vec3.of(v[3:]))
        p = Vec3.of(q[:3]) + self.transform(q).R @ along
        return (*p, *quaternion.product(q[3:], quaternion.of_rotation_vector(v[:3])))

    def difference(self, start: Vector, end: Vector) -> tuple[Any, ...]:
        turn = quaternion.rotation_vector_between(end[3:], start[3:])
        along = self.transform(start).R.T @ (Vec3.of(end[:3]) - Vec3.of(start[:3]))
        # the inverse of the mean rotation is the transposed derivative of the rotation vector
        rows = quaternion.rotation_vector_derivative([-x for x in turn])
        return (*turn, *(Vec3.of(row).dot(along) for row in rows))

    def displacement(self, q: Vector, rest: Vector) -> tuple[Any, ...]:
        moved = self.transform(q).R.T @ (Vec3.of(q[:3]) - Vec3.of(rest[:3]))
        return (*quaternion.rotation_vector_between(q[3:], rest[3:]), *moved)

    def displacement_derivative(self, q: Vector, rest: Vector) -> list[list[Any]]:
        d = self.displacement(q, rest)
        # the displacement in body axes, R^T (p - p0), rotates against the body
        angular = [[*row, 0.0, 0.0, 0.0] for row in quaternion.rotation_vector_derivative(d[:3])]
        linear = [[*row, *unit] for row, unit in zip(skew(Vec3.of(d[3:])), AXES)]
        return angular + linear

    def bracket(self, a: Vector, b: Vector) -> tuple[Any, ...]:
        a_ang, a_lin, b_ang, b_lin = map(Vec3.of, (a[:3], a[3:], b[:3], b[3:]))
        return (*a_ang.cross(b_ang), *(a_ang.cross(b_lin) + a_lin.cross(b_ang)))

    @property
    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, *quaternion.IDENTITY)
