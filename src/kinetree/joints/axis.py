"""Turning about an axis: coordinate axes as cheap turns, others by Rodrigues' formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kinetree.errors import ModelError
from kinetree.scalar import Real, Scalar, cos, is_scalar, sin
from kinetree.spatial.matrix3 import Mat3, Sym3, skew
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.vec3 import Vec3

X_AXIS, Y_AXIS, Z_AXIS = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
_ROUNDING = 4 * 2.0**-52
_UNIT = 1e-6  # an axis written with six digits is still meant as a unit vector


def unit(axis: Vec3 | Sequence[Real]) -> Vec3:
    """The axis as a unit vector; refuses one that is not nearly of length one."""
    values = tuple(axis) if hasattr(axis, "__iter__") else (axis,)
    if len(values) != 3 or not all(map(is_scalar, values)):
        raise ModelError(f"an axis is three numbers such as (0, 0, 1), got {axis!r}")
    x, y, z = values
    if any(isinstance(v, Scalar) for v in values):
        return Vec3(x, y, z)
    length = math.sqrt(float(x) ** 2 + float(y) ** 2 + float(z) ** 2)
    if not abs(length - 1.0) <= _UNIT:
        raise ModelError(f"the axis {values} has length {length:g}; give a unit vector such as (0, 0, 1)")
    return Vec3(*(_snapped(float(v) / length) for v in values))


def _snapped(x: float) -> float:
    """A component within rounding of 0, 1 or -1 is meant as that."""
    return float(round(x)) if abs(x - round(x)) <= _ROUNDING else x


def rotation_about(axis: Vec3, angle: Real, offset: Real = 0.0) -> Rotation:
    """The rotation about a unit axis by angle + offset."""
    c, s = _cos_sin(angle, offset)
    numbers = [e for e in axis if not isinstance(e, Scalar)]
    if sorted(map(abs, numbers)) == [0.0, 0.0, 1.0]:
        k = next(k for k, e in enumerate(axis) if e)
        return Rotation.turn(k, c, numbers[k] * s)
    # R = c 1 + s [a] + (1 - c) a a^T
    along = Sym3.outer(axis) * (1.0 - c) + Sym3.diagonal(c, c, c)
    return Rotation.of(along.full + Mat3(*(row * s for row in skew(axis))))


def _cos_sin(angle: Real, offset: Real) -> tuple[Any, Any]:
    """Cosine and sine of angle + offset; offsets by quarter turns only swap and negate."""
    if not isinstance(offset, Scalar):
        quarters = round(offset / (math.pi / 2))
        if offset == quarters * (math.pi / 2):
            c, s = cos(angle), sin(angle)
            return ((c, s), (-s, c), (-c, -s), (s, -c))[quarters % 4]
    return cos(angle + offset), sin(angle + offset)
