"""Symmetric positive definite systems whose rows begin near the diagonal, solved by compiled code.

Control points touch their neighbours only, so that row i of the matrix of a step begins at a column ``first[i]`` and
A = L D L^T begins there too. With u_ij = l_ij d_j,

    u_ij = a_ij - sum_k u_ik l_jk,     l_ij = u_ij / d_j,     d_i = a_ii - sum_k u_ik l_ik.

For a few dozen unknowns that takes a few microseconds, much less than LAPACK needs to be called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.compile import compile

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
MOST = 6000  # products up to which it is worth to compile code for one pattern


@dataclass(frozen=True)
class _Step:
    """One of the two functions for a pattern; rows of A and L are packed one after the other, to the diagonal."""

    first: tuple[int, ...]

    @property
    def __name__(self) -> str:
        return "skyline"

    @property
    def recipe(self) -> str:
        return repr(self)

    def rows(self, packed: Sequence[Any]) -> list[dict[int, Any]]:
        values = iter(packed)
        return [{j: next(values) for j in range(begin, i + 1)} for i, begin in enumerate(self.first)]

    @property
    def sizes(self) -> tuple[int, int]:
        """Of a packed matrix and of a vector."""
        return sum(i + 1 - begin for i, begin in enumerate(self.first)), len(self.first)


class _Factored(_Step):
    """A -> L, with 1 / d on its diagonal."""

    @property
    def signature(self) -> str:
        return "a({0})->l({0})".format(*self.sizes)

    def __call__(self, packed: Sequence[Any]) -> list[Any]:
        L = self.rows(packed)
        for i, row in enumerate(L):
            u: dict[int, Any] = {}
            for j in range(self.first[i], i):
                u[j] = row[j] - sum((u[k] * L[j][k] for k in range(max(self.first[i], self.first[j]), j)), 0.0)
                row[j] = u[j] * L[j][j]
            row[i] = 1.0 / (row[i] - sum((u[k] * row[k] for k in u), 0.0))
        return [x for row in L for x in row.values()]


class _Solved(_Step):
    """L, b -> A^-1 b."""

    @property
    def signature(self) -> str:
        return "l({0}),b({1})->x({1})".format(*self.sizes)

    def __call__(self, packed: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        L, x = self.rows(packed), [*b]
        for i, row in enumerate(L):
            x[i] = x[i] - sum((row[k] * x[k] for k in range(self.first[i], i)), 0.0)
        x = [value * row[i] for i, (row, value) in enumerate(zip(L, x))]
        for i, row in reversed([*enumerate(L)]):
            for k in range(self.first[i], i):
                x[k] = x[k] - row[k] * x[i]
        return x


class Skyline:
    """Systems of one pattern.

    Args:
        first: the first column of each row.
    """

    def __init__(self, first: tuple[int, ...]) -> None:
        n = len(first)
        self.places: Numbers = np.concatenate([n * i + np.arange(begin, i + 1) for i, begin in enumerate(first)])
        self.diagonal: Numbers = np.cumsum(np.arange(1, n + 1) - np.array(first)) - 1
        self.factor: Callable[[Array], Array] = _compiled(_Factored(first))
        self.solve: Callable[[Array, Array], Array] = _compiled(_Solved(first))

    @property
    def size(self) -> int:
        return len(self.places)

    def among(self, places: Numbers) -> Numbers:
        """Places in the whole matrix, one too many for none, as those in a packed one."""
        table = np.full(len(self.diagonal) ** 2 + 1, self.size)
        table[self.places] = np.arange(self.size)
        return table[places]

    def factored(self, packed: Array, shift: float) -> Callable[[Array], Array] | None:
        """The solution of (A + shift) x = b; None where that is not positive definite."""
        if shift:
            packed = packed.copy()
            packed[self.diagonal] += shift
        L = self.factor(packed)
        if not L[self.diagonal].min() > 0.0:
            return None
        return lambda b: self.solve(L, b)


def skyline(places: Numbers, n: int) -> Skyline | None:
    """For a matrix (n, n) with elements at some places, and in all of its last row; None where LAPACK is as good."""
    if not n:
        return None
    used = np.zeros(n * n + 1, bool)
    used[places] = True
    used[: n * n : n + 1] = True
    first = used[:-1].reshape(n, n).argmax(axis=1)
    first[-1:] = 0
    width = np.arange(n) - first
    return _of(tuple(first.tolist())) if (width * (width + 1) // 2)[:-1].sum() + width.sum() <= MOST else None


_of = cache(Skyline)


def _compiled(step: _Factored | _Solved) -> Callable[..., Array]:
    return compile(step, signature=step.signature).direct()
