"""Where a periodic motion meets itself, and products that rows there and at places of a motion need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.spline import Spline

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
LARGE = 64  # unknowns of a place from which one product for a span beats one for each place


class Seam:
    """Where a periodic motion meets itself: its derivatives at the end less those at the start, in units of s.

    ``names`` are those of the positions, velocities and so on. They are linear in the control points, and do not depend
    on T. With a mirror (n, n) the end is the image of the start in it.
    """

    packed = False

    def __init__(self, names: Sequence[Sequence[str]], spline: Spline, mirror: Array | None = None) -> None:
        n, order = len(names[0]), len(names) - 1
        self.n, self.count, self.rows, self.places = n, 1, (order + 1) * n, np.zeros(1)
        table, points = spline.local(np.array([0.0, 1.0]), order)
        # in each row the size of the largest number is 1
        start, end = table / np.abs(table).max(axis=(0, 2))[:, None]
        self.unknowns: Numbers = (points.ravel()[:, None] * n + np.arange(n)).reshape(1, -1)
        image = np.eye(n) if mirror is None else mirror
        parts = [-start[:, None, :, None] * image[:, None, :], end[:, None, :, None] * np.eye(n)[:, None, :]]
        self._slopes = np.concatenate(parts, axis=2).reshape(1, self.rows, -1)
        self.pattern = self._slopes[0] != 0.0
        self._names = [f"{name} at the seam" for degree in names for name in degree]

    def names(self) -> list[str]:
        return self._names

    def values(self, x: Array) -> Array:
        return self._slopes @ x[self.unknowns[0]]

    def jacobian(self, x: Array) -> Array:
        return self._slopes

    def derivatives(self, x: Array, by: Array, squares: Array, starts: Numbers) -> tuple[Array, Array]:
        return self._slopes, squared(self._slopes, squares, starts)

    def hessian(self, x: Array, weights: Array) -> Array:
        return np.zeros((1, self.unknowns.shape[1], self.unknowns.shape[1]))


def squared(slopes: Array, weights: Array, starts: Numbers) -> Array:
    """The sums over spans of J^T W J, for slopes (k, rows, unknowns) and weights (k, rows) not below 0."""
    rooted, width = slopes * np.sqrt(weights)[:, :, None], slopes.shape[2]
    if width < LARGE:
        return np.add.reduceat(np.matmul(rooted.transpose(0, 2, 1), rooted), starts, axis=0)
    spans = [rooted[a:b].reshape(-1, width) for a, b in zip(starts, (*starts[1:], len(slopes)))]
    return np.stack([X.T @ X for X in spans])  # of a matrix with itself BLAS does one half
