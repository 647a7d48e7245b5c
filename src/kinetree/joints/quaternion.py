"""Unit quaternions (x, y, z, w) as coordinates of orientation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.scalar import Real
from kinetree.spatial.matrix3 import Mat3
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.vec3 import Vec3

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def rotation(q: Sequence[Real]) -> Rotation:
    """The orientation of a quaternion of any length but zero."""
    x, y, z, w = q
    s = 2.0 / (x * x + y * y + z * z + w * w)
    sx, sy, sz = s * x, s * y, s * z
    xx, yy, zz = sx * x, sy * y, sz * z
    xy, xz, yz = sx * y, sx * z, sy * z
    wx, wy, wz = sx * w, sy * w, sz * w
    return Rotation.of(
        Mat3(
            Vec3(1.0 - (yy + zz), xy - wz, xz + wy),
            Vec3(xy + wz, 1.0 - (xx + zz), yz - wx),
            Vec3(xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )


def rates(q: Sequence[Real], w: Sequence[Real]) -> tuple[Any, ...]:
    """dq/dt for the angular velocity w in body axes: q o (w, 0) / 2."""
    x, y, z, s = q
    a, b, c = w
    return (
        0.5 * (s * a + y * c - z * b),
        0.5 * (s * b + z * a - x * c),
        0.5 * (s * c + x * b - y * a),
        -0.5 * (x * a + y * b + z * c),
    )
