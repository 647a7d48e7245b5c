"""Coordinates that move on every second span only, beside others that must follow them closely.

Where forces are given, such as none on a base, some coordinates follow from the others. A spline of these can only be
right if it has finer spans than what it follows: with the same ones, motions that sway from place to place would seem
to need no force. So all other coordinates lose every second knot. A spline of degree p has no knot where its p-th
derivative does not jump, which is linear in its control points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.seam import Seam
from kinetree.plan.spline import Spline

Array = NDArray[np.float64]


class Coarse(Seam):
    """The jumps of the highest derivative at every second knot, of some of the coordinates."""

    def __init__(self, n: int, spline: Spline, some: Sequence[int]) -> None:
        p, breaks = spline.degree, spline.breaks
        table, points = spline.local(0.5 * (breaks[1:] + breaks[:-1]), p)
        left = np.arange(0, len(breaks) - 2, 2)  # spans whose right end is no knot
        jumps = np.zeros((len(left), spline.points))
        np.put_along_axis(jumps, points[left], -table[left, p], axis=1)
        after = np.zeros_like(jumps)
        np.put_along_axis(after, points[left + 1], table[left + 1, p], axis=1)
        jumps = (jumps + after) / np.abs(jumps + after).max(axis=1, keepdims=True)
        self.n, self.count, self.rows, self.places = n, 1, len(left) * len(some), np.zeros(1)
        self.unknowns = np.arange(spline.points * n)[None]
        across = np.eye(n)[list(some)]
        self._slopes = (jumps[:, None, :, None] * across[:, None, :]).reshape(1, self.rows, -1)
        self.pattern = self._slopes[0] != 0.0

    def names(self) -> list[str]:
        return ["smoothness"] * self.rows
