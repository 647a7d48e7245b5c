"""The entry point: what `kt.compile` takes and returns, what it refuses, and how functions travel."""

from __future__ import annotations

import math
import multiprocessing
import pickle
from typing import Any

import dask.array
import numpy as np
import pytest
import xarray

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.errors import InputError, TraceError, UnknownNameError
from kinetree.scalar import atan2, cos, select, sin, sqrt


def tip(q: Any, length: Any) -> Any:
    """Where a planar arm of two equal links ends."""
    return [length * (cos(q[0]) + cos(q[0] + q[1])), length * (sin(q[0]) + sin(q[0] + q[1]))]


def norm_and_direction(x: Any) -> Any:
    r = sqrt(x[0] * x[0] + x[1] * x[1])
    return r, [x[0] / r, x[1] / r]


def weight(robot: Any, q: Any) -> Any:
    return robot.gravity.z * q[0]


# -- compile -----------------------------------------------------------------------------------------------------------


def test_a_function_of_the_users_becomes_a_function_of_arrays() -> None:
    f = kt.compile(tip, signature="q(2), length() -> p(2)")
    q, length = np.random.default_rng(0).normal(size=(7, 2)), 0.5
    angles = np.cumsum(q, -1)
    np.testing.assert_allclose(f(q, length), length * np.stack([np.cos(angles).sum(-1), np.sin(angles).sum(-1)], -1))
    assert (f.name, f.__doc__, f.signature) == ("tip", "Where a planar arm of two equal links ends.", "(2),()->(2)")
    assert repr(f) == "<kinetree function tip(q, length) (2),()->(2)>"


def test_a_lambda_may_have_a_name() -> None:
    assert kt.compile(lambda x: x, signature="()->()").name == "<lambda>"
    assert kt.compile(lambda x: x, signature="()->()", name="same").name == "same"
    assert kt.compile(lambda x: x, signature="()->()", name="same").ufunc().__name__ == "same"


def test_outputs_keeps_some_results_and_drops_what_only_others_need() -> None:
    x = np.array([3.0, 4.0])
    both = kt.compile(norm_and_direction, signature="(2)->(),(2)")
    r, direction = both(x)
    assert r == 5.0
    np.testing.assert_array_equal(direction, [0.6, 0.8])
    first = kt.compile(norm_and_direction, signature="(2)->(),(2)", outputs=[0])
    assert first.signature == "(2)->()"
    assert first(x) == 5.0
    swapped = kt.compile(norm_and_direction, signature="(2)->(),(2)", outputs=(1, 0))
    assert swapped.signature == "(2)->(2),()"
    assert swapped(x)[1] == 5.0
    assert kt.trace(norm_and_direction, signature="(2)->(),(2)", outputs=[0]).operations.get("div", 0) == 0


def test_dtype_fixes_the_precision() -> None:
    x = np.array([0.1, 0.2])
    for kind in (np.float32, "float64"):
        f = kt.compile(norm_and_direction, signature="(2)->(),(2)", dtype=kind)
        for given in (x, x.astype(np.float32), [1, 2]):
            assert f(given)[1].dtype == np.dtype(kind)
    with pytest.raises(TypeError, match="same_kind"):
        f(x + 1j)
    with pytest.raises(InputError, match="float64 or float32, not for int64"):
        kt.compile(tip, signature="(2),()->(2)", dtype=np.int64)


def test_a_robot_comes_first_and_gives_sizes_their_names() -> None:
    robot = kt.robots.stanford()
    f = kt.compile(weight, robot, signature="q(nq) -> w()")
    assert f(np.arange(6.0) + 1) == -9.81
    assert f.signature == "(6)->()"


def test_parameters_of_a_robot_come_last_in_alphabetical_order() -> None:
    b, a = kt.parameter("b"), kt.parameter("a", 2.0)
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=a, com=(b, 0.0, 0.0))], "standard", gravity=(0.0, -10.0, 0.0))
    f = robot.function("gravity_forces")
    assert [o.name for o in f.operands] == ["q", "a", "b"]
    assert f([0.0], 3.0, -0.5) == pytest.approx(3.0 * 10.0 * 0.5)
    masses = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(robot.gravity_forces([0.0], a=masses, b=-0.5), 5.0 * masses[:, None])
    np.testing.assert_allclose(robot.gravity_forces([0.0], b=0.0), [20.0])


def test_a_parameter_may_not_have_the_name_of_an_argument() -> None:
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=kt.parameter("m"), com=(-0.5, 0, 0))])
    with pytest.raises(InputError, match="'m' has the name of an argument"):
        kt.compile(weight, robot, signature="m(nq) -> w()")


