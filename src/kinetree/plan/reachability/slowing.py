"""Whether a motion along a path satisfies its rows between the points of its grid too, and how to make it.

In a piece of the path rows are nearly cubic polynomials: those through four values at equal distances are looked at,
whose coefficients of Bernstein bound them, and a fifth value in the middle tells how far they are off.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from kinetree.plan.reachability.rows import Rows
from kinetree.runtime.arrays import Array, Indices
from kinetree.transcribe.constraints import size_of_bounds

PLACES = np.array([0.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0])  # of a piece
_CUBIC, _MIDDLE = np.array([0, 1, 3, 4]), 2
_AT_MIDDLE = np.array([-1.0, 9.0, 9.0, -1.0]) / 16.0  # of the four values, what their cubic polynomial is there
_OFF = 2.0  # a polynomial is off elsewhere by 16 / 9 of that at the most, where fourth derivatives hardly change
_SPREAD = 5.0  # coefficients are nearer to values than 7 / 3 of how these differ, what is off is below 9 / 4 of it
_TRIES, _OVER = 6, 1.0 - 1e-7  # to slow it down, and how much more than it must be
_FREE = 1e9  # a bound that is none, over the size of others
_SLOWEST = 0.25  # of the squares of speeds, in one try


class Violated(NamedTuple):
    """Where rows are, by their least room on one side, and at which t in [0, 1] of the piece."""

    piece: Indices
    row: Indices
    least: Array
    at: Array


class Slowed(NamedTuple):
    """How many times slower, how far rows are then violated, relative, and the row that is nearest to its limit."""

    factor: float
    violation: float
    worst: int


class Checked:
    """Rows at the `PLACES` of pieces of a path (pieces, 5), those of velocities last.

    Args:
        rows: where they are looked at.
    """

    def __init__(self, rows: Rows) -> None:
        self.count, self.size = rows.a.shape[2], size_of_bounds(rows.lower, rows.upper)
        one = np.ones_like(rows.speeds)
        self._a = np.concatenate((rows.a / self.size, np.zeros_like(one)), axis=2)
        self._b = np.concatenate((rows.b / self.size, rows.speeds), axis=2)
        self._lower = np.concatenate((np.maximum(rows.lower / self.size, -_FREE), -one), axis=2)
        self._upper = np.concatenate((np.minimum(rows.upper / self.size, _FREE), one), axis=2)
        low, high = _around(self._lower)[1], _around(self._upper)[0]
        self._inside = low, high

    def excess(self, u: Array, x: Array) -> Array:
        """How far rows without velocities are outside in each piece (pieces, rows), for u and x (pieces, 5)."""
        values = self._values(u, x)
        found, violated = np.zeros(values.shape[::2]), self._violated(values, 1.0)
        np.maximum.at(found, (violated.piece, violated.row), -violated.least)
        return found[:, : self.count]

    def slowed(self, u: Array, x: Array, tolerance: float) -> Slowed:
        """How much slower the whole motion must be; what is not of gravity falls with the square of the speed."""
        values, square, violation, worst = self._values(u, x), 1.0, math.inf, -1
        for _ in range(_TRIES):
            piece, row, least, at = self._violated(values, square)
            if not len(row):
                worst = self._nearest(values, square) if worst < 0 else worst
                return Slowed(square**-0.5, 0.0, worst)
            violation, worst = max(0.0, -float(least.min())), int(row[least.argmin()])
            if violation <= 0.5 * tolerance:
                break
            over = least < 0.0
            through, off = _polynomials(values[piece[over], :, row[over]])
            moving = np.abs(_cubic(through, at[over])) + off
            with np.errstate(divide="ignore"):
                square = _OVER * max(square + float((least[over] / moving).min()), _SLOWEST * square)
        return Slowed(square**-0.5, violation, worst)

    def _values(self, u: Array, x: Array) -> Array:
        values = self._a * u[..., None]
        values += self._b * x[..., None]
        return values

    def _nearest(self, values: Array, square: float) -> int:
        """The row that is nearest to a side."""
        room = np.minimum(self._upper - square * values, square * values - self._lower)
        return int(room.min(axis=(0, 1)).argmin())

    def _violated(self, values: Array, square: float) -> Violated:
        """Rows that may be outside, by their polynomials: few are left by what these can't be farther from."""
        low, high = _around(values)
        below, above = self._inside
        piece, row = np.nonzero((square * high > above) | (square * low < below))
        own = square * values[piece, :, row]
        each = np.concatenate((self._upper[piece, :, row] - own, own - self._lower[piece, :, row]))
        room, off = _polynomials(each)
        near = np.flatnonzero(room.min(axis=1) < off)
        least, at = _least(room[near])
        return Violated(np.r_[piece, piece][near], np.r_[row, row][near], least - off[near], at)


def _around(values: Array) -> tuple[Array, Array]:
    """What polynomials through values (pieces, 5, rows) are never outside of (pieces, rows)."""
    low, high = values.min(axis=1), values.max(axis=1)
    room = _SPREAD * (high - low)
    return low - room, high + room


def _polynomials(values: Array) -> tuple[Array, Array]:
    """The coefficients of Bernstein of cubic polynomials through values (n, 5), and how far these are off (n,)."""
    through = values[:, _CUBIC]
    return through @ _to_bernstein().T, _OFF * np.abs(values[:, _MIDDLE] - through @ _AT_MIDDLE)


def _least(coefficients: Array) -> tuple[Array, Array]:
    """The least values of cubic polynomials on [0, 1] with coefficients of Bernstein (n, 4), and where."""
    first, middle, last = np.diff(coefficients, axis=1).T  # the derivative's, over 3
    bend, slope = first - 2.0 * middle + last, first - middle  # bend t^2 - 2 slope t + first = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        root = slope + np.copysign(np.sqrt(slope**2 - bend * first), slope)
        at = np.stack((np.zeros_like(root), np.ones_like(root), root / bend, first / root), axis=1)
    at = np.clip(np.nan_to_num(at), 0.0, 1.0)
    values = _cubic(coefficients[:, None], at)
    least = values.argmin(axis=1)[:, None]
    return np.take_along_axis(values, least, 1)[:, 0], np.take_along_axis(at, least, 1)[:, 0]


def _cubic(coefficients: Array, t: Array) -> Array:
    """The values at t of polynomials with coefficients of Bernstein (..., 4)."""
    return np.asarray((coefficients * _bernstein(t)).sum(axis=-1))


def _bernstein(t: Array) -> Array:
    """The polynomials of Bernstein of degree 3 at t (...): (..., 4)."""
    rest = 1.0 - t
    return np.stack((rest**3, 3.0 * rest**2 * t, 3.0 * rest * t**2, t**3), axis=-1)


@cache
def _to_bernstein() -> Array:
    """From four values at equal distances to coefficients."""
    return np.asarray(np.linalg.inv(_bernstein(np.linspace(0.0, 1.0, 4))), np.float64)
