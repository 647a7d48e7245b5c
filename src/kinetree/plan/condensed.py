"""A problem as the interior-point method sees it: its free unknowns, rows with limits, and equations."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]


@dataclass
class Iterate:
    """Unknowns, slacks, multipliers, and what the problem is there."""

    x: Array
    s: Array
    zl: Array
    zu: Array
    y: Array
    f: float = 0.0
    g: Array = field(default_factory=lambda: np.zeros(0))
    c: Array = field(default_factory=lambda: np.zeros(0))


class View:
    """The problem in its free unknowns, with rows that have limits (bounds of unknowns among them) and equations."""

    def __init__(self, problem: Transcription, lower: Array, upper: Array) -> None:
        self.problem = problem
        self.free = np.flatnonzero(upper > lower)
        self.equations = np.flatnonzero(problem.lower == problem.upper)
        self.limited = np.flatnonzero(problem.lower < problem.upper)
        self.own = self.free[np.isfinite(lower[self.free]) | np.isfinite(upper[self.free])]
        self.l = np.r_[problem.lower[self.limited], lower[self.own]]
        self.u = np.r_[problem.upper[self.limited], upper[self.own]]
        self.has_l, self.has_u = np.isfinite(self.l), np.isfinite(self.u)
        place = np.full(problem.size, -1)
        place[self.free] = np.arange(len(self.free))
        number = np.empty(len(problem.lower), int)
        number[self.limited] = np.arange(len(self.limited))
        number[self.equations] = len(self.l) + np.arange(len(self.equations))
        rows, columns = problem.jacobian_places
        self.kept = place[columns] >= 0
        self.rows, self.columns = number[rows[self.kept]], place[columns[self.kept]]
        self.own_rows, self.own_columns = len(self.limited) + np.arange(len(self.own)), place[self.own]

    @property
    def sizes(self) -> tuple[int, int, int]:
        return len(self.free), len(self.l), len(self.equations)

    def below(self, s: Array) -> Array:
        return np.where(self.has_l, s - self.l, 1.0)

    def above(self, s: Array) -> Array:
        return np.where(self.has_u, self.u - s, 1.0)

    def values(self, x: Array) -> tuple[float, Array, Array]:
        rows = self.problem.values(x)
        equations = rows[self.equations] - self.problem.lower[self.equations]
        return self.problem.objective(x), np.r_[rows[self.limited], x[self.own]], equations

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """The gradient, and the elements of the Jacobian."""
        return self.problem.gradient(x)[self.free], self.problem.jacobian(x)[self.kept]

    def times(self, J: Array, dx: Array) -> Array:
        """J dx of the rows with limits."""
        _, m, k = self.sizes
        v = _summed(self.rows, J * dx[self.columns], m + k)[:m]
        v[self.own_rows] += dx[self.own_columns]
        return v

    def transposed(self, J: Array, z: Array, y: Array) -> Array:
        """J^T z + J_c^T y."""
        v = _summed(self.columns, J * np.r_[z, y][self.rows], len(self.free))
        v[self.own_columns] += z[self.own_rows]
        return v

    def matrix(self, at: Iterate, S: Array) -> Array:
        """H + J^T S J."""
        multipliers, weights = np.zeros((2, len(self.problem.lower)))
        multipliers[self.limited] = (at.zu - at.zl)[: len(self.limited)]
        multipliers[self.equations] = at.y
        weights[self.limited] = S[: len(self.limited)]
        K = self.problem.condensed(at.x, multipliers, weights)[np.ix_(self.free, self.free)]
        K[self.own_columns, self.own_columns] += S[self.own_rows]
        return K

    def equation_rows(self, J: Array) -> Array:
        n, m, k = self.sizes
        dense, own = np.zeros((k, n)), self.rows >= m
        dense[self.rows[own] - m, self.columns[own]] = J[own]
        return dense

    def gap(self, at: Iterate) -> float:
        """The sum of what is missing to all equations."""
        return float(np.abs(at.g - at.s).sum() + np.abs(at.c).sum())

    def violation(self, at: Iterate) -> float:
        """By how much limits and equations are broken at the most."""
        limits = np.maximum(self.l - at.g, at.g - self.u)
        return float(max(limits.max(initial=0.0), np.abs(at.c).max(initial=0.0)))

    def barrier(self, at: Iterate, mu: float) -> float:
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.log(self.below(at.s))[self.has_l].sum() + np.log(self.above(at.s))[self.has_u].sum()
        return float(at.f - mu * logs)


def _summed(places: NDArray[np.int64], values: Array, size: int) -> Array:
    """Values added up at their places; of floats where there are none, too."""
    return np.bincount(places, values, size).astype(float, copy=False)
