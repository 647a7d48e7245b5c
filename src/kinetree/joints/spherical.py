"""A ball: any orientation about a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.joints import quaternion
from kinetree.joints.axis import AXES
from kinetree.joints.joint import JointKind, forces
from kinetree.scalar import Real
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Spherical(JointKind):
    """q: a unit quaternion (x, y, z, w); qd: the angular velocity in body axes."""

    nq, nv = 4, 3

    def transform(self, q: Sequence[Real]) -> Transform:
        return Transform(quaternion.rotation(q))

    def subspace(self, q: Sequence[Real]) -> tuple[Motion, ...]:
        return tuple(Motion(axis, Vec3.zero) for axis in AXES)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return quaternion.of_rotation(X.R)

    def constraint_wrenches(self, q: Sequence[Real]) -> tuple[Force, ...]:
        return forces(*AXES)

    def rates(self, q: Sequence[Real], qd: Sequence[Real]) -> tuple[Any, ...]:
        return quaternion.rates(q, qd)

    def displacement(self, q: Sequence[Real], rest: Sequence[Real]) -> tuple[Any, ...]:
        return quaternion.rotation_vector_between(q, rest)

    def displacement_derivative(self, q: Sequence[Real], rest: Sequence[Real]) -> list[list[Any]]:
        return quaternion.rotation_vector_derivative(self.displacement(q, rest))

    def bracket(self, a: Sequence[Real], b: Sequence[Real]) -> tuple[Any, ...]:
        return tuple(Vec3.of(a).cross(Vec3.of(b)))

    @property
    def neutral(self) -> tuple[float, ...]:
        return quaternion.IDENTITY

    @property
    def quaternion(self) -> int | None:
        return 0
