"""The optimisation problem of a spline motion in numbers: unknowns, rows, sparse matrices.

Unknowns are the control points, point by point, and the duration T. Costs are integrals over time,
J = T sum_k w_k c(z_k), and a multiple of T itself.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.assembly import Assembly
from kinetree.plan.block import Block
from kinetree.plan.seam import Seam

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Limits on the quantities of a block, infinite where there is none, and their sizes: each (k, rows)."""

    block: Block | Seam
    lower: Array
    upper: Array
    scale: Array

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        return np.isfinite(self.lower) | np.isfinite(self.upper)

    @cached_property
    def all(self) -> bool:
        return bool(self.used.all())

    @cached_property
    def count(self) -> int:
        return int(self.used.sum())

    @cached_property
    def factors(self) -> Array:
        """1 / scale of the rows in use."""
        return 1.0 / self.scale[self.used]

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """The elements of the Jacobian that may be other than zero (rows in use, unknowns of a place)."""
        return self.block.pattern[np.nonzero(self.used)[1]]

    def moved_inwards(self, parts: Array | float) -> Rows:
        """The same with limits tighter by parts of themselves; equations stay."""
        by = np.where(self.upper > self.lower, parts, 0.0) * self.scale
        middle = 0.5 * (np.maximum(self.lower, -1e300) + np.minimum(self.upper, 1e300))
        return Rows(self.block, np.minimum(self.lower + by, middle), np.maximum(self.upper - by, middle), self.scale)

    def without(self, some: NDArray[np.bool_]) -> Rows:
        """The same without the limits of some rows (k, rows)."""
        if not some.any():
            return self
        lower, upper = np.where(some, -np.inf, self.lower), np.where(some, np.inf, self.upper)
        return Rows(self.block, lower, upper, self.scale)

    def values(self, x: Array) -> Array:
        values = self.block.values(x)
        return (values.ravel() if self.all else values[self.used]) * self.factors

    def jacobian(self, x: Array) -> Array:
        return (self.block.jacobian(x)[self.used] * self.factors[:, None])[self.kept]

    def excess(self, x: Array) -> Array:
        """How far each row is outside its limits, relative to these; negative inside (k, rows)."""
        values = self.block.values(x)
        return np.maximum(self.lower - values, values - self.upper) / self.scale


@dataclass(frozen=True)
class Integral:
    """A cost: the integral over time of a block with one row, with weights of its places for s from 0 to 1."""

    block: Block
    weights: Array

    def values(self, x: Array) -> Array:
        """At the places (k,)."""
        return self.block.values(x)[:, 0]

    def jacobian(self, x: Array) -> Array:
        """(k, unknowns of a place)."""
        return self.block.jacobian(x)[:, 0]

    def hessian(self, x: Array, factor: float, starts: Numbers | None = None) -> Array:
        """Of factor times the integral over s: (k, unknowns, unknowns), or the sums over spans."""
        return self.block.hessian(x, factor * self.weights[:, None], starts)


