"""Kernels for GPUs, run on the host, against the functions for the CPU and the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpu_on_host import HostKernels
from repeating import Wander, arguments as wander_arguments
from sample_functions import every_operation

import kinetree as kt
from kinetree.emit.cuda import plan
from kinetree.emit.cuda.module import module
from kinetree.graph import interpret
from kinetree.lower.program import Program, lower
from kinetree.scalar import plus_products
from kinetree.tracing import Trace

Array = np.ndarray
KINDS = (np.float64, np.float32)
# the same operations, contracted or not, of a function with results of size 1 to 1000
TOLERANCE = {np.float64: 1e-13, np.float32: 5e-6}
NEWEST, OLDEST = (9, 0), (7, 5)
VECTOR, MATRIX, MATRICES = "inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives"
CASES = [(VECTOR, 1), (VECTOR, 128), (MATRIX, 33), (MATRIX, 64), (MATRICES, 70)]


def lowered(traced: Trace, kind: Any) -> Program:
    repeats = traced.repeats
    return lower(traced.operands, traced.results, traced.outputs, single=kind is np.float32, repeats=repeats)


def launch(program: Program, args: list[Array], out: list[Array], *, dense: bool, capability: Any = NEWEST) -> None:
    """Run the kernels of a program on arrays with one axis of states."""
    made = module(program, capability, dense=dense)
    count = max((len(x) for x in out), default=0)
    given: list[int] = [count, 0]
    for x in (*args, *out):
        given += [x.ctypes.data, x.strides[0], *(() if dense else x.strides[1:])]
    for kernel in made.launches:
        assert kernel.scratch == 0
        HostKernels(made.ptx).launch(kernel.name, -(-count // kernel.states), kernel.threads, kernel.shared, given)


def empty(program: Program, count: int, kind: Any, order: Any = "C") -> list[Array]:
    return [np.full((count, *r.shape), np.nan, kind, order) for r in program.written]


def check(found: list[Array], expected: Any, kind: Any) -> None:
    expected = expected if isinstance(expected, tuple) else (expected,)
    for x, y in zip(found, expected, strict=True):
        assert np.abs(x - y).max() <= TOLERANCE[kind] * max(1.0, np.abs(y).max())


def case(robot: kt.Robot, name: str, count: int, kind: Any) -> tuple[Program, list[Array], Any]:
    function = robot.function(name)
    program = lowered(function.source.trace(), kind)
    rng = np.random.default_rng(count)
    args = [rng.normal(size=(count, *o.shape)).astype(kind) for o in program.operands]
    return program, args, function(*args)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "count"), CASES)
def test_all_numbers_of_states(name: str, count: int, kind: Any) -> None:
    program, args, expected = case(kt.robots.ur5(), name, count, kind)
    for dense in (True, False):
        out = empty(program, count, kind)
        launch(program, args, out, dense=dense)
        check(out, expected, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [VECTOR, MATRIX])
def test_columns_first_and_every_other_state(name: str, kind: Any) -> None:
    program, args, expected = case(kt.robots.stanford(), name, 45, kind)
    turned = [np.repeat(np.asfortranarray(x), 2, axis=0)[::-2] for x in args]
    memory = [np.full((2 * 45, *r.shape, 2), 9.0, kind, "F") for r in program.written]
    out = [x[::2, ..., 1] for x in memory]
    launch(program, turned, out, dense=False)
    check([x[::-1] for x in out], expected, kind)
    assert all((x[1::2] == 9.0).all() and (x[..., 0] == 9.0).all() for x in memory)  # nothing beside them is written


@pytest.mark.parametrize("robot", [kt.robots.ur5(), kt.robots.random_tree(2, 11)])
def test_operands_broadcast_and_have_any_stride(robot: kt.Robot) -> None:
    program, args, _ = case(robot, "inverse_dynamics", 40, float)
    wide = np.random.default_rng(0).normal(size=(40, 100))
    for given in (
        [args[0], np.broadcast_to(args[1][7], args[1].shape), args[2]],
        [wide[:, : robot.nq], args[1], wide[::-1, 50 : 50 + robot.nv]],
    ):
        out = empty(program, 40, float)
        launch(program, given, out, dense=True)
        check(out, robot.inverse_dynamics(*given), np.float64)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dense", [True, False])
def test_every_operation(kind: Any, dense: bool) -> None:
    traced = kt.trace(every_operation, signature="x(3)->y(9)")
    program = lowered(traced, kind)
    x = np.random.default_rng(1).uniform(-2, 2, (50, 3)).astype(kind)
    out = empty(program, 50, kind)
    launch(program, [x], out, dense=dense)
    expected = np.stack(np.broadcast_arrays(*interpret.evaluate(traced.outputs, {"x": x.T}, kind)), -1)
    check(out, expected, kind)


def test_outputs_may_be_constants_inputs_and_repeated() -> None:
    def function(x: Any, y: Any) -> Any:
        s = x[0] * y
        return [2.5, s, x[1], s, -s], [[y, -1.0] * 20, [x[1], s] * 20], x[0] < y

    traced = kt.trace(function, signature="(2),()->(5),(2,40),()")
    program = lowered(traced, float)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(37, 2)), rng.normal(size=37)
    for capability in (NEWEST, OLDEST):
        for dense in (True, False):
            out = empty(program, 37, float)
            launch(program, [x, y], out, dense=dense, capability=capability)
            check(out, kt.compile(function, signature="(2),()->(5),(2,40),()")(x, y), np.float64)


# -- what large functions need -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dense", [True, False])
def test_results_that_leave_in_pieces(kind: Any, dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "WARPS", 60)
    program, args, expected = case(kt.robots.ur5(), "inverse_dynamics_derivatives", 40, kind)
    assert len(plan.planned(program, 227 << 10).pieces) > 2
    out = empty(program, 40, kind)
    launch(program, args, out, dense=dense)
    check(out, expected, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dense", [True, False])
def test_values_that_leave_their_registers(kind: Any, dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "ROOM", dict.fromkeys((False, True), (plan.Room(42, 0, 0),)))
    program, args, expected = case(kt.robots.ur5(), "inverse_dynamics_derivatives", 40, kind)
    assert len(plan.planned(program, 227 << 10).spilled) > 20
    out = empty(program, 40, kind)
    launch(program, args, out, dense=dense)
    check(out, expected, kind)


def test_sums_of_products_that_stayed_one_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinetree.lower.program.MANY", 0)

    def function(A: Any, b: Any) -> Any:
        return [plus_products(b[0], row, b) for row in A]

    traced = kt.trace(function, signature="(4,5),(5)->(4)")
    program = lowered(traced, float)
    assert any(node.op == "dot" for node in program.outputs)
    A, b = np.random.default_rng(0).normal(size=(33, 4, 5)), np.random.default_rng(1).normal(size=(33, 5))
    out = empty(program, 33, float)
    launch(program, [A, b], out, dense=True)
    check(out, np.einsum("kij,kj->ki", A, b) + b[:, :1], np.float64)


# -- programs that repeat ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("count", [1, 300])
def test_steps_until_each_state_is_done(kind: Any, dense: bool, count: int) -> None:
    step = Wander()
    program = lowered(kt.trace(step), kind)
    args = wander_arguments((count,), 3, kind)
    out = empty(program, count, kind)
    launch(program, args, out, dense=dense)
    expected = kt.compile(step)(*args)
    np.testing.assert_array_equal(out[2], expected[2])  # as many steps
    tolerance = 1e-12 if kind is np.float64 else 2e-5
    for x, y in zip(out, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)
