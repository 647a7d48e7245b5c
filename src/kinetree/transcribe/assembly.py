"""First and second derivatives of a whole transcription, put together from those of its collocation points.

Each point depends on a few variables only. Where the elements of its matrices go in the whole ones is known beforehand,
so that putting these together is one sum over a list of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from kinetree.nlp.problem import Jacobian, Linearisation
from kinetree.nlp.skyline import skyline
from kinetree.transcribe.basis import Array, Indices
from kinetree.transcribe.block import Block, CollocationBlock
from kinetree.transcribe.constraints import BoundedBlock, Integral, first_points

DENSE = 40_000  # elements up to which the Jacobian of all rows is a dense matrix
_triangle = cache(np.tril_indices)  # rows and columns of a lower triangle, row by row


@dataclass(frozen=True)
class _Part:
    """The rows of one block among all others."""

    block: Block
    own: slice  # its rows among all
    used: Indices | None  # which of (k, rows) are constraints, where not all are
    factors: Array  # (k, rows)
    columns: Indices  # of the variables of each point (k, m); n where one is not free
    starts: Indices  # the first point of each knot interval

    def spread(self, vectors: Array) -> Array:
        """Vectors of all rows (..., all) as they belong to the points (..., k, rows); zero for rows not in use."""
        shape = *vectors.shape[:-1], *self.factors.shape
        if self.used is None:
            return vectors[..., self.own].reshape(shape)
        wide = np.zeros((*vectors.shape[:-1], self.factors.size))
        wide[..., self.used] = vectors[..., self.own]
        return wide.reshape(shape)

    def gathered(self, values: Array) -> Array:
        """The other way round, for one vector (k, rows) -> (own,)."""
        flat = values.ravel()
        return flat if self.used is None else flat[self.used]

    @cached_property
    def squared_factors(self) -> Array:
        return self.factors**2

    @cached_property
    def rows(self) -> Indices:
        """The rows among all of (k, rows), rising; -1 for those not in use."""
        row = np.full(self.factors.size, -1)
        row[slice(None) if self.used is None else self.used] = np.arange(self.own.start, self.own.stop)
        return row.reshape(self.factors.shape)


class Assembly:
    """The derivatives of bounded blocks and integrals with respect to the free variables.

    Args:
        size: the number of all variables.
        free: the indices of the free ones, rising.
        constraints: the bounded blocks.
        costs: the integrals.
        time_weight: of the duration in the objective.
        packed: whether the matrix is packed as a `Skyline` where that pays.
    """

    def __init__(
        self, size: int, free: Indices, constraints: Sequence[BoundedBlock], costs: Sequence[Integral],
        time_weight: float, packed: bool,
    ) -> None:  # fmt: skip
        self.n = len(free)
        column = np.full(size, self.n)
        column[free] = np.arange(self.n)
        self.T = int(column[-1])
        self.parts: list[_Part] = []
        self.costs: list[tuple[Integral, _Part]] = []
        first = 0
        for c in constraints:
            used = None if c.all_used else np.flatnonzero(c.used)
            own = slice(first, first := first + c.count)
            factors = np.where(c.used, 1.0 / c.scale, 0.0)
            self.parts.append(_Part(c.block, own, used, factors, column[c.block.variables], first_points(c.block)))
        for c in costs:
            ones, columns = np.ones((len(c.block.s), 1)), column[c.block.variables]
            self.costs.append((c, _Part(c.block, slice(first, first), None, ones, columns, first_points(c.block))))
        self.dT = np.zeros(self.n + 1)  # the gradient of the duration's own cost
        self.dT[self.T] = time_weight
        self.count = first
        self.small = first * self.n <= DENSE
        self.distinct = all(isinstance(p.block, CollocationBlock) for p in self.parts)
        targets = _indices([self._targets(p) for p in (*self.parts, *(part for _, part in self.costs))])
        self.skyline = skyline(targets, self.n) if packed else None
        self.targets = targets if self.skyline is None else self.skyline.among(targets)

    def _targets(self, part: _Part) -> Indices:
        """Where elements of the matrices of points or intervals go in the lower triangle; n^2 if they don't."""
        n, packed = self.n, part.block.packed
        u = part.columns if packed else part.columns[part.starts]
        if packed:
            i, j = _triangle(u.shape[1])
            a, b = u[:, i], u[:, j]
        else:
            a, b = np.broadcast_arrays(u[:, :, None], u[:, None, :])
        return np.where((a < n) & (b <= a), a * n + b, n * n).ravel()

    @cached_property
    def dense_targets(self) -> Indices:
        """Where elements of the Jacobians of all points go in the dense one; one too many where they don't."""
        found = []
        for p in self.parts:
            at = p.rows[:, :, None] * self.n + p.columns[:, None, :]
            outside = (p.columns == self.n)[:, None, :] | (p.rows == -1)[:, :, None]
            found.append(np.where(outside, self.count * self.n, at).ravel())
        return _indices(found)

    @cached_property
    def factors(self) -> Array:
        """Of all rows."""
        return _joined([p.gathered(p.factors) for p in self.parts])

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float) -> Linearisation:
        """As `kinetree.nlp.Problem.linearise`."""
        n = self.n
        jacobians: list[Array] = []
        matrices: list[Array] = []
        for p in self.parts:
            J, M = p.block.linearise(x, p.spread(y) * p.factors, p.spread(sigma) * p.squared_factors, p.starts)
            jacobians.append(J)
            matrices.append(M)
        if not self.costs:
            return Linearisation(self.dT[:n], self._jacobian(jacobians), self._matrix(_joined(matrices), None))
        gradient, row = self.dT.copy(), np.zeros(n + 1)
        for c, p in self.costs:
            weights = (objective_weight * x[-1] * c.weights)[:, None]
            J, M = p.block.linearise(x, weights, np.zeros_like(weights), p.starts)
            slope = _added(p.columns.ravel(), (c.weights[:, None] * J[:, 0]).ravel(), n + 1)
            row += slope  # T is a factor of the integral
            gradient += x[-1] * slope
            gradient[self.T] += c.weights @ c.values(x)
            matrices.append(M)
        row *= objective_weight
        last = row[:n] if n > self.T else None
        return Linearisation(gradient[:n], self._jacobian(jacobians), self._matrix(_joined(matrices), last))

    def _matrix(self, values: Array, last: Array | None) -> Array:
        """From the elements of the points, and what comes to the last row and column."""
        n = self.n
        if self.skyline is not None:
            packed = _added(self.targets, values, self.skyline.size + 1)[:-1]
            if last is not None:
                packed[-n:] += last
                packed[-1] += last[-1]
            return packed
        K = _added(self.targets, values, n * n + 1)[:-1].reshape(n, n)
        K = K + K.T
        K.ravel()[:: n + 1] *= 0.5
        if last is not None:
            K[self.T] += last
            K[:, self.T] += last
        return K

    def _jacobian(self, blocks: list[Array]) -> Jacobian:
        """From those of each block (k, rows, m)."""
        if not self.small:
            return _BlockJacobian(self, blocks)
        size = self.count * self.n + 1
        if self.distinct:
            flat = np.zeros(size)
            flat[self.dense_targets] = _joined(blocks)
        else:
            flat = _added(self.dense_targets, _joined(blocks), size)
        return _DenseJacobian(flat[:-1].reshape(self.count, self.n), self)

    @cached_property
    def structure(self) -> tuple[Indices, Indices]:
        """Rows and columns of the elements of the Jacobian that may differ from zero."""
        rows, columns = np.divmod(np.unique(self.dense_targets[self.dense_targets < self.count * self.n]), self.n)
        return rows, columns


