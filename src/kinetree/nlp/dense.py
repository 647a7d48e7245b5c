"""A nonlinear program from plain functions, with dense derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.nlp.problem import Bounds, Indices, Linearisation
from kinetree.runtime.arrays import Array


class DenseProblem:
    """A `Problem` from functions of all variables x (n,); each gives numbers of fixed shape.

    Args:
        bounds: of the variables.
        objective: f(x); not finite outside its domain.
        gradient: of the objective (n,).
        hessian: of weight f + y . c, a function of x, y (m,) and weight (n, n).
        constraints: c(x) (m,).
        jacobian: of the constraints (m, n).
        constraint_bounds: of the constraints; best scaled so that a violation of 1 is a large one.
        names: of the constraints, for messages.
        exact_hessian: whether the Hessian is exact, not an approximation.

    Example:
        The largest product of two numbers whose squares add up to at most 2.

        >>> from kinetree.nlp import Interior, Start
        >>> problem = DenseProblem(
        ...     Bounds(np.zeros(2), np.full(2, np.inf)),
        ...     objective=lambda x: -x[0] * x[1],
        ...     gradient=lambda x: -x[::-1],
        ...     hessian=lambda x, y, weight: 2.0 * y[0] * np.eye(2) - weight * np.eye(2)[::-1],
        ...     constraints=lambda x: [x @ x],
        ...     jacobian=lambda x: [2.0 * x],
        ...     constraint_bounds=Bounds(np.array([-np.inf]), np.array([2.0])),
        ... )
        >>> Interior().solve(problem, Start(np.array([0.1, 2.0]))).x.round(6)
        array([1., 1.])
    """

    skyline = None

    def __init__(
        self,
        bounds: Bounds,
        objective: Callable[[Array], Any],
        gradient: Callable[[Array], Any],
        hessian: Callable[[Array, Array, float], Any],
        *,
        constraints: Callable[[Array], Any] | None = None,
        jacobian: Callable[[Array], Any] | None = None,
        constraint_bounds: Bounds | None = None,
        names: Sequence[str] = (),
        exact_hessian: bool = True,
    ) -> None:
        if len({constraints is None, jacobian is None, constraint_bounds is None}) > 1:
            raise InputError("constraints come with their jacobian and their constraint_bounds: give all three or none")
        self.bounds = _checked(bounds, "variable")
        self.constraint_bounds = _checked(constraint_bounds or Bounds(np.zeros(0), np.zeros(0)), "constraint")
        self.exact_hessian = exact_hessian
        n, m = len(self.bounds.lower), len(self.constraint_bounds.lower)
        if names and len(names) != m:
            raise InputError(f"there are {m} constraints, got {len(names)} names")
        self._names, self._n, self._m = tuple(names), n, m
        self._objective, self._gradient, self._hessian = objective, gradient, hessian
        self._constraints = constraints or (lambda x: np.zeros(0))
        self._jacobian = jacobian or (lambda x: np.zeros((0, n)))

    def objective(self, x: Array) -> float:
        return float(_shaped(self._objective(x), (), "objective"))

    def constraints(self, x: Array) -> Array:
        return _shaped(self._constraints(x), (self._m,), "constraints")

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        free = self.bounds.free
        gradient = _shaped(self._gradient(x), (self._n,), "gradient")[free]
        J = _shaped(self._jacobian(x), (self._m, self._n), "jacobian")[:, free]
        W = _shaped(self._hessian(x, y, objective_weight), (self._n, self._n), "hessian")[np.ix_(free, free)]
        return Linearisation(gradient, DenseJacobian(J), W + (J.T * sigma) @ J)

    def jacobian_structure(self) -> tuple[Indices, Indices]:
        rows, columns = np.indices((self._m, len(self.bounds.free)))
        return rows.ravel(), columns.ravel()

    def constraint_name(self, row: int) -> str:
        return self._names[row] if self._names else f"constraint {row}"


class DenseJacobian:
    """A `Jacobian` that is one matrix (m, n).

    Example:
        >>> J = DenseJacobian(np.array([[1.0, 2.0], [0.0, 3.0]]))
        >>> J.product(np.ones(2)), J.transpose_product(np.ones(2))
        (array([3., 3.]), array([1., 5.]))
    """

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix

    def product(self, dx: Array) -> Array:
        return self.matrix @ dx

    def transpose_product(self, y: Array) -> Array:
        return y @ self.matrix

    def rows(self, which: Indices) -> Array:
        return self.matrix[which]

    def values(self) -> Array:
        return self.matrix.ravel()


def _shaped(values: Any, shape: tuple[int, ...], what: str) -> Array:
    found = np.asarray(values, np.float64)
    if found.shape != shape:
        raise InputError(f"the function {what} gives an array of shape {shape}, got {found.shape}")
    return found


def _checked(bounds: Bounds, what: str) -> Bounds:
    lower, upper = np.asarray(bounds.lower, np.float64), np.asarray(bounds.upper, np.float64)
    if lower.ndim != 1 or lower.shape != upper.shape:
        raise InputError(f"bounds of {what}s are two arrays of one length, got shapes {lower.shape} and {upper.shape}")
    wrong = ~((lower <= upper) & (lower < np.inf) & (upper > -np.inf))
    if wrong.any():
        k = int(wrong.argmax())
        raise InputError(f"{what} {k} has no value between its bounds, from {lower[k]} to {upper[k]}")
    return Bounds(lower, upper)
