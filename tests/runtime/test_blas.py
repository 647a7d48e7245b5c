"""Solvers run linear algebra in one thread, whatever the environment says, and leave the setting as it was."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import kinetree as kt
from kinetree.runtime import blas

found = blas._functions()
pytestmark = pytest.mark.skipif(found is None, reason="NumPy's linear algebra is not OpenBLAS")


@pytest.fixture(autouse=True)
def two_threads() -> object:
    assert found is not None
    get, put = found
    before = get()
    put(2)
    yield get
    put(before)


def test_within_it_there_is_one_thread_and_afterwards_as_many_as_before(two_threads) -> None:
    with blas.one_blas_thread():
        assert two_threads() == 1
        with blas.one_blas_thread():
            assert two_threads() == 1
        assert two_threads() == 1
    assert two_threads() == 2


def test_the_last_of_several_python_threads_puts_it_back(two_threads) -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with blas.one_blas_thread():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    with blas.one_blas_thread():
        pass
    assert two_threads() == 1
    leave.set()
    thread.join()
    assert two_threads() == 2


def test_an_error_inside_puts_it_back_too(two_threads) -> None:
    with pytest.raises(ZeroDivisionError), blas.one_blas_thread():
        raise ZeroDivisionError
    assert two_threads() == 2


def test_planning_solves_with_one_thread(two_threads) -> None:
    seen = set()

    def callback(*progress: float) -> bool:
        seen.add(two_threads())
        return True

    robot = kt.robots.two_link()
    kt.plan.minimum_time(robot, q0=[0.0, 0.0], q1=[1.0, 0.5], force_limits=[60.0, 30.0], callback=callback)
    assert seen == {1}
    assert two_threads() == 2


def test_large_products_outside_keep_their_threads(two_threads) -> None:
    a = np.ones((300, 300))
    assert (a @ a)[0, 0] == 300.0
    assert two_threads() == 2
