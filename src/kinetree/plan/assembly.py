"""First and second derivatives of a whole problem, put together from those of its places.

Each place depends on a few unknowns only. Where the elements of its matrices go in the whole ones is known beforehand,
so that putting these together is one sum over a list of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetree.nlp.skyline import skyline
from kinetree.plan.block import Block
from kinetree.plan.seam import Seam

if TYPE_CHECKING:
    from kinetree.plan.transcription import Integral, Transcription

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
DENSE = 40_000  # elements up to which the Jacobian of all rows is a whole matrix


class Slopes(Protocol):
    """The Jacobian J of all rows of a problem."""

    def times(self, dx: Array) -> Array:
        """J dx."""
        ...

    def transposed(self, vectors: Array) -> Array:
        """J^T of a vector (rows,), or of some (v, rows)."""
        ...

    def some(self, which: Numbers) -> Array:
        """Some rows, their numbers rising, as a whole matrix."""
        ...


class Derivatives(NamedTuple):
    """Of a problem at a point, in its free unknowns."""

    gradient: Array  # of the objective (n,)
    slopes: Slopes  # of the rows
    matrix: Array  # the Hessian of objective and multipliers . rows, and J^T weights J (n, n), or packed


@dataclass(frozen=True)
class _Part:
    """The rows of one block among all others."""

    block: Block | Seam
    own: slice  # its rows among all
    used: Numbers | None  # which of (k, rows) are rows of the problem, where not all are
    factors: Array  # (k, rows)
    columns: Numbers  # of the unknowns of each place (k, unknowns); where it is not free, one too many
    starts: Numbers  # the first place of each span

    def spread(self, vectors: Array) -> Array:
        """Vectors of all rows (..., all) as they belong to the places (..., k, rows); zero for rows not in use."""
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


class Assembly:
    """The derivatives of a problem with respect to some of its unknowns.

    Args:
        problem: of which.
        free: the numbers of those unknowns, rising.
        packed: whether the matrix may be packed, its rows to the diagonal one after the other (`skyline`).
    """

    def __init__(self, problem: Transcription, free: Numbers, packed: bool = False) -> None:
        self.problem, self.n = problem, len(free)
        column = np.full(problem.size, self.n)
        column[free] = np.arange(self.n)
        self.T = int(column[-1])
        self.rows: list[_Part] = []
        self.costs: list[tuple[Integral, _Part]] = []
        first = 0
        for r in problem.rows:
            used = None if r.all else np.flatnonzero(r.used)
            own = slice(first, first := first + r.count)
            factors = np.where(r.used, 1.0 / r.scale, 0.0)
            self.rows.append(_Part(r.block, own, used, factors, column[r.block.unknowns], _starts(r.block)))
        for c in problem.costs:
            factors = np.ones((c.block.count, 1))
            part = _Part(c.block, slice(first, first), None, factors, column[c.block.unknowns], _starts(c.block))
            self.costs.append((c, part))
        self.of_time = np.zeros(self.n + 1)  # the gradient of the duration's own cost
        self.of_time[self.T] = problem.time
        self.count = first
        self.small = first * self.n <= DENSE
        self.distinct = all(isinstance(p.block, Block) for p in self.rows)
        places = _numbers([self._targets(p) for p in (*self.rows, *(part for _, part in self.costs))])
        self.pattern = skyline(places, self.n) if packed else None
        self.places = places if self.pattern is None else self.pattern.among(places)
        self.diagonal: Numbers = (self.n + 1) * np.arange(self.n) if self.pattern is None else self.pattern.diagonal

    def _targets(self, part: _Part) -> Numbers:
        """Where elements of the matrices of places or spans go in the lower triangle; one too many if they don't."""
        n, packed = self.n, part.block.packed
        u = part.columns if packed else part.columns[part.starts]
        if packed:
            i, j = _triangle(u.shape[1])
            a, b = u[:, i], u[:, j]
        else:
            a, b = np.broadcast_arrays(u[:, :, None], u[:, None, :])
        return np.where((a < n) & (b <= a), a * n + b, n * n).ravel()

    @cached_property
    def dense_places(self) -> Numbers:
        """Where elements of the slopes of all places go in the whole Jacobian; one too many where they don't."""
        found = []
        for p in self.rows:
            row = np.full(p.factors.size, self.count)
            row[slice(None) if p.used is None else p.used] = np.arange(p.own.start, p.own.stop)
            at = row.reshape(*p.factors.shape, 1) * self.n + p.columns[:, None, :]
            outside = (p.columns == self.n)[:, None, :] | (row == self.count).reshape(*p.factors.shape, 1)
            found.append(np.where(outside, self.count * self.n, at).ravel())
        return _numbers(found)

    def derivatives(self, x: Array, multipliers: Array, weights: Array) -> Derivatives:
        """At x, with multipliers of all rows and weights of their squares."""
        n = self.n
        slopes: list[Array] = []
        matrices: list[Array] = []
        for p in self.rows:
            by, squares = p.spread(multipliers) * p.factors, p.spread(weights) * p.squared_factors
            J, M = p.block.derivatives(x, by, squares, p.starts)
            slopes.append(J)
            matrices.append(M)
        if not self.costs:
            return Derivatives(self.of_time[:n], self.made(slopes), self._matrix(_joined(matrices), None))
        gradient, row = self.of_time.copy(), np.zeros(n + 1)
        for c, p in self.costs:
            by = (x[-1] * c.weights)[:, None]
            J, M = p.block.derivatives(x, by, np.zeros_like(by), p.starts)
            slope = _added(p.columns.ravel(), (c.weights[:, None] * J[:, 0]).ravel(), n + 1)
            row += slope  # T is a factor of the integral
            gradient += x[-1] * slope
            gradient[self.T] += c.weights @ c.values(x)
            matrices.append(M)
        last = row[:n] if n > self.T else None
        return Derivatives(gradient[:n], self.made(slopes), self._matrix(_joined(matrices), last))

    def _matrix(self, values: Array, last: Array | None) -> Array:
        """From the elements of the places, and what comes to the last row and column."""
        n = self.n
        if self.pattern is not None:
            packed = _added(self.places, values, self.pattern.size + 1)[:-1]
            if last is not None:
                packed[-n:] += last
                packed[-1] += last[-1]
            return packed
        K = _added(self.places, values, n * n + 1)[:-1].reshape(n, n)
        K = K + K.T
        K.ravel()[:: n + 1] *= 0.5
        if last is not None:
            K[self.T] += last
            K[:, self.T] += last
        return K

    def slopes(self, x: Array) -> Slopes:
        return self.made([p.block.jacobian(x) for p in self.rows])

    def made(self, slopes: list[Array]) -> Slopes:
        """From slopes of each block (k, rows, unknowns of a place)."""
        if not self.small:
            return _Local(self, slopes)
        size = self.count * self.n + 1
        if self.distinct:
            flat = np.zeros(size)
            flat[self.dense_places] = _joined(slopes)
        else:
            flat = _added(self.dense_places, _joined(slopes), size)
        return _Whole(flat[:-1].reshape(self.count, self.n), self.factors)

    @cached_property
    def factors(self) -> Array:
        """Of all rows."""
        return _joined([p.gathered(p.factors) for p in self.rows])


