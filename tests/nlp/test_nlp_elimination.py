"""Programs without variables that follow from others: the same solutions, and derivatives through what follows."""

from __future__ import annotations

import numpy as np
import pytest

from kinetree.nlp import Bounds, DenseProblem
from kinetree.nlp.elastic import Elastic
from kinetree.nlp.elimination import Eliminated, Elimination
from kinetree.nlp.solution import Start
from kinetree.runtime.blas import Cholesky

ROUNDING = 1e-12
A = np.array([[1.0, 2.0, -1.0, 0.0], [0.0, 1.0, 1.0, 3.0]])  # equalities on x1 .. x4, of which the last two follow
B = np.array([0.5, -1.0])


def constraints(x):
    return np.concatenate(([x[0] * x[1] + x[4] ** 2], A @ x[1:]))


def jacobian(x):
    first = np.array([[x[1], x[0], 0.0, 0.0, 2.0 * x[4]]])
    return np.concatenate((first, np.column_stack((np.zeros(2), A))))


def hessian(x, y, weight):
    H = 2.0 * weight * np.eye(5)
    H[0, 1] = H[1, 0] = y[0]
    H[4, 4] += 2.0 * y[0]
    return H


def program() -> DenseProblem:
    free = Bounds(np.full(5, -np.inf), np.full(5, np.inf))
    rows = Bounds(np.array([-np.inf, *B]), np.array([1.0, *B]))
    aim = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
    return DenseProblem(free, lambda x: float(((x - aim) ** 2).sum()), lambda x: 2.0 * (x - aim), hessian,
                        constraints=constraints, jacobian=jacobian, constraint_bounds=rows)  # fmt: skip


@pytest.fixture
def smaller() -> Eliminated:
    return Eliminated(program(), Elimination.of(A, B, np.arange(1, 5), np.array([3, 4])))


def test_variables_that_follow_satisfy_the_equalities(smaller):
    x = smaller.completed(np.random.default_rng(1).normal(size=5))
    assert A @ x[1:] == pytest.approx(B, abs=ROUNDING)
    assert smaller.bounds.free.tolist() == [0, 1, 2]


def test_derivatives_go_through_what_follows(smaller):
    random = np.random.default_rng(2)
    x, y, sigma, dx = random.normal(size=5), random.normal(size=1), random.uniform(size=1), random.normal(size=3)
    N = np.column_stack([smaller.spread(column) for column in np.eye(3)])
    whole = program().linearise(smaller.completed(x), np.append(y, [0, 0]), np.append(sigma, [0, 0]))
    found = smaller.linearise(x, y, sigma)
    assert found.gradient == pytest.approx(whole.gradient @ N, abs=ROUNDING)
    assert found.matrix == pytest.approx(N.T @ whole.matrix @ N, abs=ROUNDING)
    assert found.jacobian.product(dx) == pytest.approx(whole.jacobian.product(N @ dx)[:1], abs=ROUNDING)
    assert found.jacobian.transpose_product(y) == pytest.approx(jacobian(smaller.completed(x))[:1].T @ y @ N, abs=1e-10)


def test_the_solution_is_that_of_the_whole_program(smaller):
    start = Start(np.zeros(5))
    whole, found = (Elastic(1e-10).solve(p, start) for p in (program(), smaller))
    assert found.termination.solved
    assert smaller.completed(found.x) == pytest.approx(whole.x, abs=1e-4)


def test_steps_may_be_corrected(smaller):
    found = Elastic(1e-10, corrects=True, weight=100.0).solve(smaller, Start(np.zeros(5)))
    assert found.termination.solved
    assert found.objective == pytest.approx(Elastic(1e-10).solve(program(), Start(np.zeros(5))).objective, rel=1e-4)


def test_a_factorisation_solves_like_numpy_and_refuses_what_is_not_positive_definite():
    random = np.random.default_rng(3)
    root = random.normal(size=(40, 40))
    K, b = root @ root.T + np.eye(40), random.normal(size=40)
    factor = Cholesky.of(K)
    assert factor is not None
    assert factor.solve(b) == pytest.approx(np.linalg.solve(K, b), rel=1e-9)
    assert Cholesky(K, factorised=False).solve(b) == pytest.approx(factor.solve(b), rel=1e-9)
    assert Cholesky.of(K - 1e3 * np.eye(40)) is None
