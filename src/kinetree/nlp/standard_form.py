"""A program as interior-point methods treat it: in its free variables, with two-sided inequalities and equalities,

    minimise f(x)    subject to    l <= g(x) <= u    and    c(x) = 0.

The rows of g are the constraints with a lower side below their upper one, and the variables that have bounds.
"""

from __future__ import annotations

import math

import numpy as np

from kinetree.nlp.problem import Jacobian, Linearisation, Problem
from kinetree.nlp.solution import Multipliers
from kinetree.runtime.arrays import Array, Indices

_NONE = np.zeros(0)


class StandardForm:
    """A program with its constraints sorted.

    Args:
        problem: the program.
        relaxed: whether equalities are rows of g too, with l = u; the matrix is a dense one then.
    """

    def __init__(self, problem: Problem, relaxed: bool = False) -> None:
        self.problem = problem
        variables, constraints = problem.bounds, problem.constraint_bounds
        equal = (constraints.lower == constraints.upper) & (not relaxed)
        self.equalities, self.inequalities = np.flatnonzero(equal), np.flatnonzero(~equal)
        self.free = free = variables.free
        self.bounded = free[np.isfinite(variables.lower[free]) | np.isfinite(variables.upper[free])]
        l = np.concatenate((constraints.lower[self.inequalities], variables.lower[self.bounded]))
        u = np.concatenate((constraints.upper[self.inequalities], variables.upper[self.bounded]))
        self.sides = Sides(l, u)
        self._targets = constraints.lower[self.equalities]
        self._m, self._count = len(equal), len(self.inequalities)
        self._bound_rows = slice(self._count, len(l))
        self._bound_columns = _as_slice(np.searchsorted(free, self.bounded))
        # equalities and shifts of relaxed programs need the dense matrix
        self.skyline = None if relaxed or len(self.equalities) else problem.skyline
        self._packed = None if self.skyline is problem.skyline else problem.skyline
        diagonal = np.arange(len(free)) * (len(free) + 1) if self.skyline is None else self.skyline.diagonal
        self._bound_diagonal = diagonal[self._bound_columns]

    def values(self, x: Array) -> tuple[float, Array, Array] | None:
        """f, g and c; None outside the domain of f."""
        f = self.problem.objective(x)
        if not math.isfinite(f):
            return None
        rows, bounded = self.problem.constraints(x), x[self.bounded]
        if not len(self.equalities):
            return f, np.concatenate((rows, bounded)), _NONE
        return f, np.concatenate((rows[self.inequalities], bounded)), rows[self.equalities] - self._targets

    def linearise(self, x: Array, z: Array, y: Array, S: Array) -> Linearisation:
        """With multipliers of g and c, and weights S of the squares of the rows of g: W + J^T S J is the matrix."""
        found = self.problem.linearise(x, self._of_constraints(z, y), self._of_constraints(S, 0.0))
        if self._packed is not None:
            found = found._replace(matrix=self._packed.unpacked(found.matrix))
        found.matrix.ravel()[self._bound_diagonal] += S[self._bound_rows]
        return found

    def _of_constraints(self, z: Array, y: Array | float) -> Array:
        """Numbers of the rows of g (..., rows) and of c as those of all constraints (..., m)."""
        if not len(self.equalities):
            return z[..., : self._count]
        wide = np.zeros((*z.shape[:-1], self._m))
        wide[..., self.inequalities], wide[..., self.equalities] = z[..., : self._count], y
        return wide

    def product(self, J: Jacobian, dx: Array) -> Array:
        """The change of g with x."""
        change = J.product(dx)
        change = change if not len(self.equalities) else change[self.inequalities]
        return np.concatenate((change, dx[self._bound_columns]))

    def transpose_product(self, J: Jacobian, z: Array) -> Array:
        """J_g^T z, for one z (rows,) or several (v, rows)."""
        found = J.transpose_product(self._of_constraints(z, 0.0))
        found[..., self._bound_columns] += z[..., self._bound_rows]
        return found

    def multipliers(self, z: Array, y: Array) -> Multipliers:
        """Of the problem, from those of the rows of g and of c."""
        constraints, variables = np.zeros(self._m), np.zeros(len(self.problem.bounds.lower))
        constraints[self.inequalities], constraints[self.equalities] = z[: self._count], y
        variables[self.bounded] = z[self._count :]
        return Multipliers(constraints, np.maximum(-variables, 0.0), np.maximum(variables, 0.0))

    def side_multipliers(self, multipliers: Multipliers) -> Array:
        """Of the sides of g, not negative, from those of the problem."""
        constraints, lower, upper = multipliers
        z = np.concatenate((constraints[self.inequalities], (upper - lower)[self.bounded]))
        return np.maximum(-self.sides.of_rows(z), 0.0) * self.sides.open


class Sides:
    """Both sides of rows l <= g <= u, all lower ones first: at distances d = (g - l, u - g).

    A side that is infinite takes no part: ``open`` is 0 there, else 1, and its distance is 1.
    """

    def __init__(self, l: Array, u: Array) -> None:
        self.l, self.u, self.rows = l, u, len(l)
        self.bound = np.concatenate((l, -u))
        finite = np.isfinite(self.bound)
        self.open = finite.astype(float)
        self.count = int(np.count_nonzero(finite))
        self._none = None if self.count == len(finite) else ~finite

    def of_rows(self, g: Array) -> Array:
        """The changes of the distances."""
        return np.concatenate((g, -g))

    def distances(self, g: Array) -> Array:
        """Of rows from their sides, negative outside."""
        d = self.of_rows(g) - self.bound
        if self._none is not None:
            d[self._none] = 1.0
        return d

    def violation(self, g: Array) -> float:
        return -float(np.minimum.reduce(self.distances(g), initial=0.0))

    def row_multipliers(self, z: Array) -> Array:
        """Those of upper sides less those of lower ones."""
        return z[self.rows :] - z[: self.rows]

    def row_sums(self, w: Array) -> Array:
        """For each row the sum over its sides."""
        return w[: self.rows] + w[self.rows :]


def _as_slice(indices: Indices) -> Indices | slice:
    """Consecutive indices as a slice, which is quicker."""
    first, last = (int(indices[0]), int(indices[-1]) + 1) if len(indices) else (0, 0)
    return slice(first, last) if last - first == len(indices) else indices
