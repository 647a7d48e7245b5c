"""The mass properties of a body, as people state them: about the centre of mass."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InertiaError
from kinetree.given import Given, default
from kinetree.scalar import Scalar, is_scalar
from kinetree.spatial import RigidInertia, Sym3, Transform, Vec3

SLACK = 1e-6  # inertias in files are rounded; a triangle missed by a millionth is rounding
TINY = 1e-12  # kg m^2 for each kg; radii of gyration below a micrometre are rounding too


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], centre of mass [m] and rotational inertia about it [kg m^2], both in body axes.

    Args:
        mass: not negative.
        com: the centre of mass in the body frame.
        about_com: a `Sym3`, three numbers (a diagonal), six numbers (xx, yy, zz, xy, xz, yz) or a 3 x 3 matrix.

    Example:
        >>> Inertia(2.0, com=(0.0, 0.0, 0.1), about_com=(0.02, 0.02, 0.001)).mass
        2.0
    """

    mass: Any = 0.0
    com: Given[Vec3, Iterable[Any]] = default(Vec3.zero)
    about_com: Given[Sym3, Iterable[Any]] = default(Sym3.zero)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", number(self.mass))
        object.__setattr__(self, "com", Vec3(*map(number, three_coordinates(self.com))))
        object.__setattr__(self, "about_com", symmetric(self.about_com))

    @property
    def rigid(self) -> RigidInertia:
        """Mass, first and second moments about the frame's origin."""
        m, c = self.mass, self.com
        return RigidInertia(m, m * c, self.about_com + Sym3.of_point(c) * m)

    @staticmethod
    def of_rigid(rigid: RigidInertia) -> Inertia:
        """From moments about the origin; a body without mass has its centre there."""
        m = rigid.m
        c = rigid.ms * (1.0 / m) if isinstance(m, Scalar) or m > 0 else Vec3.zero
        return Inertia(m, c, rigid.J - Sym3.of_point(c) * m)

    def moved(self, X: Transform) -> Inertia:
        """The same body in frame A, from frame B and X_AB."""
        return Inertia(self.mass, X.p + X.R @ self.com, X.R.similar_symmetric(self.about_com))

    def __add__(self, other: Inertia) -> Inertia:
        """Two bodies welded together, both in the same frame."""
        if not isinstance(other, Inertia):
            return NotImplemented  # Moments know how to add themselves
        if not isinstance(other.mass, Scalar) and other == Inertia():
            return self
        if not isinstance(self.mass, Scalar) and self == Inertia():
            return other
        return Inertia.of_rigid(self.rigid + other.rigid)

    def check(self, body: str) -> None:
        """Raise `InertiaError` where no rigid body can have this inertia; parameters are not looked at."""
        numbers = (self.mass, *self.com, *self.about_com)
        if any(isinstance(x, Scalar) for x in numbers):
            return
        if not all(map(math.isfinite, numbers)):
            raise InertiaError(f"body {body!r} has a mass, centre of mass or inertia that is not finite: {self}")
        if self.mass < 0:
            raise InertiaError(f"body {body!r} has the negative mass {self.mass:g} kg; a mass must be 0 or more")
        check_principal_moments(body, self.about_com, TINY * self.mass)


def check_principal_moments(body: str, about_com: Sym3, rounding: float) -> None:
    """Raise `InertiaError` where no rigid body can have this inertia about its centre of mass.

    Args:
        body: its name, for the message.
        about_com: numbers.
        rounding: by how much the principal moments may be wrong, besides a millionth of themselves [kg m^2].
    """
    if not all(map(math.isfinite, about_com)):
        raise InertiaError(
            f"body {body!r} has the inertia {tuple(about_com)} about its centre of mass, which is not finite: its mass "
            "is too small for its moments, or these are too large"
        )
    low, middle, high = _eigenvalues(about_com)
    slack = SLACK * high + rounding
    if low < -slack:
        moment = f"about its centre of mass, with the negative principal moment {low:g} kg m^2"
        remedy = "check the order (xx, yy, zz, xy, xz, yz), the signs and the frame"
        raise InertiaError(f"body {body!r} has the inertia {tuple(about_com)} {moment}; {remedy}")
    if low + middle < high - slack:
        raise InertiaError(
            f"body {body!r} has principal moments {low:g}, {middle:g}, {high:g} kg m^2 about its centre of mass; "
            "the two smaller must add up to the largest or more (triangle inequality). Is the inertia perhaps "
            "stated about another point? Pass strict=False to use it as it is"
        )


def number(x: Any) -> Any:
    if not is_scalar(x):
        raise InertiaError(f"a mass, a centre of mass and an inertia consist of numbers, got {x!r}")
    return x if isinstance(x, Scalar) else float(x)


def three_coordinates(values: Any) -> tuple[Any, ...]:
    items = tuple(values)
    if len(items) != 3:
        raise InertiaError(f"a centre of mass has three coordinates, got {items}")
    return items


def symmetric(value: Any) -> Sym3:
    if isinstance(value, Sym3):
        return Sym3(*map(number, value))
    rows: list[Any] = [list(x) if hasattr(x, "__len__") else x for x in value]
    if len(rows) == 3 and all(isinstance(row, list) and len(row) == 3 for row in rows):
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
        for a, b in ((xy, yx), (xz, zx), (yz, zy)):
            if not isinstance(a, Scalar) and not isinstance(b, Scalar) and not math.isclose(a, b, abs_tol=1e-12):
                raise InertiaError(f"an inertia matrix must be symmetric, got {rows}")
        rows = [xx, yy, zz, xy, xz, yz]
    if len(rows) == 3 and not any(isinstance(x, list) for x in rows):
        rows = [*rows, 0.0, 0.0, 0.0]
    if len(rows) != 6 or any(isinstance(x, list) for x in rows):
        forms = "three numbers (a diagonal), six (xx, yy, zz, xy, xz, yz) or a 3 x 3 matrix"
        raise InertiaError(f"an inertia is {forms}, got {value!r}")
    return Sym3(*map(number, rows))


def _eigenvalues(J: Sym3) -> tuple[float, float, float]:
    """The principal moments, smallest first (trigonometric solution of the cubic)."""
    scale = max(map(abs, J))
    if scale not in (0.0, 1.0):
        low, middle, high = _eigenvalues(Sym3(*(x / scale for x in J)))
        return scale * low, scale * middle, scale * high
    mean = (J.xx + J.yy + J.zz) / 3
    a, b, c = J.xx - mean, J.yy - mean, J.zz - mean
    spread = math.sqrt(max(0.0, (a * a + b * b + c * c) / 6 + (J.xy**2 + J.xz**2 + J.yz**2) / 3))
    if spread == 0:
        return mean, mean, mean
    determinant = a * (b * c - J.yz**2) - J.xy * (J.xy * c - J.yz * J.xz) + J.xz * (J.xy * J.yz - b * J.xz)
    angle = math.acos(min(1.0, max(-1.0, determinant / (2 * spread**3)))) / 3
    high, low = (mean + 2 * spread * math.cos(angle + k * 2 * math.pi / 3) for k in (0, 1))
    return low, 3 * mean - high - low, high
