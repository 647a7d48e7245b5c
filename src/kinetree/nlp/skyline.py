"""Symmetric positive definite systems whose rows begin near the diagonal.

Where variables are coupled with their neighbours only, row i of the matrix of a Newton step begins at a column
``first[i]``, as does its factor. Plain loops over these rows take a tenth of the time of LAPACK, which is meant for
larger systems.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from kinetree.runtime.arrays import Array, Indices
from kinetree.runtime.skyline import functions

MOST = 500_000  # products up to which it is quicker than LAPACK, whatever the pattern
_KEPT = 32  # patterns


class Skyline:
    """Systems of one pattern; matrices are packed: their rows to the diagonal, one after the other.

    Args:
        first: the first column of each row.

    Example:
        >>> arrow = Skyline((0, 1, 0))  # rows 0, 1 and 2 begin at columns 0, 1 and 0
        >>> packed = np.array([4.0, 5.0, 1.0, 2.0, 6.0])
        >>> arrow.unpacked(packed)
        array([[4., 0., 1.],
               [0., 5., 2.],
               [1., 2., 6.]])
        >>> solve = arrow.factored(packed, 0.0)
        >>> solve(np.array([5.0, 7.0, 9.0]))
        array([1., 1., 1.])
    """

    def __init__(self, first: tuple[int, ...]) -> None:
        n, begin = len(first), np.array(first)
        ends = np.cumsum(np.arange(1, n + 1) - begin)
        self.size = int(ends[-1])
        self.diagonal: Indices = ends - 1
        base = self.diagonal - np.arange(n)
        row = np.repeat(np.arange(n), np.arange(1, n + 1) - begin)
        self.places: Indices = n * row + np.arange(self.size) - base[row]
        self._pattern = begin.astype(np.int64).view(np.float64), base.astype(np.int64).view(np.float64)
        self._factor, self._solve = functions()

    def among(self, places: Indices) -> Indices:
        """Places in the whole matrix, one too many for none, as those in a packed one."""
        table = np.full(len(self.diagonal) ** 2 + 1, self.size)
        table[self.places] = np.arange(self.size)
        return table[places]

    def unpacked(self, packed: Array) -> Array:
        """The dense symmetric matrix."""
        n = len(self.diagonal)
        K = np.zeros(n * n)
        K[self.places] = packed
        K = K.reshape(n, n)
        K = K + K.T
        K.ravel()[:: n + 1] *= 0.5
        return K

    def factored(self, packed: Array, shift: float) -> Callable[[Array], Array] | None:
        """The solution of (A + shift) x = b; None where that is not positive definite."""
        if shift:
            packed = packed.copy()
            packed[self.diagonal] += shift
        L, _ = self._factor(packed, *self._pattern)
        inverse_pivots = L[self.diagonal]
        if not 0.0 < inverse_pivots.min() <= inverse_pivots.max() < np.inf:
            return None
        return lambda b: self._solve(L, *self._pattern, b)


def skyline(places: Indices, n: int) -> Skyline | None:
    """For a matrix (n, n) with elements at some places, and in all of its last row; None where LAPACK is as good."""
    if not n:
        return None
    used = np.zeros(n * n + 1, bool)
    used[places] = True
    used[: n * n : n + 1] = True
    first = used[:-1].reshape(n, n).argmax(axis=1)
    first[-1] = 0
    width = np.arange(n) - first
    return _of(tuple(first.tolist())) if (width * (width + 1) // 2)[:-1].sum() + width.sum() <= MOST else None


_of = lru_cache(maxsize=_KEPT)(Skyline)
