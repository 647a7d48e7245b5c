"""Rotations about an axis: elementary ones about coordinate axes, others by Rodrigues' formula; and their angles."""

from __future__ import annotations

import math
from typing import Any

from kinetree.errors import ModelError
from kinetree.scalar import Real, Scalar, Vector, atan2, cos, is_scalar, select, sin
from kinetree.spatial import Mat3, Rotation, Sym3, Vec3, skew
from kinetree.spatial.rotation import cos_sin, snap

X_AXIS, Y_AXIS, Z_AXIS = AXES = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
_UNIT = 1e-6  # an axis written with six digits is still meant as a unit vector


def unit(axis: Vec3 | Vector) -> Vec3:
    """The axis as a unit vector; refuses one that is not nearly of length one."""
    values = tuple(axis) if hasattr(axis, "__iter__") else (axis,)
    if len(values) != 3 or not all(map(is_scalar, values)):
        raise ModelError(f"an axis is three numbers such as (0, 0, 1), got {axis!r}")
    x, y, z = values
    if any(isinstance(v, Scalar) for v in values):
        return Vec3(x, y, z)
    x, y, z = map(float, values)
    length = math.sqrt(x * x + y * y + z * z)
    if not abs(length - 1.0) <= _UNIT:
        raise ModelError(f"the axis {values} has length {length:g}; give a unit vector such as (0, 0, 1)")
    return Vec3(*(snap(v / length) for v in (x, y, z)))


def rotation_about(axis: Vec3, angle: Real, offset: Real = 0.0) -> Rotation:
    """The rotation about a unit axis by angle + offset."""
    c, s = _cos_sin(angle, offset)
    if (k := _coordinate(axis)) is not None:
        return Rotation.elementary(k, c, [*axis][k] * s)
    # R = c 1 + s [a] + (1 - c) a a^T
    along = Sym3.outer(axis) * (1.0 - c) + Sym3.diagonal(c, c, c)
    return Rotation.of(along.full + Mat3(*(row * s for row in skew(axis))))


def angle_about(axis: Vec3, R: Rotation, offset: Real = 0.0) -> Any:
    """The angle of the rotation about a unit axis that is nearest to R, less the offset; between -pi and pi."""
    m = R.matrix
    # R - R^T = 2 s [a] and trace (1 - a a^T) R = 2 c, where R is a turn about a
    twice_sin = axis.dot(Vec3(m.z.y - m.y.z, m.x.z - m.z.x, m.y.x - m.x.y))
    beside = Sym3.diagonal(1.0, 1.0, 1.0) - Sym3.outer(axis)
    x, y, z = (row.dot(column) for row, column in zip(beside.full, m.T))
    twice_cos = x + y + z
    c0, s0 = cos_sin(offset)
    return atan2(twice_sin * c0 - twice_cos * s0, twice_cos * c0 + twice_sin * s0)


def angle_between(axis: Vec3, start: Vec3, end: Vec3) -> Any:
    """The angle about a unit axis from one direction to the other, projected across the axis; between -pi and pi."""
    return atan2(axis.dot(start.cross(end)), start.dot(end) - axis.dot(start) * axis.dot(end))


def across(axis: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors at right angles to a unit axis and to each other; coordinate axes where the axis is one."""
    if (k := _coordinate(axis)) is not None:
        i, j = sorted({0, 1, 2} - {k})
        return AXES[i], AXES[j]
    # where the shortest turn from z to the axis brings x and y; from -z, and y backwards, if that is nearer
    x, y, z = axis
    side = select(z < 0.0, -1.0, 1.0)
    k = 1.0 / (side + z)
    xy = x * y * k
    return Vec3(1.0 - side * (x * x * k), -(side * xy), -(side * x)), Vec3(-xy, side - y * y * k, -y)


def _coordinate(axis: Vec3) -> int | None:
    """Which coordinate axis it is along, forwards or backwards, if any."""
    numbers = [e for e in axis if not isinstance(e, Scalar)]
    return next(k for k, e in enumerate(axis) if e) if sorted(map(abs, numbers)) == [0.0, 0.0, 1.0] else None


def _cos_sin(angle: Real, offset: Real) -> tuple[Any, Any]:
    """Cosine and sine of angle + offset; offsets by quarter turns only swap and negate."""
    if not isinstance(offset, Scalar):
        quarters = round(offset / (math.pi / 2))
        if offset == quarters * (math.pi / 2):
            c, s = cos(angle), sin(angle)
            return ((c, s), (-s, c), (-c, -s), (s, -c))[quarters % 4]
    return cos(angle + offset), sin(angle + offset)
