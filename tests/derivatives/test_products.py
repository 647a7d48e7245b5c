"""Derivatives as products equal the matrices, on every algorithm, and have products of their own."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.compile import product
from kinetree.derivatives.products import Pullback, Pushforward
from kinetree.runtime.function import Function


def arm() -> kt.Robot:
    """Two joints, with a mass and a length that stay open."""
    mass, length = kt.parameter("mass", 1.5), kt.parameter("length", 0.7)
    rows = [kt.DH(a=length, mass=mass, com=(-0.3, 0.1, 0.0)), kt.DH(a=0.5, alpha=0.4, mass=2.0, com=(-0.2, 0, 0.1))]
    return kt.Robot.from_dh(rows)


def arguments(function: Function, batch: tuple[int, ...] = (5,), seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [1.0 + 0.3 * rng.normal(size=(*batch, *o.shape)) for o in function.operands]


def called(function: Function, x: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """A product takes directions or weights after the function's own arguments, and then the named parameters."""
    own = len(x) - 2
    return results(function(*x[:own], *given, *x[own:]))


def results(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


def inner(xs: Any, ys: Any, batch: int = 1) -> Any:
    """The sum of products of all numbers of each state."""
    return sum(np.reshape(x * y, (*x.shape[:batch], -1)).sum(axis=-1) for x, y in zip(xs, ys))


@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "forces_and_rates", "kinetic_energy"]
)
def test_along_a_direction_it_is_the_difference_quotient(name: str) -> None:
    function = arm().function(name)
    x, v, h = arguments(function), arguments(function, seed=1), 1e-6
    ahead, behind = (results(function(*(a + s * d for a, d in zip(x, v)))) for s in (h, -h))
    along = called(product(function, Pushforward), x, v)
    for found, plus, minus in zip(along, ahead, behind, strict=True):
        np.testing.assert_allclose(found, (plus - minus) / (2 * h), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics_derivatives", "potential_energy"])
def test_both_products_are_of_one_matrix(name: str) -> None:
    function = arm().function(name)
    x, v = arguments(function), arguments(function, seed=1)
    along = called(product(function, Pushforward), x, v)
    w = [np.random.default_rng(2).normal(size=y.shape) for y in along]
    against = called(product(function, Pullback), x, w)
    np.testing.assert_allclose(inner(w, along), inner(against, v), rtol=1e-11)


def test_with_respect_to_some_arguments() -> None:
    robot = arm()
    function = robot.function("inverse_dynamics")
    x, v = arguments(function), arguments(function, seed=1)
    dtau_dq, _, M = robot.inverse_dynamics_derivatives(*x[:3], length=x[3], mass=x[4])
    (found,) = called(product(function, Pushforward, wrt=(0, 2)), x, [v[0], v[2]])
    np.testing.assert_allclose(found, np.matvec(dtau_dq, v[0]) + np.matvec(M, v[2]), rtol=1e-11)
    by_length = robot.parameter_derivatives("inverse_dynamics", *x[:3], wrt="length", length=x[3], mass=x[4])
    (found,) = called(product(function, Pushforward, wrt=(3,)), x, [np.ones(5)])
    np.testing.assert_allclose(found, by_length[..., 0], rtol=1e-11)


def test_products_have_products() -> None:
    """The second derivative along two directions does not depend on their order, nor on the mode."""
    function = arm().function("potential_energy")
    once = product(function, Pushforward, wrt=(0,))
    twice = product(once, Pushforward, wrt=(0,))
    x, (u, v) = arguments(function), np.random.default_rng(3).normal(size=(2, 5, 2))
    (one,), (other,) = called(twice, x, [u, v]), called(twice, x, [v, u])
    np.testing.assert_allclose(one, other, rtol=1e-11)
    gradient = product(product(function, Pullback, wrt=(0,)), Pushforward, wrt=(0,))
    (column,) = called(gradient, x, [np.ones(5), u])
    np.testing.assert_allclose(np.vecdot(column, v), one, rtol=1e-11)


def test_functions_without_a_robot_and_pickles() -> None:
    function = kt.compile(lambda x, y: (x[0] * y, [x[1], y * y]), signature="x(2), y() -> a(), b(2)")
    found = product(function, Pushforward)(np.array([2.0, 3.0]), 4.0, np.array([1.0, 10.0]), 0.5)
    np.testing.assert_array_equal(np.hstack(found), [5.0, 10.0, 4.0])
    made = product(arm().function("mass_matrix"), Pullback)
    x = arguments(made)
    for a, b in zip(made(*x), pickle.loads(pickle.dumps(made))(*x), strict=True):
        np.testing.assert_array_equal(a, b)
