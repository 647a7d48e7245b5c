"""The mass properties of a body, as the equations of motion have them: ten moments about the frame's origin.

The equations are linear in these ten numbers. They say more than mass, centre and inertia about it: sets of
parameters that were regrouped or identified ([Khalil2010]'s base parameters) may have a first moment without a mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InertiaError, ModelError
from kinetree.given import Given, default
from kinetree.model.inertia import SLACK, TINY, Inertia, check_principal_moments, number, symmetric, three_coordinates
from kinetree.scalar import Scalar
from kinetree.spatial import RigidInertia, Sym3, Transform, Vec3


@dataclass(frozen=True)
class Moments:
    """Mass [kg], first moments [kg m] and second moments [kg m^2] about the frame's origin, in body axes.

    Stands wherever an `Inertia` may stand. Code made from it divides by no mass.

    Args:
        mass: M.
        first: mass times centre of mass: MX, MY, MZ.
        second: the inertia about the origin, in any form that `Inertia` takes: (XX, YY, ZZ, XY, XZ, YZ).

    Example:
        >>> import kinetree as kt
        >>> rod = kt.Moments(2.0, first=(0.0, 0.0, 1.0), second=(0.7, 0.7, 0.0))
        >>> rod.com.z
        0.5
    """

    mass: Any = 0.0
    first: Given[Vec3, Iterable[Any]] = default(Vec3.zero)
    second: Given[Sym3, Iterable[Any]] = default(Sym3.zero)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", number(self.mass))
        object.__setattr__(self, "first", Vec3(*map(number, three_coordinates(self.first))))
        object.__setattr__(self, "second", symmetric(self.second))

    @property
    def rigid(self) -> RigidInertia:
        """The same numbers, for the algorithms."""
        return RigidInertia(self.mass, self.first, self.second)

    @staticmethod
    def of_rigid(rigid: RigidInertia) -> Moments:
        """From what the algorithms have."""
        return Moments(rigid.m, rigid.ms, rigid.J)

    @property
    def com(self) -> Vec3:
        """The centre of mass; the origin for a body without any moment of first order."""
        if isinstance(self.mass, Scalar) or self.mass != 0:
            return self.first * (1.0 / self.mass)
        if self.first != Vec3.zero:
            missing = "no centre of mass and no inertia about it; ask for its first and second moments instead"
            raise ModelError(f"a body with the mass 0 and the first moments {tuple(self.first)} has {missing}")
        return Vec3.zero

    @property
    def about_com(self) -> Sym3:
        """The inertia about the centre of mass."""
        return self.second - Sym3.of_point(self.com) * self.mass

    def moved(self, X: Transform) -> Moments:
        """The same body in frame A, from frame B and X_AB."""
        return Moments.of_rigid(self.rigid.transformed(X))

    def __add__(self, other: Inertia | Moments) -> Moments:
        """Two bodies welded together, both in the same frame."""
        if not isinstance(other, Inertia | Moments):
            return NotImplemented
        return Moments.of_rigid(self.rigid + other.rigid)

    __radd__ = __add__

    def check(self, body: str) -> None:
        """Raise `InertiaError` where no rigid body can have these moments; parameters are not looked at."""
        numbers = [x for x in (self.mass, *self.first, *self.second) if not isinstance(x, Scalar)]
        if not all(map(math.isfinite, numbers)):
            raise InertiaError(f"body {body!r} has a mass or a moment that is not finite: {self}")
        if not isinstance(self.mass, Scalar) and self.mass < 0:
            raise InertiaError(f"body {body!r} has the negative mass {self.mass:g} kg; a mass must be 0 or more")
        if len(numbers) < 10:
            return
        if self.mass == 0 and self.first != Vec3.zero:
            given = f"body {body!r} has the first moments {tuple(self.first)} kg m without a mass, which no body has"
            remedy = "if these are regrouped or identified parameters, pass strict=False to use them as they are"
            raise InertiaError(f"{given}; {remedy}")
        # what is left about the centre of mass is a difference of numbers that were rounded
        check_principal_moments(body, self.about_com, SLACK * max(map(abs, self.second)) + TINY * self.mass)
