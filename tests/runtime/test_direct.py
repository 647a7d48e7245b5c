"""The direct call: a built-in function for one plain state, and the fallback, untouched, for everything else."""

from __future__ import annotations

import copy
import dataclasses
import gc
import math
import pickle
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.runtime import direct, memory

pytestmark = pytest.mark.skipif(direct._table() is None, reason="this interpreter has another layout of objects")

CALLS = 1000  # a leak of one reference or one array in each call shows


def weighted(a: Any, x: list[Any], m: list[list[Any]]) -> Any:
    return [a * x[k] + m[k % 2][k % 3] for k in range(5)]


class HandedError(Exception):
    """The fallback was called."""


@pytest.fixture(scope="module")
def function() -> Any:
    return kt.compile(weighted, signature="(),(5),(2,3)->(5)")


@pytest.fixture(scope="module")
def call(function: Any) -> Any:
    def fallback(*args: Any, **keywords: Any) -> Any:
        raise HandedError(args, keywords)

    return function.direct(fallback)


def state(**changes: Any) -> list[Any]:
    rng = np.random.default_rng(0)
    given = {"a": np.array(2.5), "x": rng.normal(size=5), "m": rng.normal(size=(2, 3))}
    return [*{**given, **changes}.values()]


def test_a_plain_state_gives_the_bits_of_the_ufunc(function: Any, call: Any) -> None:
    result = call(*state())
    np.testing.assert_array_equal(result, function.ufunc()(*state()))
    assert type(result) is np.ndarray
    assert (result.dtype, result.shape, result.base) == (np.float64, (5,), None)
    assert result.flags.owndata
    assert result.flags.writeable
    assert not np.shares_memory(result, call(*state()))


