"""Steps that adapt to the error: several of them to each point of the grid of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_SAFETY, _LEAST, _MOST = 0.9, 0.2, 5.0
_SHORTEST = 1e-9  # of a step of the grid


@dataclass
class Adaptive:
    """Goes from one point of the grid to the next in steps whose error is within the tolerances.

    Runs of a batch share their steps: the one with the largest error decides.

    Args:
        inner: (t, h, q, qd, tau) -> next q, next qd, error of both; order 5.
        relative, absolute: tolerances.
    """

    inner: Callable[..., tuple[Array, Array, Array]]
    relative: float = 1e-8
    absolute: float = 1e-10
    length: float | None = None

    def __call__(self, t: float, h: float, q: Array, qd: Array, tau: Any) -> tuple[Array, Array]:
        start, end = t, t + h
        length = min(self.length or h, h)
        while t < end - 1e-12 * h:
            length = min(length, end - t)
            next_q, next_qd, *errors = self.inner(t, length, q, qd, tau)
            error = np.hstack(errors)
            nq = q.shape[1]
            size = np.maximum(np.abs(np.hstack([q, qd])), np.abs(np.hstack([next_q, next_qd])))
            scaled = np.abs(error) / (self.absolute + self.relative * size)
            alive = np.isfinite(q).all(axis=1)
            worst = float(np.nanmax(np.where(alive[:, None], scaled, 0.0), initial=0.0)) if nq else 0.0
            bad = bool((alive & ~np.isfinite(scaled).all(axis=1)).any())
            if (worst <= 1.0 and not bad) or length <= _SHORTEST * h:
                t, q, qd = t + length, next_q, next_qd
            factor = _LEAST if bad else _MOST if worst == 0.0 else _SAFETY * worst**-0.2
            proposed = length * min(_MOST, max(_LEAST, factor))
            if t < end or proposed < length:
                length = proposed
            self.length = proposed if start else length
        return q, qd
