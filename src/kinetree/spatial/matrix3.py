"""Matrices of three rows and columns, general and symmetric, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.scalar import Real
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Mat3:
    """A general matrix, by its rows."""

    x: Vec3
    y: Vec3
    z: Vec3

    def __matmul__(self, v: Vec3) -> Vec3:
        return Vec3(self.x.dot(v), self.y.dot(v), self.z.dot(v))

    @property
    def T(self) -> Mat3:
        x, y, z = self.x, self.y, self.z
        return Mat3(Vec3(x.x, y.x, z.x), Vec3(x.y, y.y, z.y), Vec3(x.z, y.z, z.z))

    def __add__(self, other: Mat3) -> Mat3:
        return Mat3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Mat3) -> Mat3:
        return Mat3(self.x - other.x, self.y - other.y, self.z - other.z)

    def times(self, other: Mat3) -> Mat3:
        """The matrix product."""
        columns = other.T
        return Mat3(columns @ self.x, columns @ self.y, columns @ self.z)

    def __iter__(self) -> Any:
        return iter((self.x, self.y, self.z))


@dataclass(frozen=True, slots=True)
class Sym3:
    """A symmetric matrix, by its six numbers."""

    xx: Any
    yy: Any
    zz: Any
    xy: Any
    xz: Any
    yz: Any

    zero: ClassVar[Sym3]

    @staticmethod
    def diagonal(x: Real, y: Real, z: Real) -> Sym3:
        return Sym3(x, y, z, 0.0, 0.0, 0.0)

    @staticmethod
    def upper(m: Mat3) -> Sym3:
        """The upper half of a matrix that is known to be symmetric."""
        return Sym3(m.x.x, m.y.y, m.z.z, m.x.y, m.x.z, m.y.z)

    @staticmethod
    def outer(v: Vec3) -> Sym3:
        """v v^T."""
        return Sym3(v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z)

    @staticmethod
    def of_point(r: Vec3) -> Sym3:
        """The inertia about the origin of a unit mass at r: (r . r) 1 - r r^T."""
        square = r.dot(r)
        return Sym3.diagonal(square, square, square) - Sym3.outer(r)

    @property
    def full(self) -> Mat3:
        return Mat3(Vec3(self.xx, self.xy, self.xz), Vec3(self.xy, self.yy, self.yz), Vec3(self.xz, self.yz, self.zz))

    def __matmul__(self, v: Vec3) -> Vec3:
        return self.full @ v

    def __add__(self, other: Sym3) -> Sym3:
        return Sym3(*(a + b for a, b in zip(self, other)))

    def __sub__(self, other: Sym3) -> Sym3:
        return Sym3(*(a - b for a, b in zip(self, other)))

    def __mul__(self, k: Real) -> Sym3:
        return Sym3(*(a * k for a in self))

    __rmul__ = __mul__

    def __iter__(self) -> Any:
        return iter((self.xx, self.yy, self.zz, self.xy, self.xz, self.yz))


Sym3.zero = Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def skew(v: Vec3) -> Mat3:
    """The matrix of ``v x``."""
    return Mat3(Vec3(0.0, -v.z, v.y), Vec3(v.z, 0.0, -v.x), Vec3(-v.y, v.x, 0.0))
