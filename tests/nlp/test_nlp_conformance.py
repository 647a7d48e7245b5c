"""Problems are what they say: right ones pass the checks, wrong ones are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conformance import failures
from numpy.typing import NDArray
from packed import Packed, chain

from kinetree.errors import InputError
from kinetree.nlp import Bounds, DenseProblem, Linearisation
from kinetree.nlp.dense import DenseJacobian

Array = NDArray[np.float64]
X = np.linspace(0.2, 0.7, 6)
FREE = Bounds(np.full(2, -np.inf), np.full(2, np.inf))
ONE = Bounds(np.zeros(1), np.ones(1))


def given(**changed: Any) -> dict[str, Any]:
    """What makes a problem of two variables and one constraint."""
    return {
        "bounds": FREE,
        "objective": lambda x: x[0] ** 2 * x[1],
        "gradient": lambda x: [2.0 * x[0] * x[1], x[0] ** 2],
        "hessian": lambda x, y, weight: weight * np.array([[2.0 * x[1], 2.0 * x[0]], [2.0 * x[0], 0.0]]),
        "constraints": lambda x: [x[0] + 3.0 * x[1]],
        "jacobian": lambda x: [[1.0, 3.0]],
        "constraint_bounds": ONE,
    } | changed


@pytest.mark.parametrize("equality", [False, True])
@pytest.mark.parametrize("as_given", [lambda p: p, Packed])
def test_right_problems_pass(as_given: Callable[[DenseProblem], DenseProblem], equality: bool) -> None:
    assert failures(as_given(chain(6, equality)), X) == []
    assert failures(DenseProblem(**given()), np.array([0.3, 2.0])) == []


@pytest.mark.parametrize(
    ("name", "wrong", "what"),
    [
        ("gradient", lambda x: [2.0 * x[0] * x[1], -(x[0] ** 2)], "the gradient is off"),
        ("jacobian", lambda x: [[1.0, 3.001]], "the Jacobian is off"),
        ("hessian", lambda x, y, weight: weight * np.array([[2.0 * x[1], 2.0 * x[0]], [2.0 * x[0], 1e-3]]), "Hessian"),
        ("hessian", lambda x, y, weight: weight * np.array([[2.0 * x[1], 2.0 * x[0]], [0.0, 0.0]]), "not symmetric"),
        ("hessian", lambda x, y, w: np.array([[2.0 * x[1], 2.0 * x[0]], [2.0 * x[0], 0.0]]), "objective_weight"),
    ],
)
def test_a_wrong_derivative_is_found(name: str, wrong: Callable[..., Any], what: str) -> None:
    found = failures(DenseProblem(**given(**{name: wrong})), np.array([0.3, 2.0]))
    assert any(what in sentence for sentence in found)


class Wrong(DenseJacobian):
    def transpose_product(self, y: Array) -> Array:
        return 1.01 * super().transpose_product(y)

    def values(self) -> Array:
        return self.matrix.ravel()[::-1]


class Careless(DenseProblem):
    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        found = super().linearise(x, y, 2.0 * sigma, objective_weight)
        return found._replace(jacobian=Wrong(found.jacobian.rows(np.arange(len(y)))))

    def jacobian_structure(self) -> tuple[Any, Any]:
        rows, columns = super().jacobian_structure()
        return rows + 1, columns


class Shapeless(DenseProblem):
    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        found = super().linearise(x, y, sigma, objective_weight)
        return found._replace(matrix=found.matrix.ravel())

    def constraint_name(self, row: int) -> Any:
        return row


def test_wrong_structure_and_products_are_found() -> None:
    problem = Careless(**given())
    with pytest.raises(IndexError):
        failures(problem, np.ones(2))
    problem.jacobian_structure = super(Careless, problem).jacobian_structure
    found = "; ".join(failures(problem, np.ones(2)))
    for what in ("J^T of a vector", "J^T of several vectors", "structure and values", "sigma does not add"):
        assert what in found


def test_a_wrong_shape_and_a_wrong_name_are_found() -> None:
    found = "; ".join(failures(Shapeless(**given(), exact_hessian=False), np.ones(2)))
    assert "shape (4,), not (2, 2)" in found
    assert "names that are not strings" in found


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"jacobian": None}, "all three or none"),
        ({"bounds": Bounds(np.zeros(2), np.zeros(3))}, "two arrays of one length"),
        ({"bounds": Bounds(np.array([0.0, 2.0]), np.array([1.0, 1.0]))}, "variable 1 has no value between its bounds"),
        ({"constraint_bounds": Bounds(np.array([np.nan]), np.ones(1))}, "constraint 0 has no value"),
        ({"constraint_bounds": Bounds(np.array([np.inf]), np.array([np.inf]))}, "constraint 0 has no value"),
        ({"names": ("one", "two")}, "1 constraints, got 2 names"),
    ],
)
def test_input_that_makes_no_problem_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DenseProblem(**given(**changed))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("objective", lambda x: x),
        ("constraints", lambda x: np.zeros(2)),
        ("gradient", lambda x: np.zeros(3)),
        ("jacobian", lambda x: np.zeros((2, 2))),
        ("hessian", lambda x, y, weight: np.zeros(2)),
    ],
)
def test_functions_of_the_wrong_shape_are_named(name: str, wrong: Callable[..., Any]) -> None:
    problem = DenseProblem(**given(**{name: wrong}))
    with pytest.raises(InputError, match=f"the function {name} gives an array of shape"):
        failures(problem, np.ones(2))
