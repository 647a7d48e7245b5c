"""Methods of a robot as objects: the same for inspection, copies and pickles before and after their first call."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.catalogue import CATALOGUE, PARTICULAR
from kinetree.runtime import direct

Q = np.array([0.3, -0.4])


def used() -> kt.Robot:
    """A robot whose functions have been called."""
    robot = kt.robots.two_link()
    robot.mass_matrix(Q)
    robot.inverse_dynamics(Q, Q, Q)
    return robot


@pytest.mark.skipif(direct._table() is None, reason="this interpreter has another layout of objects")
def test_a_used_method_is_called_directly() -> None:
    robot = used()
    assert not inspect.ismethod(robot.mass_matrix)
    assert inspect.ismethod(kt.robots.two_link().mass_matrix)


@pytest.mark.parametrize("name", ["mass_matrix", "inverse_dynamics"])
def test_a_first_call_changes_nothing_that_can_be_asked(name: str) -> None:
    fresh, after = getattr(kt.robots.two_link(), name), getattr(used(), name)
    assert inspect.signature(fresh) == inspect.signature(after)
    assert str(inspect.signature(after)).startswith("(q: ")
    assert inspect.getdoc(fresh) == inspect.getdoc(after)
    assert fresh.__doc__ == after.__doc__
    assert (fresh.__name__, repr(fresh)) == (after.__name__, repr(after))
    assert fresh.__self__ == after.__self__
    assert inspect.isroutine(after)


def test_help_shows_signature_and_documentation() -> None:
    text = pydoc.render_doc(used().mass_matrix, renderer=pydoc.plaintext)
    assert "mass_matrix(q: " in text
    assert "symmetric and positive definite" in text


@pytest.mark.parametrize("robot", [kt.robots.two_link(), used()], ids=["fresh", "used"])
def test_methods_are_pickled_by_robot_and_name(robot: kt.Robot) -> None:
    M = kt.robots.two_link().mass_matrix(Q)
    for _ in range(2):
        other = pickle.loads(pickle.dumps(robot.mass_matrix))
        assert other.__self__ == robot
        np.testing.assert_array_equal(other(Q), M)
    robot.mass_matrix(Q)


@pytest.mark.parametrize("robot", [kt.robots.two_link(), used()], ids=["fresh", "used"])
def test_methods_are_copied(robot: kt.Robot) -> None:
    M = kt.robots.two_link().mass_matrix(Q)
    np.testing.assert_array_equal(copy.copy(robot.mass_matrix)(Q), M)
    np.testing.assert_array_equal(copy.deepcopy(robot.mass_matrix)(Q), M)
    holding: dict[str, Any] = copy.deepcopy({"robot": robot, "method": robot.mass_matrix})
    assert holding["method"].__self__ is holding["robot"]


def test_every_algorithm_is_a_documented_method() -> None:
    for name in {*CATALOGUE, *PARTICULAR} - {"forces_and_rates"}:
        method = inspect.getattr_static(kt.Robot, name)
        assert inspect.isfunction(method), name
        assert "Example:" in (inspect.getdoc(method) or ""), name
        assert "return" in method.__annotations__, name


def test_a_robot_is_one_class_over_a_mechanism() -> None:
    assert kt.Robot.__mro__[1].__name__ == "Mechanism"
