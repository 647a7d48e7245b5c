"""Where the interior-point method starts: from a guess, or going on from a solution of nearly the same problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.condensed import Sides, View

Array = NDArray[np.float64]
_PUSH = 1e-2  # how far from their limits slacks start
_NEAR = 1e-8  # when going on, at least
_FIRST = 0.1  # barrier
_BROKEN, _LARGE = 1e4, 1e-2  # the barrier when going on, in units of the nearness times what is broken; at the most


class Point:
    """Unknowns, slacks, their distances from limits, multipliers of limits and of equations; what the problem is there.

    ``missing`` is g - s, ``farthest`` the largest of it, ``gap`` the sum of what is missing to all equations, and
    ``logs`` that of the distances' logs.
    """

    __slots__ = ("c", "d", "f", "farthest", "g", "gap", "logs", "missing", "s", "x", "y", "z")

    def __init__(self, x: Array, s: Array, d: Array, z: Array, y: Array, f: float, g: Array, c: Array) -> None:
        self.x, self.s, self.d, self.z, self.y, self.f, self.g, self.c = x, s, d, z, y, f, g, c
        self.missing = g - s
        self.logs = float(np.add.reduce(np.log(d)))
        off = np.abs(self.missing)
        self.farthest, self.gap = float(np.maximum.reduce(off, initial=0.0)), float(np.add.reduce(off))
        if len(c):
            self.gap += float(np.abs(c).sum())


def started(
    view: View,
    sides: Sides,
    start: Array,
    lower: Array,
    upper: Array,
    multipliers: tuple[Array, Array, Array] | None,
    nearness: float,
) -> tuple[Point, float]:
    """The first point, inside its limits, and the first barrier."""
    x = np.clip(start, lower, upper)
    f, g, c = view.values(x)
    if multipliers is None:
        s = _inside(view, g, _PUSH)
        return Point(x, s, sides.distances(s), np.ones(sides.count), np.zeros(len(c)), f, g, c), _FIRST
    of_rows, of_lower, of_upper = multipliers
    pull = np.concatenate((of_rows[view.limited], (of_upper - of_lower)[view.own]))
    z, d = np.maximum(-sides.changes(pull), 0.0), sides.distances(g)
    broken = float((-d).max(initial=0.0))
    mu = max(nearness, min(_BROKEN * nearness, _LARGE) * broken)
    # the pair with product mu and the same difference of distance and multiplier
    root = np.sqrt((d - z) ** 2 + 4.0 * mu)
    centred = np.where(d > z, 0.5 * (d - z + root), 2.0 * mu / np.maximum(root - (d - z), 1e-300))
    inwards = np.maximum(np.minimum(centred, 0.5 * sides.width) - d, 0.0)
    s = _inside(view, g - sides.pulled(inwards), _NEAR)
    d = sides.distances(s)
    return Point(x, s, d, mu / d, of_rows[view.equations], f, g, c), mu


def _inside(view: View, s: Array, by: float) -> Array:
    """Slacks moved inside by at least so much, or so much of the width where that is less than 1."""
    push = by * np.minimum(1.0, view.u - view.l)
    return np.minimum(np.maximum(s, view.l + push), view.u - push)
