"""Where limits are set, by how much they are moved inwards there, and where they are looked at in the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.ends import settled
from kinetree.plan.transcription import Rows

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]
_DENSE = 48  # places in each span where limits are looked at in the end
_OVER = 1.1  # limits are tightened by so much of what they were broken by
_BEFORE = 1e-9  # how far before a knot the end of a span is looked at


class Grid:
    """Where limits are set, and by how much they are moved inwards there so that they hold everywhere."""

    def __init__(self, problem: Problem, per_span: int = 4, margin: float = 2e-7, adding: bool = False) -> None:
        spline, spans = problem.spline, len(problem.spline.breaks) - 1
        ends = spline.breaks[1:] - _BEFORE * (np.arange(spans) < spans - 1)
        jumps = any(x.quantity.order >= spline.degree for x in problem.limits)
        # quantities of the highest derivative jump at knots: they are looked at on both sides
        during = [place for limit in problem.limits for place in limit.during]
        self.places = np.unique(np.concatenate((spline.even(per_span), ends if jumps else (), during)))
        inside = spline.even(_DENSE)[:-1].reshape(spans, -1)
        dense = problem.limit_rows(np.concatenate((inside, ends[:, None]), axis=1).ravel())
        self.dense = None if dense is None else dense.without(settled(problem, dense.block))
        self._steady = self._without_jumps()
        self._last: tuple[bytes, Array] | None = None  # unknowns, and what was found of them
        rows = 0 if self.dense is None else self.dense.lower.shape[1]
        self.margin, self.adding = margin, adding
        self.inwards = np.full((len(self.places), rows), margin)

    def _without_jumps(self) -> NDArray[np.bool_]:
        """Where the limits are the same at a dense place and at those beside it: (spans, places inside, rows)."""
        same = np.ones((1, 1, 1), bool)
        for side in () if self.dense is None else (self.dense.lower, self.dense.upper):
            if (side != side[0]).any():
                S = side.reshape(-1, _DENSE + 1, side.shape[1])
                same = same & (S[:, :-2] == S[:, 1:-1]) & (S[:, 2:] == S[:, 1:-1])
        return same

    def excess(self, x: Array) -> Array:
        """How far rows are outside their limits at the dense places, with the peaks between these (k, rows)."""
        if self.dense is None:
            return np.zeros((0, 0))
        if self._last is None or self._last[0] != x.tobytes():
            self._last = x.tobytes(), self._with_peaks(self.dense.excess(x))
        return self._last[1]

    def _with_peaks(self, excess: Array) -> Array:
        """The larger of each number and the peak of the parabola through it and those beside it."""
        excess[np.isnan(excess)] = np.inf  # what is no number keeps no limit
        E = excess.reshape(-1, _DENSE + 1, excess.shape[1])
        here = E[:, 1:-1]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            slopes = np.diff(E, axis=1)
            slope, minus_bend = 0.5 * (slopes[:, :-1] + slopes[:, 1:]), slopes[:, :-1] - slopes[:, 1:]
            above = 0.5 * slope * slope / minus_bend
            inside = (np.abs(slope) <= minus_bend) & (above < np.inf) & self._steady
        np.add(here, above, out=here, where=inside)
        return excess

    def slower(self, x: Array, tolerance: float, most: float) -> Array:
        """The motion stretched in time by a little more than limits are broken, if that is enough to keep all."""
        if self.dense is None:
            return x
        broken = float(self.excess(x).max())
        for part in (0.6, 1.2, 2.5):
            if not 0.5 * tolerance < broken < most:
                return x
            stretched = x.copy()
            stretched[-1] *= 1.0 + part * broken
            if float(self.excess(stretched).max()) <= 0.5 * tolerance:
                return stretched
        return x

    def broken(self, x: Array) -> float:
        """The largest violation of limits."""
        return 0.0 if self.dense is None else max(0.0, float(self.excess(x).max()))

    def tighten(self, x: Array, tolerance: float) -> float:
        """Look for broken limits between the places; gives the largest violation.

        Where the limit is reached at a place beside, it is moved inwards there, unless places are added instead, as
        elsewhere.
        """
        if self.dense is None:
            return 0.0
        excess, at = self.excess(x), self.dense.block.places
        first = np.searchsorted(at, self.places)
        ends = np.append(first[1:-1], len(at))
        worst = np.maximum(np.maximum.reduceat(excess, first[:-1], axis=0), 0.0)
        worst[first[:-1] == ends] = 0.0  # nothing is between
        broken = worst > 0.3 * tolerance
        reached = excess[first] + self.inwards > -0.5 * np.maximum(_beside(worst), 1e-12)
        tight = broken & (reached[:-1] | reached[1:]) & (not self.adding)
        left = broken & ~tight
        alone = np.flatnonzero(left.any(axis=1))
        # where between two places these limits are broken most
        between = [excess[first[k] : ends[k], left[k]].max(axis=1) for k in alone]
        peaks = at[[first[k] + np.argmax(outside) for k, outside in zip(alone, between)]]
        known = alone[self.places[np.searchsorted(self.places, peaks)] == peaks]
        tight[known] = broken[known]
        self.inwards += _OVER * _beside(np.where(tight, worst, 0.0))
        self._add(peaks)
        return self.broken(x)

    def _add(self, places: Array) -> None:
        if not len(places):
            return
        all_places, where = np.unique(np.append(self.places, places), return_inverse=True)
        inwards = np.full((len(all_places), self.inwards.shape[1]), self.margin)
        inwards[where[: len(self.places)]] = self.inwards
        self.places, self.inwards = all_places, inwards


def _beside(between: Array) -> Array:
    """For each place the larger of what is between it and the places beside."""
    larger = np.zeros((len(between) + 1, between.shape[1]))
    larger[:-1] = between
    np.maximum(larger[1:], between, out=larger[1:])
    return larger


def carried(multipliers: Array, old: Rows, new: Rows) -> Array:
    """Multipliers of limits at some places and of conditions, for limits at more places."""
    full = np.zeros(old.used.shape)
    full[old.used] = multipliers[: old.count]
    wide = np.zeros(new.used.shape)
    wide[np.searchsorted(new.block.places, old.block.places)] = full
    return np.append(wide[new.used], multipliers[old.count :])


def largest(rows: Sequence[Rows], x: Array) -> str:
    """The limit that is most broken, or nearest to it, in words; empty where there is none."""
    found: list[tuple[float, str]] = []
    for r in rows:
        excess = np.where(r.used, r.excess(x), -np.inf)
        k, j = np.unravel_index(int(np.argmax(excess)), excess.shape)
        value, low, high = r.block.values(x)[k, j], r.lower[k, j], r.upper[k, j]
        allowed = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        at = x[-1] * float(r.block.places[k])
        found.append((float(excess[k, j]), f"{r.block.names()[j]} is {value:.6g} at {at:.4g} s, allowed: {allowed}"))
    return max(found, default=(0.0, ""))[1]
