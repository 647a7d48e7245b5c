"""First and second derivatives of a whole transcription, put together from those of its collocation points.

Each point depends on a few variables only. Where the elements of its matrices go in the whole ones is known beforehand,
so that putting these together is one sum over a list of numbers.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from kinetree.nlp.problem import Jacobian, Linearisation
from kinetree.nlp.skyline import skyline
from kinetree.runtime.blocks import bits, functions
from kinetree.transcribe.basis import Array, Indices
from kinetree.transcribe.block import Block, CollocationBlock
from kinetree.transcribe.constraints import BoundedBlock, Integral, first_points
from kinetree.transcribe.dependent import Dependent
from kinetree.transcribe.jacobian import BlockJacobian, ScaledJacobian, added, joined

DENSE = 40_000  # elements up to which the Jacobian of all rows is a dense matrix
_triangle = cache(np.tril_indices)  # rows and columns of a lower triangle, row by row


@dataclass(frozen=True)
class _Part:
    """The rows of one block among all others."""

    block: Block
    own: slice  # its rows among all
    used: Indices | None  # which of (k, rows) are constraints, where not all are
    factors: Array  # (k, rows)
    columns: Indices  # of the variables of each point (k, m); n where one is not free, beyond where one depends on T
    starts: Indices  # the first point of each knot interval

    def spread(self, vector: Array, squared: bool = False) -> Array:
        """A vector of all rows (all,), times the factors or their squares, as it belongs to the points (k, rows); zero
        for rows not in use."""
        factors = self.squared_factors if squared else self.factors
        if self.used is None:
            return vector[self.own].reshape(factors.shape) * factors
        wide = np.zeros(factors.size)
        wide[self.used] = vector[self.own]
        return wide.reshape(factors.shape) * factors

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

    @cached_property
    def bits(self) -> tuple[Array, Array]:
        """Columns and rows as compiled functions take them."""
        return bits(self.columns), bits(self.rows)

    @cached_property
    def begins(self) -> Array:
        """The same of the first matrix of each knot interval, and of one after the last."""
        packed = self.block.packed
        return bits(np.append(self.starts, len(self.columns)) if packed else np.arange(len(self.starts) + 1))


class Assembly:
    """The derivatives of bounded blocks and integrals with respect to the free variables.

    Args:
        size: the number of all variables.
        free: the indices of the free ones, rising.
        constraints: the bounded blocks.
        costs: the integrals.
        time_weight: of the duration in the objective.
        packed: whether the matrix is packed as a `Skyline` where that pays.
        dependent: variables that are not free, but follow from the duration, which is.
    """

    def __init__(
        self, size: int, free: Indices, constraints: Sequence[BoundedBlock], costs: Sequence[Integral],
        time_weight: float, packed: bool, dependent: Dependent | None = None,
    ) -> None:  # fmt: skip
        self.n, self.dependent = len(free), dependent
        column = np.full(size, self.n)
        column[free] = np.arange(self.n)
        self.T, self.wide = int(column[-1]), self.n + 1
        if dependent is not None:
            self.wide += len(dependent.variables)
            column[dependent.variables] = np.arange(self.n + 1, self.wide)
        self._column, self.count = column, 0
        self.parts: list[_Part] = []
        self.costs: list[tuple[Integral, _Part]] = []
        for c in constraints:
            self._add(c)
        none = slice(self.count, self.count)
        for c in costs:
            ones, columns = np.ones((len(c.block.s), 1)), column[c.block.variables]
            self.costs.append((c, _Part(c.block, none, None, ones, columns, first_points(c.block))))
        self.dT = np.zeros(self.wide)  # the gradient of the duration's own cost
        self.dT[self.T] = time_weight
        self.small = self.count * self.n <= DENSE and dependent is None
        self.distinct = all(isinstance(p.block, CollocationBlock) for p in self.parts)
        everything = [*self.parts, *(part for _, part in self.costs)]
        self._place(everything, [self._places(p) for p in everything], packed)

    def _add(self, c: BoundedBlock) -> _Part:
        used = None if c.all_used else np.flatnonzero(c.used)
        own = slice(self.count, self.count + c.count)
        factors = np.where(c.used, 1.0 / c.scale, 0.0)
        self.count += c.count
        self.parts.append(
            part := _Part(c.block, own, used, factors, self._column[c.block.variables], first_points(c.block))
        )
        return part

    def extended(self, more: BoundedBlock) -> Assembly | None:
        """With a further block, each of whose knot intervals is one of the first block, where elements go already; None
        where it is not so."""
        if self.small or not self.parts or not (self.parts[0].block.packed and more.block.packed):
            return None
        other, first = copy.copy(self), self.parts[0]
        other.parts = [*self.parts]
        part = other._add(more)
        here, there = (p.columns[p.starts] for p in (first, part))
        begin, begins = (p.block.variables[p.starts, 0] for p in (first, part))
        each = np.minimum(np.searchsorted(begin, begins), len(begin) - 1)
        if not np.array_equal(here[each], there):
            return None
        other.targets = [*self.targets]
        other.targets.insert(len(self.parts), self.targets[0][each])
        other.distinct = False
        for known in ("dense_targets", "factors", "structure"):
            vars(other).pop(known, None)
        return other

    def depending(self, dependent: Dependent | None) -> Assembly:
        """The same with other numbers of the variables that follow from the duration."""
        other = copy.copy(self)
        other.dependent = dependent
        return other

    def _places(self, part: _Part) -> Indices:
        """Of the elements of the matrices of knot intervals (4, elements): where they go in the lower triangle, n^2 if
        they don't; their rows and columns; and how often they count where one depends on the duration."""
        n, packed, u = self.n, part.block.packed, part.columns[part.starts]
        i, j = _triangle(u.shape[1]) if packed else np.indices((u.shape[1],) * 2).reshape(2, -1)
        a, b = u[:, i].ravel(), u[:, j].ravel()
        target = np.where((a < n) & (b <= a), a * n + b, n * n)
        # a whole matrix has each pair of a row and a column twice, its lower triangle once
        if packed:
            count = 1 + ((a != b) & ((a > n) | (a == self.T)) & ((b > n) | (b == self.T)))
        else:
            count = ((a > n) | (a == self.T)).astype(int)
        return np.stack((target, a, b, count))

    def _place(self, parts: list[_Part], places: list[Indices], packed: bool) -> None:
        """Where all elements go: in the matrix, nowhere, or, where they depend on the duration, behind it."""
        n, T = self.n, self.T
        targets, a, b, count = np.concatenate([np.zeros((4, 0), int), *places], axis=1)
        elements = np.flatnonzero(((a > n) | (b > n)) & (a != n) & (b != n) & (count > 0))
        pairs, slots = np.unique(np.stack((a, b, count))[:, elements], axis=1, return_inverse=True)
        self.pairs, self.counts = pairs[:2], pairs[2]
        self.to_duration = np.where(self.pairs > n, T, self.pairs).min(axis=0)  # columns of its row
        self.skyline = skyline(targets, n) if packed else None
        if self.skyline is not None:
            targets = self.skyline.among(targets)
        self.size = n * n if self.skyline is None else self.skyline.size
        targets[elements] = self.size + 1 + slots.ravel()
        ends = np.cumsum([own.shape[1] for own in places])[:-1]
        each = np.split(targets, ends) if places else []
        self.targets = [bits(own.reshape(len(p.starts), -1)) for p, own in zip(parts, each)]

    @cached_property
    def dense_targets(self) -> Indices:
        """Where elements of the Jacobians of all points go in the dense one; one too many where they don't."""
        found = [np.zeros(0, int)]
        for p in self.parts:
            columns = np.where(p.columns > self.n, self.T, p.columns)
            at = p.rows[:, :, None] * self.n + columns[:, None, :]
            outside = (p.columns == self.n)[:, None, :] | (p.rows == -1)[:, :, None]
            found.append(np.where(outside, self.count * self.n, at).ravel())
        return np.concatenate(found)

    @cached_property
    def factors(self) -> Array:
        """Of all rows."""
        return joined([p.gathered(p.factors) for p in self.parts])

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float) -> Linearisation:
        """As `kinetree.nlp.Problem.linearise`."""
        n = self.n
        jacobians: list[Array] = []
        matrices: list[Array] = []
        for p in self.parts:
            J, M = p.block.linearise(x, p.spread(y), p.spread(sigma, squared=True), p.starts)
            jacobians.append(J)
            matrices.append(M)
        slopes = np.zeros(0) if self.dependent is None else self.dependent.slopes(float(x[-1]))
        gradient, row = self.dT.copy(), np.zeros(self.wide)
        for c, p in self.costs:
            weights = (objective_weight * x[-1] * c.weights)[:, None]
            J, M = p.block.linearise(x, weights, np.zeros_like(weights), p.starts)
            slope = added(p.columns.ravel(), (c.weights[:, None] * J[:, 0]).ravel(), self.wide)
            row += slope  # T is a factor of the integral
            gradient += x[-1] * slope
            gradient[self.T] += c.weights @ c.values(x)
            matrices.append(M)
        jacobian, last = self._jacobian(jacobians, slopes), objective_weight * row
        if self.dependent is not None:
            if self.dependent.curved and isinstance(jacobian, BlockJacobian):
                of_all = jacobian.scattered(y[None])[0] + objective_weight * gradient
                last[self.T] += 0.5 * float(of_all[n + 1 :] @ self.dependent.curvatures(float(x[-1])))
            for vector in (gradient, last) if self.costs else ():
                vector[self.T] += vector[n + 1 :] @ slopes
        ends_with_T = n > self.T and (len(self.costs) > 0 or (self.dependent is not None and self.dependent.curved))
        K = self._matrix(matrices, slopes, last[:n] if ends_with_T else None)
        return Linearisation(gradient[:n], jacobian, K)

    def _matrix(self, matrices: list[Array], slopes: Array, last: Array | None) -> Array:
        """From those of points or knot intervals, and what comes to the last row and column."""
        n, assemble = self.n, functions()[0]
        values = np.zeros(self.size + 1 + len(self.counts))
        parts = (*self.parts, *(part for _, part in self.costs))
        for p, M, targets in zip(parts, matrices, self.targets):
            values, _ = assemble(M.reshape(len(M), -1), p.begins, targets, values)
        if len(slopes):
            wide = np.ones(self.wide)
            wide[n + 1 :] = slopes
            more = values[self.size + 1 :] * self.counts * wide[self.pairs[0]] * wide[self.pairs[1]]
            self._row_of_duration(values)[:] += added(self.to_duration, more, n)
        if self.skyline is not None:
            packed = values[: self.size]
            if last is not None:
                packed[-n:] += last
                packed[-1] += last[-1]
            return packed
        K = values[: self.size].reshape(n, n)
        K = K + K.T
        K.ravel()[:: n + 1] *= 0.5
        if last is not None:
            K[self.T] += last
            K[:, self.T] += last
        return K

    def _row_of_duration(self, values: Array) -> Array:
        """Of the lower triangle; the duration is the last variable."""
        return values[self.size - self.n : self.size]

    def _jacobian(self, blocks: list[Array], slopes: Array) -> Jacobian:
        """From those of each block (k, rows, m)."""
        if not self.small:
            return BlockJacobian(self, blocks, slopes)
        size = self.count * self.n + 1
        if self.distinct:
            flat = np.zeros(size)
            flat[self.dense_targets] = joined(blocks)
        else:
            flat = added(self.dense_targets, joined(blocks), size)
        return ScaledJacobian(flat[:-1].reshape(self.count, self.n), self)

    @cached_property
    def structure(self) -> tuple[Indices, Indices]:
        """Rows and columns of the elements of the Jacobian that may differ from zero."""
        rows, columns = np.divmod(np.unique(self.dense_targets[self.dense_targets < self.count * self.n]), self.n)
        return rows, columns
