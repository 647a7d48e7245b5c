"""Closing the loops: dependent coordinates for given independent ones, by Newton's method on whole batches.

Each row starts from a configuration and follows its independent coordinates to where they shall be, in small strides,
so that it stays in the same assembly. Steps are undamped while they help, which makes the convergence quadratic, and
damped (Levenberg and Marquardt) where they don't. What happens to a row depends on that row alone.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import ClosureError, InputError
from kinetree.runtime.arrays import Array
from kinetree.runtime.function import Function

_STRIDE = 0.2  # [rad, m], how far the independent coordinates go at once
_STRIDES = 100  # at the most
_ON_THE_WAY = 1e-4  # the error at which a stride is good enough for the next
_GAIN = 0.5  # of the error before: an undamped step must leave less
_MORE, _LESS, _FIRST, _NONE = 8.0, 0.1, 1e-4, 1e-9  # how damping grows, shrinks, starts, and ends
_ENOUGH = 1e6  # damping at which no step is left
_ROUNDING = 1e-5  # of the tolerance: rows above it are worth another step


class ClosureStatus(enum.IntEnum):
    """How closing the loops ended: CLOSED, OPEN (they stay open), or NOT_A_NUMBER (what was given is not)."""

    CLOSED = 0
    OPEN = 1
    NOT_A_NUMBER = 2

    @property
    def message(self) -> str:
        """The status in words."""
        return {
            ClosureStatus.CLOSED: "the loops are closed",
            ClosureStatus.OPEN: "the loops stay open: these coordinates may be out of reach, or the guess too far away",
            ClosureStatus.NOT_A_NUMBER: "the given coordinates, or parameters, are not finite numbers",
        }[self]


@dataclass(frozen=True)
class Closure:
    """Configurations with closed loops, and how well they close.

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
            raise ClosureError(f"{where}{status.message} (error {error:.3g} m or rad)")
        return self.q


CLOSED = 1e-10  # the error [m, rad] at which loops count as closed
ITERATIONS = 200  # from far away Newton's method is slow


@dataclass(frozen=True)
class Search:
    """When to stop.

    Args:
        tolerance: the error at which loops count as closed [m, rad].
        iterations: the most steps for a row at one stride.
    """

    tolerance: float = CLOSED
    iterations: int = ITERATIONS

    def __post_init__(self) -> None:
        if not self.tolerance > 0 or self.iterations < 1:
            raise InputError(f"tolerance {self.tolerance!r} must be above 0, iterations {self.iterations!r} at least 1")


def close(
    step: Function,
    start: Array,
    indices: NDArray[np.int64],
    target: Array,
    parameters: Sequence[Array],
    search: Search,
    quaternions: Sequence[int] = (),
) -> Closure:
    """Close configurations of any batch shape.

    Args:
        step: (q, damping, parameters) -> (q after a step of the dependent coordinates, error before it).
        start: configurations (..., nq), closed or nearly.
        indices: of the independent coordinates in q.
        target: their values (..., k).
        parameters: values of named parameters.
        search: when to stop.
        quaternions: where unit quaternions start among the independent coordinates.
    """
    n = start.shape[-1]
    cores = [(len(indices),), (n,), *(operand.shape for operand in step.operands[2:])]
    given = [target, start, *parameters]
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(core)] for x, core in zip(given, cores)))
    count = math.prod(batch)
    ends, starts, *values = (np.broadcast_to(x, (*batch, *core)).reshape(count, *core) for x, core in zip(given, cores))

    def stepped(which: NDArray[np.int64], q: Array, damping: Array) -> tuple[Array, Array]:
        return step(q, damping, *(x[which] for x in values))

    found = _closed(
        NewtonBatch(stepped, starts.copy(), search.iterations), indices, ends, search.tolerance, quaternions
    )
    status, iterations = found.status.reshape(batch), found.iterations.reshape(batch)
    return Closure(found.q.reshape(*batch, n), status, found.error.reshape(batch), iterations)


def _closed(
    rows: NewtonBatch, indices: NDArray[np.int64], target: Array, tolerance: float, quaternions: Sequence[int]
) -> Closure:
    start = rows.q.copy()
    usable = np.isfinite(target).all(axis=1) & np.isfinite(start).all(axis=1)
    first, end = start[:, indices], _nearest(target, start[:, indices], quaternions)
    way = np.where(usable, np.abs(end - first).max(axis=1, initial=0.0), 0.0)
    strides = np.clip(np.ceil(way / _STRIDE), 1, _STRIDES)
    for k in range(1, int(strides.max(initial=1))):
        # a row that could not follow goes straight to the end
        moving = np.flatnonzero((k < strides) & ((rows.error <= _ON_THE_WAY) | (k == 1)))
        part = first[moving] + (end - first)[moving] * (k / strides[moving])[:, None]
        rows.q[moving[:, None], indices] = _of_length_one(part, quaternions)
        rows.run(moving, _ON_THE_WAY)
    last = np.flatnonzero(usable)
    rows.q[last[:, None], indices] = target[last]
    rows.run(last, tolerance)
    rows.polish(np.flatnonzero((rows.error <= tolerance) & (rows.error > _ROUNDING * tolerance)))
    usable &= np.isfinite(rows.error)
    status = np.where(rows.error <= tolerance, ClosureStatus.CLOSED, ClosureStatus.OPEN)
    status[~usable] = ClosureStatus.NOT_A_NUMBER
    return Closure(rows.q, status.astype(np.int64), np.where(usable, rows.error, np.nan), rows.count)


Step = Callable[[NDArray[np.int64], Array, Array], tuple[Array, Array]]


class NewtonBatch:
    """A batch of configurations on their way.

    Args:
        step: (which rows, their q, damping) -> (q after a step of the dependent coordinates, error before it).
        q: where they start.
        iterations: the most steps for a row at one stride.
    """

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
            # forwards from a better configuration, otherwise back with shorter steps
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