SIGNATURES = {
    "(2),()": "looks like",
    "(2)->(2)->(2)": "looks like",
    7: "looks like",
    "->(2)": "at least one operand and one result",
    "(2)->": "at least one operand and one result",
    "(2) (2)->(2)": r"can't be read at '\(2\) \(2\)'",
    "(2->(2)": "can't be read",
    "2->(2)": "can't be read at '2'",
    "(2),->(2)": "comma with nothing behind it",
    "(2,)->(2)": "the size ''",
    "(n)->(2)": "the size 'n'.*no robot was given",
    "(-1)->(2)": "the size '-1'",
    "(1.5)->(2)": "the size '1.5'",
    "(²)->(2)": "the size '²'",
    "a(2), a(2)->(2)": "two operands alike",
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_signature_that_makes_no_sense_is_refused(signature: Any) -> None:
    with pytest.raises(InputError, match=SIGNATURES[signature]):
        kt.compile(tip, signature=signature)


def test_names_of_sizes_are_listed() -> None:
    with pytest.raises(InputError, match="one of nq, nv, nbodies"):
        kt.compile(weight, kt.robots.two_link(), signature="(n)->()")


OPTIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"outputs": [2]}, InputError, "positions of the 2 results"),
    ({"outputs": [-1]}, InputError, "positions of the 2 results"),
    ({"outputs": []}, InputError, "positions of the 2 results"),
    ({"outputs": 0}, InputError, "positions of the 2 results"),
    ({"outputs": ["y0"]}, InputError, "positions of the 2 results"),
    ({"target": "gpu"}, UnknownNameError, "no target 'gpu'.*Known: 'cpu'"),
    ({"dtype": np.complex128}, InputError, "complex128"),
]


