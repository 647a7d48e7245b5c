"""The wrench of the Coriolis accelerations that an added angular velocity causes in moving masses.

A set of masses has velocities v(r). An additional angular velocity a causes the Coriolis acceleration 2 a x v(r); the
wrench of these is linear in a, and two sums over the masses are enough to compute it:

    p = 2 sum m v   (twice the momentum),     N = 2 sum m [r x][v x],
    force = a x p,     moment = 2 sum m r x (a x v) = -N a.

For a rigid body with velocity u of the origin and w of rotation,  N = 2 ([w] E + [ms][u])  with E = tr(J)/2 1 - J, the
second moments of its mass. The sums of several bodies add up; with them the "body-level Coriolis matrix" B of
[Singh2022] is [-N/2, 0; -[p]/2, 0], twelve numbers instead of 36.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.spatial.inertia import RigidInertia
from kinetree.spatial.matrix3 import Mat3, Sym3, skew
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Coriolis:
    """The sums N and p of a set of moving masses, about the frame's origin."""

    N: Mat3
    p: Vec3

    @staticmethod
    def of(body: RigidInertia, w: Vec3, u: Vec3) -> Coriolis:
        """Of a rigid body with angular velocity w, whose origin has the velocity u."""
        trace = body.J.xx + body.J.yy + body.J.zz
        E = Sym3.diagonal(trace, trace, trace) - 2.0 * body.J
        ms = 2.0 * body.ms
        return Coriolis(skew(w).times(E.full) + cross_cross(ms, u), (2.0 * body.m) * u + w.cross(ms))

    def __matmul__(self, a: Vec3) -> Force:
        """The wrench of the Coriolis accelerations 2 a x v."""
        return Force(-(self.N @ a), a.cross(self.p))

    def transposed(self, s: Motion) -> Vec3:
        """The vector k with k . a = s . (self @ a): the power of that wrench on the motion s, for every a."""
        return self.p.cross(s.lin) - self.N.T @ s.ang

    def __add__(self, other: Coriolis) -> Coriolis:
        return Coriolis(self.N + other.N, self.p + other.p)

    def transformed(self, X: Transform) -> Coriolis:
        """The same masses about A's origin in A's axes, from frame B and X_AB."""
        p = X.R @ self.p
        return Coriolis(X.R.similar(self.N) + cross_cross(X.p, p), p)


def cross_cross(a: Vec3, b: Vec3) -> Mat3:
    """[a x][b x] = b a^T - (a . b) 1."""
    k = a.dot(b)
    x, y, z = a * b.x, a * b.y, a * b.z
    return Mat3(Vec3(x.x - k, x.y, x.z), Vec3(y.x, y.y - k, y.z), Vec3(z.x, z.y, z.z - k))
