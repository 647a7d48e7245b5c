"""Two angles: about an axis fixed in the parent, then about one fixed in the body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError
from kinetree.given import Given, default
from kinetree.joints.axis import AXES, X_AXIS, Y_AXIS, angle_between, rotation_about, unit
from kinetree.joints.joint import JointKind, forces, moments
from kinetree.joints.revolute import Revolute
from kinetree.scalar import Vector, is_zero, sqrt
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Universal(JointKind):
    """q: the two angles in radians; R = R(first, q0) R(second, q1)."""

    first: Given[Vec3, Iterable[Any]] = default(X_AXIS)
    second: Given[Vec3, Iterable[Any]] = default(Y_AXIS)
    nq = nv = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first))
        object.__setattr__(self, "second", unit(self.second))

    @property
    def factors(self) -> tuple[JointKind, ...]:
        return (Revolute(self.first), Revolute(self.second))

    def transform(self, q: Vector) -> Transform:
        return Transform(rotation_about(self.first, q[0]).then(rotation_about(self.second, q[1])))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        first = rotation_about(self.second, q[1]).T @ self.first
        return (Motion(first, Vec3.zero), Motion(self.second, Vec3.zero))

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        # the first turn alone moves the second axis; the second alone moves the first, seen from the body
        second, first = X.R @ self.second, X.R.T @ self.first
        return (angle_between(self.first, self.second, second), angle_between(self.second, first, self.first))

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        normal = self.first.cross(self.second)
        length = sqrt(normal.dot(normal))
        if is_zero(length):
            raise ModelError(f"the axes {tuple(self.first)} and {tuple(self.second)} of a universal joint are parallel")
        # the second turn keeps the second axis, so the normal turns with the first one
        turned = rotation_about(self.second, q[1]).T @ (normal * (1.0 / length))
        return (*moments(turned), *forces(*AXES))

    def bias(self, q: Vector, qd: Vector) -> Motion:
        # the first axis, seen from the body, turns against the second angle
        first, second = self.subspace(q)
        return Motion(first.ang.cross(second.ang) * (qd[0] * qd[1]), Vec3.zero)