@pytest.mark.parametrize(("options", "error", "message"), OPTIONS)
def test_an_option_that_makes_no_sense_is_refused(options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        kt.compile(norm_and_direction, signature="(2)->(),(2)", **options)


def test_only_functions_are_compiled() -> None:
    with pytest.raises(InputError, match=r"only functions can be compiled, got 3\.0"):
        kt.compile(3.0, signature="()->()")  # type: ignore[arg-type]


# what a traced function may not do: (function, signature, error, words of the message)
WRONG: dict[str, tuple[Any, str, type[Exception], str]] = {
    "too few elements": (lambda x: [x[0]], "(2)->(2)", TraceError, "result 0 .* should have 2 elements.*got 1"),
    "too many elements": (lambda x: [*x, 1.0], "(2)->(2)", TraceError, "should have 2 elements.*got 3"),
    "a scalar for a vector": (lambda x: x[0], "(2)->(2)", TraceError, "should have 2 elements.*got no"),
    "a vector for a scalar": (lambda x: x, "(2)->()", TraceError, "should be one scalar, got a sequence of 2"),
    "a vector for a matrix": (lambda x: x, "(2)->(2,2)", TraceError, "should have 2 elements.*got no"),
    "nothing": (lambda x: None, "()->()", TraceError, "NoneType"),
    "text": (lambda x: "x", "()->()", TraceError, "should be one scalar"),
    "one result for two": (lambda x: x, "()->(),()", InputError, "returned 1 results.*has 2"),
    "three results for two": (lambda x: (x, x, x), "()->(),()", InputError, "returned 3 results.*has 2"),
    "if": (lambda x: x if x > 0 else -x, "()->()", TraceError, r"use kinetree\.scalar\.select"),
    "and": (lambda x: select(x > 0 and x < 1, x, 0.0), "()->()", TraceError, "& and |"),
    "max": (lambda x: max(x, 0.0), "()->()", TraceError, "truth of a traced value"),
    "math.sin": (lambda x: math.sin(x), "()->()", TraceError, r"functions of kinetree\.scalar instead of math's"),
    "np.sin": (lambda x: np.sin(x), "()->()", TypeError, "'Node' does not support ufuncs"),
    "float": (lambda x: float(x), "()->()", TraceError, "no number yet"),
    "int": (lambda x: int(x), "()->()", TraceError, "no number yet"),
    "index": (lambda x: [1.0, 2.0][x], "()->()", TraceError, "no number yet"),
    "range": (lambda x: sum(range(x)), "()->()", TraceError, "no number yet"),
    "power": (lambda x: x**0.5, "()->()", TraceError, "integer exponents"),
    "division by zero": (lambda x: x / 0.0, "()->()", TraceError, "always zero"),
    "a list in a sum": (lambda x: x[0] + x, "(2)->()", TypeError, "unsupported operand"),
    "an array in a product": (lambda x: np.ones(2) * x, "()->(2)", TypeError, "unsupported operand"),
    "a complex number": (lambda x: x * 1j, "()->()", TypeError, "unsupported operand"),
    "a list in a function": (lambda x: atan2(x[0], x), "(2)->()", TraceError, "a list was used where a scalar"),
    "a condition as a number": (lambda x: (x > 0) * x, "()->()", TraceError, r"needs a number.*select\(condition"),
    "a number as a condition": (lambda x: select(x, 1.0, 0.0), "()->()", TraceError, "must be a comparison"),
    "a number in a conjunction": (lambda x: (x > 0) & x, "()->()", TraceError, "needs a truth value"),
    "a parameter": (lambda x: x * kt.parameter("m"), "()->()", TraceError, "Parameter was used where a scalar"),
    "an expression": (lambda x: x - 2.0 / kt.parameter("m"), "()->()", TraceError, "Expression was used where"),
    "too many parameters": (lambda x, y: x, "()->()", TypeError, "missing 1 required positional argument"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_traced_says_why(name: str) -> None:
    function, signature, error, message = WRONG[name]
    f = kt.compile(function, signature=signature)
    for _ in range(2):  # a failure leaves nothing that a second call would trip over
        with pytest.raises(error, match=message):
            f(np.ones(2) if "(2)->" in signature else 1.0)


def test_values_of_two_traces_do_not_mix() -> None:
    kept: list[Any] = []

    def leaking(x: Any) -> Any:
        kept.append(x)
        return kept[0] * x

    assert kt.compile(leaking, signature="()->()")(3.0) == 9.0
    with pytest.raises(TraceError, match="of one trace was used in another"):
        kt.compile(leaking, signature="()->()")(3.0)
    with pytest.raises(TraceError, match="can't be pickled"):
        pickle.dumps(kept[0])


def test_numbers_of_numpy_are_numbers() -> None:
    f = kt.compile(
        lambda x: (np.float64(2.0) * x + np.int64(3)) * np.float32(0.5) - np.float16(1.0) / x, signature="()->()"
    )
    assert f(2.0) == 3.0


def test_results_may_be_any_iterable() -> None:
    f = kt.compile(lambda x: (v * 2.0 for v in x), signature="(2)->(2)")
    np.testing.assert_array_equal(f([1.0, 2.0]), [2.0, 4.0])
    g = kt.compile(lambda x: np.array([[x[0], 1.0], [2.0, x[1]]], object), signature="(2)->(2,2)")
    np.testing.assert_array_equal(g([5.0, 6.0]), [[5.0, 1.0], [2.0, 6.0]])


# -- pickles -----------------------------------------------------------------------------------------------------------

STATE = np.array([[0.3, -0.8], [1.0, 2.0]])


def test_a_function_survives_a_pickle() -> None:
    f = kt.compile(norm_and_direction, signature="(2)->(),(2)", outputs=[1], dtype=np.float32, name="direction")
    g = pickle.loads(pickle.dumps(f))
    assert (g.name, g.signature, g.dtype) == ("direction", "(2)->(2)", np.dtype(np.float32))
    np.testing.assert_array_equal(f(STATE), g(STATE))


def test_a_derivative_survives_a_pickle() -> None:
    f = kt.jacobian(tip, signature="(2),()->(2)")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(STATE, 2.0), f(STATE, 2.0))


def test_a_lambda_does_not_and_says_so() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(kt.compile(lambda x: x, signature="()->()"))


def test_a_robot_survives_a_pickle_before_and_after_use() -> None:
    for robot in (kt.robots.two_link(), kt.robots.random_tree(3, 5, ["revolute", "spherical", "free"])):
        fresh = pickle.loads(pickle.dumps(robot))
        q = robot.neutral
        M = robot.mass_matrix(q)
        used = pickle.loads(pickle.dumps(robot))
        for copy in (fresh, used):
            assert copy == robot
            np.testing.assert_array_equal(copy.mass_matrix(q), M)
    f = pickle.loads(pickle.dumps(robot.function("mass_matrix")))
    np.testing.assert_array_equal(f(q), M)


def in_a_spawned_process(job: tuple[Any, Any]) -> Any:
    function, robot = job
    return function(STATE, 2.0), robot.mass_matrix(STATE)


def test_functions_and_robots_travel_to_other_processes() -> None:
    f, robot = kt.compile(tip, signature="(2),()->(2)"), kt.robots.two_link()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.map(in_a_spawned_process, [(f, robot)])[0]
    for a, b in zip(there, in_a_spawned_process((f, robot))):
        np.testing.assert_array_equal(a, b)


# -- the ufunc protocol ------------------------------------------------------------------------------------------------


def test_the_ufunc_itself_is_there() -> None:
    f = kt.compile(tip, signature="(2),()->(2)")
    u = f.ufunc()
    assert isinstance(u, np.ufunc)
    assert (u.signature, u.nin, u.nout, u.types) == ("(2),()->(2)", 2, 1, ["dd->d"])
    assert f.ufunc(np.float32).types == ["ff->f"]
    np.testing.assert_array_equal(u(STATE, 2.0), f(STATE, 2.0))


def test_dask_arrays_stay_lazy_and_give_the_same_numbers() -> None:
    f = kt.compile(norm_and_direction, signature="(2)->(),(2)", name="norm -> direction")
    x = np.random.default_rng(0).normal(size=(100, 3, 2))
    lazy = dask.array.from_array(x, chunks=(30, 2, 2))
    expected = f(x)
    for _ in range(2):  # the second call has the compiled function at hand
        r, direction = f(lazy)
        assert isinstance(r, dask.array.Array)
        assert (r.shape, direction.shape, r.dtype) == ((100, 3), (100, 3, 2), np.float64)
        np.testing.assert_array_equal(r.compute(), expected[0])
        np.testing.assert_array_equal(direction.compute(scheduler="threads"), expected[1])
    assert f(lazy.astype(np.float32))[0].dtype == np.float32
    assert f(lazy.astype(np.float32))[0].compute().dtype == np.float32


def test_dask_arrays_mix_with_others_as_any_argument() -> None:
    f = kt.compile(lambda a, b, c: [x * y + c for x, y in zip(a, b)], signature="(2),(2),()->(2)")
    x = np.random.default_rng(0).normal(size=(50, 2))
    lazy = dask.array.from_array(x, chunks=(20, 2))
    expected = f(x, x, x[:, 0])
    for args in ((lazy, x, x[:, 0]), (x, lazy, x[:, 0]), (x, x, lazy[:, 0]), (lazy, lazy, lazy[:, 0])):
        np.testing.assert_array_equal(f(*args).compute(), expected)
    np.testing.assert_array_equal(f(lazy, [1.0, 2.0], 3.0).compute(), f(x, [1.0, 2.0], 3.0))
    other = lazy.rechunk((7, 1))
    np.testing.assert_array_equal(f(lazy, other, other[:, 0]).compute(), expected)


def test_dask_is_refused_what_cannot_work_before_it_is_computed() -> None:
    f = kt.compile(tip, signature="q(2), length() -> (2)")
    lazy = dask.array.zeros((10, 2), chunks=(5, 2))
    with pytest.raises(InputError, match=r"q must end in 2; got \(10, 1\)"):
        f(lazy[:, :1], 1.0)
    with pytest.raises(InputError, match="leave out= away"):
        f(lazy, 1.0, out=np.empty((10, 2)))


def test_robots_take_dask_arrays() -> None:
    robot = kt.robots.two_link()
    lazy = dask.array.from_array(np.random.default_rng(0).normal(size=(40, 2)), chunks=(10, 2))
    tau = robot.inverse_dynamics(lazy, lazy, lazy)
    assert isinstance(tau, dask.array.Array)
    x = lazy.compute()
    np.testing.assert_array_equal(tau.compute(), robot.inverse_dynamics(x, x, x))


def test_xarray_applies_functions_along_named_dimensions() -> None:
    f = kt.compile(tip, signature="(2),()->(2)")
    q = xarray.DataArray(np.random.default_rng(0).normal(size=(2, 4)), dims=("joint", "time"))
    length = xarray.DataArray([1.0, 2.0, 3.0], dims="robot")
    p = xarray.apply_ufunc(f, q, length, input_core_dims=[["joint"], []], output_core_dims=[["axis"]])
    assert p.dims == ("time", "robot", "axis")
    expected = f(q.values.T[:, None], length.values)
    np.testing.assert_array_equal(p.values, expected)
    for _ in range(2):  # given directly, a DataArray is an array, on the first call and on the next
        np.testing.assert_array_equal(f(q.transpose("time", "joint"), 1.0), f(q.values.T, 1.0))


def test_an_algorithm_brings_its_own_signature() -> None:
    robot = kt.robots.two_link()
    function = kt.compile(inverse_dynamics, robot)
    state = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    np.testing.assert_array_equal(function(*state), robot.inverse_dynamics(*state))
    assert function.signature == "(2),(2),(2)->(2)"


def test_a_function_without_a_signature_is_refused() -> None:
    with pytest.raises(InputError, match="give signature="):
        kt.compile(lambda x: x)
