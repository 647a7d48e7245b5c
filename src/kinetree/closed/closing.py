"""Closing the loops: dependent coordinates for given independent ones, by Newton's method on whole batches.

Each row starts from a posture and follows its independent coordinates to where they shall be, in small strides, so
that it stays in the same assembly. Steps are undamped while they help, which makes the convergence quadratic, and
damped (Levenberg and Marquardt) where they don't. Rows that are done are left alone.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import ClosureError

Array = NDArray[np.float64]
_STRIDE = 0.2  # [rad, m], how far the independent coordinates go at once
_STRIDES = 100  # at the most
_ON_THE_WAY = 1e-4  # the error at which a stride is good enough for the next
_MORE, _LESS, _FIRST, _NONE = 8.0, 0.1, 1e-4, 1e-9  # how damping grows, shrinks, starts, and ends
_ENOUGH = 1e6  # damping at which no step is left
_ROUNDING = 1e-3  # of the tolerance: rows above it are worth another step
_POLISH = 1  # undamped steps after the tolerance is reached: down to rounding


class ClosureStatus(enum.IntEnum):
    """How closing a posture ended."""

    CLOSED = 0
    OPEN = 1
    NOT_A_NUMBER = 2

    @property
    def sentence(self) -> str:
        return {
            ClosureStatus.CLOSED: "the loops are closed",
            ClosureStatus.OPEN: "the loops stay open: these coordinates may be out of reach, or the guess too far away",
            ClosureStatus.NOT_A_NUMBER: "the given coordinates are not numbers",
        }[self]


@dataclass(frozen=True)
class Closure:
    """Postures with closed loops, and how well they close.

    Args:
        q: positions of all joints (..., nq); the best found where the loops stay open.
        status: a `ClosureStatus` for each row (...).
        error: what is left of the equations of the loops (...), the root of the sum of squares [m, rad].
        iterations: how many steps each row took (...).
    """

    q: Array
    status: NDArray[np.int64]
    error: Array
    iterations: NDArray[np.int64]

    @property
    def closed(self) -> NDArray[np.bool_]:
        """Which rows are closed (...)."""
        return self.status == ClosureStatus.CLOSED

    def check(self) -> Array:
        """The positions, if all rows are closed; raises `ClosureError` otherwise."""
        if not np.all(self.closed):
            rows = np.argwhere(~np.atleast_1d(self.closed))
            row = tuple(int(k) for k in rows[0])
            status = ClosureStatus(int(np.atleast_1d(self.status)[row]))
            error = float(np.atleast_1d(self.error)[row])
            where = f"row {row}, the first of {len(rows)}: " if self.status.ndim else ""
            raise ClosureError(f"{where}{status.sentence} (error {error:.3g} m or rad)")
        return self.q


def close(
    step: Callable[..., tuple[Array, Array]],
    start: Array,
    places: NDArray[np.int64],
    target: Array,
    tolerance: float,
    iterations: int,
) -> Closure:
    """Close a batch.

    Args:
        step: (q, damping) -> (q after a step of the dependent coordinates, error before it).
        start: postures (n, nq), closed or nearly.
        places: where the independent coordinates stand in q.
        target: their values (n, k).
        tolerance: the error at which loops count as closed.
        iterations: the most steps for a row at one stride.
    """
    rows = Rows(step, start.copy(), iterations)
    usable = np.isfinite(target).all(axis=1) & np.isfinite(start).all(axis=1)
    way = np.abs(target - start[:, places]).max(axis=1, initial=0.0)
    strides = int(np.clip(np.ceil(way[usable].max(initial=0.0) / _STRIDE), 1, _STRIDES))
    for k in range(1, strides + 1):
        last = k == strides
        part = start[:, places] + (target - start[:, places]) * (k / strides)
        moving = usable & (last | (way > 0))
        rows.q[np.ix_(moving, places)] = (target if last else part)[moving]
        rows.run(moving, tolerance if last else _ON_THE_WAY, _POLISH if last else 0)
    rows.polish((rows.error <= tolerance) & (rows.error > _ROUNDING * tolerance))
    status = np.where(rows.error <= tolerance, ClosureStatus.CLOSED, ClosureStatus.OPEN)
    status[~usable] = ClosureStatus.NOT_A_NUMBER
    return Closure(rows.q, status.astype(np.int64), np.where(usable, rows.error, np.nan), rows.count)


class Rows:
    """A batch of postures on their way."""

    def __init__(self, step: Callable[..., tuple[Array, Array]], q: Array, iterations: int) -> None:
        self.step, self.q, self.most = step, q, iterations
        self.error = np.full(len(q), np.inf)
        self.count = np.zeros(len(q), np.int64)

    def run(self, which: NDArray[np.bool_], tolerance: float, polish: int) -> None:
        """Newton's method on some rows until they are closed; damped where they don't come nearer."""
        active = np.flatnonzero(which)
        if len(active):
            best, error = self._undamped(active, tolerance, polish)
            done = error <= tolerance
            self._keep(active[done], best[done], error[done])
            self._damped(active[~done], best[~done], tolerance)

    def _undamped(self, active: NDArray[np.int64], tolerance: float, polish: int) -> tuple[Array, Array]:
        """Plain steps while every row gains by them."""
        at = best = self.q[active]
        error, undamped = np.full(len(active), np.inf), np.zeros(len(active))
        for _ in range(self.most):
            following, found = self._stepped(active, at, undamped)
            near, better = found <= tolerance, found < error
            gained = bool((near | (found < 0.5 * error)).all())
            best = at if gained else np.where(better[:, None], at, best)
            error = found if gained else np.fmin(found, error)
            polish -= bool(near.all())
            if not gained or polish < 0:
                break
            at = following
        return best, error

    def _damped(self, active: NDArray[np.int64], at: Array, tolerance: float) -> None:
        """Levenberg and Marquardt: damping grows where a step does not help, and shrinks where it does."""
        best, error = at.copy(), np.full(len(active), np.inf)
        damping, retry = np.zeros(len(active)), np.zeros(len(active), bool)
        for _ in range(self.most):
            if not len(active):
                return
            following, found = self._stepped(active, at, damping)
            better = found < error
            best[better], error[better] = at[better], found[better]
            helped = better | retry
            done = (error <= tolerance) | (~helped & (damping > _ENOUGH))
            # forwards from a better place, otherwise back with shorter steps
            shrunk = np.where(damping * _LESS < _NONE, 0.0, damping * _LESS)
            damping = np.where(helped, np.where(retry, damping, shrunk), np.maximum(damping * _MORE, _FIRST))
            usable = helped & np.isfinite(following).all(axis=1)
            at, retry = np.where(usable[:, None], following, best), ~helped
            if done.any():
                self._keep(active[done], best[done], error[done])
                keep = ~done
                active, at, best, error = active[keep], at[keep], best[keep], error[keep]
                damping, retry = damping[keep], retry[keep]
        self._keep(active, best, error)

    def polish(self, which: NDArray[np.bool_]) -> None:
        """One more plain step for rows that are closed but not yet down to rounding."""
        if rows := np.flatnonzero(which).tolist():
            undamped = np.zeros(len(rows))
            following, _ = self._stepped(np.array(rows), self.q[rows], undamped)
            _, error = self._stepped(np.array(rows), following, undamped)
            better = error < self.error[rows]
            self._keep(np.array(rows)[better], following[better], error[better])

    def _stepped(self, active: NDArray[np.int64], at: Array, damping: Array) -> tuple[Array, Array]:
        self.count[active] += 1
        with np.errstate(all="ignore"):
            return self.step(at, damping)

    def _keep(self, rows: Any, q: Array, error: Array) -> None:
        self.q[rows], self.error[rows] = q, error
