"""A nonlinear program, as the solvers of this package ask for it.

    minimise f(x)    subject to    lower <= x <= upper    and    lower <= c(x) <= upper

Equal sides of a bound fix a variable, those of a constraint make it an equality; infinite sides are none. Values take
all variables. Derivatives are those with respect to the free variables only, those that are not fixed, in their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from kinetree.nlp.skyline import Skyline
from kinetree.runtime.arrays import Array, Indices


@dataclass(frozen=True)
class Bounds:
    """Lower and upper sides, infinite where there is none."""

    lower: Array
    upper: Array

    @cached_property
    def free(self) -> Indices:
        """Where the sides differ."""
        return np.flatnonzero(self.upper > self.lower)

    def violation(self, values: Array) -> float:
        """How far values are outside at the most.

        Example:
            >>> Bounds(np.array([0.0, -np.inf]), np.array([1.0, 2.0])).violation(np.array([-0.5, 1.0]))
            0.5
        """
        return float(np.maximum(self.lower - values, values - self.upper).max(initial=0.0))


class Jacobian(Protocol):
    """The derivatives J (m, n) of the constraints with respect to the free variables, dense or block by block."""

    def product(self, dx: Array) -> Array:
        """J dx."""
        ...

    def transpose_product(self, y: Array) -> Array:
        """J^T of a vector (m,), or of several (v, m)."""
        ...

    def rows(self, which: Indices) -> Array:
        """Some rows, their indices rising, as a dense matrix."""
        ...

    def values(self) -> Array:
        """The entries in the order of `Problem.jacobian_structure`."""
        ...


class Linearisation(NamedTuple):
    """The derivatives of a program at a point."""

    gradient: Array  # of the objective (n,)
    jacobian: Jacobian  # of the constraints
    matrix: Array  # W + J^T diag(sigma) J: dense (n, n), or packed as `Problem.skyline` says; the solver may change it


class Problem(Protocol):
    """What a nonlinear program knows of itself."""

    @property
    def bounds(self) -> Bounds:
        """Of the variables."""
        ...

    @property
    def constraint_bounds(self) -> Bounds:
        """Of the constraints, which are scaled so that a violation of 1 is a large one."""
        ...

    @property
    def exact_hessian(self) -> bool:
        """Whether W is the Hessian of the Lagrangian itself, not a quasi-Newton or Gauss-Newton approximation."""
        ...

    @property
    def skyline(self) -> Skyline | None:
        """The pattern in which `linearise` packs its matrix; None where it is dense."""
        ...

    def objective(self, x: Array) -> float:
        """f(x); not finite outside its domain."""
        ...

    def constraints(self, x: Array) -> Array:
        """c(x) (m,)."""
        ...

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        """All derivatives at x, where W is the Hessian of objective_weight f + y . c."""
        ...

    def jacobian_structure(self) -> tuple[Indices, Indices]:
        """Rows and columns (among the free variables) of the entries of the Jacobian that may differ from zero."""
        ...

    def constraint_name(self, row: int) -> str:
        """For messages."""
        ...


def violation(problem: Problem, x: Array) -> float:
    """How far constraints are outside their bounds at the most."""
    return problem.constraint_bounds.violation(problem.constraints(x))
