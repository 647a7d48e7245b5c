"""No motion at all: a weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import AXES
from kinetree.joints.joint import JointKind, forces, moments
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform


@dataclass(frozen=True)
class Fixed(JointKind):
    """No coordinates."""

    nq = nv = 0

    def transform(self, q: Vector) -> Transform:
        return Transform.identity

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return ()

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        return ()

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        return (*moments(*AXES), *forces(*AXES))
