"""Rotations, kept as products of elementary rotations.

A rotation about a coordinate axis costs 4 multiplications on a vector and 8 on a symmetric matrix; a dense rotation
matrix costs 9 and 45. A joint after a DH twist is two elementary rotations, so `Rotation` never multiplies its factors
out unless both are plain numbers. `R @ v` maps coordinates from frame B to frame A: v_A = R_AB @ v_B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Protocol

from kinetree.errors import ModelError
from kinetree.scalar import Real, Scalar, cos, sin
from kinetree.spatial.matrix3 import Mat3, Sym3
from kinetree.spatial.vec3 import Vec3


class Factor(Protocol):
    """One factor of a rotation."""

    @property
    def T(self) -> Any: ...
    @property
    def matrix(self) -> Mat3: ...
    def __matmul__(self, v: Vec3) -> Vec3: ...
    def similar(self, m: Mat3) -> Mat3: ...


@dataclass(frozen=True, slots=True)
class ElementaryRotation:
    """A rotation about the coordinate axis 0, 1 or 2 by the angle with cosine c and sine s."""

    axis: int
    c: Any
    s: Any

    @property
    def T(self) -> ElementaryRotation:
        return ElementaryRotation(self.axis, self.c, -self.s)

    @property
    def matrix(self) -> Mat3:
        return Mat3(*(self @ e for e in (_X, _Y, _Z))).T

    def __matmul__(self, v: Vec3) -> Vec3:
        u = list(v)
        i, j = _PLANE[self.axis]
        u[i], u[j] = self.c * u[i] - self.s * u[j], self.s * u[i] + self.c * u[j]
        return Vec3.of(u)

    def similar(self, m: Mat3) -> Mat3:
        """R M R^T."""
        i, j = _PLANE[self.axis]
        k = self.axis
        a = [list(row) for row in m]
        c, s = self.c, self.s
        # the column and the row of the axis turn as vectors
        a[i][k], a[j][k] = c * a[i][k] - s * a[j][k], s * a[i][k] + c * a[j][k]
        a[k][i], a[k][j] = c * a[k][i] - s * a[k][j], s * a[k][i] + c * a[k][j]
        # in the plane, the trace and the antisymmetric part stay
        g = s * (a[i][i] - a[j][j]) + c * (a[i][j] + a[j][i])
        sg, cg = s * g, c * g
        a[i][i], a[j][j] = a[i][i] - sg, a[j][j] + sg
        a[i][j], a[j][i] = cg - a[j][i], cg - a[i][j]
        return Mat3(*map(Vec3.of, a))


@dataclass(frozen=True, slots=True)
class Dense:
    """A rotation by its matrix."""

    matrix: Mat3

    @property
    def T(self) -> Dense:
        return Dense(self.matrix.T)

    def __matmul__(self, v: Vec3) -> Vec3:
        return self.matrix @ v

    def similar(self, m: Mat3) -> Mat3:
        return self.matrix.times(m).times(self.matrix.T)


@dataclass(frozen=True, slots=True)
class Rotation:
    """A product of factors, the leftmost first."""

    factors: tuple[Factor, ...] = ()

    identity: ClassVar[Rotation]

    @staticmethod
    def about(axis: int, angle: Real) -> Rotation:
        """A rotation about a coordinate axis (0, 1, 2) by an angle in radians; multiples of 90 degrees are exact."""
        return Rotation.elementary(axis, *cos_sin(angle))

    @staticmethod
    def elementary(axis: int, c: Real, s: Real) -> Rotation:
        """A rotation about a coordinate axis by the angle with this cosine and sine."""
        if not isinstance(c, Scalar) and not isinstance(s, Scalar) and (c, s) == (1.0, 0.0):
            return Rotation.identity
        return Rotation((ElementaryRotation(axis, c, s),))

    @staticmethod
    def of(matrix: Mat3) -> Rotation:
        """From a matrix; a matrix of numbers that is a rotation about a coordinate axis is kept as such."""
        rows = [list(row) for row in matrix]
        if not any(isinstance(x, Scalar) for row in rows for x in row):
            for axis, (i, j) in enumerate(_PLANE):
                if rows[axis][axis] == 1.0 and rows[i][axis] == rows[j][axis] == 0.0:
                    return Rotation.elementary(axis, rows[i][i], rows[j][i])
        return Rotation((Dense(matrix),))

    @staticmethod
    def of_rows(rows: Any) -> Rotation:
        """From the rows of a matrix, which must be a rotation."""
        matrix = Mat3(*(Vec3.of(tuple(row)) for row in rows))
        numbers = [x for row in matrix for x in row]
        if not any(isinstance(x, Scalar) for x in numbers) and not is_rotation_matrix(matrix):
            raise ModelError(f"not a rotation matrix (orthonormal rows, right-handed): {numbers}")
        return Rotation.of(matrix)

    @property
    def matrix(self) -> Mat3:
        if not self.factors:
            return Mat3(_X, _Y, _Z)
        return reduce(Mat3.times, (factor.matrix for factor in self.factors))

    @property
    def T(self) -> Rotation:
        return Rotation(tuple(factor.T for factor in reversed(self.factors)))

    def __matmul__(self, v: Vec3) -> Vec3:
        for factor in reversed(self.factors):
            v = factor @ v
        return v

    def then(self, other: Rotation) -> Rotation:
        """The product R_AC = R_AB.then(R_BC). Neighbouring factors of plain numbers are multiplied out."""
        if self.factors and other.factors:
            left, right = self.factors[-1], other.factors[0]
            if _is_constant(left) and _is_constant(right):
                merged = Rotation.of(snapped(left.matrix.times(right.matrix)))
                return Rotation(self.factors[:-1] + merged.factors + other.factors[1:])
        return Rotation(self.factors + other.factors)

    def similar(self, m: Mat3) -> Mat3:
        """R M R^T."""
        for factor in reversed(self.factors):
            m = factor.similar(m)
        return m

    def similar_symmetric(self, s: Sym3) -> Sym3:
        """R S R^T."""
        for factor in reversed(self.factors):
            s = Sym3.upper(factor.similar(s.full))
        return s


_X, _Y, _Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
_PLANE = ((1, 2), (2, 0), (0, 1))
_SNAP = 4 * 2.0**-52  # rounding of a product of rotations, not a property of any robot
Rotation.identity = Rotation()


def cos_sin(angle: Real) -> tuple[Any, Any]:
    """Cosine and sine; a number within rounding of a multiple of 90 degrees gives exact zeros and ones."""
    c, s = cos(angle), sin(angle)
    return (c, s) if isinstance(angle, Scalar) else (snap(c, abs(angle)), snap(s, abs(angle)))


def snap(x: float, scale: float = 1.0) -> float:
    """The number; one within rounding of an integer is made that integer."""
    whole = float(round(x))
    return whole if abs(x - whole) <= _SNAP * max(1.0, scale) else x


def snapped(m: Mat3) -> Mat3:
    """The matrix with entries within rounding of -1, 0 and 1 made exact."""
    return Mat3(*(Vec3(*map(snap, row)) for row in m))


def _is_constant(factor: Factor) -> bool:
    return not any(isinstance(x, Scalar) for row in factor.matrix for x in row)


def is_rotation_matrix(m: Mat3, tolerance: float = 1e-9) -> bool:
    """Whether a matrix of numbers is orthonormal and right-handed."""
    product = m.times(m.T)
    error = max(abs(x - (i == j)) for i, row in enumerate(product) for j, x in enumerate(row))
    return error <= tolerance and m.x.dot(m.y.cross(m.z)) > 0 and math.isfinite(error)
