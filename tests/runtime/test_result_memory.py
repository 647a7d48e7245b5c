"""Memory of large results is used again, never while anybody can still see it, and within its limit."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.runtime import memory

STATES = 4096
FLAGS = ("OWNDATA", "WRITEABLE", "C_CONTIGUOUS", "ALIGNED")
SIZE = STATES * 6 * 6 * 8  # bytes of mass matrices


@pytest.fixture(autouse=True)
def empty_pool() -> Iterator[None]:
    before = kt.memory_limit(1 << 28)
    kt.release_memory()
    yield
    kt.memory_limit(before)
    kt.release_memory()


@pytest.fixture(scope="module")
def robot() -> kt.Robot:
    return kt.robots.puma560()


@pytest.fixture(scope="module")
def q() -> np.ndarray:
    return np.random.default_rng(1).uniform(-1.0, 1.0, (STATES, 6))


def held() -> int:
    return memory._pool().held()


def test_a_result_is_an_ordinary_array(robot: kt.Robot, q: np.ndarray) -> None:
    M = robot.mass_matrix(q)
    assert type(M) is np.ndarray
    assert M.base is None
    assert {name: M.flags[name] for name in FLAGS} == dict.fromkeys(FLAGS, True)
    assert M.ctypes.data % 128 == 0
    assert np.array_equal(M, robot.mass_matrix(q, out=np.empty_like(M)))


def test_dropped_memory_is_used_again(robot: kt.Robot, q: np.ndarray) -> None:
    M = robot.mass_matrix(q)
    address = M.ctypes.data
    del M
    assert held() >= SIZE
    assert robot.mass_matrix(q).ctypes.data == address


@pytest.mark.parametrize(
    "keep",
    [lambda M: M, lambda M: M[5:9, 2], lambda M: M.T, lambda M: memoryview(M), lambda M: M.reshape(-1)[::7], iter],
    ids=["itself", "rows", "transposed", "memoryview", "steps", "iterator"],
)
def test_memory_that_anybody_sees_is_not_used_again(robot: kt.Robot, q: np.ndarray, keep: Any) -> None:
    M = robot.mass_matrix(q)
    address = M.ctypes.data
    kept = keep(M)
    del M
    second = robot.mass_matrix(q + 1.0)
    assert second.ctypes.data != address
    del kept
    assert robot.mass_matrix(q).ctypes.data == address


def test_live_results_never_overlap(robot: kt.Robot, q: np.ndarray) -> None:
    """Random lives of results of several sizes, each filled with a number of its own."""
    rng = np.random.default_rng(2)
    alive: dict[int, np.ndarray] = {}
    for k in range(400):
        n = int(rng.integers(3700, STATES))
        M = robot.mass_matrix(q[:n])
        assert not any(np.shares_memory(M, other) for other in alive.values())
        M[:] = k
        alive[k] = M
        for old in [old for old in alive if rng.random() < 0.2]:
            assert (alive.pop(old) == old).all()
    assert all(np.all(k == M) for k, M in alive.items())


def test_each_of_several_results_has_its_own(robot: kt.Robot, q: np.ndarray) -> None:
    results = robot.inverse_dynamics_derivatives(q, q, q)
    assert all(r.flags.owndata for r in results)
    first = results[0].copy()
    results[1][:] = results[2][:] = np.nan
    assert np.array_equal(results[0], first)


def test_small_results_are_not_kept(robot: kt.Robot, q: np.ndarray) -> None:
    robot.mass_matrix(q[:64])
    assert held() == 0


def test_broadcast_and_single_precision(robot: kt.Robot, q: np.ndarray) -> None:
    many = np.tile(q, (6, 1))
    wide = robot.inverse_dynamics(many[:, None], np.zeros((8, 6)), q[0])
    assert wide.shape == (6 * STATES, 8, 6)
    assert wide.ctypes.data % 128 == 0
    assert np.array_equal(wide[3, 5], robot.inverse_dynamics(q[3], np.zeros(6), q[0]))
    single = robot.mass_matrix(np.concatenate([q, q]).astype(np.float32))
    assert single.dtype == np.float32
    assert single.ctypes.data % 128 == 0


def test_threads_share_the_work_in_memory_that_is_kept(robot: kt.Robot) -> None:
    q = np.random.default_rng(3).uniform(-1.0, 1.0, (40_000, 6))
    before = kt.threads(2)
    try:
        M = robot.mass_matrix(q)
        assert M.ctypes.data % 128 == 0
        assert np.array_equal(M[::1000], robot.mass_matrix(q[::1000]))
    finally:
        kt.threads(before)


def test_no_more_is_kept_than_the_limit(robot: kt.Robot, q: np.ndarray) -> None:
    limit = 3 * (SIZE + 4096)
    kt.memory_limit(limit)
    results = [robot.mass_matrix(q) for _ in range(8)]
    while results:
        results.pop()
        assert held() <= limit
    assert held() >= 2 * SIZE
    assert kt.memory_limit(SIZE - 1) == SIZE - 1
    assert held() == 0
    kt.memory_limit(0)
    robot.mass_matrix(q)
    assert held() == 0


def test_the_oldest_leaves_first(robot: kt.Robot, q: np.ndarray) -> None:
    kt.memory_limit(2 * (SIZE + 4096))
    first, second, third = (robot.mass_matrix(q) for _ in range(3))
    addresses = {second.ctypes.data, third.ctypes.data}
    del first
    del second
    del third
    both = [robot.mass_matrix(q) for _ in range(2)]
    assert {M.ctypes.data for M in both} == addresses


def test_memory_can_be_released(robot: kt.Robot, q: np.ndarray) -> None:
    robot.mass_matrix(q)
    assert kt.release_memory() >= SIZE
    assert held() == kt.release_memory() == 0
    assert kt.memory_limit() == 1 << 28


@pytest.mark.parametrize("limit", [-1, 1.5, "1 GB", True, np.nan])
def test_limits_that_make_no_sense_are_refused(limit: Any) -> None:
    with pytest.raises(InputError, match="integer number of bytes from 0 up, got"):
        kt.memory_limit(limit)


def test_huge_limits_are_none() -> None:
    assert kt.memory_limit(1 << 80) == (1 << 63) - 1


def test_results_change_their_size_like_other_arrays(robot: kt.Robot, q: np.ndarray) -> None:
    M = robot.mass_matrix(q)
    expected = M.copy()
    for rows in (STATES + 1, 3 * STATES, STATES, 10, 0, STATES):
        M.resize((rows, 6, 6), refcheck=False)
        both = min(rows, len(expected))
        assert np.array_equal(M[:both], expected[:both])
        assert not M[both:].any()
        expected = M.copy()


def test_results_are_copied_and_pickled_like_other_arrays(robot: kt.Robot, q: np.ndarray) -> None:
    M = robot.mass_matrix(q)
    for other in (M.copy(), pickle.loads(pickle.dumps(M, 5)), np.array(M, order="F")):
        assert np.array_equal(other, M)
        assert not np.shares_memory(other, M)
    protocol5: list[Any] = []
    data = pickle.dumps(M, 5, buffer_callback=protocol5.append)
    assert np.array_equal(pickle.loads(data, buffers=protocol5), M)


def test_arrays_of_other_people_do_not_come_from_here(robot: kt.Robot, q: np.ndarray) -> None:
    robot.mass_matrix(q)
    before = held()
    np.empty((STATES, 6, 6))
    assert held() == before


def test_threads_of_python(robot: kt.Robot, q: np.ndarray) -> None:
    """Many threads that make and drop results: none sees another one's numbers."""
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        mine: list[np.ndarray] = []
        for _ in range(40):
            M = robot.mass_matrix(q[: int(rng.integers(3700, STATES))])
            M[:] = seed
            mine.append(M)
            if len(mine) > 3:
                mine.pop(int(rng.integers(4)))
            wrong.extend(seed for M in mine if not np.all(seed == M))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_has_memory_of_its_own(robot: kt.Robot, q: np.ndarray) -> None:
    M, dropped = robot.mass_matrix(q), robot.mass_matrix(q)
    expected = M.copy()
    del dropped
    child = os.fork()
    if not child:
        try:
            robot.mass_matrix(q + 1.0)[:] = 7.0
            M[:] = 8.0
            os._exit(0 if np.array_equal(robot.mass_matrix(q), expected) else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(M, expected)


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=300)


