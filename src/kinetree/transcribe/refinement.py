"""Constraints are enforced at collocation points, checked on a dense grid, and tightened where violated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kinetree.transcribe.basis import Array, Basis
from kinetree.transcribe.constraints import BoundedBlock

_DENSE = 48  # samples in each knot interval on which constraints are checked
_OVER = 1.1  # constraints are tightened by so much of what they were violated by
_BEFORE = 1e-9  # how far before a knot the end of an interval is looked at


class Refinement:
    """Where constraints are enforced, and the margins by which they are tightened there so that they hold everywhere.

    Args:
        basis: of the motion.
        constraints: bounded quantities at given s, or None where there are none.
        highest: the highest derivative of the motion in the constraints.
        changes: values of s where constraints begin or end.
        per_interval: collocation points in each knot interval at first.
        margin: of the bounds, as a part of their scales, kept free at first.
        adding: whether points are added where constraints are violated, instead of margins.
    """

    def __init__(
        self, basis: Basis, constraints: Callable[[Array], BoundedBlock | None], highest: int,
        changes: Sequence[float] = (), per_interval: int = 4, margin: float = 2e-7, adding: bool = False,
    ) -> None:  # fmt: skip
        intervals = len(basis.breakpoints) - 1
        ends = basis.breakpoints[1:] - _BEFORE * (np.arange(intervals) < intervals - 1)
        # quantities of the highest derivative jump at knots: they are looked at on both sides
        jumps = highest > basis.continuity
        self.s = np.unique(np.concatenate((basis.samples(per_interval), ends if jumps else (), changes)))
        inside = basis.samples(_DENSE)[:-1].reshape(intervals, -1)
        self.dense = constraints(np.concatenate((inside, ends[:, None]), axis=1).ravel())
        self._steady = self._without_jumps()
        self._last: tuple[bytes, Array] | None = None  # variables, and the violation there
        rows = 0 if self.dense is None else self.dense.lower.shape[1]
        self.margin, self.adding = margin, adding
        self.margins = np.full((len(self.s), rows), margin)

    def resume(self, s: Array, margins: Array) -> None:
        """Go on with the collocation points and margins of an earlier search."""
        self.s, self.margins = s, margins.copy()

    def _without_jumps(self) -> NDArray[np.bool_]:
        """Where bounds are the same at a dense sample and at those beside it: (intervals, samples inside, rows)."""
        same = np.ones((1, 1, 1), bool)
        for side in () if self.dense is None else (self.dense.lower, self.dense.upper):
            if (side != side[0]).any():
                S = side.reshape(-1, _DENSE + 1, side.shape[1])
                same = same & (S[:, :-2] == S[:, 1:-1]) & (S[:, 2:] == S[:, 1:-1])
        return same

    def violations(self, x: Array) -> Array:
        """How far rows are outside their bounds on the dense grid, with the peaks between its samples (k, rows)."""
        if self.dense is None:
            return np.zeros((0, 0))
        if self._last is None or self._last[0] != x.tobytes():
            self._last = x.tobytes(), self._with_peaks(self.dense.violation(x))
        return self._last[1]

    def _with_peaks(self, violations: Array) -> Array:
        """The larger of each number and the peak of the parabola through it and those beside it."""
        violations[np.isnan(violations)] = np.inf
        E = violations.reshape(-1, _DENSE + 1, violations.shape[1])
        here = E[:, 1:-1]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            slopes = np.diff(E, axis=1)
            slope, curvature = 0.5 * (slopes[:, :-1] + slopes[:, 1:]), slopes[:, :-1] - slopes[:, 1:]
            above = 0.5 * slope * slope / curvature
            inside = (np.abs(slope) <= curvature) & (above < np.inf) & self._steady
        np.add(here, above, out=here, where=inside)
        return violations

    def slower(self, x: Array, tolerance: float, most: float, completed: Callable[[Array], Array]) -> Array:
        """The motion stretched in time by a little more than constraints are violated, if that satisfies all.

        ``completed`` gives all variables for those that are not decided by the duration.
        """
        if self.dense is None:
            return x
        violation = float(self.violations(x).max())
        for part in (0.6, 1.2, 2.5):
            if not 0.5 * tolerance < violation < most:
                return x
            stretched = x.copy()
            stretched[-1] *= 1.0 + part * violation
            stretched = completed(stretched)
            if float(self.violations(stretched).max()) <= 0.5 * tolerance:
                return stretched
        return x

    def violation(self, x: Array) -> float:
        """The largest on the dense grid."""
        return 0.0 if self.dense is None else max(0.0, float(self.violations(x).max()))

    def tighten(self, x: Array, tolerance: float) -> float:
        """Tighten what is violated between the collocation points; gives the largest violation.

        Where the bound is reached at a point beside, its margin grows there, unless points are added instead, as
        elsewhere.
        """
        if self.dense is None:
            return 0.0
        violations, at = self.violations(x), self.dense.block.s
        first = np.searchsorted(at, self.s)
        ends = np.append(first[1:-1], len(at))
        worst = np.maximum(np.maximum.reduceat(violations, first[:-1], axis=0), 0.0)
        worst[first[:-1] == ends] = 0.0  # nothing is between
        violated = worst > 0.3 * tolerance
        reached = violations[first] + self.margins > -0.5 * np.maximum(_beside(worst), 1e-12)
        tight = violated & (reached[:-1] | reached[1:]) & (not self.adding)
        left = violated & ~tight
        alone = np.flatnonzero(left.any(axis=1))
        # where between two points these constraints are violated most
        between = [violations[first[k] : ends[k], left[k]].max(axis=1) for k in alone]
        peaks = at[[first[k] + np.argmax(outside) for k, outside in zip(alone, between)]]
        known = alone[self.s[np.searchsorted(self.s, peaks)] == peaks]
        tight[known] = violated[known]
        self.margins += _OVER * _beside(np.where(tight, worst, 0.0))
        if len(peaks):
            both, where = np.unique(np.append(self.s, peaks), return_inverse=True)
            margins = np.full((len(both), self.margins.shape[1]), self.margin)
            margins[where[: len(self.s)]] = self.margins
            self.s, self.margins = both, margins
        return self.violation(x)


def _beside(between: Array) -> Array:
    """For each point the larger of what is between it and the points beside."""
    larger = np.zeros((len(between) + 1, between.shape[1]))
    larger[:-1] = between
    np.maximum(larger[1:], between, out=larger[1:])
    return larger


def carried(multipliers: Array, old: BoundedBlock, new: BoundedBlock) -> Array:
    """Multipliers of constraints, of which the first block has come to have more collocation points."""
    full = np.zeros(old.used.shape)
    full[old.used] = multipliers[: old.count]
    wide = np.zeros(new.used.shape)
    wide[np.searchsorted(new.block.s, old.block.s)] = full
    return np.append(wide[new.used], multipliers[old.count :])
