"""The listings of a robot's equations compute what the robot computes."""

from __future__ import annotations

import importlib
import math
import re
import sys
from typing import Any

import numpy as np
import pytest
from strategies import arguments, relative_error, states

import kinetree as kt
from kinetree.catalogue import Variant

SAME = 1e-12  # another order of the same sums, of numbers near one
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "sign": lambda x: (x > 0) - (x < 0)}


def inputs_of(robot: kt.Robot, name: str) -> dict[str, Any]:
    """The inputs under the names of the listings."""
    arrays = [x[0] for x in arguments(name, states(robot, 1, seed=3))]
    labels = [o.name for o in Variant(name).signature(robot).operands]
    return {f"{label}{k}": float(x) for label, array in zip(labels, arrays) for k, x in enumerate(array, 1)}


def on_floats(robot: kt.Robot, name: str) -> np.ndarray:
    args = [x[0].tolist() for x in arguments(name, states(robot, 1, seed=3))]
    return np.ravel(np.array(Variant(name)(robot, *args), float))


CASES = [
    *((robot, "inverse_dynamics") for robot in ("two_link", "stanford", "puma560", "quadruped", "delta")),
    *(("stanford", name) for name in ("mass_matrix", "bias_forces", "forward_dynamics", "potential_energy")),
]


@pytest.mark.parametrize(("robot", "name"), CASES)
def test_the_text_computes_what_the_robot_computes(robot, name):
    robot = getattr(kt.robots, robot)()
    listing = robot.equations(name)
    values = FUNCTIONS | inputs_of(robot, name)
    exec(str(listing), values)  # the text of a listing is a program
    assert relative_error([values[label] for label in listing.results], on_floats(robot, name)) < SAME


@pytest.mark.parametrize("robot", ["stanford", "puma560"])
def test_each_name_is_given_once_and_before_it_is_used(robot):
    listing = getattr(kt.robots, robot)().equations()
    known = {*FUNCTIONS, *inputs_of(getattr(kt.robots, robot)(), "inverse_dynamics")}
    for line in str(listing).splitlines():
        if not line.startswith("#"):
            name, formula = line.split(" = ")
            assert {*re.findall(r"[A-Za-z]\w*", formula.replace("e-", ""))} <= known, line
            assert name not in known, line
            known.add(name)


def test_the_recursion_has_the_names_of_the_papers():
    """Angular velocities, their rates, accelerations of origins, forces and moments of the bodies and in the joints."""
    text = str(kt.robots.puma560().equations())
    assert "# 3: link3, joint3" in text
    for name in ("S2", "C2", "w3_x", "wd3_z", "a4_x", "F3_x", "N3_z", "f4_x", "n3_z", "tau6"):
        assert re.search(rf"^{name}(_m)? = ", text, re.MULTILINE), name


def test_no_operation_is_written_twice():
    """As many products in the text as the compiled function has."""
    robot = kt.robots.rx90()
    counts = robot.operations("inverse_dynamics")
    assert len(re.findall(r"\*", str(robot.equations()))) == counts["mul"]


def test_open_parameters_keep_their_names():
    m, c = kt.parameter("m"), kt.parameter("c")
    robot = kt.Robot.from_dh([kt.DH(alpha=math.pi / 2, mass=m, com=(c, 0, 0))], "modified")
    text = str(robot.equations("gravity_forces"))
    values = {**FUNCTIONS, "q1": 0.3, "m": 2.0, "c": 0.4}
    exec(text, values)
    assert values["g1"] == pytest.approx(2.0 * 0.4 * 9.81 * math.cos(0.3), rel=SAME)


def test_names_of_the_model_are_not_taken_again():
    robot = kt.Robot.from_dh([kt.DH(alpha=math.pi / 2, mass=kt.parameter("C1"), com=(0.5, 0, 0))], "modified")
    values = {**FUNCTIONS, "q1": 0.3, "C1": 2.0}
    exec(str(robot.equations("gravity_forces")), values)
    assert values["g1"] == pytest.approx(2.0 * 0.5 * 9.81 * math.cos(0.3), rel=SAME)


def test_many_open_parameters_keep_their_names():
    """Compiled functions take more than 32 of them in one array; a listing does not."""
    masses = [kt.parameter(f"m{k}") for k in range(1, 41)]
    robot = kt.Robot.from_dh([kt.DH(alpha=math.pi / 2, a=0.1, mass=m) for m in masses], "modified")
    text = str(robot.equations("mass_matrix"))
    assert not re.search(r"parameters\d", text)
    assert re.search(r"\bm40\b", text)


def test_notebooks_render_short_listings():
    short, long = (getattr(kt.robots, name)().equations() for name in ("two_link", "puma560"))
    assert short._repr_latex_() == short.latex()
    assert long._repr_latex_() is None


def test_latex_has_every_step():
    listing = kt.robots.stanford().equations()
    text = listing.latex()
    assert text.count("&=") == len(listing)
    assert text.count("{") == text.count("}")
    assert r"\dot{\omega}_{4,z} &= \ddot{q}_{4} + " in text
    assert text.count(r"\left(") == text.count(r"\right)")


def test_sympy_is_asked_for_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(kt.errors.InputError, match="pip install sympy"):
        kt.robots.two_link().equations().sympy()


def test_sympy_expressions_compute_what_the_robot_computes():
    pytest.importorskip("sympy")
    robot = kt.robots.stanford()
    values: dict[Any, Any] = {}
    inputs = inputs_of(robot, "inverse_dynamics")
    listing = robot.equations()
    for symbol, expression in listing.sympy():
        names = {s: values.get(str(s), inputs.get(str(s))) for s in getattr(expression, "free_symbols", ())}
        values[str(symbol)] = float(expression.subs(names)) if names else float(expression)
    assert relative_error([values[x] for x in listing.results], on_floats(robot, "inverse_dynamics")) < SAME


def test_the_mass_matrix_of_a_planar_arm_in_closed_form():
    """Both masses at the ends of their links: (m1 + m2) a^2 + m2 b^2 + 2 m2 a b cos q2, ..."""
    pytest.importorskip("sympy")
    sympy = importlib.import_module("sympy")
    a, b, m1, m2 = (kt.parameter(name) for name in ("a", "b", "m1", "m2"))
    rows = [kt.DH(mass=m1, com=(a, 0, 0)), kt.DH(a=a, mass=m2, com=(b, 0, 0))]
    found = kt.Robot.from_dh(rows, "modified").equations("mass_matrix").closed_form()
    a, b, m1, m2, q2 = (sympy.Symbol(name, real=True) for name in ("a", "b", "m1", "m2", "q2"))
    expected = (m1 + m2) * a**2 + m2 * b**2 + 2 * m2 * a * b * sympy.cos(q2)
    assert sympy.simplify(found["M1_1"] - expected) == 0
    assert sympy.simplify(found["M1_2"] - m2 * b**2 - m2 * a * b * sympy.cos(q2)) == 0


def test_unknown_functions_are_refused():
    with pytest.raises(kt.errors.UnknownNameError, match="inverse_dynamics"):
        kt.robots.two_link().equations("dynamics")
