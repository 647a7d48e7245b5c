"""Clamped B-splines on [0, 1]: basis functions, their derivatives at given places, and their integrals.

Reference: [Barman] (4.1)-(4.12); [PieglTiller] algorithm A2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_KEPT = 32  # tables of basis functions


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
        for value, name in ((self.points, "the number of control points"), (self.degree, "the degree of a spline")):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise InputError(f"{name} is a whole number, got {value!r}")
        if self.degree < 3:
            raise InputError(f"a spline for motions needs degree 3 or more, got {self.degree}")
        if self.points < self.degree + 1:
            raise InputError(
                f"splines of degree {self.degree} need {self.degree + 1} control points, got {self.points}"
            )
        spans = self.points - self.degree
        even = np.linspace(0.0, 1.0, spans + 1)[1:-1]
        inner = even if self.inner is None else _knots(self.inner, spans - 1, self)
        object.__setattr__(self, "inner", tuple(inner.tolist()))

    @cached_property
    def knots(self) -> Array:
        ends = self.degree + 1
        return np.r_[np.zeros(ends), self.inner or (), np.ones(ends)]

    @cached_property
    def breaks(self) -> Array:
        """The ends of the spans, each once."""
        return np.unique(self.knots)

    @cached_property
    def averages(self) -> Array:
        """The averages of the knots of each control point: with P there, the spline is the straight line q = s."""
        p = self.degree
        return np.lib.stride_tricks.sliding_window_view(self.knots[1:-1], p).mean(axis=1)

    def spans(self, s: Array) -> Numbers:
        """For each place the first control point that matters; there are degree + 1 of them."""
        k = np.searchsorted(self.knots, s, side="right") - 1
        return np.clip(k, self.degree, self.points - 1) - self.degree

    def local(self, s: ArrayLike, order: int) -> tuple[Array, Numbers]:
        """Basis functions that are not zero and their derivatives (n, order + 1, degree + 1), and their numbers.

        Both are the same arrays for the same places, and can't be changed.
        """
        return _local(self, np.asarray(s, float).tobytes(), order)

    def _local(self, s: Array, order: int) -> tuple[Array, Numbers]:
        p, U = self.degree, self.knots
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

    def _derivative(self, values: Array, k: Numbers, r: int) -> Array:
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

    def derivatives(self, points: Array, s: ArrayLike, order: int) -> Array:
        """A curve with control points (m, n) and its derivatives with respect to s: (order + 1, k, n)."""
        table, numbers = self.local(s, order)
        return np.matmul(table, points[numbers]).transpose(1, 0, 2)

    def through(self, s: ArrayLike, values: Array) -> Array:
        """The control points of the curve with given values (m, n) at as many places."""
        table, numbers = self.local(s, 0)
        B = np.zeros((len(table), self.points))
        np.put_along_axis(B, numbers, table[:, 0], axis=1)
        return np.asarray(np.linalg.solve(B, values), np.float64)

    # -- integrals -----------------------------------------------------------------------------------------------

    @cached_property
    def integrals(self) -> Array:
        """Of each basis function from 0 to 1: its support over degree + 1."""
        p, U = self.degree, self.knots
        return (U[p + 1 :] - U[: self.points]) / (p + 1)

    def products(self, order: int) -> Array:
        """The integrals of products of r-th derivatives, exact: (m, m)."""
        s, w = self.quadrature(self.degree + 1)
        table, numbers = self.local(s, order)
        B = np.zeros((len(s), self.points))
        np.put_along_axis(B, numbers, table[:, order], axis=1)
        return B.T @ (w[:, None] * B)

    def quadrature(self, count: int) -> tuple[Array, Array]:
        """Gauss points of all spans and their weights: exact for polynomials of degree 2 count - 1 on each."""
        x, w = _gauss(count)
        left, width = self.breaks[:-1], np.diff(self.breaks)
        places = left[:, None] + width[:, None] * (0.5 + 0.5 * x)
        return places.ravel(), (width[:, None] * (0.5 * w)).ravel()

    def even(self, count: int) -> Array:
        """Places with so many steps in each span, both ends included; an array that can't be changed."""
        if count not in self._even:
            left, width = self.breaks[:-1], np.diff(self.breaks)
            places = np.append(left[:, None] + width[:, None] * (np.arange(count) / count), 1.0)
            places.flags.writeable = False
            self._even[count] = places
        return self._even[count]

    @cached_property
    def _even(self) -> dict[int, Array]:
        return {}


_kept_spline = lru_cache(maxsize=_KEPT, typed=True)(Spline)
_gauss = cache(np.polynomial.legendre.leggauss)


def kept_spline(points: int, degree: int, inner: tuple[float, ...] | None) -> Spline:
    """The same object for the same space: what it computed once stays known."""
    try:
        return _kept_spline(points, degree, inner)
    except TypeError:  # no numbers
        return Spline(points, degree, inner)


@lru_cache(maxsize=_KEPT)
def _local(spline: Spline, places: bytes, order: int) -> tuple[Array, Numbers]:
    table, numbers = spline._local(np.frombuffer(places), order)  # pyright: ignore[reportPrivateUsage]
    table.flags.writeable = numbers.flags.writeable = False
    return table, numbers


def _knots(given: ArrayLike, count: int, spline: Spline) -> Array:
    inner = np.asarray(given, float)
    wanted = f"{spline.points} points of degree {spline.degree} need {count} inner knots that rise between 0 and 1"
    if inner.shape != (count,) or not np.isfinite(inner).all():
        raise InputError(f"{wanted}, got {given!r}")
    steps = np.diff(np.r_[0.0, inner, 1.0])
    if (steps < 0).any() or (count and not 0.0 < inner[0] <= inner[-1] < 1.0):
        raise InputError(f"{wanted}, got {given!r}")
    _, often = np.unique(inner, return_counts=True)
    if (often > spline.degree - 2).any():
        most = spline.degree - 2
        raise InputError(f"{wanted}; one knot stands {often.max()} times, accelerations need {most} at the most")
    return inner