class _Whole:
    """As one matrix, not scaled, and factors of its rows."""

    def __init__(self, J: Array, factors: Array) -> None:
        self.J, self.factors = J, factors

    def times(self, dx: Array) -> Array:
        return (self.J @ dx) * self.factors

    def transposed(self, vectors: Array) -> Array:
        return (vectors * self.factors) @ self.J

    def some(self, which: Numbers) -> Array:
        return self.J[which] * self.factors[which][:, None]


class _Local:
    """Place by place: (k, rows, unknowns of a place) for each block, not scaled."""

    def __init__(self, of: Assembly, blocks: list[Array]) -> None:
        self.of, self.blocks = of, blocks

    def times(self, dx: Array) -> Array:
        wide = np.zeros(len(dx) + 1)
        parts: list[Array] = []
        wide[:-1] = dx
        for p, J in zip(self.of.rows, self.blocks):
            parts.append(p.gathered(np.matmul(J, wide[p.columns][:, :, None])[:, :, 0] * p.factors))
        return _joined(parts)

    def transposed(self, vectors: Array) -> Array:
        if vectors.ndim == 1:
            return self.transposed(vectors[None])[0]
        count, n = len(vectors), self.of.n
        total = np.zeros(count * (n + 1))
        steps = (n + 1) * np.arange(count)[:, None]
        for p, J in zip(self.of.rows, self.blocks):
            by = (p.spread(vectors) * p.factors).transpose(1, 0, 2)
            total += _added((p.columns[:, None] + steps).ravel(), np.matmul(by, J).ravel(), count * (n + 1))
        return total.reshape(count, n + 1)[:, :n]

    def some(self, which: Numbers) -> Array:
        n = self.of.n
        found = np.zeros((len(which), n))
        for p, J in zip(self.of.rows, self.blocks):
            first, last = np.searchsorted(which, (p.own.start, p.own.stop))
            if first == last:
                continue
            mine = which[first:last] - p.own.start
            k, row = np.divmod(mine if p.used is None else p.used[mine], p.factors.shape[1])
            at = np.arange(len(mine))[:, None] * (n + 1) + p.columns[k]
            wide = _added(at.ravel(), (J[k, row] * p.factors[k, row][:, None]).ravel(), len(mine) * (n + 1))
            found[first:last] = wide.reshape(len(mine), n + 1)[:, :n]
        return found


@cache
def _triangle(size: int) -> tuple[Numbers, Numbers]:
    """Rows and columns of a lower triangle, row by row."""
    return np.tril_indices(size)


def _starts(block: Block | Seam) -> Numbers:
    """The first place of each span: all places of one depend on the same unknowns."""
    first = block.unknowns[:, 0]
    return np.flatnonzero(np.concatenate(([True], first[1:] != first[:-1])))


def _added(places: Numbers, values: Array, size: int) -> Array:
    """Values added up at their places; of floats where there are none, too."""
    return np.asarray(np.bincount(places, values, size), np.float64)


def _joined(parts: list[Array]) -> Array:
    return parts[0].ravel() if len(parts) == 1 else np.concatenate([np.zeros(0), *(p.ravel() for p in parts)])


def _numbers(parts: list[Numbers]) -> Numbers:
    return np.concatenate([np.zeros(0, int), *parts])
