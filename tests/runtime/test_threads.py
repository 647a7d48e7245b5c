"""Threads: Kinetree's own over large batches, and the user's around everything."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.runtime import native, threads as pool
from kinetree.runtime.threads import LARGE
from kinetree.scalar import cos, sin

ROWS = 3 * (LARGE // 9 + 1)  # of three numbers: just large


@pytest.fixture(autouse=True)
def same_threads_afterwards() -> Iterator[None]:
    count = kt.threads()
    yield
    kt.threads(count)


def fresh() -> kt.runtime.function.Function:
    return kt.compile(lambda x, y: [sin(a) * b for a, b in zip(x, y)], signature="(3),(3)->(3)")


def batch(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(*shape, 3))


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the threads that computed since the test began."""
    seen: set[str] = set()
    original = pool.call

    def call(ufunc: Any, *args: Any) -> Any:
        def watched(*arrays: Any, **options: Any) -> Any:
            seen.add(threading.current_thread().name)
            return ufunc(*arrays, **options)

        return original(watched, *args)

    monkeypatch.setattr(pool, "call", call)
    return seen


# -- kt.threads --------------------------------------------------------------------------------------------------------


def test_threads_sets_and_tells_their_number() -> None:
    assert kt.threads(3) == 3
    assert kt.threads() == 3
    assert kt.threads(np.int64(2)) == 2
    assert type(kt.threads()) is int


def test_the_default_is_the_number_of_usable_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pool._state, "count", None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert kt.threads() == 3
    monkeypatch.setitem(pool._state, "count", None)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert kt.threads() == 7


@pytest.mark.parametrize("count", [0, -1, 1.0, 2.5, "2", True, [2], np.nan])
def test_a_number_of_threads_that_makes_no_sense_is_refused(count: Any) -> None:
    before = kt.threads()
    with pytest.raises(InputError, match="integer from 1 up"):
        kt.threads(count)
    assert kt.threads() == before


# -- Kinetree's threads ------------------------------------------------------------------------------------------------


def test_small_batches_stay_in_the_thread_of_the_caller(workers: set[str]) -> None:
    kt.threads(2)
    fresh()(batch(100), batch(100))
    assert workers == set()


def test_large_batches_are_shared_and_one_thread_is_the_callers(workers: set[str]) -> None:
    f, x = fresh(), batch(ROWS)
    kt.threads(1)
    alone = f(x, x)
    assert workers == {threading.current_thread().name}
    workers.clear()
    kt.threads(2)
    np.testing.assert_array_equal(f(x, x), alone)
    assert workers
    assert all(name.startswith("kinetree") for name in workers)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_way_of_broadcasting_gives_what_one_thread_gives(count: int, workers: set[str]) -> None:
    f, many = fresh(), batch(ROWS)
    shapes = [
        (many, many[0]),
        (many[7], many),
        (many, many[:1]),
        (many.reshape(1, ROWS, 3), batch(3, 1)),
        (many.reshape(ROWS, 1, 3), batch(2)),
        (batch(2, 1), many),
        (many.reshape(-1, 3, 3), batch(3)),
        (np.broadcast_to(many[0], (ROWS, 3)), many),
        (many.T.copy().T, many[::-1]),
    ]
    for x, y in shapes:
        kt.threads(1)
        alone = f(x, y)
        kt.threads(count)
        workers.clear()
        np.testing.assert_array_equal(f(x, y), alone)
        assert all(name.startswith("kinetree") for name in workers)
        assert workers


def test_fewer_rows_than_threads_are_not_split(workers: set[str]) -> None:
    n = LARGE
    f = kt.compile(lambda x: x[0] + x[-1], signature=f"({n})->()")
    kt.threads(4)
    x = np.arange(2.0 * n).reshape(2, n)
    np.testing.assert_array_equal(f(x), x[:, 0] + x[:, -1])
    assert workers == {threading.current_thread().name}


def test_errstate_reaches_the_threads() -> None:
    f = kt.compile(lambda x: x / x, signature="()->()")
    kt.threads(2)
    x = np.ones(LARGE)
    x[-1] = 0.0
    with np.errstate(all="ignore"):
        assert np.isnan(f(x)[-1])


def test_an_error_in_a_thread_reaches_the_caller_and_the_pool_goes_on() -> None:
    f, x = fresh(), batch(ROWS)
    kt.threads(2)
    with pytest.raises(TypeError, match="Cannot cast"):
        f(x, x, out=np.empty((ROWS, 3), np.int32))
    assert np.isfinite(f(x, x)).all()


# -- the user's threads ------------------------------------------------------------------------------------------------


def together(count: int, work: Any) -> list[Any]:
    """The results of work(k) for k < count, all started at the same moment."""
    barrier = threading.Barrier(count)

    def started(k: int) -> Any:
        barrier.wait()
        return work(k)

    with ThreadPoolExecutor(count) as executor:
        return list(executor.map(started, range(count)))


@pytest.mark.usefixtures("no_cache")
def test_threads_that_call_a_function_first_compile_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    original = native.compile_object
    monkeypatch.setattr(native, "compile_object", lambda *ir: compiled.append(ir) or original(*ir))
    f, x = fresh(), batch(50)
    results = together(8, lambda k: f(x, x))
    assert len(compiled) == 1
    for r in results:
        np.testing.assert_array_equal(r, results[0])


@pytest.mark.usefixtures("no_cache")
def test_threads_may_compile_different_functions_at_once() -> None:
    def work(k: int) -> float:
        f = kt.compile(lambda x: cos(x) * (k + 2.0) + k, signature="()->()")
        return float(f(0.0)) + float(f(np.float32(0)))

    assert together(8, work) == [2 * (2 * k + 2.0) for k in range(8)]


def test_threads_may_call_large_batches_while_the_number_of_threads_changes() -> None:
    f, x = fresh(), batch(ROWS)
    expected = f(x, x)

    def work(k: int) -> bool:
        same = True
        for i in range(6):
            if k == 0:
                kt.threads(1 + i % 4)
            same &= bool((f(x, x) == expected).all())
        return same

    assert all(together(4, work))


def test_the_interpreter_lock_is_released() -> None:
    # one call of a tenth of a second or more, while this thread must still get its turns
    def slow(x: Any) -> Any:
        for _ in range(200):
            x = sin(x)
        return x

    f = kt.compile(slow, signature="()->()")
    kt.threads(1)
    f(np.zeros(1))
    done = threading.Event()
    x = np.ones(200_000)
    other = threading.Thread(target=lambda: (f(x), done.set()))
    other.start()
    turns = 0
    while not done.wait(0.001):
        turns += 1
    other.join()
    assert turns > 5


# -- fork --------------------------------------------------------------------------------------------------------------

FORK = """
import os, sys, warnings
import numpy as np
import kinetree as kt
from kinetree.scalar import sin
f = kt.compile(lambda x: [sin(v) for v in x], signature="(3)->(3)")
x = np.random.default_rng(0).normal(size=(100_000, 3))
kt.threads(2)
expected = f(x)  # the pool runs now
warnings.simplefilter("ignore")  # Python warns of every fork beside threads
child = os.fork()
if child == 0:
    g = kt.compile(lambda x: x * 2.0, signature="()->()")
    ok = (f(x) == expected).all() and g(2.0) == 4.0 and kt.threads() == 2
    os._exit(0 if ok else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not (f(x) == expected).all())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_threads_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
