"""Three numbers with the operations of Euclidean space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.scalar import Real


@dataclass(frozen=True, slots=True)
class Vec3:
    """A vector of space, by its coordinates in some frame."""

    x: Any
    y: Any
    z: Any

    zero: ClassVar[Vec3]

    @staticmethod
    def of(values: Sequence[Real]) -> Vec3:
        """From a sequence of three numbers."""
        x, y, z = values
        return Vec3(x, y, z)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.x, self.y, self.z))

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, k: Real) -> Vec3:
        return Vec3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def dot(self, other: Vec3) -> Any:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        a, b = self, other
        return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


Vec3.zero = Vec3(0.0, 0.0, 0.0)
