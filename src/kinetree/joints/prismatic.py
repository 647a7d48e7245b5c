"""One displacement along a fixed axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import AXES, Z_AXIS, across, unit
from kinetree.joints.joint import JointKind, forces, moments
from kinetree.scalar import Real
from kinetree.spatial import Force, Motion, Rotation, Transform, Vec3


@dataclass(frozen=True)
class Prismatic(JointKind):
    """q: the displacement in metres."""

    axis: Vec3 = Z_AXIS
    nq = nv = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def transform(self, q: Sequence[Real]) -> Transform:
        return Transform(Rotation.identity, self.axis * q[0])

    def subspace(self, q: Sequence[Real]) -> tuple[Motion, ...]:
        return (Motion(Vec3.zero, self.axis),)

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return (self.axis.dot(X.p),)

    def constraint_wrenches(self, q: Sequence[Real]) -> tuple[Force, ...]:
        return (*moments(*AXES), *forces(*across(self.axis)))
