"""Angular velocity and acceleration of a body as one matrix: U = [wd x] + [w x][w x].

The acceleration of a point r relative to the origin is U r, and the products of angular velocities in U are those
that the moment of an inertia needs, so they are formed once. Reference: [Khalil2010] (20)-(21), U_j.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from kinetree.spatial.matrix3 import Mat3, Sym3
from kinetree.spatial.vec3 import Vec3


class AngularAcceleration:
    """An angular acceleration wd with the products of angular velocities w w^T; or the rates of both."""

    __slots__ = ("U", "products", "squares", "wd")

    def __init__(self, wd: Vec3, squares: Vec3, products: Vec3) -> None:
        self.wd, self.squares, self.products = wd, squares, products
        (xx, yy, zz), (yz, xz, xy) = squares, products
        x = Vec3(-(yy + zz), xy - wd.z, xz + wd.y)
        y = Vec3(xy + wd.z, -(xx + zz), yz - wd.x)
        z = Vec3(xz - wd.y, yz + wd.x, -(xx + yy))
        self.U = Mat3(x, y, z)

    def __matmul__(self, r: Vec3) -> Vec3:
        """wd x r + w x (w x r)."""
        return self.U @ r

    def moment(self, J: Sym3) -> Vec3:
        """J wd + w x (J w): the moment that rotates the inertia J, by differences of inertias."""
        wd, U, w2, ww = self.wd, self.U, self.squares, self.products
        return Vec3(
            _sum(J.xx * wd.x, (J.zz - J.yy) * ww.x, J.xz * U.y.x, -(J.xy * U.z.x), J.yz * (w2.y - w2.z)),
            _sum(J.yy * wd.y, (J.xx - J.zz) * ww.y, J.xy * U.z.y, -(J.yz * U.x.y), J.xz * (w2.z - w2.x)),
            _sum(J.zz * wd.z, (J.yy - J.xx) * ww.z, J.yz * U.x.z, -(J.xz * U.y.z), J.xy * (w2.x - w2.y)),
        )


class AngularMotion(AngularAcceleration):
    """Angular velocity w and angular acceleration wd of one frame."""

    __slots__ = ("w",)

    def __init__(self, w: Vec3, wd: Vec3) -> None:
        self.w = w
        super().__init__(wd, Vec3(w.x * w.x, w.y * w.y, w.z * w.z), Vec3(w.y * w.z, w.x * w.z, w.x * w.y))

    def rate(self, wdd: Vec3) -> AngularAcceleration:
        """Its rate in the axes of the body, where wdd is the rate of wd."""
        w, wd = self.w, self.wd
        squares = Vec3(2.0 * (w.x * wd.x), 2.0 * (w.y * wd.y), 2.0 * (w.z * wd.z))
        products = Vec3(w.y * wd.z + wd.y * w.z, w.x * wd.z + wd.x * w.z, w.x * wd.y + wd.x * w.y)
        return AngularAcceleration(wdd, squares, products)


def _sum(*terms: Any) -> Any:
    return reduce(add, terms)
