"""Loads fixed in space: forces that keep their direction while the points they act on move.

Forces F act at points p of a rigid set of bodies, and couples: in sum the moment n about the origin and the force F.
When the set moves by s = (a, l), its points move by l + a x p; the moment changes by sum (l + a x p) x F and the
force not at all. With G = sum [F x][p x] this is l x F + G a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinetree.spatial.coriolis import cross_cross
from kinetree.spatial.matrix3 import Mat3, skew
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class SpaceFixedLoad:
    """The wrench of the forces about the frame's origin, and G, its derivative with respect to rotations."""

    wrench: Force
    G: Mat3

    none: ClassVar[SpaceFixedLoad]

    @staticmethod
    def at_origin(wrench: Force) -> SpaceFixedLoad:
        return SpaceFixedLoad(wrench, _ZERO)

    def moved(self, s: Motion) -> Force:
        """The change of the wrench in space when the set moves by s."""
        return Force(s.lin.cross(self.wrench.lin) + self.G @ s.ang, Vec3.zero)

    def turned(self, a: Vec3) -> Force:
        """The change of the wrench that a body gives its parent, in axes that rotate with a: a x* wrench - moved(a)."""
        n, f = self.wrench.ang, self.wrench.lin
        return Force(a.cross(n) - self.G @ a, a.cross(f))

    def transposed(self, s: Motion) -> Vec3:
        """The vector k with k . a = s . turned(a)."""
        return (skew(self.wrench.ang) - self.G.T) @ s.ang + self.wrench.lin.cross(s.lin)

    def __add__(self, other: SpaceFixedLoad) -> SpaceFixedLoad:
        return SpaceFixedLoad(self.wrench + other.wrench, self.G + other.G)

    def transformed(self, X: Transform) -> SpaceFixedLoad:
        """The same forces about A's origin in A's axes, from frame B and X_AB."""
        wrench = X.force_from(self.wrench)
        return SpaceFixedLoad(wrench, X.R.similar(self.G) + cross_cross(wrench.lin, X.p))


_ZERO = Mat3(Vec3.zero, Vec3.zero, Vec3.zero)
SpaceFixedLoad.none = SpaceFixedLoad.at_origin(Force.zero)
