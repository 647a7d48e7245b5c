"""A problem as the interior-point method sees it: free unknowns, rows with limits, equations, and systems to solve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kinetree.nlp.skyline import Skyline
from kinetree.plan.assembly import Derivatives, Slopes
from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]
Solve = Callable[[Array, Array], tuple[Array, Array]]
_GIVE = 1e-10  # of equations


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
    """The problem in its free unknowns, with rows that have limits (bounds of unknowns among them) and equations.

    Args:
        problem: the problem.
        lower, upper: bounds of its unknowns.
        packed: whether its matrix may be packed, see `Assembly`.
    """

    def __init__(self, problem: Transcription, lower: Array, upper: Array, packed: bool = False) -> None:
        self.problem = problem
        self.free = np.flatnonzero(upper > lower)
        self.equations = np.flatnonzero(problem.lower == problem.upper)
        self.limited = np.flatnonzero(problem.lower < problem.upper)
        self.own = self.free[np.isfinite(lower[self.free]) | np.isfinite(upper[self.free])]
        self.l = np.concatenate((problem.lower[self.limited], lower[self.own]))
        self.u = np.concatenate((problem.upper[self.limited], upper[self.own]))
        self.other_objective = type(problem).condensed is not Transcription.condensed
        packed = packed and not len(self.equations) and not self.other_objective
        self.assembly = problem.assembly(self.free, packed)
        self.pattern = self.assembly.pattern
        self.own_rows = slice(len(self.limited), len(self.l))
        self.own_columns = _range(np.searchsorted(self.free, self.own))
        self.own_diagonal = self.assembly.diagonal[self.own_columns]

    @property
    def sizes(self) -> tuple[int, int, int]:
        return len(self.free), len(self.l), len(self.equations)

    def values(self, x: Array) -> tuple[float, Array, Array]:
        """The objective, rows with limits, and what is missing to equations."""
        rows = self.problem.values(x)
        f, own = self.problem.objective(x), x[self.own]
        if not len(self.equations):
            return f, np.concatenate((rows, own)), self._none
        equations = rows[self.equations] - self.problem.lower[self.equations]
        return f, np.concatenate((rows[self.limited], own)), equations

    _none = np.zeros(0)

    def derivatives(self, x: Array, z: Array, y: Array, weights: Array) -> Derivatives:
        """At x, with multipliers of the rows with limits and of equations, and weights of the squares of the former."""
        multipliers, squares = self._of_rows(z, y), self._of_rows(weights, 0.0)
        if self.other_objective:
            K = self.problem.condensed(x, multipliers, squares)[np.ix_(self.free, self.free)]
            found = Derivatives(*self.slopes(x), K)
        else:
            found = self.assembly.derivatives(x, multipliers, squares)
        found.matrix.ravel()[self.own_diagonal] += weights[self.own_rows]
        return found

    def _of_rows(self, z: Array, y: Array | float) -> Array:
        """Numbers of rows with limits (..., m) and of equations as those of all rows."""
        if not len(self.equations):
            return z[..., : len(self.limited)]
        wide = np.zeros((*z.shape[:-1], len(self.problem.lower)))
        wide[..., self.limited], wide[..., self.equations] = z[..., : len(self.limited)], y
        return wide

    def slopes(self, x: Array) -> tuple[Array, Slopes]:
        """The gradient, and the slopes of the rows."""
        return self.problem.gradient(x)[self.free], self.assembly.slopes(x)

    def times(self, J: Slopes, dx: Array) -> Array:
        """J dx of the rows with limits."""
        change = J.times(dx)
        change = change if not len(self.equations) else change[self.limited]
        return np.concatenate((change, dx[self.own_columns]))

    def transposed(self, J: Slopes, z: Array, y: Array | float) -> Array:
        """J^T z + J_c^T y, for one z (m,) or more (v, m), these all with the same y."""
        v = J.transposed(self._of_rows(z, y))
        v[..., self.own_columns] += z[..., self.own_rows]
        return v

    def matrix(self, at: Iterate, S: Array) -> Array:
        """H + J^T S J."""
        return self.derivatives(at.x, at.zu - at.zl, at.y, S).matrix

    def equation_rows(self, J: Slopes) -> Array:
        return J.some(self.equations)

    def multipliers(self, z: Array, y: Array) -> tuple[Array, Array, Array]:
        """Of all rows, of lower and of upper bounds, as the start of another solution wants them."""
        of_rows, of_bounds, count = np.zeros(len(self.problem.lower)), np.zeros(self.problem.size), len(self.limited)
        of_rows[self.limited], of_rows[self.equations] = z[:count], y
        of_bounds[self.own] = z[count:]
        return of_rows, np.maximum(-of_bounds, 0.0), np.maximum(of_bounds, 0.0)


class Sides:
    """The limits of the rows of a view, lower ones first, as distances from them."""

    def __init__(self, view: View) -> None:
        low, high = np.flatnonzero(np.isfinite(view.l)), np.flatnonzero(np.isfinite(view.u))
        self.rows, self.count = len(view.l), len(low) + len(high)
        self.both = len(low) == len(high) == self.rows
        self.row = np.concatenate((low, high))
        self.sign = np.repeat((1.0, -1.0), (len(low), len(high)))
        self.bound = np.concatenate((view.l[low], -view.u[high]))
        self.width = (view.u - view.l)[self.row]

    def changes(self, ds: Array) -> Array:
        """How distances change with rows."""
        return np.concatenate((ds, -ds)) if self.both else self.sign * ds[self.row]

    def distances(self, s: Array) -> Array:
        return self.changes(s) - self.bound

    def broken(self, s: Array) -> float:
        """By how much limits are broken at the most."""
        return -float(np.minimum.reduce(self.distances(s), initial=0.0))

    def pulled(self, z: Array) -> Array:
        """Multipliers of the sides as those of the rows: upper ones count, lower ones are subtracted."""
        return z[self.rows :] - z[: self.rows] if self.both else _summed(self.row, -self.sign * z, self.rows)

    def summed(self, w: Array) -> Array:
        """For each row the sum over its sides."""
        return w[: self.rows] + w[self.rows :] if self.both else _summed(self.row, w, self.rows)


def positive(K: Array, rows: Array, before: float, pattern: Skyline | None = None) -> tuple[Solve, float] | None:
    """The solution of K dx + rows^T y = r, rows dx = c, with K made positive definite where rows dx = 0.

    ``before`` is the last multiple of the identity that it took; gives the solution and the last one now.
    """
    k, shift = len(rows), 0.0  # with a pattern there are no rows, and K is packed
    held = 10.0 * float(np.abs(np.diag(K)).mean()) * (rows.T @ rows) if k else None
    while True:
        if pattern is not None:
            solve = _alone(pattern.factored(K, shift))
        else:
            solve = _factored(K + shift * np.eye(len(K)) if shift else K, rows, held)
        if solve is not None:
            return solve, shift or before
        if not np.isfinite(K).all():
            return None
        first = max(1e-10, before / 3.0) if before else 1e-4
        shift = first if not shift else shift * (8.0 if before else 100.0)
        if not shift < 1e30:
            return None


def _factored(K: Array, rows: Array, held: Array | None) -> Solve | None:
    """The solution with LAPACK; None where K, with ``held``, is not positive definite."""
    try:
        np.linalg.cholesky(K if held is None else K + held)
    except np.linalg.LinAlgError:
        return None
    if held is None:
        return _alone(lambda r: np.asarray(np.linalg.solve(K, r), np.float64))
    n, k = len(K), len(rows)
    # a little give keeps equations that say the same twice from making it singular
    whole = np.block([[K, rows.T], [rows, -_GIVE * np.eye(k)]])

    def solve(r: Array, c: Array) -> tuple[Array, Array]:
        found = np.asarray(np.linalg.solve(whole, np.concatenate((r, c))), np.float64)
        return found[:n], found[n:]

    return solve


def _alone(solve: Callable[[Array], Array] | None) -> Solve | None:
    """Without equations."""
    return None if solve is None else lambda r, c: (solve(r), c)


def _range(numbers: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """Numbers one after the other as a slice, which is quicker."""
    first, last = (int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else (0, 0)
    return slice(first, last) if last - first == len(numbers) else numbers


def _summed(places: NDArray[np.int64], values: Array, size: int) -> Array:
    """Values added up at their places; of floats where there are none, too."""
    return np.bincount(places, values, size).astype(float, copy=False)
