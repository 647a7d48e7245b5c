"""What functions in JAX refuse, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError

pytest.importorskip("jaxlib")
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

ARM = kt.robots.two_link()
Q = np.array([0.1, -0.4])


@pytest.fixture(scope="module")
def f() -> kt.jax.JaxFunction:
    return kt.jax.function(ARM, "inverse_dynamics")


@pytest.mark.parametrize(
    "x", [np.array([True, False]), True, Q + 1j, Q.astype(np.float16), jnp.zeros(2, jnp.bfloat16), "ab"]
)
def test_only_real_numbers(f: Any, x: Any) -> None:
    with pytest.raises(InputError, match="inverse_dynamics: qd must be of float32, float64 or integers, got"):
        f(Q, x, Q)


def test_integers_and_lists_are_numbers(f: Any) -> None:
    want = ARM.inverse_dynamics([0.0, 1.0], [2.0, 3.0], [1.0, 1.0])
    found = f([0, 1], np.array([2, 3]), jnp.array([1, 1], jnp.int32))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(np.asarray(found), want)
    with pytest.raises(TypeError, match="int"):
        jax.grad(lambda q: f(q, Q, Q).sum())(np.array([0, 1]))


def test_single_and_double_meet_in_double(f: Any) -> None:
    assert f(Q.astype(np.float32), Q, Q).dtype == np.float64
    single = Q.astype(np.float32)
    assert jax.jit(lambda q: jax.grad(lambda q: f(q, single, single).sum())(q))(single).dtype == np.float32


def test_shapes_in_the_functions_words(f: Any) -> None:
    with pytest.raises(InputError, match=r"inverse_dynamics: qd must end in 2 \(joint1, joint2\); got \(3,\)"):
        f(Q, np.zeros(3), Q)
    with pytest.raises(InputError, match="the leading dimensions don't broadcast: q \\(2,\\), qd \\(3,\\)"):
        jax.jit(f)(np.zeros((2, 2)), np.zeros((3, 2)), Q)


def test_names(f: Any) -> None:
    with pytest.raises(UnknownNameError, match="there is no argument of inverse_dynamics 'mass'"):
        f(Q, Q, Q, mass=1.0)
    with pytest.raises(InputError, match=r"inverse_dynamics\(q, qd, qdd\): missing a required argument: 'qdd'"):
        f(Q, Q)
    with pytest.raises(UnknownNameError, match="there is no function 'rnea'"):
        kt.jax.function(ARM, "rnea")
    with pytest.raises(InputError, match="which function"):
        kt.jax.function(ARM)
    with pytest.raises(InputError, match="'lambda' is a word of Python's own"):
        kt.jax.function(kt.compile(lambda x: x, signature="lambda() -> ()"))
    with pytest.raises(InputError, match="is compiled already"):
        kt.jax.function(ARM.function("mass_matrix"), "mass_matrix")
    with pytest.raises(InputError, match="takes robots, closed chains and compiled functions"):
        kt.jax.function(np.sin)


def test_parameters_without_a_value() -> None:
    robot = kt.Robot.from_dh([kt.DH(a=0.5, mass=kt.parameter("mass"))], gravity=(0, -9.81, 0))
    f = kt.jax.function(robot, "gravity_forces")
    with pytest.raises(InputError, match="missing a required"):
        f(np.zeros(1))
    np.testing.assert_allclose(f(np.zeros(1), mass=2.0), robot.gravity_forces(np.zeros(1), mass=2.0))


def test_float64_is_said_to_be_off() -> None:
    f = kt.jax.function(ARM, "gravity_forces")
    double = kt.jax.function(kt.compile(lambda x: 2.0 * x, signature="()->()", dtype=np.float64))
    assert double(np.float32(1.0)).dtype == np.float64
    off = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
    with off(False):
        with pytest.warns(UserWarning, match=r"computed in float32.*jax_enable_x64', True"):
            found = f(Q)
        assert found.dtype == np.float32
        assert kt.jax.function(ARM, "mass_matrix")([0.1, 0.2]).dtype == np.float32  # a list has no precision
        f(Q.astype(np.float32))
        with pytest.raises(InputError, match=r"compiled for float64.*jax_enable_x64', True"):
            double(1.0)


def test_an_iteration_has_no_derivatives() -> None:
    class Halves:
        repeats = True
        __name__ = "halves"

        def __call__(self, x: Any) -> Any:
            return 0.5 * x, 0.5 * x - 1.0

    made = kt.compile(Halves(), signature="x() -> x(), going()")
    f = kt.jax.function(made)
    with pytest.raises(InputError, match="an iteration, which has no derivatives"):
        jax.grad(f)(10.0)


def test_only_products_are_transposed(f: Any) -> None:
    with pytest.raises(InputError, match="inverse_dynamics is not linear"):
        jax.linear_transpose(lambda qdd: f(Q, Q, qdd), jnp.asarray(Q))(jnp.asarray(Q))