class Transcription:
    """Objective, rows and their derivatives, as an interior-point solver wants them."""

    def __init__(self, size: int, rows: Sequence[Rows], costs: Sequence[Integral], time: float) -> None:
        self.size, self.rows, self.costs, self.time = size, list(rows), list(costs), time
        self._assemblies: dict[tuple[bytes, bool], Assembly] = {}
        self._bound()

    def _bound(self) -> None:
        self.lower = np.concatenate([r.lower[r.used] * r.factors for r in self.rows] or [np.zeros(0)])
        self.upper = np.concatenate([r.upper[r.used] * r.factors for r in self.rows] or [np.zeros(0)])

    def limited(self, limits: Rows) -> Transcription:
        """The same with other limits in the place of its first rows."""
        other = copy.copy(self)
        other.rows = [limits, *self.rows[1:]]
        other._bound()
        return other

    def assembly(self, free: Numbers, packed: bool = False) -> Assembly:
        """Its derivatives with respect to some unknowns; the same whatever the limits are."""
        key = free.tobytes(), packed
        if key not in self._assemblies:
            self._assemblies[key] = Assembly(self, free, packed)
        return self._assemblies[key]

    # -- objective -------------------------------------------------------------------------------------------------

    def objective(self, x: Array) -> float:
        return float(x[-1] * (self.time + sum(float(c.weights @ c.values(x)) for c in self.costs)))

    def gradient(self, x: Array) -> Array:
        total = np.zeros(self.size)
        total[-1] = self.time
        for c in self.costs:
            total[-1] += c.weights @ c.values(x)
            slopes = x[-1] * c.weights[:, None] * c.jacobian(x)
            total += np.bincount(c.block.unknowns.ravel(), slopes.ravel(), self.size)
        return total

    # -- rows ------------------------------------------------------------------------------------------------------

    def values(self, x: Array) -> Array:
        if len(self.rows) == 1:
            return self.rows[0].values(x)
        return np.concatenate([r.values(x) for r in self.rows] or [np.zeros(0)])

    def excess(self, values: Array) -> float:
        """By how much rows are outside their limits, relative to these, at the most."""
        return float(np.maximum(self.lower - values, values - self.upper).max(initial=0.0))

    def violation(self, x: Array) -> float:
        return self.excess(self.values(x))

    @cached_property
    def jacobian_places(self) -> tuple[Numbers, Numbers]:
        first, rows, columns = 0, [np.zeros(0, int)], [np.zeros(0, int)]
        for r in self.rows:
            rows.append(first + np.nonzero(r.kept)[0])
            columns.append(r.block.unknowns[np.nonzero(r.used)[0]][r.kept])
            first += r.count
        return np.concatenate(rows), np.concatenate(columns)

    def jacobian(self, x: Array) -> Array:
        return np.concatenate([r.jacobian(x) for r in self.rows] or [np.zeros(0)])

    # -- second derivatives ----------------------------------------------------------------------------------------

    @cached_property
    def _hessian_map(self) -> tuple[Numbers, Numbers, Numbers]:
        """Where each element of the blocks' matrices goes: rows and columns of the whole one, and numbers in it."""
        keys = []
        for block in (*(r.block for r in self.rows if _curved(r)), *(c.block for c in self.costs)):
            i, j = np.tril_indices(block.unknowns.shape[1])
            a, b = block.unknowns[:, i], block.unknowns[:, j]
            keys.append((np.maximum(a, b) * self.size + np.minimum(a, b)).ravel())
        last = np.arange(self.size) + (self.size - 1) * self.size  # the row of T, for the costs
        unique, where = np.unique(np.concatenate([*keys, last]), return_inverse=True)
        return unique // self.size, unique % self.size, where

    @property
    def hessian_places(self) -> tuple[Numbers, Numbers]:
        return self._hessian_map[:2]

    def hessian(self, x: Array, multipliers: Array, factor: float) -> Array:
        """The lower triangle of factor * objective + multipliers . rows."""
        parts, first = [], 0
        for r in self.rows:
            weights = np.zeros(r.used.shape)
            weights[r.used] = multipliers[first : first + r.count] * r.factors
            first += r.count
            if _curved(r):
                parts.append(_lower(r.block.hessian(x, weights)))
        parts += [_lower(c.hessian(x, factor * x[-1])) for c in self.costs]
        row_of_T = factor * self._row_of_T(x)
        row_of_T[-1] *= 2.0
        rows, _, where = self._hessian_map
        return np.asarray(np.bincount(where, np.concatenate([*parts, row_of_T]), len(rows)), np.float64)

    def _row_of_T(self, x: Array) -> Array:
        """What T as a factor of the integrals adds to its row, and to its column, of their second derivatives."""
        row = np.zeros(self.size)
        for c in self.costs:
            slopes = c.weights[:, None] * c.jacobian(x)
            row += np.bincount(c.block.unknowns.ravel(), slopes.ravel(), self.size)
        return row

    def condensed(self, x: Array, multipliers: Array, weights: Array) -> Array:
        """The Hessian of the objective and multipliers . rows, and J^T weights J: the whole matrix."""
        return self.assembly(np.arange(self.size)).derivatives(x, multipliers, weights).matrix


def _curved(rows: Rows) -> bool:
    return isinstance(rows.block, Block)


def _lower(H: Array) -> Array:
    i, j = np.tril_indices(H.shape[1])
    return H.reshape(len(H), -1).take(i * H.shape[1] + j, axis=1).ravel()


def rows_of(block: Block, limits: Sequence[tuple[Array, Array]], scales: Sequence[float | None] = ()) -> Rows:
    """Rows with limits for each quantity of the block: arrays (size,) or (k, size); and their scales."""
    low, high, sizes = np.empty((3, block.count, block.rows))
    first = 0
    for (lower, upper), scale in zip(block.ordered(limits), block.ordered(scales or [None] * len(limits))):
        own = slice(first, first := first + np.shape(lower)[-1])
        low[:, own], high[:, own] = lower, upper
        sizes[:, own] = _size(lower, upper) if scale is None else scale
    return Rows(block, low, high, sizes)


def _size(lower: Array, upper: Array) -> Array:
    """The larger of two limits, of those that there are and are not zero; or 1."""
    larger = np.fmax(*(np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper)))
    return np.where(larger > 0.0, larger, 1.0)
