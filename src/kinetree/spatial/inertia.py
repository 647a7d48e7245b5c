"""Inertias: of a rigid body (ten numbers) and of a subtree whose joints may move (21 numbers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from kinetree.scalar import is_zero
from kinetree.spatial.angular_motion import AngularAcceleration
from kinetree.spatial.matrix3 import Mat3, Sym3, skew
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass m, first moment ms = m c, and second moments J about the frame's origin."""

    m: Any
    ms: Vec3
    J: Sym3

    zero: ClassVar[RigidInertia]

    def newton_euler(self, angular: AngularAcceleration, a: Vec3) -> Force:
        """The wrench that gives the body this angular motion and its origin the acceleration a.

        [Khalil2010] (22)-(23):  F = m a + U ms,   M = J wd + w x (J w) + ms x a.
        """
        return Force(angular.moment(self.J) + self.ms.cross(a), self.m * a + angular @ self.ms)

    def __matmul__(self, v: Motion) -> Force:
        """The momentum of the body that moves with v, or the force that accelerates it from rest with v."""
        return Force(self.J @ v.ang + self.ms.cross(v.lin), self.m * v.lin - self.ms.cross(v.ang))

    @overload
    def __add__(self, other: RigidInertia) -> RigidInertia: ...
    @overload
    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia: ...
    def __add__(self, other: RigidInertia | ArticulatedInertia) -> RigidInertia | ArticulatedInertia:
        if isinstance(other, ArticulatedInertia):
            return other + self
        return RigidInertia(self.m + other.m, self.ms + other.ms, self.J + other.J)

    def transformed(self, X: Transform) -> RigidInertia:
        """The same body about A's origin in A's axes, from frame B and X_AB."""
        h = X.R @ self.ms
        # J_A = R J R^T - [p][h] - [h][p] - m [p][p]
        k = h + (0.5 * self.m) * X.p
        J = X.R.similar_symmetric(self.J) + _double_cross(X.p, k)
        return RigidInertia(self.m, h + self.m * X.p, J)


def _double_cross(p: Vec3, k: Vec3) -> Sym3:
    """-[p][k] - [k][p] = 2 (p . k) 1 - p k^T - k p^T."""
    x, y, z = p.x * k.x, p.y * k.y, p.z * k.z
    xx, yy, zz = 2.0 * (y + z), 2.0 * (x + z), 2.0 * (x + y)
    return Sym3(xx, yy, zz, -(p.x * k.y + p.y * k.x), -(p.x * k.z + p.z * k.x), -(p.y * k.z + p.z * k.y))


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """The symmetric 6 x 6 matrix [aa, al; al^T, ll] from accelerations to forces, angular part first."""

    aa: Sym3
    al: Mat3
    ll: Sym3

    @staticmethod
    def of(body: RigidInertia | ArticulatedInertia) -> ArticulatedInertia:
        if isinstance(body, ArticulatedInertia):
            return body
        return ArticulatedInertia(body.J, skew(body.ms), Sym3.diagonal(body.m, body.m, body.m))

    def __matmul__(self, a: Motion) -> Force:
        return Force(self.aa @ a.ang + self.al @ a.lin, self.al.T @ a.ang + self.ll @ a.lin)

    def __add__(self, other: RigidInertia | ArticulatedInertia) -> ArticulatedInertia:
        other = ArticulatedInertia.of(other)
        return ArticulatedInertia(self.aa + other.aa, self.al + other.al, self.ll + other.ll)

    def minus_product(self, k: Force, u: Force) -> ArticulatedInertia:
        """I - k u^T, where the product is known to be symmetric."""
        K, L, U, V = k.ang, k.lin, u.ang, u.lin
        aa = self.aa - Sym3(K.x * U.x, K.y * U.y, K.z * U.z, K.x * U.y, K.x * U.z, K.y * U.z)
        al = self.al - Mat3(V * K.x, V * K.y, V * K.z)
        ll = self.ll - Sym3(L.x * V.x, L.y * V.y, L.z * V.z, L.x * V.y, L.x * V.z, L.y * V.z)
        return ArticulatedInertia(aa, al, ll)

    def with_null_space(self, S: Sequence[Motion]) -> ArticulatedInertia:
        """The articulated inertia beyond a joint, which does not resist the joint's own motion: I^a S = 0.

        I^a = I^A - I^A S (S^T I^A S)^-1 S^T I^A is the projection of I^A off the motion subspace S of a joint without
        rotor inertia ([RBDA] Table 7.1). Along the columns of S that are coordinate axes its rows and columns are zero;
        here they are set to exact zeros, which cost nothing further down.
        """
        null = {k for s in S for k, x in enumerate((*s.ang, *s.lin)) if _only(s, k, x)}

        def block(m: Mat3, row: int, column: int) -> Mat3:
            numbers = [[0.0 if {row + i, column + j} & null else x for j, x in enumerate(r)] for i, r in enumerate(m)]
            return Mat3(*map(Vec3.of, numbers))

        aa, ll = block(self.aa.full, 0, 0), block(self.ll.full, 3, 3)
        return ArticulatedInertia(Sym3.upper(aa), block(self.al, 0, 3), Sym3.upper(ll))

    def transformed(self, X: Transform) -> ArticulatedInertia:
        """The same inertia about A's origin in A's axes, from frame B and X_AB."""
        ll = X.R.similar_symmetric(self.ll)
        turned = X.R.similar(self.al)
        aa = X.R.similar_symmetric(self.aa)
        P = skew(X.p)
        al = turned + P.times(ll.full)  # moments about A: n + p x f
        # aa_A = aa + P turned^T - al_A P, symmetric
        left, right = P.times(turned.T), al.times(P)
        return ArticulatedInertia(aa + Sym3.upper(left) - Sym3.upper(right), al, ll)


def _only(s: Motion, k: int, x: Any) -> bool:
    """Whether a motion has no other component than the k-th one, x."""
    return not is_zero(x) and all(is_zero(y) for j, y in enumerate((*s.ang, *s.lin)) if j != k)


RigidInertia.zero = RigidInertia(0.0, Vec3.zero, Sym3.zero)
