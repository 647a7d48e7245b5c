"""Angular velocities and accelerations of orientations that are given as quaternions (x, y, z, w) over time.

A path of quaternions need not be of length one: what counts is the orientation of the quaternion brought to it. With
p = q^-1 dq/dt, the angular velocity in body axes is twice the vector of p, and its rate twice that of
q^-1 d2q/dt2 - p p; the length goes into the scalar parts alone.
"""

from __future__ import annotations

from typing import Any

from kinetree.scalar import Vector
from kinetree.spatial import Vec3


def angular_motion(q: Vector, qd: Vector, qdd: Vector) -> tuple[Vec3, Vec3]:
    """The angular velocity and acceleration, in body axes, of a path of quaternions with its rates."""
    v, s = Vec3.of(q[:3]), q[3]
    scale = 1.0 / (v.dot(v) + s * s)
    (u, r), (a, _) = (_quotient(v, s, Vec3.of(x[:3]), x[3], scale) for x in (qd, qdd))
    return 2.0 * u, 2.0 * (a - (2.0 * r) * u)


def _quotient(v: Vec3, s: Any, vd: Vec3, sd: Any, scale: Any) -> tuple[Vec3, Any]:
    """q^-1 x: its vector and its scalar."""
    return scale * (s * vd - sd * v - v.cross(vd)), scale * (s * sd + v.dot(vd))
