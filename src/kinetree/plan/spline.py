"""Clamped B-splines on [0, 1]: basis functions and their derivatives at given places.

Reference: [Barman] (4.1)-(4.12); [PieglTiller] algorithm A2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spline:
    """A space of splines: so many control points, a degree, and knots inside (0, 1).

    Args:
        points: how many control points.
        degree: 3 or more.
        inner: the knots between the ends, points - degree - 1 of them, not falling; even ones by default.
    """

    points: int
    degree: int = 3
    inner: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.degree < 3:
            raise InputError(f"a spline for motions needs degree 3 or more, got {self.degree}")
        if self.points < self.degree + 1:
            raise InputError(
                f"splines of degree {self.degree} need {self.degree + 1} control points, got {self.points}"
            )
        spans = self.points - self.degree
        if self.inner is None:
            object.__setattr__(self, "inner", tuple(np.linspace(0.0, 1.0, spans + 1)[1:-1].tolist()))
        elif len(self.inner) != spans - 1 or list(self.inner) != sorted(self.inner):
            raise InputError(f"{self.points} points of degree {self.degree} need {spans - 1} rising inner knots")

    @cached_property
    def knots(self) -> Array:
        ends = self.degree + 1
        return np.r_[np.zeros(ends), self.inner or (), np.ones(ends)]

    @cached_property
    def breaks(self) -> Array:
        """The ends of the spans, each once."""
        return np.unique(self.knots)

    def spans(self, s: Array) -> NDArray[np.int64]:
        """For each place the first control point that matters; there are degree + 1 of them."""
        k = np.searchsorted(self.knots, s, side="right") - 1
        return np.clip(k, self.degree, self.points - 1) - self.degree

    def local(self, s: Array, order: int) -> tuple[Array, NDArray[np.int64]]:
        """Basis functions that are not zero and their derivatives (n, order + 1, degree + 1), and their numbers."""
        p, U = self.degree, self.knots
        s = np.asarray(s, float)
        first = self.spans(s)
        k = first + p
        # values of all degrees: column j of degree d is that of control point k - d + j
        values = [np.ones((len(s), 1))]
        for d in range(1, p + 1):
            low = values[-1]
            high = np.zeros((len(s), d + 1))
            for j in range(d):
                left, right = U[k - d + 1 + j], U[k + 1 + j]
                share = low[:, j] / (right - left)
                high[:, j] += (right - s) * share
                high[:, j + 1] += (s - left) * share
            values.append(high)
        table = np.zeros((len(s), order + 1, p + 1))
        for r in range(min(order, p) + 1):
            table[:, r] = self._derivative(values[p - r], k, r)
        return table, first[:, None] + np.arange(p + 1)

    def _derivative(self, values: Array, k: NDArray[np.int64], r: int) -> Array:
        """From functions of a lower degree to the r-th derivatives of those of the full one."""
        p, U = self.degree, self.knots
        for d in range(p - r + 1, p + 1):
            raised = np.zeros((len(values), d + 1))
            for j in range(d):
                share = d * values[:, j] / (U[k + 1 + j] - U[k - d + 1 + j])
                raised[:, j] -= share
                raised[:, j + 1] += share
            values = raised
        return values

    def quadrature(self, count: int) -> tuple[Array, Array]:
        """Gauss points of all spans and their weights: exact for polynomials of degree 2 count - 1 on each."""
        x, w = np.polynomial.legendre.leggauss(count)
        left, width = self.breaks[:-1], np.diff(self.breaks)
        places = left[:, None] + width[:, None] * (0.5 + 0.5 * x)
        return places.ravel(), (width[:, None] * (0.5 * w)).ravel()

    def even(self, count: int) -> Array:
        """Places with so many steps in each span, both ends included."""
        left, width = self.breaks[:-1], np.diff(self.breaks)
        return np.r_[(left[:, None] + width[:, None] * (np.arange(count) / count)).ravel(), 1.0]
