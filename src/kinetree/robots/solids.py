"""Uniform solids: the inertias of those robots whose numbers are our own."""

from __future__ import annotations

from kinetree.model import Inertia
from kinetree.spatial import Sym3, Vec3


def cylinder(mass: float, start: Vec3, end: Vec3, radius: float = 0.0) -> Inertia:
    """A uniform cylinder between two points of the body frame [m]; without a radius a slender bar.

    Example:
        >>> cylinder(12.0, Vec3.zero, Vec3(0.0, 0.0, 1.0)).about_com
        Sym3(xx=1.0, yy=1.0, zz=0.0, xy=0.0, xz=0.0, yz=0.0)
    """
    along = end - start
    length2 = along.dot(along)
    # m/12 (l^2 1 - l l^T) of the bar, m r^2/4 (1 + u u^T) of its section
    thick = (Sym3.diagonal(1.0, 1.0, 1.0) + Sym3.outer(along) * (1.0 / length2)) * (mass * radius**2 / 4)
    return Inertia(mass, start + along * 0.5, Sym3.of_point(along) * (mass / 12) + thick)


def box(mass: float, centre: Vec3, sides: Vec3) -> Inertia:
    """A uniform box along the axes of the body frame, by its centre and the lengths of its sides [m].

    Example:
        >>> box(12.0, Vec3.zero, Vec3(1.0, 2.0, 3.0)).about_com
        Sym3(xx=13.0, yy=10.0, zz=5.0, xy=0.0, xz=0.0, yz=0.0)
    """
    x, y, z = (side**2 * mass / 12 for side in sides)
    return Inertia(mass, centre, Sym3.diagonal(y + z, x + z, x + y))
