"""Adaptive steps: as many as the tolerance needs from one point of the time grid to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.runtime.arrays import Array

_SAFETY, _LEAST, _MOST = 0.9, 0.2, 5.0  # how a step may differ from the one before, [Hairer1993] II.4
_ABSOLUTE = 1e-2  # the absolute tolerance, of the relative one
_SHORTEST = 1e-9  # of a step of the grid; what needs a shorter one is not solved
_ROUNDING = 1e-12


@dataclass
class Adaptive:
    """Goes from one point of the grid to the next in steps whose error is within the tolerances.

    Runs of a batch share their steps: the one with the largest error decides. A run whose error does not come down with
    the step becomes NaN.

    Args:
        inner: (t, h, q, qd, tau) -> next q, next qd, error of both; order 5.
        tolerance: of the error of a step, relative to each number, and a hundredth of it absolute.
        length: of the next step [s]; None at the start.
    """

    inner: Callable[..., Any]
    tolerance: float = 1e-8
    length: float | None = None

    def __call__(self, t: float, h: float, q: Array, qd: Array, tau: Any) -> tuple[Array, Array]:
        end = t + h
        length = min(self.length or h, h)
        while end - t > _ROUNDING * h:
            trial = min(length, end - t)
            next_q, next_qd, *errors = self.inner(t, trial, q, qd, tau)
            scaled = self._scaled(np.hstack([q, qd]), np.hstack([next_q, next_qd]), np.hstack(errors))
            worst = float(scaled.max(initial=0.0))
            hopeless = worst > 1.0 and trial <= _SHORTEST * h
            if hopeless:
                next_q[scaled > 1.0], next_qd[scaled > 1.0] = np.nan, np.nan
            accepted = worst <= 1.0 or hopeless
            if accepted:
                t, q, qd = t + trial, next_q, next_qd
            proposed = trial * min(_MOST, max(_LEAST, _SAFETY * max(worst, 1e-10) ** -0.2))
            # the length of a step that the grid cut short is no guide for the next one
            length = max(length, proposed) if accepted and trial < length else proposed
        self.length = min(length, h)
        return q, qd

    def _scaled(self, before: Array, after: Array, error: Array) -> Array:
        """The largest error of each run relative to its tolerance; 0 for runs that have ended, infinite for NaN."""
        size = np.maximum(np.abs(before), np.abs(after))
        scaled = np.abs(error) / (self.tolerance * (size + _ABSOLUTE))
        worst = np.nan_to_num(scaled, nan=np.inf).max(axis=1, initial=0.0)
        return np.where(np.isfinite(before).all(axis=1), worst, 0.0)
