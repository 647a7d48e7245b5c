"""Motions (twists and accelerations) and forces (wrenches), each an angular and a linear part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.scalar import Real
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Motion:
    """A velocity or an acceleration: of rotation, and of the frame's origin."""

    ang: Vec3
    lin: Vec3

    zero: ClassVar[Motion]

    @staticmethod
    def of(values: Sequence[Real]) -> Motion:
        """From six numbers, angular first."""
        return Motion(Vec3.of(values[:3]), Vec3.of(values[3:]))

    def __add__(self, other: Motion) -> Motion:
        return Motion(self.ang + other.ang, self.lin + other.lin)

    def __mul__(self, k: Real) -> Motion:
        return Motion(self.ang * k, self.lin * k)

    __rmul__ = __mul__

    def dot(self, force: Force) -> Any:
        """The power of a force on this motion."""
        return self.ang.dot(force.ang) + self.lin.dot(force.lin)

    def cross(self, force: Force) -> Force:
        """v x* f, the rate of a wrench that moves with v: (w x n + u x f, w x f)."""
        ang, lin = self.ang.cross(force.ang) + self.lin.cross(force.lin), self.ang.cross(force.lin)
        return Force(ang, lin)


@dataclass(frozen=True, slots=True)
class Force:
    """A wrench: the moment about the frame's origin, and the force."""

    ang: Vec3
    lin: Vec3

    zero: ClassVar[Force]

    @staticmethod
    def of(values: Sequence[Real]) -> Force:
        """From six numbers, angular (moment) first."""
        return Force(Vec3.of(values[:3]), Vec3.of(values[3:]))

    def __add__(self, other: Force) -> Force:
        return Force(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Force) -> Force:
        return Force(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Force:
        return Force(-self.ang, -self.lin)

    def __mul__(self, k: Real) -> Force:
        return Force(self.ang * k, self.lin * k)

    __rmul__ = __mul__


Motion.zero = Motion(Vec3.zero, Vec3.zero)
Force.zero = Force(Vec3.zero, Vec3.zero)
