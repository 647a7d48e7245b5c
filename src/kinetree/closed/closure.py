"""Closing the loops of whole batches: dependent coordinates for given independent ones.

What happens to a row depends on that row alone; see `kinetree.algorithms.closing`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.closed_chain import Actuation
from kinetree.algorithms.closing import ClosingState, Way, closing_iteration
from kinetree.errors import ClosureError, InputError
from kinetree.runtime.arrays import Array
from kinetree.runtime.cuda.arrays import is_on_gpu, on_host
from kinetree.runtime.function import Function
from kinetree.scalar import select
from kinetree.signature import Signature, parse


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
        codes = np.atleast_1d(on_host(self.status))
        if codes.any():
            rows = np.argwhere(codes)
            row = tuple(int(k) for k in rows[0])
            status = ClosureStatus(int(codes[row]))
            error = float(np.atleast_1d(on_host(self.error))[row])
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


@dataclass(frozen=True)
class ClosingIteration:
    """A step of closing, which compiled code repeats.

    Args:
        actuation: which velocities are independent.
        indices: of the independent coordinates in q.
        quaternions: where unit quaternions begin among them.
    """

    actuation: Actuation
    indices: tuple[int, ...]
    quaternions: tuple[int, ...]

    repeats: ClassVar[bool] = True
    __name__ = "close"

    def signature(self, robot: Any) -> Signature:
        states = ", ".join(f"{name}{'(nq)' if name in ('q', 'best') else '()'}" for name in ClosingState.names())
        given = "start(nq), target(k), tolerance(), iterations()"
        return parse(f"{given}, {states} -> {states}, again()", robot, k=len(self.indices))

    def __call__(self, robot: Any, start: Any, target: Any, tolerance: Any, iterations: Any, *state: Any) -> Any:
        way = Way(start, target, tolerance, iterations, self.indices, self.quaternions)
        after, again = closing_iteration(robot, self.actuation, way, ClosingState(*state))
        return *(getattr(after, name) for name in ClosingState.names()), again


@dataclass(frozen=True)
class StandaloneClosing:
    """The whole of closing as one function of a guess and a target, to be exported; its state begins as zeros.

    Args:
        step: what is repeated.
        neutral: a closed configuration, for tests.
    """

    step: ClosingIteration
    neutral: tuple[float, ...]

    repeats: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("state",)
    __name__ = "close"

    def signature(self, robot: Any) -> Signature:
        sizes = {"k": len(self.step.indices), "size": 2 * robot.nq + len(ClosingState.names()) - 2}
        results = "q(nq), error(), status(), state(size), again()"
        return parse(f"guess(nq), target(k), state(size) -> {results}", robot, **sizes)

    def __call__(self, robot: Any, guess: Any, target: Any, state: Any) -> Any:
        n, begins = robot.nq, state[-2] < 0.5  # no step has been counted
        q, best = ([select(begins, x, y) for x, y in zip(guess, state[k : k + n])] for k in (0, n))
        *after, again = self.step(robot, guess, target, CLOSED, float(ITERATIONS), q, best, *state[2 * n :])
        found = dict(zip(ClosingState.names(), after))
        return found["best"], found["error"], found["status"], [*after[0], *after[1], *after[2:]], again

    def examples(self, robot: Any, count: int, values: Any) -> dict[str, Any]:
        """Targets near a closed configuration."""
        guess = np.tile(self.neutral, (count, 1))
        target = guess[:, self.step.indices] + 0.02 * np.arange(count)[:, None]
        for k in self.step.quaternions:
            target[:, k : k + 4] /= np.linalg.norm(target[:, k : k + 4], axis=1, keepdims=True)
        state = np.zeros((count, 2 * robot.nq + len(ClosingState.names()) - 2))
        return {"guess": guess, "target": target, "state": state}


def close(function: Function, start: Any, target: Any, parameters: Sequence[Any], search: Search) -> Closure:
    """Close configurations of any batch shape.

    Args:
        function: a compiled `ClosingIteration`.
        start: configurations (..., nq), closed or nearly.
        target: of the independent coordinates (..., k).
        parameters: values of named parameters.
        search: when to stop.
    """
    numbers = search.tolerance, float(search.iterations)
    zeros = [0.0] * (len(ClosingState.names()) - 2)
    with np.errstate(all="ignore"):
        found = function(start, target, *numbers, start, start, *zeros, *parameters)
    after = dict(zip(ClosingState.names(), found))
    status, count = after["status"], after["count"]
    if not is_on_gpu(status):
        status, count = (np.asarray(x).astype(np.int64) for x in (status, count))
    return Closure(after["best"], status, after["error"], count)
