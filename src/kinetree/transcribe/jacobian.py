"""Jacobians of whole transcriptions: one matrix, or point by point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.runtime.blocks import functions
from kinetree.transcribe.basis import Array, Indices

if TYPE_CHECKING:
    from kinetree.transcribe.assembly import Assembly


class ScaledJacobian:
    """As one matrix, not scaled, and factors of its rows."""

    def __init__(self, J: Array, of: Assembly) -> None:
        self.J, self.factors, self._of = J, of.factors, of

    def product(self, dx: Array) -> Array:
        return (self.J @ dx) * self.factors

    def transpose_product(self, y: Array) -> Array:
        return (y * self.factors) @ self.J

    def rows(self, which: Indices) -> Array:
        return self.J[which] * self.factors[which][:, None]

    def values(self) -> Array:
        i, j = self._of.structure
        return self.J[i, j] * self.factors[i]


class BlockJacobian:
    """Point by point: (k, rows, m) for each block, not scaled.

    Columns are those of free variables, one for all others, and those of variables that depend on the duration, with
    ``slopes`` of them.
    """

    def __init__(self, of: Assembly, blocks: list[Array], slopes: Array) -> None:
        self._of, self.slopes = of, slopes
        self.blocks = [np.ascontiguousarray(J) for J in blocks]

    def product(self, dx: Array) -> Array:
        n, found, product = self._of.n, np.zeros(self._of.count), functions()[1]
        wide = np.zeros(self._of.wide)
        wide[:n] = dx
        if len(self.slopes):
            wide[n + 1 :] = self.slopes * dx[self._of.T]
        for p, J in zip(self._of.parts, self.blocks):
            columns, rows = p.bits
            found, _ = product(J, columns, wide, p.factors, rows, found)
        return found

    def transpose_product(self, y: Array) -> Array:
        if y.ndim == 1:
            return self.transpose_product(y[None])[0]
        return self._folded(self.scattered(y))

    def scattered(self, y: Array) -> Array:
        """J^T of several vectors (v, m), in the columns of all kinds (v, wide)."""
        found, transposed, y = np.zeros((len(y), self._of.wide)), functions()[2], np.ascontiguousarray(y)
        for p, J in zip(self._of.parts, self.blocks):
            columns, rows = p.bits
            found, _ = transposed(y, p.factors, rows, J, columns, found)
        return found

    def _folded(self, wide: Array) -> Array:
        found = wide[..., : self._of.n]
        if len(self.slopes):
            found[..., self._of.T] += wide[..., self._of.n + 1 :] @ self.slopes
        return found

    def rows(self, which: Indices) -> Array:
        size = self._of.wide
        found = np.zeros((len(which), self._of.n))
        for p, J in zip(self._of.parts, self.blocks):
            first, last = np.searchsorted(which, (p.own.start, p.own.stop))
            if first == last:
                continue
            mine = which[first:last] - p.own.start
            k, row = np.divmod(mine if p.used is None else p.used[mine], p.factors.shape[1])
            at = np.arange(len(mine))[:, None] * size + p.columns[k]
            wide = added(at.ravel(), (J[k, row] * p.factors[k, row][:, None]).ravel(), len(mine) * size)
            found[first:last] = self._folded(wide.reshape(len(mine), size))
        return found

    def values(self) -> Array:
        i, j = self._of.structure
        return self.rows(np.arange(self._of.count))[i, j]


def added(targets: Indices, values: Array, size: int) -> Array:
    """Values added up at their targets; floats where there are none, too."""
    return np.asarray(np.bincount(targets, values, size), np.float64)


def joined(parts: list[Array]) -> Array:
    return parts[0].ravel() if len(parts) == 1 else np.concatenate([np.zeros(0), *(p.ravel() for p in parts)])
