"""Checks of a `Problem`: that its derivatives, structure and bounds are what they say.

Example:
    >>> from kinetree.nlp import Bounds, DenseProblem
    >>> problem = DenseProblem(
    ...     Bounds(np.full(1, -np.inf), np.full(1, np.inf)),
    ...     objective=lambda x: x[0] ** 4,
    ...     gradient=lambda x: 3.0 * x**3,
    ...     hessian=lambda x, y, weight: [[12.0 * weight * x[0] ** 2]],
    ... )
    >>> for failure in failures(problem, np.array([1.0])):
    ...     print(failure)
    the gradient is off by 0.25 of its size: 3 for free variable 0, and 4 by differences
    the Hessian is off by 0.333 of its size: 12 for free variables 0 and 0, and 9 by differences
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.nlp.problem import Indices, Linearisation, Problem

Array = NDArray[np.float64]
_STEP = 1e-6  # of central differences, relative to variables above 1
_ROUNDING = 1e-10  # relative


def failures(problem: Problem, x: Array, *, tolerance: float = 1e-6, seed: int = 0) -> list[str]:
    """What is wrong at a point inside the domain, in sentences; none where all is right.

    Args:
        problem: the problem.
        x: all variables; fixed ones are set to their bounds.
        tolerance: of derivatives against central differences, relative to the largest one.
        seed: of the random multipliers and directions.
    """
    free = problem.bounds.free
    x = np.clip(np.asarray(x, np.float64), problem.bounds.lower, problem.bounds.upper)
    m, rng = len(problem.constraint_bounds.lower), np.random.default_rng(seed)
    y, sigma = rng.normal(size=m), rng.random(m)
    return [
        *_facts(problem, m),
        *_derivatives(problem, x, free, y, tolerance),
        *_products(problem, problem.linearise(x, y, 0.0 * sigma), m, rng),
        *_matrices(problem, x, y, sigma),
    ]


def _facts(problem: Problem, m: int) -> Iterator[str]:
    """Of bounds, structure and names."""
    for bounds, what in ((problem.bounds, "variables"), (problem.constraint_bounds, "constraints")):
        if bounds.lower.shape != bounds.upper.shape or not (bounds.lower <= bounds.upper).all():
            yield f"bounds of {what} have lower sides above upper ones, or not as many"
    rows, columns = problem.jacobian_structure()
    n = len(problem.bounds.free)
    if len(rows) != len(columns) or len({*zip(rows.tolist(), columns.tolist())}) != len(rows):
        yield "the structure of the Jacobian names an element twice, or not as many rows as columns"
    if len(rows) and not (0 <= rows.min() <= rows.max() < m and 0 <= columns.min() <= columns.max() < n):
        yield f"the structure of the Jacobian has elements outside of {m} constraints and {n} free variables"
    if not all(isinstance(problem.constraint_name(row), str) for row in range(m)):
        yield "constraints have names that are not strings"


def _derivatives(problem: Problem, x: Array, free: Indices, y: Array, tolerance: float) -> Iterator[str]:
    """Against central differences of values, and of first derivatives."""
    none = np.zeros(len(y))

    def lagrangian_gradient(x: Array) -> Array:
        found = problem.linearise(x, y, none)
        return found.gradient + found.jacobian.transpose_product(y)

    here = problem.linearise(x, y, none)
    compared = [
        ("gradient", "free variable", here.gradient, lambda x: np.asarray(problem.objective(x))),
        ("Jacobian", "constraint and free variable", here.jacobian.rows(np.arange(len(y))), problem.constraints),
    ]
    if problem.exact_hessian:
        compared.append(("Hessian", "free variables", dense(problem, here), lagrangian_gradient))
    for what, of, given, function in compared:
        expected = _differences(function, x, free)
        if given.shape != expected.shape:
            yield f"the {what} has shape {given.shape}, not {expected.shape}"
        elif expected.size:
            error = np.abs(given - expected)
            worst, size = np.unravel_index(error.argmax(), error.shape), float(np.abs(expected).max())
            if not error[worst] <= tolerance * max(1.0, size):
                at, found = " and ".join(map(str, worst)), float(given[worst])
                off = f"the {what} is off by {error[worst] / max(1.0, size):.3g} of its size"
                yield f"{off}: {found:.6g} for {of} {at}, and {expected[worst]:.6g} by differences"


def _differences(function: Callable[[Array], Any], x: Array, free: Indices) -> Array:
    """Derivatives (..., n) with respect to the free variables."""
    columns: list[Array] = []
    for k in free:
        step = np.zeros(len(x))
        step[k] = _STEP * max(1.0, abs(x[k]))
        columns.append((np.asarray(function(x + step)) - np.asarray(function(x - step))) / (2.0 * step[k]))
    return np.stack(columns, -1) if columns else np.zeros((*np.shape(function(x)), 0))


def _products(problem: Problem, found: Linearisation, m: int, rng: np.random.Generator) -> Iterator[str]:
    """The Jacobian in all its forms against its dense one."""
    n, J = len(problem.bounds.free), found.jacobian.rows(np.arange(m))
    dx, y = rng.normal(size=n), rng.normal(size=(2, m))
    scattered = np.zeros((m, n))
    scattered[problem.jacobian_structure()] = found.jacobian.values()
    some = np.arange(0, m, 2)
    for what, given, expected in (
        ("J dx", found.jacobian.product(dx), J @ dx),
        ("J^T of a vector", found.jacobian.transpose_product(y[0]), y[0] @ J),
        ("J^T of several vectors", found.jacobian.transpose_product(y), y @ J),
        ("some rows of J", found.jacobian.rows(some), J[some]),
        ("J from its structure and values", scattered, J),
    ):
        if not _same(given, expected):
            yield f"{what} differs from that of the rows of the Jacobian"


def _matrices(problem: Problem, x: Array, y: Array, sigma: Array) -> Iterator[str]:
    """Shape and symmetry of the matrix, and what it is made of."""
    n, none = len(problem.bounds.free), np.zeros(len(y))
    plain = problem.linearise(x, y, none)
    shape = (n, n) if problem.skyline is None else (problem.skyline.size,)
    if plain.matrix.shape != shape:
        yield f"the matrix has shape {plain.matrix.shape}, not {shape}"
        return
    W, J = dense(problem, plain), plain.jacobian.rows(np.arange(len(y)))
    if not _same(W, W.T):
        yield "the matrix is not symmetric"
    if not problem.exact_hessian:
        return
    if not _same(dense(problem, problem.linearise(x, y, sigma)), W + (J.T * sigma) @ J):
        yield "sigma does not add J^T diag(sigma) J to the matrix"
    weighted = ((none, 1.0), (y, 0.0), (y, 3.0))
    of_f, of_c, of_both = (dense(problem, problem.linearise(x, v, none, weight)) for v, weight in weighted)
    if not _same(of_both, 3.0 * of_f + of_c):
        yield "the matrix is not that of objective_weight f + y . c"


def dense(problem: Problem, found: Linearisation) -> Array:
    """The matrix of a linearisation as a dense one."""
    return found.matrix if problem.skyline is None else problem.skyline.unpacked(found.matrix)


def _same(a: Array, b: Array) -> bool:
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    return a.shape == b.shape and float(np.abs(a - b).max(initial=0.0)) <= _ROUNDING * scale
