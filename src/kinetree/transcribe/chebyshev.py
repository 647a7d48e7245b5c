"""Bounds of quantities over whole intervals, from a few samples.

On an interval with middle m and half-width h a quantity is interpolated in N zeros of a Chebyshev polynomial,

    f(s) = sum_k c_k cos(k theta),        s = m - h cos(theta),        0 <= theta <= pi.

Polynomials, as the positions of a spline and their derivatives, are met exactly. Of forces, distances and all that is
smooth the c_k fall geometrically: the last of them, and how fast they fall, tell how far the interpolant is off. Where
that is too much to decide, the interval is halved. The interpolant itself has no gap: a cosine sum of degree N on a
grid several times finer than N is stationary beside its largest samples, and Newton's method leads from there to peaks.
Reference: [Trefethen2013] chapters 4, 8 and 18.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.runtime.arrays import Array, Indices

NODES = 16  # where a quantity is evaluated in each interval
STEPS = 48  # of the grid on which its interpolant is
_TAIL, _APART = 5, 7  # the last coefficients tell of those left out; as many come so far before them
_SAFETY, _SLOWEST = 6.0, 0.97  # of what is left out, and of the ratio of one coefficient to the next
_HALVINGS = 24  # of an interval, at the most
_MOST = 4096  # intervals that are halved at a time
_NEWTON = 2  # steps from the vertex of a parabola
_ROUNDING = 1e-13  # of coefficients, relative to the largest value
_ROUGHLY = 0.01  # how far a violation may be off, relative

_angles = (np.arange(NODES) + 0.5) * (np.pi / NODES)
_orders = np.arange(float(NODES))
_grid = np.linspace(0.0, np.pi, STEPS + 1)
_nodes = -np.cos(_angles)
_to_coefficients = np.cos(_orders[:, None] * _angles) * (np.where(_orders == 0, 1.0, 2.0) / NODES)[:, None]
_to_grid = np.cos(_grid[:, None] * _orders) @ _to_coefficients
_tail, _before = _to_coefficients[-_TAIL:], _to_coefficients[-_TAIL - _APART : -_APART]
PLACES = 0.5 - 0.5 * np.cos(_grid)  # of the grid in an interval, from 0 to 1
coefficients = _to_coefficients  # from values in the nodes to the c_k (NODES, NODES)


class IntervalBounds(NamedTuple):
    """What values in an interval are compared with, and the scale of violations: each (m, rows)."""

    lower: Array
    upper: Array
    scale: Array

    def violation(self, values: Array) -> Array:
        """How far values (m, k, rows) are outside, over their scales; negative inside, infinite for NaN."""
        l, u, scale = (x[:, None] for x in self)
        with np.errstate(invalid="ignore"):
            found = np.maximum(l - values, values - u) / scale
        return np.where(np.isnan(found), np.inf, found)

    def at(self, interval: Indices, row: Indices, values: Array) -> Array:
        """The same of single values (k,), each in its interval and row."""
        lower, upper, scale = (x[interval, row] for x in self)
        return np.maximum(lower - values, values - upper) / scale

    def take(self, which: Indices) -> IntervalBounds:
        return IntervalBounds(*(x[which] for x in self))


def nodes(left: Array, right: Array) -> Array:
    """The values of s at which intervals (m,) are sampled, inside of them: (m, NODES)."""
    return 0.5 * (left + right)[:, None] + (0.5 * (right - left))[:, None] * _nodes


def violations(
    function: Callable[[Array], Array],
    left: Array,
    right: Array,
    sides: IntervalBounds,
    values: Array,
    enough: float = 1e-9,
) -> tuple[Array, Array]:
    """The largest violations of a quantity about each place of a grid in each interval.

    Args:
        function: the quantity at s (k,): (k, rows); smooth in pieces.
        left, right: the ends of the intervals (m,).
        sides: what it is compared with.
        values: of the quantity in the `nodes` (m, NODES, rows).
        enough: how far results may be off where that decides whether a side is violated.

    Returns:
        Violations at ``PLACES`` (m, STEPS + 1, rows), peaks and what the interpolants may be off included; and the
        angles theta at which they are, those of peaks instead of the grid's.

    Example:
        >>> left, right, one = np.array([0.0, 0.5]), np.array([0.5, 1.0]), np.ones((2, 1))
        >>> wave = lambda s: np.sin(4.0 * s)[:, None]
        >>> values = wave(nodes(left, right).ravel()).reshape(2, NODES, 1)
        >>> found, _ = violations(wave, left, right, IntervalBounds(-one, 0.9 * one, one), values)
        >>> round(float(found.max()), 9)
        0.1
    """
    found, off, theta = _interpolated(values, sides)
    rows = _undecided(found, off, enough)
    origin = np.flatnonzero(rows.any(axis=1))
    found = _at_most(found, off)
    np.copyto(found, -np.inf, where=rows[:, None])
    low, high, rows = left[origin], right[origin], rows[origin]
    for halving in range(_HALVINGS if len(origin) else 0):
        middle = 0.5 * (low + high)
        low, high = np.r_[low, middle], np.r_[middle, high]
        origin, rows = np.r_[origin, origin], np.r_[rows, rows]
        sampled, own = function(nodes(low, high).ravel()).reshape(len(low), NODES, -1), sides.take(origin)
        peaks, error, _ = _interpolated(sampled, own)
        left_over = _undecided(peaks, error, enough) & rows
        if halving == _HALVINGS - 1 or left_over.any(axis=1).sum() > _MOST:
            # a jump, for example: what was seen on both sides of it
            np.copyto(peaks, own.violation(sampled).max(axis=1, keepdims=True), where=left_over[:, None])
            np.copyto(error, 0.0, where=left_over)
            left_over[:] = False
        done = rows & ~left_over
        at = low[:, None] + (high - low)[:, None] * PLACES
        share = np.clip((at - left[origin][:, None]) / (right - left)[origin][:, None], 0.0, 1.0)
        place = np.rint(np.arccos(1.0 - 2.0 * share) * (STEPS / np.pi)).astype(int)
        np.maximum.at(found, (origin[:, None], place), np.where(done[:, None], _at_most(peaks, error), -np.inf))
        keep = left_over.any(axis=1)
        low, high, origin, rows = low[keep], high[keep], origin[keep], left_over[keep]
        if not len(origin):
            break
    return found, theta


def largest(
    function: Callable[[Array], Array],
    left: Array,
    right: Array,
    sides: IntervalBounds,
    values: Array,
    enough: float = 1e-9,
) -> float:
    """The largest of the `violations`, arguments as there; 0 where there is none.

    No cosine sum is farther from its first coefficient than the sum of the others: what is inside by that is not looked
    at any closer, and mostly few rows in few intervals are left.

    Example:
        >>> left, right, one = np.array([0.0, 0.5]), np.array([0.5, 1.0]), np.ones((2, 1))
        >>> wave = lambda s: np.sin(4.0 * s)[:, None]
        >>> values = wave(nodes(left, right).ravel()).reshape(2, NODES, 1)
        >>> round(largest(wave, left, right, IntervalBounds(-one, 0.9 * one, one), values), 9)
        0.1
    """
    c = np.matmul(_to_coefficients, values)
    size = np.abs(c)
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = size[:, 1:].sum(axis=1) + _left_out(size[:, -_TAIL:], size[:, -_TAIL - _APART : -_APART])
        inside = np.maximum(sides.lower - c[:, 0], c[:, 0] - sides.upper) + reach <= 0.0
    i, r = np.nonzero(~inside)
    if not len(i):
        return 0.0
    own = IntervalBounds(*(x[i, r][None] for x in sides))  # as rows of one interval: one product for all
    found, off, _ = _interpolated(values[i, :, r].T[None], own)
    if _undecided(found, off, enough).any():
        return max(0.0, float(violations(function, left, right, sides, values, enough)[0].max()))
    return max(0.0, float(_at_most(found, off).max()))


def _left_out(tail: Array, before: Array) -> Array:
    """How much coefficients that were left out can be, from the sizes of the last ones and some before (m, k, rows)."""
    tail, before = tail.max(axis=1), before.max(axis=1)
    ratio = np.minimum(_SLOWEST, (tail / before) ** (1.0 / _APART))
    return np.maximum(1.0, _SAFETY * ratio / (1.0 - ratio) ** 2) * tail


def left_out(c: Array) -> Array:
    """The same from all coefficients (m, NODES, rows); nothing where the last ones are rounding."""
    size = np.abs(c)
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = _left_out(size[:, -_TAIL:], size[:, -_TAIL - _APART : -_APART])
    return np.where(size[:, -_TAIL:].max(axis=1) > _ROUNDING * size.max(axis=1), beyond, _ROUNDING * size.max(axis=1))


def _at_most(found: Array, off: Array) -> Array:
    """What is off counts where it decides whether a bound is violated."""
    return found + np.where(found > -off[:, None], off[:, None], 0.0)


def _undecided(found: Array, off: Array, enough: float) -> NDArray[np.bool_]:
    """Where more must be known of violations: (m, rows)."""
    most = found.max(axis=1)
    return (off > np.maximum(enough, _ROUGHLY * most)) & (most + off > 0.0)


def _interpolated(values: Array, sides: IntervalBounds) -> tuple[Array, Array, Array]:
    """Violations of the interpolants on the grid, with peaks between its points, how far they may be off, and where."""
    found = sides.violation(np.matmul(_to_grid, values))
    tail, before = (np.abs(np.matmul(some, values)) for some in (_tail, _before))
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond, size = _left_out(tail, before), np.abs(values).max(axis=1)
        off = np.where(tail.max(axis=1) > _ROUNDING * size, beyond / sides.scale, 0.0)
        slopes = np.diff(found, axis=1)
        # the parabola through three samples is higher than the middle one by an eighth of this at the most
        curvature = slopes[:, :-1] - slopes[:, 1:]
        peak = (slopes[:, :-1] >= 0.0) & (slopes[:, 1:] <= 0.0) & (found[:, 1:-1] + curvature > 0.0)
    i, j, r = np.nonzero(peak & np.isfinite(curvature))
    theta = np.empty_like(found)
    theta[:] = _grid[:, None]
    if len(i):
        rise, fall = slopes[i, j, r], slopes[i, j + 1, r]
        off_grid = 0.5 * (rise + fall) / np.maximum(rise - fall, 1e-300)  # the vertex of the parabola, in steps
        near = _grid[j + 1]
        vertex = near + np.minimum(np.maximum(off_grid, -0.5), 0.5) * (np.pi / STEPS)
        top, theta[i, j + 1, r] = _peaks(values[i, :, r] @ _to_coefficients.T, near, vertex)
        found[i, j + 1, r] = np.fmax(found[i, j + 1, r], sides.at(i, r, top))
    _look_beside_ends(values, sides, found, theta)
    return found, off, theta


def _look_beside_ends(values: Array, sides: IntervalBounds, found: Array, theta: Array) -> None:
    """Peaks between an end and the first step from there, where a cosine sum is even: d + b t^2 + a t^4."""
    for k, way in ((0, 1), (STEPS, -1)):
        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = (found[:, k + way * steps] - found[:, k] for steps in (1, 2))
            b, a = (16.0 * first - second) / 12.0, (second - 4.0 * first) / 12.0  # with t in steps
            inside = (b > 0.0) & (a < 0.0) & (b < -2.0 * a)  # the peak, at t^2 = -b / 2 a, is within a step
            i, r = np.nonzero(inside & (found[:, k] - 0.5 * b * b / a > 0.0))  # twice as high as by this
        if len(i):
            t = np.sqrt(-0.5 * b[i, r] / a[i, r]) * (np.pi / STEPS)
            c = values[i, :, r] @ _to_coefficients.T
            top, theta[i, k, r] = _peaks(c, _grid[k + way], _grid[k] + way * t)
            found[i, k, r] = np.fmax(found[i, k, r], sides.at(i, r, top))


def _peaks(c: Array, near: Array | float, theta: Array) -> tuple[Array, Array]:
    """Stationary values of cosine sums with coefficients (k, NODES), within a step of angles, and where they are."""
    first, second = c * _orders, c * _orders**2
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_NEWTON):
            angles, sine, cosine = theta[:, None] * _orders, np.sin(theta), np.cos(theta)
            slope, bend = (first * np.sin(angles)).sum(axis=1), (second * np.cos(angles)).sum(axis=1)
            # a step in s, which near an end is as good as elsewhere: there one in theta is not
            moved = np.arccos(np.clip(cosine + slope * sine * sine / (bend * sine - slope * cosine), -1.0, 1.0))
            theta = np.clip(np.where(np.isfinite(moved), moved, theta), near - np.pi / STEPS, near + np.pi / STEPS)
    return (c * np.cos(theta[:, None] * _orders)).sum(axis=1), theta
