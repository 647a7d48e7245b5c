"""Code is there as long as anything that can run it, and not longer."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.runtime import direct
from kinetree.scalar import sin

X = np.linspace(0.0, 1.0, 5)


def fresh(k: float = 2.0) -> Any:
    f = kt.compile(lambda x: [k * v for v in x], signature="(5)->(5)")
    f(X)
    return f


def ghost(f: Any) -> weakref.ref[Any]:
    """Of the code of a function."""
    return weakref.ref(f._code)


def others() -> None:
    """Code that goes where other code was."""
    gc.collect()
    for k in range(5):
        fresh(10.0 + k)
    gc.collect()


def test_the_code_of_a_function_goes_with_it() -> None:
    f = fresh()
    code = ghost(f)
    del f
    gc.collect()
    assert code() is None


def test_a_ufunc_keeps_its_code() -> None:
    f = fresh()
    code, ufunc = ghost(f), f.ufunc()
    del f
    others()
    np.testing.assert_array_equal(ufunc(X), 2.0 * X)
    assert ufunc.__name__ == "<lambda>"
    del ufunc
    gc.collect()
    assert code() is None


@pytest.mark.skipif(direct._table() is None, reason="this interpreter has another layout of objects")
def test_a_direct_call_keeps_its_code() -> None:
    f = fresh()
    code, call = ghost(f), f.direct(print)
    del f
    others()
    np.testing.assert_array_equal(call(X), 2.0 * X)
    del call
    gc.collect()
    assert code() is None


def test_a_call_under_way_keeps_its_code() -> None:
    def slow(x: Any) -> Any:
        for _ in range(60):
            x = sin(x)
        return x

    results: list[Any] = []
    started = threading.Event()

    def work(f: Any) -> None:
        started.set()
        results.append(f(x))

    x, f = np.ones(500_000), kt.compile(slow, signature="()->()")
    f(1.0)
    expected = f(x[:1])[0]
    thread = threading.Thread(target=work, args=(f,))
    thread.start()
    started.wait()
    del f
    others()
    thread.join()
    assert (results[0] == expected).all()


def test_equal_robots_share_code_until_the_last_of_them_goes() -> None:
    z = np.zeros(2)
    one, two = kt.robots.two_link(), kt.robots.two_link()
    one.mass_matrix(z)
    expected = two.mass_matrix(z)
    code = ghost(two.function("mass_matrix"))
    del one
    others()
    np.testing.assert_array_equal(two.mass_matrix(z), expected)
    assert code() is not None


MANY = """
import gc, os, sys
import numpy as np
import kinetree as kt

z = np.zeros(2)
def used():
    gc.collect()
    with open("/proc/self/maps") as maps, open("/proc/self/statm") as pages:
        return sum(1 for _ in maps), int(pages.read().split()[1])
first, count = map(int, sys.argv[1:])
for k in range(count):
    if k == first:
        maps, pages = used()
    robot = kt.robots.two_link().with_gravity((0, 0, -9.81 - 1e-3 * k))
    robot.gravity_forces(z)
now = used()
assert now[0] <= 1.1 * maps and now[1] <= 1.1 * pages, ((maps, pages), now)
print("done", (maps, pages), now)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(("first", "count"), [(20, 60), pytest.param(100, 2000, marks=pytest.mark.slow)])
def test_robots_that_come_and_go_leave_no_memory_behind(
    first: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    command = [sys.executable, "-c", MANY, str(first), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("done")