class _DenseJacobian:
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


class _BlockJacobian:
    """Point by point: (k, rows, m) for each block, not scaled."""

    def __init__(self, of: Assembly, blocks: list[Array]) -> None:
        self._of, self.blocks = of, blocks

    def product(self, dx: Array) -> Array:
        wide = np.zeros(len(dx) + 1)
        parts: list[Array] = []
        wide[:-1] = dx
        for p, J in zip(self._of.parts, self.blocks):
            parts.append(p.gathered(np.matmul(J, wide[p.columns][:, :, None])[:, :, 0] * p.factors))
        return _joined(parts)

    def transpose_product(self, y: Array) -> Array:
        if y.ndim == 1:
            return self.transpose_product(y[None])[0]
        count, n = len(y), self._of.n
        total = np.zeros(count * (n + 1))
        steps = (n + 1) * np.arange(count)[:, None]
        for p, J in zip(self._of.parts, self.blocks):
            weights = (p.spread(y) * p.factors).transpose(1, 0, 2)
            total += _added((p.columns[:, None] + steps).ravel(), np.matmul(weights, J).ravel(), count * (n + 1))
        return total.reshape(count, n + 1)[:, :n]

    def rows(self, which: Indices) -> Array:
        n = self._of.n
        found = np.zeros((len(which), n))
        for p, J in zip(self._of.parts, self.blocks):
            first, last = np.searchsorted(which, (p.own.start, p.own.stop))
            if first == last:
                continue
            mine = which[first:last] - p.own.start
            k, row = np.divmod(mine if p.used is None else p.used[mine], p.factors.shape[1])
            at = np.arange(len(mine))[:, None] * (n + 1) + p.columns[k]
            wide = _added(at.ravel(), (J[k, row] * p.factors[k, row][:, None]).ravel(), len(mine) * (n + 1))
            found[first:last] = wide.reshape(len(mine), n + 1)[:, :n]
        return found

    def values(self) -> Array:
        i, j = self._of.structure
        return self.rows(np.arange(self._of.count))[i, j]


def _added(targets: Indices, values: Array, size: int) -> Array:
    """Values added up at their targets; floats where there are none, too."""
    return np.asarray(np.bincount(targets, values, size), np.float64)


def _joined(parts: list[Array]) -> Array:
    return parts[0].ravel() if len(parts) == 1 else np.concatenate([np.zeros(0), *(p.ravel() for p in parts)])


def _indices(parts: list[Indices]) -> Indices:
    return np.concatenate([np.zeros(0, int), *parts])
