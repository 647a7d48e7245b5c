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

    def __init__(self, problem: Problem, per_span: int = 4, margin: float = 2e-7) -> None:
        spline, spans = problem.spline, len(problem.spline.breaks) - 1
        ends = spline.breaks[1:] - _BEFORE * (np.arange(spans) < spans - 1)
        jumps = any(x.quantity.order >= spline.degree for x in problem.limits)
        # quantities of the highest derivative jump at knots: they are looked at on both sides
        during = [place for limit in problem.limits for place in limit.during]
        self.places = np.union1d(np.union1d(spline.even(per_span), ends if jumps else ()), during)
        dense = problem.limit_rows(np.c_[spline.even(_DENSE)[:-1].reshape(spans, -1), ends].ravel())
        self.dense = None if dense is None else dense.without(settled(problem, dense.block))
        self._steady = self._without_jumps()
        rows = 0 if self.dense is None else self.dense.lower.shape[1]
        self.margin = margin
        self.inwards = np.full((len(self.places), rows), margin)

    def _without_jumps(self) -> NDArray[np.bool_]:
        """Where the limits are the same at a dense place and at those beside it: (spans, places inside, rows)."""
        same = np.ones((1, 1, 1), bool)
        for side in () if self.dense is None else (self.dense.lower, self.dense.upper):
            S = side.reshape(-1, _DENSE + 1, side.shape[1])
            same = same & (S[:, :-2] == S[:, 1:-1]) & (S[:, 2:] == S[:, 1:-1])
        return same

    def excess(self, x: Array) -> Array:
        """How far rows are outside their limits at the dense places, with the peaks between these (k, rows)."""
        if self.dense is None:
            return np.zeros((0, 0))
        excess = self.dense.excess(x)
        excess[np.isnan(excess)] = np.inf  # what is no number keeps no limit
        E = excess.reshape(-1, _DENSE + 1, excess.shape[1])
        before, here, after = E[:, :-2], E[:, 1:-1], E[:, 2:]
        with np.errstate(invalid="ignore", divide="ignore"):
            slope, bend = 0.5 * (after - before), before - 2.0 * here + after
            top = here - 0.5 * slope**2 / bend
            inside = (bend < 0.0) & (np.abs(slope) <= -bend) & np.isfinite(top) & self._steady
        E[:, 1:-1] = np.where(inside, np.maximum(here, top), here)
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

    def tighten(self, x: Array, tolerance: float) -> float:
        """Look for broken limits between the places; gives the largest violation.

        Where the limit is reached at a place beside, it is moved inwards there; elsewhere a place is added.
        """
        if self.dense is None:
            return 0.0
        excess, at = self.excess(x), self.dense.block.places
        left = np.clip(np.searchsorted(self.places, at, side="right") - 1, 0, len(self.places) - 2)
        worst = np.zeros((len(self.places) - 1, excess.shape[1]))
        np.maximum.at(worst, left, excess)
        broken = worst > 0.3 * tolerance
        here = excess[np.searchsorted(at, self.places)]
        reached = here + self.inwards > -0.5 * np.maximum(_beside(worst), 1e-12)
        tight = broken & (reached[:-1] | reached[1:])
        self.inwards += _OVER * _beside(np.where(tight, worst, 0.0))
        alone = np.nonzero((broken & ~tight).any(axis=1))[0]
        peaks = [self._peak(excess, np.nonzero(left == k)[0], broken[k] & ~tight[k]) for k in alone]
        self._add(at[np.array(peaks, int)])
        return max(0.0, float(excess.max()))

    @staticmethod
    def _peak(excess: Array, inside: NDArray[np.int64], which: NDArray[np.bool_]) -> int:
        """Where between two places the limits are broken most."""
        return int(inside[np.argmax(excess[inside][:, which].max(axis=1))])

    def _add(self, places: Array) -> None:
        all_places, where = np.unique(np.r_[self.places, places], return_inverse=True)
        inwards = np.full((len(all_places), self.inwards.shape[1]), self.margin)
        inwards[where[: len(self.places)]] = self.inwards
        self.places, self.inwards = all_places, inwards


def _beside(between: Array) -> Array:
    """For each place the larger of what is between it and the places beside."""
    none = np.zeros((1, between.shape[1]))
    return np.maximum(np.r_[none, between], np.r_[between, none])


def carried(multipliers: Array, old: Rows, new: Rows) -> Array:
    """Multipliers of limits at some places and of conditions, for limits at more places."""
    full = np.zeros(old.used.shape)
    full[old.used] = multipliers[: old.count]
    wide = np.zeros(new.used.shape)
    wide[np.searchsorted(new.block.places, old.block.places)] = full
    return np.r_[wide[new.used], multipliers[old.count :]]


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
