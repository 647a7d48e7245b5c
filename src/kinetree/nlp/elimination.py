"""Variables that follow linearly from others: a program without them, and without the equalities that say so.

With the last rows of a program A_d x_d + A_s x_s = b, as many as there are dependent variables x_d, these are

    x_d = A_d^-1 b + C x_s,        C = -A_d^-1 A_s,

and gradients, Jacobians and matrices of the others get those of x_d through C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.nlp.problem import Bounds, Jacobian, Linearisation, Problem
from kinetree.nlp.solution import Multipliers
from kinetree.runtime.arrays import Array, Indices


@dataclass(frozen=True)
class Elimination:
    """x_d = constant + C x_s.

    Args:
        dependent, sources: indices among the variables, of which all are free (d,) and (s,).
        C: (d, s).
        constant: (d,).
        rows: how many equalities say so, the last of the program.
    """

    dependent: Indices
    sources: Indices
    C: Array
    constant: Array
    rows: int

    @staticmethod
    def of(A: Array, b: Array, variables: Indices, dependent: Indices) -> Elimination:
        """From rows A x = b of some variables, which may be listed more than once."""
        own, at = np.unique(variables, return_inverse=True)
        merged = np.zeros((len(A), len(own)))
        np.add.at(merged.T, at, A.T)
        is_dependent = np.isin(own, dependent)
        used = ~is_dependent & (np.abs(merged) > 0.0).any(axis=0)
        inverse = np.linalg.inv(merged[:, is_dependent])
        return Elimination(own[is_dependent], own[used], -inverse @ merged[:, used], inverse @ b, len(A))

    def completed(self, x: Array) -> Array:
        """All variables, with the dependent ones as the others say."""
        x = x.copy()
        x[self.dependent] = self.constant + self.C @ x[self.sources]
        return x


class Eliminated:
    """A program without its dependent variables; those of it keep their places, but are fixed.

    Args:
        problem: the program, whose last rows are the equalities, and whose matrix is dense.
        elimination: what follows from what.
    """

    skyline, exact_hessian = None, True

    def __init__(self, problem: Problem, elimination: Elimination) -> None:
        self._problem, self._how = problem, elimination
        self.count = len(problem.constraint_bounds.lower) - elimination.rows
        lower, upper = problem.bounds.lower.copy(), problem.bounds.upper.copy()
        lower[elimination.dependent] = upper[elimination.dependent] = 0.0
        self.bounds = Bounds(lower, upper)
        rows = problem.constraint_bounds
        self.constraint_bounds = Bounds(rows.lower[: self.count], rows.upper[: self.count])
        free = problem.bounds.free
        self._kept = np.searchsorted(free, self.bounds.free)
        self._d = np.searchsorted(free, elimination.dependent)
        self._s = np.searchsorted(self.bounds.free, elimination.sources)

    def completed(self, x: Array) -> Array:
        return self._how.completed(x)

    def objective(self, x: Array) -> float:
        return self._problem.objective(self.completed(x))

    def constraints(self, x: Array) -> Array:
        return self._problem.constraints(self.completed(x))[: self.count]

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        all_y, all_sigma = (np.append(v, np.zeros(self._how.rows)) for v in (y, sigma))
        gradient, J, K = self._problem.linearise(self.completed(x), all_y, all_sigma, objective_weight)
        kept, d, C = self._kept, self._d, self._how.C
        reduced, across = K[np.ix_(kept, kept)], K[np.ix_(kept, d)] @ C
        reduced[:, self._s] += across
        reduced[self._s] += across.T
        reduced[np.ix_(self._s, self._s)] += C.T @ K[np.ix_(d, d)] @ C
        return Linearisation(self.folded(gradient), _Folded(self, J), reduced)

    def folded(self, gradient: Array) -> Array:
        """Derivatives with respect to the free variables that are left, from those of all (..., n)."""
        found = gradient[..., self._kept]
        found[..., self._s] += gradient[..., self._d] @ self._how.C
        return found

    def spread(self, dx: Array) -> Array:
        """A change of all free variables, from that of those that are left."""
        found = np.zeros(len(self._kept) + len(self._d))
        found[self._kept], found[self._d] = dx, self._how.C @ dx[self._s]
        return found

    def all_multipliers(self, multipliers: Multipliers) -> Multipliers:
        """With those of the equalities, which are not known."""
        constraints, lower, upper = multipliers
        return Multipliers(np.append(constraints, np.zeros(self._how.rows)), lower, upper)

    def jacobian_structure(self) -> tuple[Indices, Indices]:
        rows, columns = np.indices((self.count, len(self._kept))).reshape(2, -1)
        return rows, columns

    def constraint_name(self, row: int) -> str:
        return self._problem.constraint_name(row)


@dataclass(frozen=True)
class _Folded:
    """The Jacobian of what is left."""

    of: Eliminated
    J: Jacobian

    def product(self, dx: Array) -> Array:
        return self.J.product(self.of.spread(dx))[: self.of.count]

    def transpose_product(self, y: Array) -> Array:
        rows = len(self.of._problem.constraint_bounds.lower) - self.of.count
        wide = np.concatenate((y, np.zeros((*y.shape[:-1], rows))), axis=-1)
        return self.of.folded(self.J.transpose_product(wide))

    def rows(self, which: Indices) -> Array:
        return self.of.folded(self.J.rows(which))

    def values(self) -> Array:
        return self.rows(np.arange(self.of.count)).ravel()
