"""A point of the interior-point method, and a direction from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetree.runtime.arrays import Array


class Iterate:
    """A point of the method: variables, slacks s of g, their distances d from their sides, multipliers z of the sides
    and y of c, and f, g, c.

    ``residual`` is g - s, ``residual_max`` its largest element, ``infeasibility`` the sum over it and c, and ``logs``
    the sum of the logarithms of the distances.
    """

    __slots__ = ("c", "d", "f", "g", "infeasibility", "logs", "residual", "residual_max", "s", "x", "y", "z")

    def __init__(
        self, x: Array, s: Array, d: Array, z: Array, y: Array, values: tuple[float, Array, Array],
        known: tuple[Array, Array] | None = None,
    ) -> None:  # fmt: skip
        self.x, self.s, self.d, self.z, self.y = x, s, d, z, y
        self.f, self.g, self.c = values
        self.logs = float(np.add.reduce(np.log(d)))
        if known is None:
            self.residual = self.g - s
            size = np.abs(self.residual)
            self.infeasibility, self.residual_max = float(size.sum()), float(size.max(initial=0.0))
        else:
            self.residual, (self.infeasibility, self.residual_max) = known[0], known[1].tolist()
        if len(self.c):
            self.infeasibility += float(np.abs(self.c).sum())


class Direction(NamedTuple):
    """Of variables, slacks, distances relative to themselves; the multipliers of equalities; and of the relative
    changes the least, the largest, their sum, and the sums of them and of their squares times d z."""

    dx: Array
    ds: Array
    relative: Array
    y: Array
    sums: list[float]


def longest(least: float, room: float) -> float:
    """How much of a change, relative to what stays above zero, takes at most a part ``room`` of that; at most all."""
    return 1.0 if -least <= room else -room / least
