"""Unit quaternions (x, y, z, w) as coordinates of orientation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kinetree.scalar import Vector, atan2, cos, maximum, select, sin, sqrt
from kinetree.spatial import Mat3, Rotation, Vec3, skew

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def rotation(q: Vector) -> Rotation:
    """The orientation of a quaternion of any length but zero."""
    x, y, z, w = q
    s = 2.0 / (x * x + y * y + z * z + w * w)
    sx, sy, sz = s * x, s * y, s * z
    xx, yy, zz = sx * x, sy * y, sz * z
    xy, xz, yz = sx * y, sx * z, sy * z
    wx, wy, wz = sx * w, sy * w, sz * w
    first = Vec3(1.0 - (yy + zz), xy - wz, xz + wy)
    second = Vec3(xy + wz, 1.0 - (xx + zz), yz - wx)
    third = Vec3(xz - wy, yz + wx, 1.0 - (xx + yy))
    return Rotation.of(Mat3(first, second, third))


def of_rotation(R: Rotation) -> tuple[Any, ...]:
    """The unit quaternion of an orientation, with w >= 0."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.matrix
    # four times the products of the components; each row is the quaternion but for its length and sign
    xx, yy, zz, ww = 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz
    xy, xz, yz, wx, wy, wz = xy + yx, xz + zx, yz + zy, zy - yz, xz - zx, yx - xy
    rows = ((xx, xy, xz, wx), (xy, yy, yz, wy), (xz, yz, zz, wz), (wx, wy, wz, ww))
    # the row of the largest component is at least two long
    first = _either(xx < yy, rows[1], rows[0])
    last = _either(zz < ww, rows[3], rows[2])
    x, y, z, w = _either(maximum(xx, yy) < maximum(zz, ww), last, first)
    k = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    k = select(w < 0.0, -k, k)
    return k * x, k * y, k * z, k * w


def product(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    """The orientation b seen in a, in the axes of a's parent."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rates(q: Vector, w: Vector) -> tuple[Any, ...]:
    """dq/dt for the angular velocity w in body axes: q o (w, 0) / 2."""
    x, y, z, s = q
    a, b, c = w
    return (
        0.5 * (s * a + y * c - z * b),
        0.5 * (s * b + z * a - x * c),
        0.5 * (s * c + x * b - y * a),
        -0.5 * (x * a + y * b + z * c),
    )


def rotation_vector_between(q: Vector, rest: Vector) -> tuple[Any, ...]:
    """The rotation vector that takes the orientation rest to q, in body axes; at most pi long."""
    a, b, c, d = rest
    x, y, z, w = product((-a, -b, -c, d), q)
    # q and -q are the same orientation: take the nearer one
    x, y, z, w = (select(w < 0.0, -e, e) for e in (x, y, z, w))
    n2 = x * x + y * y + z * z
    small = n2 < _SMALL * w * w
    n = sqrt(select(small, 1.0, n2))
    # angle / n = 2 atan(t) / n with t = n / w, by its series for small angles
    t2 = select(small, n2, 0.0) / select(small, w * w, 1.0)
    series = (2.0 - t2 * (2.0 / 3.0) + t2 * t2 * 0.4) / select(small, w, 1.0)
    k = select(small, series, 2.0 * atan2(n, w) / n)
    return k * x, k * y, k * z


def of_rotation_vector(turn: Sequence[Any]) -> tuple[Any, ...]:
    """The unit quaternion of a rotation by a rotation vector."""
    x2 = 0.25 * sum((e * e for e in turn), 0.0)  # of half the angle
    k, half = 0.5 * _sine_by_angle(x2), _sine_by_angle(0.25 * x2)
    return (*(k * e for e in turn), 1.0 - 0.5 * x2 * half * half)


def mean_rotation(turn: Sequence[Any], u: Vec3) -> Vec3:
    """The mean of R(s) u over s from 0 to 1, with the rotation vector s turn: the left Jacobian of SO(3) times u.

    u + (1 - cos a) / a^2 v x u + (a - sin a) / a^3 v x (v x u), for the angle a = |v|.
    """
    v = Vec3.of(turn)
    a2 = v.dot(v)
    small = a2 < 0.25
    a = sqrt(select(small, 1.0, a2))
    s2 = select(small, a2, 0.0)
    terms = [1.0 / math.factorial(2 * k + 3) for k in range(7)]
    series = 0.0
    for term in reversed(terms):
        series = term - s2 * series
    cubic = select(small, series, (a - sin(a)) / (a * a * a))
    half = _sine_by_angle(0.25 * a2)
    once = v.cross(u)
    return u + once * (0.5 * half * half) + v.cross(once) * cubic


def rotation_vector_derivative(turn: Sequence[Any]) -> list[list[Any]]:
    """The derivative of the rotation vector along the angular velocity in body axes.

    The inverse of the right Jacobian of SO(3): 1 + [v]/2 + k [v]^2 with k = (1 - x cot x) / (4 x^2), x = |v| / 2.
    """
    v = Vec3.of(turn)
    x2 = 0.25 * v.dot(v)
    small = x2 < 1e-4
    x = sqrt(select(small, 1.0, x2))
    # x cot x = 1 - x^2/3 - x^4/45 - 2 x^6/945 - x^8/4725 - ...
    s2 = select(small, x2, 0.0)
    series = (1.0 / 3.0 + s2 * (1.0 / 45.0 + s2 * (2.0 / 945.0 + s2 / 4725.0))) * 0.25
    k = select(small, series, (1.0 - x * cos(x) / sin(x)) / (4.0 * select(small, 1.0, x2)))
    V = skew(v)
    rows = zip(range(3), V, V.times(V))
    return [[float(i == j) + 0.5 * a + k * b for j, (a, b) in enumerate(zip(row, square))] for i, row, square in rows]


def _sine_by_angle(x2: Any) -> Any:
    """sin x / x, from the square of x."""
    small = x2 < 1e-4
    x = sqrt(select(small, 1.0, x2))
    s2 = select(small, x2, 0.0)
    return select(small, 1.0 - s2 * (1.0 / 6.0 - s2 * (1.0 / 120.0 - s2 / 5040.0)), sin(x) / x)


_SMALL = 1e-6  # of t^2: the first term left out is 2/7 t^6


def _either(condition: Any, a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(select(condition, x, y) for x, y in zip(a, b))