def test_inputs_may_be_read_only_and_the_same(function: Any) -> None:
    add = kt.compile(lambda x, y: [a + b for a, b in zip(x, y)], signature="(3),(3)->(3)").direct(print)
    x = np.arange(3.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(add(x, x), 2 * x)


def test_quaternions_that_are_not_of_length_one_are_handed_over() -> None:
    def fallback(*args: Any) -> Any:
        raise HandedError(args)

    function = kt.compile(lambda x, y: [a + y[0] for a in x], signature="(9),(1)->(9)")
    call, y = function.direct(fallback, [1, 5], 1e-3), np.ones(1)
    good = np.array([7.0, 0.0, 0.6, 0.0, 0.8, 0.5, 0.5, -0.5, 0.5])
    np.testing.assert_array_equal(call(good, y), good + 1.0)
    np.testing.assert_array_equal(call(good * (1 + 4e-4), y), good * (1 + 4e-4) + 1.0)
    for wrong in (good * (1 + 6e-4), good * (1 - 6e-4), np.zeros(9), np.full(9, np.inf), good + np.eye(9)[8]):
        with pytest.raises(HandedError):
            call(wrong, y)
    assert np.isnan(call(np.where(np.arange(9) == 3, np.nan, good), y)[3])  # what is not a number stays in its row
    np.testing.assert_array_equal(function.direct(fallback)(np.zeros(9), y), np.ones(9))  # without quaternions


def test_a_floating_base_takes_the_direct_way_and_is_checked_on_it() -> None:
    robot = kt.robots.hyq()
    q, v = np.array(robot.neutral), np.linspace(-1.0, 1.0, robot.nv)
    first = robot.inverse_dynamics(q, v, v)
    assert isinstance(robot.inverse_dynamics, direct._Fields)
    np.testing.assert_array_equal(robot.inverse_dynamics(q, v, v), first)
    q[6] = 1.1
    with pytest.raises(kt.errors.InputError, match=r"q\[3:7\].*not of length one"):
        robot.inverse_dynamics(q, v, v)


class Labelled(np.ndarray):
    """An array with a meaning of its own."""


def unaligned(x: np.ndarray) -> np.ndarray:
    memory = np.zeros(x.nbytes + 1, np.uint8)
    y = memory[1:].view(x.dtype).reshape(x.shape)
    y[...] = x
    return y


X, M = state()[1:]
OTHERS: dict[str, list[Any]] = {
    "a batch": state(x=np.stack([X, X])),
    "a batch of one": state(x=X[None]),
    "a list": state(x=X.tolist()),
    "a number": state(a=2.5),
    "a scalar of NumPy": state(a=np.float64(2.5)),
    "nothing": state(a=None),
    "single precision": state(x=X.astype(np.float32)),
    "integers": state(x=np.arange(5)),
    "complex numbers": state(x=X + 0j),
    "objects": state(x=X.astype(object)),
    "other bytes first": state(x=X.astype(">f8")),
    "every second": state(x=np.repeat(X, 2)[::2]),
    "backwards": state(x=X[::-1]),
    "columns": state(m=np.asfortranarray(M)),
    "turned": state(m=np.ascontiguousarray(M.T)),
    "a broadcast": state(x=np.broadcast_to(1.0, 5)),
    "not aligned": state(x=unaligned(X)),
    "a subclass": state(x=X.view(Labelled)),
    "a masked array": state(x=np.ma.array(X)),
    "too short": state(x=X[:4]),
    "too long": state(x=np.arange(6.0)),
    "empty": state(x=np.empty(0)),
    "too many dimensions": state(x=np.zeros((1,) * 20)),
    "too few arguments": state()[:2],
    "no arguments": [],
    "too many arguments": [*state(), X],
}


@pytest.mark.parametrize("name", OTHERS)
def test_everything_else_goes_to_the_fallback_as_it_is(name: str, call: Any) -> None:
    with pytest.raises(HandedError) as caught:
        call(*OTHERS[name])
    args, keywords = caught.value.args
    assert len(args) == len(OTHERS[name])
    assert all(a is b for a, b in zip(args, OTHERS[name]))
    assert keywords == {}


def test_keywords_go_to_the_fallback(call: Any) -> None:
    with pytest.raises(HandedError) as caught:
        call(*state(), out=X)
    assert caught.value.args[1] == {"out": X}
    with pytest.raises(HandedError):
        call(a=1.0)


def test_what_the_fallback_returns_is_returned(function: Any) -> None:
    answer = object()
    assert function.direct(lambda *args: answer)(1) is answer


def test_no_reference_is_lost_or_kept(function: Any) -> None:
    args, answer = state(), [1]
    call = function.direct(lambda *args: answer)
    kind = np.dtype(np.float64)
    call(*args)
    gc.collect()
    watched = [*args, kind, answer, np.ndarray]
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(CALLS):
        result = call(*args)
        call(1, 2)
    assert sys.getrefcount(result) <= 2
    del result
    after = [sys.getrefcount(x) for x in watched]
    assert all(abs(a - b) < CALLS // 10 for a, b in zip(after, before)), (before, after)


def test_threads_may_call_at_once(function: Any, call: Any) -> None:
    args, expected = state(), function(*state())
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(CALLS):
            if not np.array_equal(call(*args), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_several_results_are_a_tuple_of_arrays_with_the_bits_of_the_ufunc() -> None:
    cubes = [[[float(i + j)] * 2 for i in range(2)] for j in range(3)]
    function = kt.compile(lambda x, y: ([x[0] * y], [[x] * 2, *cubes[1:]]), signature="(2),()->(1),(3,2,2)")
    args = np.array([0.7, -0.3]), np.array(1.9)
    found, expected = function.direct(print)(*args), function.ufunc()(*args)
    assert type(found) is tuple
    assert [type(a) for a in found] == [np.ndarray] * 2
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
        assert a.flags.owndata
        assert a.flags.writeable
    assert not np.shares_memory(*found)


def test_no_reference_to_one_of_several_results_is_lost_or_kept() -> None:
    call = kt.compile(lambda x: (x, [x]), signature="(2)->(2),(1,2)").direct(print)
    x, kind = np.ones(2), np.dtype(np.float64)
    before = sys.getrefcount(kind)
    for _ in range(CALLS):
        results = call(x)
    others = np.ones(2), np.ones(2)
    assert [sys.getrefcount(a) for a in results] == [sys.getrefcount(a) for a in others]
    assert abs(sys.getrefcount(kind) - before) < CALLS // 10


def test_numbers_and_large_arrays_have_no_direct_call() -> None:
    large = math.isqrt(memory.LEAST // 8) + 1
    cases: list[tuple[Any, str]] = [
        (lambda x: x[0], "(2)->()"),
        (lambda x: (x, x[0]), "(2)->(2),()"),
        (lambda x: [[0.0] * large] * large, f"(2)->({large},{large})"),
    ]
    for function, signature in cases:
        assert kt.compile(function, signature=signature).direct(print) is print


# -- robots ------------------------------------------------------------------------------------------------------------

Q = np.array([0.3, -0.4])


def test_a_robot_answers_the_same_before_and_after_its_first_call() -> None:
    robot = kt.robots.two_link()
    for method in ("inverse_dynamics", "forward_dynamics"):
        first = getattr(robot, method)(Q, Q, Q)
        for _ in range(3):
            np.testing.assert_array_equal(getattr(robot, method)(Q, Q, Q), first)
            np.testing.assert_array_equal(getattr(robot, method)(Q.tolist(), Q, Q), first)
            np.testing.assert_array_equal(getattr(robot, method)(Q, qd=Q, **{last(method): Q}), first)
            np.testing.assert_array_equal(getattr(robot, method)(np.stack([Q, Q]), Q, Q), [first, first])
            out = np.empty(2)
            assert getattr(robot, method)(Q, Q, Q, out=out) is out
            np.testing.assert_array_equal(out, first)
            loaded = getattr(robot, method)(Q, Q, Q, external=np.ones((2, 6)))
            assert not np.array_equal(loaded, first)


def last(method: str) -> str:
    return "qdd" if method == "inverse_dynamics" else "tau"


def test_derivatives_of_a_robot_take_the_direct_way_from_the_second_call_on() -> None:
    robot = kt.robots.two_link()
    first = robot.inverse_dynamics_derivatives(Q, Q, Q)
    assert isinstance(robot.inverse_dynamics_derivatives, direct._Fields)
    again = robot.inverse_dynamics_derivatives(Q, Q, Q)
    batch = robot.inverse_dynamics_derivatives(Q[None], Q, Q)
    for a, b, c in zip(first, again, batch, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
        np.testing.assert_array_equal(a[None], c, strict=True)


def test_a_used_robot_can_be_copied_pickled_and_changed() -> None:
    robot = kt.robots.two_link()
    expected = robot.inverse_dynamics(Q, Q, Q)
    robot.inverse_dynamics(Q, Q, Q)
    for other in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        assert other == robot
        np.testing.assert_array_equal(other.inverse_dynamics(Q, Q, Q), expected)
    bodies = tuple(dataclasses.replace(b, inertia=kt.Inertia(2.0, b.inertia.com)) for b in robot.bodies)
    heavier = dataclasses.replace(robot, bodies=bodies)
    assert not np.array_equal(heavier.inverse_dynamics(Q, Q, Q), expected)


def test_a_used_robot_is_forgotten_when_nobody_needs_it() -> None:
    robot = kt.robots.two_link()
    robot.inverse_dynamics(Q, Q, Q)
    ghost = weakref.ref(robot)
    del robot
    gc.collect()
    assert ghost() is None


def test_without_the_direct_call_everything_works(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = kt.robots.two_link().inverse_dynamics(Q, Q, Q)
    monkeypatch.setattr(direct, "_table", lambda: None)
    robot = kt.robots.two_link()
    for _ in range(2):
        np.testing.assert_array_equal(robot.inverse_dynamics(Q, Q, Q), expected)


MODULES_GONE = """
import gc
import numpy as np
import kinetree as kt
robots = [kt.Robot.of(kt.robots.two_link()) for _ in range(20)]
for robot in robots:
    robot.mass_matrix(np.zeros(2))
from kinetree.runtime import direct, memory
vars(direct).clear()  # as the interpreter does before its last collection
gc.collect()
junk = [bytearray(b"\\xff" * 31) for _ in range(50_000)]  # into the memory that may have become free
gc.collect()
print("alive")
"""


def test_functions_outlive_the_module_that_made_them() -> None:
    """The garbage collector looks into the definition of a built-in function, at exit too."""
    done = subprocess.run([sys.executable, "-c", MODULES_GONE], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
