"""Derivatives of compiled functions: against complex steps, against differences, mode against mode."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.kinematics import pose
from kinetree.errors import InputError
from kinetree.graph import differentiate
from kinetree.graph.interpret import evaluate
from kinetree.graph.node import Graph
from kinetree.scalar import (
    acos,
    asin,
    atan2,
    copysign,
    cos,
    equal,
    floor,
    fma,
    maximum,
    minimum,
    narrow,
    rint,
    select,
    sign,
    sin,
    sqrt,
    tan,
    widen,
)

# a derivative by complex steps is exact to rounding; a dozen operations on numbers of size 10 lose a few digits of it
EXACT = 1e-12
# second derivatives by central differences of exact first ones: the step squared, and rounding divided by the step
SECOND, STEP = 1e-7, 1e-5


def turned(a: Any, x: Any, y: Any, of: Any) -> tuple[Any, Any]:
    """The coordinates of a vector after a turn of its axes by a."""
    return of.cos(a) * x + of.sin(a) * y, of.cos(a) * y - of.sin(a) * x


def forth_and_back(x: Any, y: Any, of: Any) -> Any:
    """Turns by one angle and by its negative, of coordinates that depend on the angle, one of them unpaired."""
    u, v = turned(x * y, x, y * y, of)
    w, z = turned(-(x * y), v, u * x, of)
    return u * w - z * (of.sin(x * y) * w + of.cos(x * y) * u) - u / v


# every differentiable operation and what is made of them, with the same over complex numbers for the complex step;
# x is positive, y negative, both away from kinks
DIFFERENTIABLE: dict[str, tuple[Any, Any]] = {
    "add": (lambda x, y: x + y + 2.0, lambda x, y: x + y + 2.0),
    "sub": (lambda x, y: (x - y) - (2.0 - y) * 3.0, lambda x, y: (x - y) - (2.0 - y) * 3.0),
    "mul": (lambda x, y: x * y * x, lambda x, y: x * y * x),
    "div": (lambda x, y: x / y + 2.0 / x - y / 3.0, lambda x, y: x / y + 2.0 / x - y / 3.0),
    "neg": (lambda x, y: -(-x * -y), lambda x, y: -(-x * -y)),
    "fma": (lambda x, y: fma(x, y, x * x), lambda x, y: x * y + x * x),
    "sin": (lambda x, y: sin(x * y), lambda x, y: cmath.sin(x * y)),
    "cos": (lambda x, y: cos(x - y), lambda x, y: cmath.cos(x - y)),
    "tan": (lambda x, y: tan(x * y), lambda x, y: cmath.tan(x * y)),
    "turn": (lambda x, y: forth_and_back(x, y, kt.scalar), lambda x, y: forth_and_back(x, y, cmath)),
    "atan2": (lambda x, y: atan2(x, y), lambda x, y: cmath.atan(x / y) + cmath.pi),
    "asin": (lambda x, y: asin(x * y / 2), lambda x, y: cmath.asin(x * y / 2)),
    "acos": (lambda x, y: acos(x * y / 2), lambda x, y: cmath.acos(x * y / 2)),
    "sqrt": (lambda x, y: sqrt(x * x + y * y), lambda x, y: cmath.sqrt(x * x + y * y)),
    "abs": (lambda x, y: abs(y) * abs(x) * x, lambda x, y: -y * x * x),
    "copysign": (lambda x, y: copysign(x, y) * x, lambda x, y: -x * x),
    "sign": (lambda x, y: sign(y) * x * x, lambda x, y: -x * x),
    "floor": (lambda x, y: floor(x) * y * x, lambda x, y: math.floor(x.real) * y * x),
    "rint": (lambda x, y: rint(y) * x * x, lambda x, y: round(y.real) * x * x),
    "select": (lambda x, y: select(x < y, x, x * y * y), lambda x, y: x * y * y),
    "logic": (lambda x, y: select(~(x < y) & (y <= 0.0), x * x, y), lambda x, y: x * x),
    "eq": (lambda x, y: select(equal(x, 0.5) | (x > y), x * y, 0.0), lambda x, y: x * y),
    "minimum": (lambda x, y: minimum(x, y * y) * y, lambda x, y: (x if x.real < (y * y).real else y * y) * y),
    "maximum": (lambda x, y: maximum(x, y) * x, lambda x, y: x * x),
    "power": (lambda x, y: x**3 * y**2 + x**-2, lambda x, y: x**3 * y**2 + x**-2),
    "widen": (lambda x, y: narrow(widen(x) * widen(x)) * y, lambda x, y: x * x * y),
    "constant": (lambda x, y: 3.0, lambda x, y: 3.0),
    "one of them": (lambda x, y: x, lambda x, y: x),
}

POINTS = np.random.default_rng(7).uniform(0.2, 0.95, (5, 2)) * [1.0, -1.0]


def vector(name: str) -> Any:
    return lambda z: DIFFERENTIABLE[name][0](z[0], z[1])


def complex_gradient(name: str, point: np.ndarray) -> list[float]:
    step = 1e-30j
    x, y = map(complex, point)
    f = DIFFERENTIABLE[name][1]
    return [complex(d).imag / 1e-30 for d in (f(x + step, y), f(x, y + step))]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_jacobian_is_that_of_the_complex_step(name: str) -> None:
    J = kt.jacobian(vector(name), signature="(2)->()")
    expected = [complex_gradient(name, p) for p in POINTS]
    np.testing.assert_allclose(J(POINTS), expected, rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_forward_and_reverse_mode_agree(name: str) -> None:
    graph = Graph()
    x, y = graph.input("z", 0), graph.input("z", 1)
    f = DIFFERENTIABLE[name][0](x, y)
    forward = [differentiate.pushforward([f], [x, y], d)[0] for d in ([1.0, 0.0], [0.0, 1.0])]
    reverse = differentiate.pullback([f], [1.0], [x, y])
    a, b = (evaluate(map(graph.node, side), {"z": POINTS.T}) for side in (forward, reverse))
    for u, v in zip(a, b):
        np.testing.assert_allclose(*np.broadcast_arrays(u, v), rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_hessian_is_the_change_of_the_gradient(name: str) -> None:
    H = kt.hessian(vector(name), signature="(2)->()")(POINTS)
    J = kt.jacobian(vector(name), signature="(2)->()")
    for k in range(2):
        step = STEP * np.eye(2)[k]
        change = (J(POINTS + step) - J(POINTS - step)) / (2 * STEP)
        np.testing.assert_allclose(H[..., k], change, rtol=SECOND, atol=SECOND * max(1, np.abs(H).max()))
    np.testing.assert_array_equal(H, np.swapaxes(H, -1, -2))


def test_a_jacobian_has_the_shape_of_the_result_then_of_the_argument() -> None:
    def product(a: Any, b: Any) -> Any:
        return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(2)] for i in range(2)]

    signature = "A(2,3), B(3,2) -> C(2,2)"
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(4, 2, 3)), rng.normal(size=(4, 3, 2))
    eye = np.eye(2)
    dA = kt.jacobian(product, signature=signature)
    assert dA.signature == "(2,3),(3,2)->(2,2,2,3)"
    np.testing.assert_allclose(dA(A, B), np.einsum("im,nkj->nijmk", eye, B), rtol=EXACT, atol=0)
    dB = kt.jacobian(product, signature=signature, wrt=1)
    np.testing.assert_allclose(dB(A, B), np.einsum("nik,jm->nijkm", A, eye), rtol=EXACT, atol=0)
    H = kt.hessian(product, signature=signature)
    assert H.signature == "(2,3),(3,2)->(2,2,2,3,2,3)"
    assert not H(A, B).any()


def test_wide_and_tall_jacobians_agree() -> None:
    """Fewer results than arguments go by reverse mode, more by forward mode."""
    J = kt.jacobian(lambda x: [sin(x[0] * x[1]), x[2] * x[0], x[1]], signature="(3)->(3)")
    x = np.random.default_rng(0).normal(size=(6, 3))
    for k in range(3):
        row = kt.jacobian(lambda x, k=k: [sin(x[0] * x[1]), x[2] * x[0], x[1]][k], signature="(3)->()")
        np.testing.assert_allclose(row(x), J(x)[:, k], rtol=EXACT, atol=EXACT)


def test_a_jacobian_of_a_robots_function_is_that_of_its_method() -> None:
    robot = kt.robots.puma560()
    J = kt.jacobian(lambda robot, q: position(robot, q), robot, signature="q(nq) -> p(3)")
    q = np.random.default_rng(0).normal(size=(5, 6))
    np.testing.assert_allclose(J(q), robot.jacobian(q, "link6")[:, 3:], rtol=EXACT, atol=EXACT)
    assert J.name == "jacobian_of_<lambda>"


def position(robot: Any, q: Any) -> Any:
    return [row[3] for row in pose(robot, q, "link6")[:3]]


def test_a_derivative_with_respect_to_nothing_is_refused() -> None:
    for wrt in (2, -1, "q", None):
        with pytest.raises(InputError, match=r"wrt=.*there are 0: q, 1: length"):
            kt.jacobian(lambda q, length: q, signature="q(2), length() -> (2)", wrt=wrt)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 results; differentiate one at a time"):
        kt.hessian(lambda x: (x[0], x), signature="(2)->(),(2)")


def test_the_derivative_by_the_angle_of_a_turn_is_the_other_coordinate() -> None:
    graph = Graph()
    a, x, y, p, q = (graph.input(name) for name in "axypq")
    u, v = turned(a, x, y, kt.scalar)
    (slope,) = differentiate.pullback([u, v], [p, q], [a])
    assert slope is p * v - q * u


def test_what_lies_on_the_way_of_a_turn_has_its_own_derivative() -> None:
    graph = Graph()
    a, x, y = (graph.input(name) for name in "axy")
    u, v = turned(a, x, y, kt.scalar)
    product = cos(a) * x
    for wrt, expected in ((cos(a), x + y), (sin(a), y - x), (product, 1.0)):
        assert differentiate.pullback([u, v], [1.0, 1.0], [wrt]) == [expected]


def test_a_node_that_depends_on_others_can_be_held_or_moved() -> None:
    """z = f(x) as a variable of its own, whatever its sign: what a user of -z sees is z."""
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    for z in (x * y, -(x * y), y - x * x, x * x - y):
        f = [z * x, -z * x, y - z, z]
        for dz in (0.0, 3.0):
            found = [graph.node(v) for v in differentiate.pushforward(f, [x, z], [1.0, dz])]
            inputs = {"x": np.array([0.7]), "y": np.array([-1.3])}
            value = evaluate([z], inputs)[0]
            exact = [value + dz * 0.7, -value - dz * 0.7, -dz, dz]
            assert np.allclose(np.ravel(evaluate(found, inputs)), exact)
