"""Constraints are enforced at collocation points, checked everywhere, and tightened where violated.

The check is that of `kinetree.transcribe.chebyshev`: no sample of the motion is outside by more than it says.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from kinetree.transcribe import chebyshev
from kinetree.transcribe.basis import Array, Basis
from kinetree.transcribe.constraints import BoundedBlock, described

T = TypeVar("T")
_OVER = 1.1  # constraints are tightened by so much of what they were violated by
REACHED = 0.5  # of a violation that is left to a bound where it counts as reached
_STRETCHES = 3  # tries to slow a motion down
_CLOSE = 1e-8  # to a point, so that none is added there
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
        # bounds are the same in each interval of the check; what holds at one s alone has one without a width
        edges = np.unique(np.concatenate((basis.breakpoints, changes)))
        alone = [s for s, end in zip(changes[::2], changes[1::2]) if s == end]
        self._left, self._right = np.sort(np.r_[edges[:-1], alone]), np.sort(np.r_[edges[1:], alone])
        inside = chebyshev.nodes(self._left, self._right).ravel()
        self._constraints, self._checked = constraints, constraints(np.concatenate(([0.0], inside, [1.0])))
        width = (self._right - self._left)[:, None]
        at = self._left[:, None] + width * chebyshev.PLACES
        at[:-1, -1] -= _BEFORE * (width[:-1, 0] > 0.0)
        self.at = at.ravel()  # where violations are given, in rising order
        self._last: tuple[bytes, Array] | None = None  # variables, and the violations there
        self._largest: tuple[bytes, float] = b"", 0.0  # variables, and the largest violation
        self._sides = None if self._checked is None else self._sides_of(self._checked)
        rows = 0 if self._checked is None else self._checked.lower.shape[1]
        self.margin, self.adding = margin, adding
        self.margins = np.full((len(self.s), rows), margin)

    def fresh(self) -> Refinement:
        """The same for another search."""
        other = copy.copy(self)
        other.margins, other._last, other._largest = self.margins.copy(), None, (b"", 0.0)
        return other

    def resume(self, s: Array, margins: Array) -> None:
        """Go on with the collocation points and margins of an earlier search."""
        self.s, self.margins = self.s if np.array_equal(s, self.s) else s, margins.copy()

    def violations(self, x: Array) -> Array:
        """How far rows are outside their bounds at ``at``, at the most about there (k, rows); negative inside."""
        if self._last is None or self._last[0] != x.tobytes():
            self._last = x.tobytes(), self._violations(x)
        return self._last[1]

    def _sides_of(self, checked: BoundedBlock) -> chebyshev.IntervalBounds:
        """The bounds are the same all over an interval."""
        each = slice(1, -1, chebyshev.NODES)
        return chebyshev.IntervalBounds(*(y[each] for y in (checked.lower, checked.upper, checked.scale)))

    def _checked_with(self, checked: BoundedBlock, check: Callable[..., T], x: Array) -> tuple[T, Array]:
        """What a function of `chebyshev` says of the motion, and the violations at its ends (2, rows)."""
        values = checked.block.values(x)
        inside = values[1:-1].reshape(len(self._left), chebyshev.NODES, -1)
        found = check(lambda s: self._values(s, x), self._left, self._right, self._sides, inside)
        l, u, scale = (y[[0, -1]] for y in (checked.lower, checked.upper, checked.scale))
        ends = np.maximum(l - values[[0, -1]], values[[0, -1]] - u) / scale
        return found, np.where(np.isnan(ends), np.inf, ends)

    def _violations(self, x: Array) -> Array:
        if self._checked is None:
            return np.zeros((0, 0))
        (found, self._theta), ends = self._checked_with(self._checked, chebyshev.violations, x)
        found[[0, -1], [0, -1]] = np.fmax(found[[0, -1], [0, -1]], ends)
        return found.reshape(len(self.at), -1)

    def _values(self, s: Array, x: Array) -> Array:
        found = self._constraints(s)
        return np.zeros((len(s), 0)) if found is None else found.block.values(x)

    def worst(self, x: Array) -> tuple[float, str]:
        """The largest violation, or the nearest to one, and what it is, in words."""
        checked, violations = self._checked, self.violations(x)
        if checked is None or violations.max() == -np.inf:
            return 0.0, ""
        k, j = np.unravel_index(int(np.argmax(violations)), violations.shape)
        node, violation = 1 + k // (chebyshev.STEPS + 1) * chebyshev.NODES, float(violations[k, j])
        low, high, scale = (side[node, j] for side in (checked.lower, checked.upper, checked.scale))
        near = float(self._values(self.at[k : k + 1], x)[0, j])
        peak = high + violation * scale if near - high >= low - near else low - violation * scale
        value = peak if np.isfinite(peak) else near
        return violation, described(checked.block.names()[j], value, x[-1] * float(self.at[k]), low, high)

    def _peak(self, violations: Array, first: int) -> float:
        """The s of the largest of some violations (k, rows), the first of them at a place of the check."""
        k, row = np.unravel_index(int(np.argmax(violations)), violations.shape)
        interval, place = divmod(first + int(k), chebyshev.STEPS + 1)
        share = 0.5 - 0.5 * np.cos(self._theta[interval, place, row])
        return float(self._left[interval] + (self._right - self._left)[interval] * share)

    def slower(
        self, x: Array, tolerance: float, most: float, stretched: Callable[[Array, float], Array], first: float = 0.6
    ) -> Array:
        """The motion slowed down by a little more than constraints are violated, if that satisfies all.

        ``stretched`` gives the variables of one that takes longer by a part of its duration. The ``first`` part of the
        violation that is tried may be just enough for forces, which fall twice as fast, or for velocities too.
        """
        violation = before = self.violation(x)
        by = first * violation
        for _ in range(_STRETCHES):
            if not 0.5 * tolerance < violation < most or not by < most:
                return x
            longer = stretched(x, by)
            left = self.violation(longer)
            if left <= 0.5 * tolerance:
                return longer
            if not left < 0.9 * before:
                return x
            by, before = by * _OVER * violation / (violation - left), left  # violations fall linearly
        return x

    def violation(self, x: Array) -> float:
        """The largest anywhere."""
        if self._checked is None:
            return 0.0
        if self._last is not None and self._last[0] == x.tobytes():
            return max(0.0, float(self._last[1].max()))
        if self._largest[0] != x.tobytes():
            found, ends = self._checked_with(self._checked, chebyshev.largest, x)
            self._largest = x.tobytes(), max(found, float(ends.max(initial=0.0)))
        return self._largest[1]

    def tighten(self, x: Array, tolerance: float, adding: bool = False, reach: float = REACHED) -> float:
        """Tighten what is violated between the collocation points; gives the largest violation.

        Where the bound is reached at a point beside, its margin grows there, unless points are added instead, as
        elsewhere. It is reached where no more than ``reach`` times the violation is left to it: much for motions that
        are best but roughly, for which each new point costs more than it gains.
        """
        if self._checked is None:
            return 0.0
        violations, at = self.violations(x), self.at
        first = np.searchsorted(at, self.s)
        ends = np.append(first[1:-1], len(at))
        worst = np.maximum(np.maximum.reduceat(violations, first[:-1], axis=0), 0.0)
        worst[first[:-1] == ends] = 0.0  # nothing is between
        violated = worst > 0.3 * tolerance
        left_over = np.maximum(-violations[first] - self.margins, 0.0)
        over = np.maximum(_beside(worst), 1e-12)
        reached = left_over < reach * over
        tight = violated & (reached[:-1] | reached[1:]) & (not (self.adding or adding))
        left = violated & ~tight
        alone = np.flatnonzero(left.any(axis=1))
        peaks = np.array(
            [self._peak(np.where(left[k], violations[first[k] : ends[k]], -np.inf), first[k]) for k in alone]
        )
        beside = np.abs(self.s[np.searchsorted(self.s, peaks - _CLOSE)] - peaks) < _CLOSE
        tight[alone[beside]] = violated[alone[beside]]
        peaks = peaks[~beside]
        more = _beside(np.where(tight, worst, 0.0))
        far = (more > 0.0) & reached & (left_over >= REACHED * over)
        self.margins += _OVER * more + np.where(far, left_over, 0.0)
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
