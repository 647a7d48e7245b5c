"""The door: what `kt.compile` takes and returns, pickles, the ufunc protocol, and derivatives."""

from __future__ import annotations

import cmath
import math
import multiprocessing
import pickle
from typing import Any

import dask.array
import numpy as np
import pytest
import xarray

import kinetree as kt
from kinetree.errors import InputError, TraceError, UnknownNameError
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
    "power": (lambda x: x**0.5, "()->()", TraceError, "whole exponents"),
    "division by zero": (lambda x: x / 0.0, "()->()", TraceError, "always zero"),
    "a list in a sum": (lambda x: x[0] + x, "(2)->()", TypeError, "unsupported operand"),
    "an array in a product": (lambda x: np.ones(2) * x, "()->(2)", TypeError, "unsupported operand"),
    "a complex number": (lambda x: x * 1j, "()->()", TypeError, "unsupported operand"),
    "a list in a function": (lambda x: atan2(x[0], x), "(2)->()", TraceError, "a list was used where a scalar"),
    "a condition as a number": (lambda x: (x > 0) * x, "()->()", TraceError, r"needs a number.*select\(condition"),
    "a number as a condition": (lambda x: select(x, 1.0, 0.0), "()->()", TraceError, "must be a comparison"),
    "a number in a conjunction": (lambda x: (x > 0) & x, "()->()", TraceError, "needs a truth value"),
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
    f = kt.compile(norm_and_direction, signature="(2)->(),(2)")
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


def test_dask_arrays_mix_with_others_at_any_place() -> None:
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
    with pytest.raises(InputError, match=r"q must end in the shape \(2,\), got \(10, 1\)"):
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


# -- derivatives -------------------------------------------------------------------------------------------------------

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
    from kinetree.algorithms.kinematics import pose

    return [row[3] for row in pose(robot, q, "link6")[:3]]


def test_a_derivative_with_respect_to_nothing_is_refused() -> None:
    for wrt in (2, -1, "q", None):
        with pytest.raises(InputError, match=r"wrt=.*there are 0: q, 1: length"):
            kt.jacobian(tip, signature="q(2), length() -> (2)", wrt=wrt)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 results; differentiate one at a time"):
        kt.hessian(norm_and_direction, signature="(2)->(),(2)")
