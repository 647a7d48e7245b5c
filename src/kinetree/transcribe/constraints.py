"""Bounds on the rows of a block, and integrals of a block as costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.transcribe.basis import Array, Indices
from kinetree.transcribe.block import Block, CollocationBlock


@dataclass(frozen=True)
class BoundedBlock:
    """Bounds on the rows of a block, infinite where there is none, and the scales of violations: each (k, rows)."""

    block: Block
    lower: Array
    upper: Array
    scale: Array

    @staticmethod
    def of(
        block: CollocationBlock, bounds: Sequence[tuple[Array, Array]], scales: Sequence[float | None] = ()
    ) -> BoundedBlock:
        """With bounds (size,) or (k, size) and a scale of each quantity of the block, its bounds for None."""
        low, high, sizes = np.empty((3, len(block.s), block.rows))
        first = 0
        for (lower, upper), scale in zip(block.ordered(bounds), block.ordered(scales or [None] * len(bounds))):
            own = slice(first, first := first + np.shape(lower)[-1])
            low[:, own], high[:, own] = lower, upper
            sizes[:, own] = size_of_bounds(lower, upper) if scale is None else scale
        return BoundedBlock(block, low, high, sizes)

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """Which rows have a bound (k, rows)."""
        return np.isfinite(self.lower) | np.isfinite(self.upper)

    @cached_property
    def all_used(self) -> bool:
        return bool(self.used.all())

    @cached_property
    def count(self) -> int:
        return int(self.used.sum())

    @cached_property
    def _where(self) -> Indices:
        return np.flatnonzero(self.used)

    @cached_property
    def factors(self) -> Array:
        """1 / scale of the rows with a bound."""
        return 1.0 / self.scale[self.used]

    def tightened(self, margins: Array | float) -> BoundedBlock:
        """With bounds moved inwards by parts of their scales; equalities stay."""
        by = np.where(self.upper > self.lower, margins, 0.0) * self.scale
        middle = 0.5 * (np.maximum(self.lower, -1e300) + np.minimum(self.upper, 1e300))
        lower, upper = np.minimum(self.lower + by, middle), np.maximum(self.upper - by, middle)
        return BoundedBlock(self.block, lower, upper, self.scale)

    def without(self, some: NDArray[np.bool_]) -> BoundedBlock:
        """Without the bounds of some rows (k, rows)."""
        if not some.any():
            return self
        lower, upper = np.where(some, -np.inf, self.lower), np.where(some, np.inf, self.upper)
        return BoundedBlock(self.block, lower, upper, self.scale)

    def values(self, x: Array) -> Array:
        """Of the rows with a bound, over their scales."""
        values = self.block.values(x).ravel()
        return (values if self.all_used else values.take(self._where)) * self.factors

    def violation(self, x: Array) -> Array:
        """How far each row is outside its bounds, over its scale; negative inside (k, rows)."""
        values = self.block.values(x)
        return np.maximum(self.lower - values, values - self.upper) / self.scale

    def worst(self, x: Array) -> tuple[float, str]:
        """The largest violation, or the nearest to one, and what it is, in words."""
        violation = np.where(self.used, self.violation(x), -np.inf)
        k, j = np.unravel_index(int(np.argmax(violation)), violation.shape)
        value, low, high = self.block.values(x)[k, j], self.lower[k, j], self.upper[k, j]
        t = x[-1] * float(self.block.s[k])
        return float(violation[k, j]), described(self.block.names()[j], value, t, low, high)


def described(name: str, value: float, t: float, low: float, high: float) -> str:
    """A number that is bounded, with as many digits as it takes to see how it is outside."""
    allowed = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    beyond = max(low - value, value - high)
    digits = (
        min(16, max(6, 2 + math.ceil(math.log10(abs(value) / beyond)))) if 0.0 < beyond < abs(value) < math.inf else 6
    )
    return f"{name} is {value:.{digits}g} at {t:.4g} s, allowed: {allowed}"


@dataclass(frozen=True)
class Integral:
    """A cost: the integral over time of a block with one row, with quadrature weights of its points in s."""

    block: CollocationBlock
    weights: Array

    def values(self, x: Array) -> Array:
        """Of the integrand at the points (k,)."""
        return self.block.values(x)[:, 0]


def size_of_bounds(lower: Array, upper: Array) -> Array:
    """The larger of two bounds, of those that are finite and not zero; or 1."""
    larger = np.fmax(*(np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper)))
    return np.where(larger > 0.0, larger, 1.0)


def first_points(block: Block) -> Indices:
    """The first point of each knot interval: all points of one depend on the same variables."""
    first = block.variables[:, 0]
    return np.flatnonzero(np.concatenate(([True], first[1:] != first[:-1])))
