"""Clamped B-splines on [0, 1].

Reference: [Barman] (4.1)-(4.12); [PieglTiller] algorithm A2.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.transcribe.basis import Array, Indices

_CACHED = 32  # tables of basis functions


@dataclass(frozen=True)
class BSpline:
    """A space of clamped B-splines.

    Args:
        size: the number of control points.
        degree: 3 or more.
        inner: the knots between the ends, size - degree - 1 of them, not falling; uniform ones by default.
        smooth: the highest derivative that is continuous at least, whatever the knots: accelerations by default.

    Example:
        >>> spline = BSpline(6)
        >>> spline.breakpoints.round(3).tolist()
        [0.0, 0.333, 0.667, 1.0]
        >>> table, indices = spline.evaluate([0.5], 0)
        >>> float(table.sum().round(12)), indices.tolist()
        (1.0, [[1, 2, 3, 4]])
    """

    size: int
    degree: int = 3
    inner: tuple[float, ...] | None = None
    smooth: int = field(default=2, compare=False, repr=False)
    knots: Array = field(init=False, repr=False, compare=False)
    breakpoints: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for value, name in ((self.size, "the number of control points"), (self.degree, "the degree of a spline")):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise InputError(f"{name} is an integer, got {value!r}")
        if self.degree < 3:
            raise InputError(f"a spline for motions needs degree 3 or more, got {self.degree}")
        if self.size < self.degree + 1:
            raise InputError(f"splines of degree {self.degree} need {self.degree + 1} control points, got {self.size}")
        intervals = self.size - self.degree
        uniform = np.linspace(0.0, 1.0, intervals + 1)[1:-1]
        inner = uniform if self.inner is None else _checked(self.inner, intervals - 1, self)
        object.__setattr__(self, "inner", tuple(inner.tolist()))
        ends = self.degree + 1
        object.__setattr__(self, "knots", np.r_[np.zeros(ends), inner, np.ones(ends)])
        object.__setattr__(self, "breakpoints", np.unique(self.knots))

    @staticmethod
    def shared(size: int, degree: int, inner: tuple[float, ...] | None) -> BSpline:
        """The same object for the same space: what it has computed stays known."""
        try:
            return _shared(size, degree, inner)
        except TypeError:  # not hashable, so not numbers
            return BSpline(size, degree, inner)

    @property
    def continuity(self) -> float:
        return self.degree - self._multiplicity

    @cached_property
    def _multiplicity(self) -> int:
        return int(np.unique(self.inner or (), return_counts=True)[1].max(initial=1))

    @cached_property
    def greville(self) -> Array:
        """The Greville abscissae: with these as control points the curve is q(s) = s."""
        return np.lib.stride_tricks.sliding_window_view(self.knots[1:-1], self.degree).mean(axis=1)

    def first(self, s: Array) -> Indices:
        """For each s the first control point that matters; there are degree + 1 of them."""
        k = np.searchsorted(self.knots, s, side="right") - 1
        return np.clip(k, self.degree, self.size - 1) - self.degree

    def evaluate(self, s: ArrayLike, order: int) -> tuple[Array, Indices]:
        """As `Basis.evaluate`; both are the same read-only arrays for the same s."""
        return _evaluated(self, np.asarray(s, float).tobytes(), order)

    def curve(self, points: Array, s: ArrayLike, order: int) -> Array:
        table, indices = self.evaluate(s, order)
        return np.matmul(table, points[indices]).transpose(1, 0, 2)

    def to_json(self, points: Array) -> dict[str, Any]:
        """A curve with control points (size, n), as plain values."""
        return {"degree": self.degree, "knots": list(self.inner or ()), "points": points.tolist()}

    def interpolate(self, s: ArrayLike, values: Array) -> Array:
        """The control points of the curve through values (size, n) at as many s."""
        if s is self.greville:
            return self._from_greville @ values
        return np.asarray(np.linalg.solve(self._values_at(s), values), np.float64)

    def _values_at(self, s: ArrayLike) -> Array:
        """Of all basis functions (k, size)."""
        table, indices = self.evaluate(s, 0)
        B = np.zeros((len(table), self.size))
        np.put_along_axis(B, indices, table[:, 0], axis=1)
        return B

    @cached_property
    def _from_greville(self) -> Array:
        return np.asarray(np.linalg.inv(self._values_at(self.greville)), np.float64)

    def quadrature(self, per_interval: int) -> tuple[Array, Array]:
        """Gauss points and weights: exact for polynomials of degree 2 per_interval - 1 on each knot interval."""
        x, w = _gauss(per_interval)
        left, width = self.breakpoints[:-1], np.diff(self.breakpoints)
        s = left[:, None] + width[:, None] * (0.5 + 0.5 * x)
        return s.ravel(), (width[:, None] * (0.5 * w)).ravel()

    def samples(self, per_interval: int) -> Array:
        return _samples(self, per_interval)


def basis_functions(U: NDArray[Any], s: NDArray[Any], p: int, order: int) -> NDArray[Any]:
    """Basis functions and their derivatives from the 2 p knots around each s.

    Args:
        U: these knots (..., 2 p, k), real or complex.
        s: (..., k).
        p: the degree.
        order: of the highest derivative.

    Returns:
        An array (..., k, order + 1, p + 1).
    """

    def raised(values: list[Any], d: int, of_derivative: bool) -> list[Any]:
        """From degree d - 1 to d: function j of degree d is that of control point k - d + j."""
        high: list[Any] = [0.0] * (d + 1)
        for j in range(d):
            left, right = U[..., p - d + j, :], U[..., p + j, :]
            part = (d * values[j] if of_derivative else values[j]) / (right - left)
            high[j] = high[j] - part if of_derivative else high[j] + (right - s) * part
            high[j + 1] = high[j + 1] + (part if of_derivative else (s - left) * part)
        return high

    lower = [[np.ones_like(s)]]
    for d in range(1, p + 1):
        lower.append(raised(lower[-1], d, of_derivative=False))
    table = np.zeros((*s.shape, order + 1, p + 1), np.result_type(U, s))
    for r in range(min(order, p) + 1):
        values = lower[p - r]
        for d in range(p - r + 1, p + 1):
            values = raised(values, d, of_derivative=True)
        table[..., r, :] = np.stack(values, axis=-1)
    return table


_shared = lru_cache(maxsize=_CACHED, typed=True)(BSpline)
_gauss = cache(np.polynomial.legendre.leggauss)


@lru_cache(maxsize=_CACHED)
def _evaluated(spline: BSpline, values_of_s: bytes, order: int) -> tuple[Array, Indices]:
    s, p = np.frombuffer(values_of_s), spline.degree
    first = spline.first(s)
    around = spline.knots[first + np.arange(1, 2 * p + 1)[:, None]]
    table, indices = basis_functions(around, s, p, order), first[:, None] + np.arange(p + 1)
    table.flags.writeable = indices.flags.writeable = False
    return table, indices


@lru_cache(maxsize=_CACHED)
def _samples(spline: BSpline, per_interval: int) -> Array:
    left, width = spline.breakpoints[:-1], np.diff(spline.breakpoints)
    s = np.append(left[:, None] + width[:, None] * (np.arange(per_interval) / per_interval), 1.0)
    s.flags.writeable = False
    return s


def _checked(given: ArrayLike, count: int, spline: BSpline) -> Array:
    inner = np.asarray(given, float)
    needed = (
        f"{spline.size} control points of degree {spline.degree} need {count} inner knots that rise between 0 and 1"
    )
    if inner.shape != (count,) or not np.isfinite(inner).all():
        raise InputError(f"{needed}, got {given!r}")
    steps = np.diff(np.r_[0.0, inner, 1.0])
    if (steps < 0).any() or (count and not 0.0 < inner[0] <= inner[-1] < 1.0):
        raise InputError(f"{needed}, got {given!r}")
    _, multiplicity = np.unique(inner, return_counts=True)
    most = spline.degree - spline.smooth
    if (multiplicity > most).any():
        kind = "accelerations" if spline.smooth == 2 else f"derivative {spline.smooth}"
        raise InputError(f"{needed}; one has multiplicity {multiplicity.max()}, {kind} need {most} at the most")
    return inner
