"""Closing the loops: dependent coordinates for given independent ones, by Newton's method on whole batches.

Each row starts from a posture and follows its independent coordinates to where they shall be, in small strides, so
that it stays in the same assembly. Steps are undamped while they help, which makes the convergence quadratic, and
damped (Levenberg and Marquardt) where they don't. What happens to a row depends on that row alone.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import ClosureError

Array = NDArray[np.float64]
_STRIDE = 0.2  # [rad, m], how far the independent coordinates go at once
_STRIDES = 100  # at the most
_ON_THE_WAY = 1e-4  # the error at which a stride is good enough for the next
_GAIN = 0.5  # of the error before: an undamped step must leave less
_MORE, _LESS, _FIRST, _NONE = 8.0, 0.1, 1e-4, 1e-9  # how damping grows, shrinks, starts, and ends
_ENOUGH = 1e6  # damping at which no step is left
_ROUNDING = 1e-5  # of the tolerance: rows above it are worth another step


class ClosureStatus(enum.IntEnum):
    """How closing a posture ended: CLOSED, OPEN (the loops stay open), or NOT_A_NUMBER (what was given is not)."""

    CLOSED = 0
    OPEN = 1
    NOT_A_NUMBER = 2

    @property
    def sentence(self) -> str:
        return {
            ClosureStatus.CLOSED: "the loops are closed",
            ClosureStatus.OPEN: "the loops stay open: these coordinates may be out of reach, or the guess too far away",
            ClosureStatus.NOT_A_NUMBER: "the given coordinates, or parameters, are not finite numbers",
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


Step = Callable[[NDArray[np.int64], Array, Array], tuple[Array, Array]]


def close(
    step: Step,
    start: Array,
    places: NDArray[np.int64],
    target: Array,
    tolerance: float,
    iterations: int,
    quaternions: Sequence[int] = (),
) -> Closure:
    """Close a batch.

    Args:
        step: (which rows, their q, damping) -> (q after a step of the dependent coordinates, error before it).
        start: postures (n, nq), closed or nearly.
        places: where the independent coordinates stand in q.
        target: their values (n, k).
        tolerance: the error at which loops count as closed.
        iterations: the most steps for a row at one stride.
        quaternions: where unit quaternions start among the independent coordinates.
    """
    rows = Rows(step, start.copy(), iterations)
    usable = np.isfinite(target).all(axis=1) & np.isfinite(start).all(axis=1)
    first, end = start[:, places], _nearest(target, start[:, places], quaternions)
    way = np.where(usable, np.abs(end - first).max(axis=1, initial=0.0), 0.0)
    strides = np.clip(np.ceil(way / _STRIDE), 1, _STRIDES)
    for k in range(1, int(strides.max(initial=1))):
        # a row that could not follow goes straight to the end
        moving = np.flatnonzero((k < strides) & ((rows.error <= _ON_THE_WAY) | (k == 1)))
        part = first[moving] + (end - first)[moving] * (k / strides[moving])[:, None]
        rows.q[moving[:, None], places] = _of_length_one(part, quaternions)
        rows.run(moving, _ON_THE_WAY)
    last = np.flatnonzero(usable)
    rows.q[last[:, None], places] = target[last]
    rows.run(last, tolerance)
    rows.polish(np.flatnonzero((rows.error <= tolerance) & (rows.error > _ROUNDING * tolerance)))
    usable &= np.isfinite(rows.error)
    status = np.where(rows.error <= tolerance, ClosureStatus.CLOSED, ClosureStatus.OPEN)
    status[~usable] = ClosureStatus.NOT_A_NUMBER
    return Closure(rows.q, status.astype(np.int64), np.where(usable, rows.error, np.nan), rows.count)


class Rows:
    """A batch of postures on their way."""

    def __init__(self, step: Step, q: Array, iterations: int) -> None:
        self.step, self.q, self.most = step, q, iterations
        self.error = np.full(len(q), np.inf)
        self.count = np.zeros(len(q), np.int64)

    def run(self, active: NDArray[np.int64], tolerance: float) -> None:
        """Newton's method on some rows until they are closed: undamped steps, then damped ones where these fail."""
        at, error, undamped = self.q[active], np.full(len(active), np.inf), np.zeros(len(active))
        best, left = at, self.most
        while len(active) and left:
            left -= 1
            following, found = self._stepped(active, at, undamped)
            near, gained = found <= tolerance, found < _GAIN * error
            if near.any() or not gained.all():
                self._keep(active[near], at[near], found[near])
                lost = ~near & ~gained
                self._keep(active[lost], best[lost], error[lost])
                self._damped(active[lost], best[lost], tolerance, left)
                go_on = gained & ~near
                active, at, following, found = active[go_on], at[go_on], following[go_on], found[go_on]
                undamped = undamped[go_on]
            best, error, at = at, found, following
        self._keep(active, best, error)

    def _damped(self, active: NDArray[np.int64], at: Array, tolerance: float, most: int) -> None:
        """Levenberg and Marquardt: damping grows where a step does not help, and shrinks where it does."""
        best, error = at.copy(), np.full(len(active), np.inf)
        damping, retry = np.zeros(len(active)), np.zeros(len(active), bool)
        while len(active) and most:
            most -= 1
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
        seen = np.isfinite(error)
        self._keep(active[seen], best[seen], error[seen])

    def polish(self, rows: NDArray[np.int64]) -> None:
        """One more undamped step for rows that are closed but not yet down to rounding."""
        if len(rows):
            undamped = np.zeros(len(rows))
            following, _ = self._stepped(rows, self.q[rows], undamped)
            _, error = self._stepped(rows, following, undamped)
            better = error < self.error[rows]
            self._keep(rows[better], following[better], error[better])

    def _stepped(self, active: NDArray[np.int64], at: Array, damping: Array) -> tuple[Array, Array]:
        self.count[active] += 1
        with np.errstate(all="ignore"):
            return self.step(active, at, damping)

    def _keep(self, rows: NDArray[np.int64], q: Array, error: Array) -> None:
        self.q[rows], self.error[rows] = q, error


def _nearest(target: Array, start: Array, quaternions: Sequence[int]) -> Array:
    """The targets, quaternions with the sign that is nearer to the start: q and -q are the same orientation."""
    target = target.copy()
    for k in quaternions:
        part = target[:, k : k + 4]
        part[np.sum(part * start[:, k : k + 4], axis=1) < 0] *= -1.0
    return target


def _of_length_one(x: Array, quaternions: Sequence[int]) -> Array:
    for k in quaternions:
        x[:, k : k + 4] /= np.linalg.norm(x[:, k : k + 4], axis=1, keepdims=True)
    return x
