"""Two passes over a grid of a path: the largest x = (ds/dt)^2 at each point, with u = d2s/dt2 constant in between.

Eliminating u, each lower side of it against each upper one (Fourier and Motzkin), leaves bounds on x: those of a point
itself for all points at once, then, from the end backwards, those from which the next point's are reached. Forwards
from the start the largest acceleration is taken that stays within them. Both passes are x = min(slope x + offset) over
rows, from point to point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetree.plan.reachability.rows import Rows
from kinetree.runtime import recursion
from kinetree.runtime.arrays import Array

_FLAT = 1e-9  # a coefficient of u that is none, relative to the largest
_STILL = 1e-12  # x that is rest, relative to the largest


class SpeedSides(NamedTuple):
    """slope x + low <= u <= slope x + high for each row of each interval (intervals, rows), least <= x <= most."""

    slope: Array
    low: Array
    high: Array
    least: Array
    most: Array


def fastest(sides: SpeedSides, step: Array) -> Array | None:
    """x at each point of the grid, of the lengths of its intervals; None where no motion goes all the way."""
    top = _controllable(sides, step)
    if top is None:
        return None
    double = 2.0 * step[:, None]
    k, rows = sides.slope.shape
    slope, offset = np.zeros((k, 1, rows + 1, 1)), np.empty((k, 1, rows + 1))
    slope[:, 0, :-1, 0], offset[:, 0, :-1], offset[:, 0, -1] = 1.0 + double * sides.slope, double * sides.high, top[1:]
    x = _recursion(slope, offset)[:, 0]
    still = _STILL * x.max()
    if x[-1] > still or x[1:-1].min(initial=np.inf) <= still:
        return None
    x[-1] = 0.0
    return x


def speed_sides(rows: Rows, s: Array, margins: Array | float = 0.0) -> SpeedSides:
    """Where u may be in each interval, whose rows are those of both its ends. Inside of it speeds bound x too.

    Rows are at s (intervals, places), from the first to the last point of each interval; margins (intervals, rows) are
    left to their sides.
    """
    first, last, inside = rows.at(np.s_[:, 0]), rows.at(np.s_[:, -1]), rows.at(np.s_[:, 1:-1]).most
    first, last = (end._replace(lower=end.lower + margins, upper=end.upper - margins) for end in (first, last))
    ahead = 2.0 * (s[:, 1:] - s[:, :1])  # x there is x + ahead u
    a = np.concatenate((first.a, last.a + ahead[:, -1:] * last.b), axis=1)
    b, lower, upper = (
        np.concatenate(pair, axis=1)
        for pair in zip((first.b, first.lower, first.upper), (last.b, last.lower, last.upper))
    )
    flat = np.abs(a) <= _FLAT * np.abs(a).max()
    with np.errstate(divide="ignore", invalid="ignore"):
        slope, one, other = -b / a, lower / a, upper / a
        # rows without u bound x
        over = np.where(flat & (b != 0.0), np.where(b > 0.0, upper, lower) / b, np.inf)
        under = np.where(flat & (b != 0.0), np.where(b > 0.0, lower, upper) / b, -np.inf)
    low, high = np.where(a > 0.0, one, other), np.where(a > 0.0, other, one)
    slope, low, high = np.where(flat, 0.0, slope), np.where(flat, -np.inf, low), np.where(flat, np.inf, high)
    slope = np.concatenate((slope, -1.0 / ahead[:, :-1]), axis=1)
    low = np.concatenate((low, np.full_like(inside, -np.inf)), axis=1)
    high = np.concatenate((high, inside / ahead[:, :-1]), axis=1)
    most = np.minimum.reduce((first.most, over.min(axis=1), _most(slope, low, high)))
    least = np.maximum.reduce((np.zeros(len(a)), under.max(axis=1), -_most(-slope, low, high)))
    return SpeedSides(slope, low, high, least, most)


def _most(slope: Array, low: Array, high: Array) -> Array:
    """The largest x of each interval for which u has room.

    The least upper side less the largest lower one is concave and linear in pieces: Newton's method from the right,
    where the steepest sides meet, ends at its root in a few steps.
    """
    x, each = np.full(len(slope), np.inf), np.arange(len(slope))
    below = np.where(np.isfinite(low), slope, -np.inf).argmax(axis=1)
    above = np.where(np.isfinite(high), slope, np.inf).argmin(axis=1)
    for _ in range(slope.size):
        steeper = slope[each, below] - slope[each, above]
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = (high[each, above] - low[each, below]) / steeper
        nearer = (steeper > 0.0) & (meet < x)
        if not nearer.any():
            break
        x = np.where(nearer, meet, x)
        at = slope * np.where(np.isfinite(x), x, 0.0)[:, None]
        below, above = (at + low).argmax(axis=1), (at + high).argmin(axis=1)
    return x


def _controllable(sides: SpeedSides, step: Array) -> Array | None:
    """The largest x at each point of the grid from which the end is reached at rest; None where there is none.

    With the bounds of the next point, u <= (top - x) / (2 step) against the lower sides, u >= (bottom - x) / (2 step)
    against the upper ones. Passed on are top and -bottom. Where a side rises with x its lower one bounds x by top, its
    upper one by bottom; where it falls it is the other way round.
    """
    inverse = 1.0 / (2.0 * step[:, None])
    slope = sides.slope + inverse
    rises = slope > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        by, below, above = inverse / np.abs(slope), -sides.low / slope, sides.high / slope
    k, rows = slope.shape
    slopes, offsets = np.zeros((k, 2, rows + 1, 2)), np.empty((k, 2, rows + 1))
    backwards = slopes[::-1], offsets[::-1]
    backwards[0][:, 0, :-1, 0] = backwards[0][:, 1, :-1, 1] = np.where(rises, by, 0.0)
    backwards[0][:, 0, :-1, 1] = backwards[0][:, 1, :-1, 0] = np.where(rises, 0.0, by)
    backwards[1][:, 0, :-1], backwards[1][:, 0, -1] = np.where(rises, below, -above), sides.most
    backwards[1][:, 1, :-1], backwards[1][:, 1, -1] = np.where(rises, above, -below), -sides.least
    found = _recursion(slopes, offsets)[::-1]
    top, bottom = found[:, 0], -found[:, 1]
    return top if (bottom <= top).all() and bottom[0] <= 0.0 else None


def _recursion(slope: Array, offset: Array) -> Array:
    """x = 0 and what follows, each the least of the rows slope x + offset: (steps + 1, n).

    Slopes are (steps, n, rows, n), offsets (steps, n, rows).
    """
    found = recursion.function()(slope, offset)
    return np.concatenate((np.zeros((1, found.shape[1])), found))