def test_results_may_outlive_the_interpreter() -> None:
    done = run("""
        import atexit, builtins, sys, threading
        import numpy as np, kinetree as kt
        robot, q = kt.robots.puma560(), np.zeros((4096, 6))
        sys.kept, builtins.kept, threading.kept = (robot.mass_matrix(q) for _ in range(3))
        class Late:
            M = robot.mass_matrix(q)
            def __del__(self): self.M[0, 0, 0] += 1.0
        cycle = [Late(), robot.mass_matrix(q)]
        cycle.append(cycle)
        atexit.register(robot.mass_matrix, q)
        """)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as on Linux")
def test_kept_memory_is_given_back_where_it_is_missing() -> None:
    done = run("""
        import resource
        import numpy as np, kinetree as kt
        robot = kt.robots.puma560()
        kt.threads(1)
        kt.memory_limit(1 << 30)
        robot.mass_matrix(np.broadcast_to(0.0, (1_000_000, 6)))  # 288 MB are kept
        with open("/proc/self/statm") as statm:
            size = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), resource.RLIM_INFINITY))
        robot.mass_matrix(np.broadcast_to(0.0, (1_400_000, 6)))  # 403 MB
        try:
            robot.mass_matrix(np.broadcast_to(0.0, (3_000_000, 6)))  # 864 MB
        except MemoryError:
            print("too much")
        """)
    assert (done.returncode, done.stdout) == (0, "too much\n"), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as on Linux")
def test_ten_million_states_in_blocks_stay_within_the_limit() -> None:
    """At the peak, memory is at most 1.2 times what the caller holds and what may be kept."""
    done = run("""
        import resource
        import numpy as np, kinetree as kt
        robot, block, limit = kt.robots.puma560(), 65_536, 1 << 28
        kt.memory_limit(limit)
        q = np.zeros((block, 6))
        robot.mass_matrix(q[:64])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        for _ in range(10_000_000 // block + 1):
            M = robot.mass_matrix(q)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(peak - before <= 1.2 * 2 * M.nbytes + limit)
        """)
    assert done.stdout == "True\n", done.stderr
