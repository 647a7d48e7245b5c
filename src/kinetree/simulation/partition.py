"""Generalised coordinate partitioning: which joints of a closed chain are independent, in each run, while it moves.

The motion does not depend on how velocities are split into independent and dependent ones, but its digits do: the
columns of the constraint Jacobian that belong to dependent joints, J_d, must be far from singular. So the split does
not follow the actuators. Each run begins with that of the model; where the margin gets small, as at a dead centre,
joints are exchanged by a QR factorisation of J with column pivoting, and the state is evaluated again. The margin is
the least distance of a column from those eliminated before it, each measured by its length somewhere: it is 0 where
columns are in one plane, and where one vanishes. Reference: [Wehage1982].
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.closed.functions import SINGULAR
from kinetree.errors import SingularConfigurationWarning
from kinetree.runtime.arrays import Array

Split = tuple[int, ...]  # indices of the independent velocities in qd
Functions = Callable[[Split], Callable[..., Any]]
POOR = 0.05  # the squared margin below which other joints may be better
_WORSE = 0.25  # of the squared margin of a split that was the best there was: below, it is worth another look
_PREFERRED = 2.0  # how much farther from the others an independent column must be to become a dependent one


class Partition:
    """The independent joints of the runs of a batch; each run has its own.

    Args:
        first: the split to begin with.
        runs: how many there are.
        jacobian: (rows, their q) -> the constraint Jacobian (rows, equations, nv), its columns scaled.
    """

    def __init__(self, first: Split, runs: int, jacobian: Callable[[NDArray[np.int64], Array], Array]) -> None:
        self.splits, self.jacobian = [first], jacobian
        self.which = np.zeros(runs, np.int64)  # of the splits
        self.common: Split | None = first  # where all runs have the same
        self.limits = np.full(runs, POOR)
        self.lowered, self.warned = False, False

    def evaluated(self, functions: Functions, kept: slice) -> Callable[..., Sequence[Array]]:
        """A function of arrays with the runs first, q ahead of others, and of numbers before them: one for each split.

        Args:
            functions: from a split to a function whose last result is the squared margin at q.
            kept: which of the results.
        """
        few: dict[int, Any] = {0: lambda margin: 1.0, 1: np.ndarray.item}
        smallest = few.get(len(self.which), np.minimum.reduce)

        def at(*inputs: Array) -> Sequence[Array]:
            if self.common is not None:
                results = functions(self.common)(*inputs)
            else:
                results = self._by_split(functions, inputs, self.which)
            if self.lowered or not smallest(results[-1]) >= POOR:
                self._improve(functions, inputs, results)
            return results[kept]

        return at

    def _improve(self, functions: Functions, inputs: Sequence[Array], results: Sequence[Array]) -> None:
        """Exchange joints in the runs that need it, and evaluate these again."""
        margin, q = results[-1], next(x for x in inputs if x.ndim)
        self.limits = np.minimum(np.fmax(self.limits, _WORSE * margin), POOR)
        # a dependent joint that moves nothing has no margin, NaN
        rows = np.flatnonzero(~(margin >= self.limits) & np.isfinite(q).all(axis=1))
        if len(rows):
            self._exchange(rows, q[rows])
            for whole, x in zip(results, self._by_split(functions, _rows(inputs, rows), self.which[rows])):
                whole[rows] = x
            self.limits[rows] = np.fmin(POOR, _WORSE * margin[rows])
            self._warn(inputs[0], margin[rows])
        self.lowered = bool((self.limits < POOR).any())

    def _by_split(self, functions: Functions, inputs: Sequence[Array], which: NDArray[np.int64]) -> Sequence[Array]:
        results: list[Array] = []
        for k in np.unique(which).tolist():
            rows = np.flatnonzero(which == k)
            found = functions(self.splits[k])(*_rows(inputs, rows))
            results = results or [np.empty((len(which), *x.shape[1:])) for x in found]
            for whole, x in zip(results, found):
                whole[rows] = x
        return results

    def _exchange(self, rows: NDArray[np.int64], q: Array) -> None:
        """New splits for some runs, from their positions."""
        J = self.jacobian(rows, q)
        now = np.zeros((len(rows), J.shape[2]), bool)
        for row, k in enumerate(self.which[rows].tolist()):
            now[row, [*self.splits[k]]] = True
        for row, independent in zip(rows.tolist(), independent_columns(J, now)):
            split = tuple(np.flatnonzero(independent).tolist())
            if split not in self.splits:
                self.splits.append(split)
            self.which[row] = self.splits.index(split)
        self.common = self.splits[self.which[0]] if (self.which == self.which[0]).all() else None

    def _warn(self, t: Any, margin: Array) -> None:
        if not self.warned and not (margin >= SINGULAR["float64"]).all():
            self.warned = True
            warnings.warn(
                f"simulate: the mechanism is singular at {float(t):.6g} s: whichever joints are independent, they don't"
                " say how the others move, and what follows is one of several motions, or none",
                SingularConfigurationWarning,
                stacklevel=8,
            )


def _rows(inputs: Sequence[Array], rows: NDArray[np.int64]) -> list[Array]:
    """Some runs of all arrays; numbers are the same for all."""
    return [x[rows] if x.ndim else x for x in inputs]


def independent_columns(J: Array, now: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which columns of J (..., m, n) to leave out so that the others are far from singular; as many as ``now``.

    Modified Gram-Schmidt with column pivoting; where it is all the same, they stay as they are. Reference:
    [GolubVanLoan] 5.4.
    """
    rest, weights = J, np.where(now, 1.0, _PREFERRED)
    for _ in range(J.shape[-1] - int(now.sum(axis=-1).max())):
        pivot = np.argmax(np.where(weights > 0, weights * np.linalg.norm(rest, axis=-2), -1.0), axis=-1)[..., None]
        column = np.take_along_axis(rest, pivot[..., None, :], axis=-1)
        length = np.linalg.norm(column, axis=-2, keepdims=True)
        column = column / np.where(length > 0, length, 1.0)
        rest = rest - column * np.sum(column * rest, axis=-2, keepdims=True)
        np.put_along_axis(weights, pivot, 0.0, axis=-1)
    return weights > 0
