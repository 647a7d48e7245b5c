"""By how much a motion along a path must be slower to satisfy its rows between the points of its grid too."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from kinetree.plan.reachability.rows import Rows
from kinetree.runtime.arrays import Array
from kinetree.transcribe.constraints import size_of_bounds

_TRIES, _OVER = 6, 1.0 - 1e-7  # to slow it down, and how much more than it must be
_FREE = 1e9  # a bound that is none, over the size of others
_SLOWEST = 0.25  # of the squares of speeds, in one try


class Slowed(NamedTuple):
    """How many times slower, how far rows are then violated, relative, and the row that is nearest to its limit."""

    factor: float
    violation: float
    worst: int


def slowed(rows: Rows, u: Array, x: Array, tolerance: float) -> Slowed:
    """Of rows, u and x at points (pieces, 4) at equal distances in pieces of a path.

    In a piece rows are nearly cubic polynomials: those through their values are looked at, whose coefficients of
    Bernstein bound them. What is not of gravity falls with the square of the speed.
    """
    size = size_of_bounds(rows.lower, rows.upper)
    one = np.ones_like(rows.speeds)
    values, lower, upper = (
        np.matmul(_to_bernstein(), np.concatenate((own, of_speeds), axis=2))
        for own, of_speeds in (
            ((rows.a * u[..., None] + rows.b * x[..., None]) / size, rows.speeds * x[..., None]),
            (np.maximum(rows.lower / size, -_FREE), -one),
            (np.minimum(rows.upper / size, _FREE), one),
        )
    )
    square, violation, worst = 1.0, math.inf, 0
    for _ in range(_TRIES):
        room = np.stack((upper - square * values, square * values - lower))
        bound = room.min(axis=2)
        side, piece, row = np.nonzero(bound < 0.0)
        if not len(row):
            return Slowed(square**-0.5, 0.0, int(bound.min(axis=(0, 1)).argmin()))
        least, at = _least(room[side, piece, :, row])
        violation, worst = max(0.0, -float(least.min())), int(row[least.argmin()])
        if violation <= 0.5 * tolerance:
            break
        over = least < 0.0
        moving = np.abs(_cubic(values[piece, :, row], at))[over]
        with np.errstate(divide="ignore"):
            square = _OVER * max(square + float((least[over] / moving).min()), _SLOWEST * square)
    return Slowed(square**-0.5, violation, worst)


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
