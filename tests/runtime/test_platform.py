"""What every system, processor, interpreter and version of NumPy and llvmlite must do: `make test-arm` and others.

Numbers are compared with the interpreter of graphs, on NumPy's own sines, relative to the largest number of a result.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import sysconfig
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.catalogue import Variant
from kinetree.emit.llvm import loop
from kinetree.graph import interpret
from kinetree.runtime import direct, native, processor
from kinetree.runtime.threads import LARGE

TOLERANCE = {np.float64: 1e-14, np.float32: 1e-6}
CASES = [
    (robot, function, kind)
    for robot, function in (
        ("ur5", "inverse_dynamics"), ("ur5", "forward_dynamics"), ("panda", "mass_matrix"), ("scara", "bias_forces"),
        ("stanford", "inverse_dynamics_derivatives"),
    )
    for kind in TOLERANCE
    if (function, kind) != ("forward_dynamics", np.float32)  # whose errors are those of a system of equations: below
]  # fmt: skip
COUNT = 19  # states: whole blocks of lanes and a rest, for every width
MUSL_STACK = 128 * 1024  # bytes of a thread's stack on musl; no other system has less
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def arguments(traced: Any, kind: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.uniform(-1.0, 1.0, (COUNT, *operand.shape)).astype(kind) for operand in traced.operands]


@pytest.mark.parametrize(("name", "function", "kind"), CASES)
def test_numbers_are_those_of_the_reference(name: str, function: str, kind: Any) -> None:
    robot = getattr(kt.robots, name)()
    variant = Variant(function)
    traced = kt.trace(variant, robot)
    args = arguments(traced, kind)
    results = kt.compile(variant, robot)(*args)
    columns = {o.name: np.moveaxis(a.reshape(len(a), -1).astype(float), 1, 0) for o, a in zip(traced.operands, args)}
    numbers = np.broadcast_arrays(np.zeros(COUNT), *interpret.evaluate(traced.outputs, columns, np.float64))[1:]
    expected = np.stack(numbers, -1)
    found = np.concatenate([r.reshape(COUNT, -1) for r in (results if isinstance(results, tuple) else (results,))], 1)
    assert found.dtype == kind
    assert np.abs(found - expected).max() <= TOLERANCE[kind] * np.abs(expected).max()


def test_forward_dynamics_in_single_precision_solves_its_equations() -> None:
    robot = kt.robots.ur5()
    q, qd, tau = arguments(kt.trace(Variant("forward_dynamics"), robot), np.float32)
    qdd = robot.forward_dynamics(q, qd, tau)
    assert qdd.dtype == np.float32
    given, qdd = tau.astype(float), qdd.astype(float)
    left = robot.inverse_dynamics(q.astype(float), qd.astype(float), qdd) - given
    size = np.abs(robot.mass_matrix(q.astype(float))).max() * np.abs(qdd).max()
    assert np.abs(left).max() <= TOLERANCE[np.float32] * size


def test_the_processor_is_the_one_that_was_asked_for() -> None:
    asked = os.environ.get(processor.VARIABLE)
    _, triple, cpu, features = native.target()
    assert asked in (None, "", cpu)
    assert native.vector_bytes() == (processor.vector_bytes(features) if processor.is_x86(triple) else 16)


def test_a_single_state_is_a_direct_call_with_the_bits_of_a_batch() -> None:
    robot = kt.robots.ur5()
    q = np.random.default_rng(1).normal(size=(9, 6))
    whole = robot.inverse_dynamics(q, q, q)
    np.testing.assert_array_equal([robot.inverse_dynamics(row, row, row) for row in q], whole)
    known = sys.implementation.name == "cpython" and sys.version_info >= (3, 11) and not FREE_THREADED
    assert (direct._table() is not None) == known
    assert (type(robot.inverse_dynamics).__name__ == "Call") == known


def test_threads_give_the_bits_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, before = kt.robots.scara(), kt.threads()
    q = np.random.default_rng(2).normal(size=(LARGE // 3, robot.nq))
    try:
        kt.threads(1)
        alone = robot.gravity_forces(q), robot.mass_matrix(q)
        kt.threads(3)
        for one, three in zip(alone, (robot.gravity_forces(q), robot.mass_matrix(q))):
            np.testing.assert_array_equal(one, three)
    finally:
        kt.threads(before)


CHILD = """
import numpy as np, kinetree as kt
from kinetree.runtime import native
compile_object, count = native.compile_object, []
native.compile_object = lambda *modules: count.append(1) or compile_object(*modules)
print(kt.robots.two_link().mass_matrix(np.ones(2)).tobytes().hex(), len(count))
"""


def test_the_next_process_finds_the_code_in_the_cache(tmp_path: Path) -> None:
    environment = {**os.environ, "KINETREE_CACHE_DIR": str(tmp_path / "cache")}
    run = partial(subprocess.run, [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True)
    first, second = (run(check=True).stdout.split() for _ in range(2))
    assert (first[1], second[1]) == ("1", "0")
    assert first[0] == second[0] == kt.robots.two_link().mass_matrix(np.ones(2)).tobytes().hex()


def gravity(q: Any) -> Any:
    return kt.robots.two_link().gravity_forces(q)


def test_a_process_that_is_spawned_computes_the_same() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        np.testing.assert_array_equal(workers.apply(gravity, (np.ones(2),)), gravity(np.ones(2)))


@pytest.mark.usefixtures("no_cache")
def test_the_largest_frame_fits_into_a_small_stack() -> None:
    count = loop.STACK // native.vector_bytes() - 8  # slots, one for each number
    function = kt.compile(lambda x: x[0] + x[-1], signature=f"({count})->()")
    x, found = np.arange(float(count)), list[Any]()
    before = threading.stack_size(MUSL_STACK)
    try:
        thread = threading.Thread(target=lambda: found.append(function(x)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [count - 1.0]


def test_iterations_and_scratch_memory_from_the_heap() -> None:
    robot = kt.robots.ur5()
    q = np.array([0.3, -0.8, 1.1, 0.2, 0.5, -0.4])
    goal = robot.pose(q, "tool0")
    found = robot.inverse_kinematics("tool0", goal, q + 0.1)
    np.testing.assert_allclose(robot.pose(found.q, "tool0"), goal, atol=1e-5)  # ten times its tolerance
    large = kt.robots.random_tree(1, 40)
    M = large.mass_matrix(large.neutral)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
