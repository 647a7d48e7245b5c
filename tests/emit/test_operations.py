"""Every operation, compiled, against the interpreter that defines it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sample_functions import crossing

import kinetree as kt
from kinetree.algorithms.forward_dynamics_derivatives import forward_dynamics_derivatives
from kinetree.graph import interpret
from kinetree.graph.operations import OPERATIONS
from kinetree.lower import program
from kinetree.lower.cut import PART
from kinetree.runtime import native
from kinetree.scalar import (
    atan2,
    copysign,
    cos,
    equal,
    floor,
    fma,
    narrow,
    plus_products,
    rint,
    select,
    sign,
    sin,
    sqrt,
    widen,
)  # fmt: skip
from kinetree.signature import parse

Array = np.ndarray
KINDS = (np.float64, np.float32)

# sin, cos and atan2 are ours in the code and NumPy's in the interpreter; each is within 2 units in the last place
# of the truth (tests/lower/test_elementary.py has the sharp bounds), every other operation is rounded correctly
ULPS = {"sin": 4, "cos": 4, "atan2": 4}
# sums of at most 40 terms of size 1, contracted or not: each rounding moves the result by half an epsilon
SUM = 40
# solutions of linear systems of a dozen unknowns, contracted or not, relative to the largest number of all
SOLVED = 1e-10
ODD = 3  # operations in a part: so few that parts begin and end at every kind of operation


# -- one operation at a time -------------------------------------------------------------------------------------------

LOGICAL = {"and", "or", "xor", "not"}


def single_operation(op: str) -> Callable[..., Any]:
    """A function that does nothing but this operation (and comparisons where it needs truth values)."""
    if op in LOGICAL:
        return lambda *xs: (xs[0] < 1.0).apply(op, *(x < 1.0 for x in xs))
    if op == "select":
        return lambda a, b, c: select(a < b, b, c)
    if op == "narrow":
        return lambda a: narrow(widen(a) * widen(a))
    return lambda *xs: xs[0].apply(op, *xs)


def values(kind: Any, op: str) -> Array:
    """Numbers on which operations go wrong, and a few on which they should not."""
    info = np.finfo(kind)
    usual = [1.0, 0.5, 1.5, 2.5, -3.5, 3.141592653589793, -1e-3, 12345.678, -7e5]
    edges = [np.nan, np.inf, -np.inf, 0.0, -0.0, info.smallest_subnormal, -info.tiny, info.max]
    if op in ("sin", "cos"):
        edges[-1] = 1e15  # from 2^50 on there is no sine
    if op == "atan2":
        edges[-1] = info.max / 4  # |x| + |y| must not overflow
    if OPERATIONS[op] == 3:
        usual = usual[:5]
    return np.array(edges + usual, kind)


def assert_same_bits(actual: Array, expected: Array) -> None:
    """Equal numbers, zeros of equal sign, NaN for NaN."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    same = np.where(np.isnan(expected), np.isnan(actual), actual == expected)
    same &= np.isnan(expected) | (np.signbit(actual) == np.signbit(expected))
    assert same.all(), f"{actual[~same][:5]} instead of {expected[~same][:5]}"


def assert_within_ulps(actual: Array, expected: Array, ulps: int) -> None:
    assert actual.dtype == expected.dtype
    whole = ~np.isfinite(expected) | (expected == 0)
    assert_same_bits(actual[whole], expected[whole])
    error = np.abs(actual[~whole] - expected[~whole]) / np.spacing(np.abs(expected[~whole]))
    assert error.max(initial=0) <= ulps


@pytest.mark.parametrize("op", OPERATIONS)
def test_an_operation_means_what_the_interpreter_says(op: str, processor: str) -> None:
    arity, function = OPERATIONS[op], single_operation(op)
    signature = f"{','.join(['()'] * arity)}->()"
    compiled = kt.compile(function, signature=signature, name=op)
    traced = kt.trace(function, signature=signature)
    assert op in traced.operations
    for kind in KINDS:
        columns = [np.array(column) for column in zip(*itertools.product(values(kind, op), repeat=arity))]
        (expected,) = interpret.evaluate(traced.outputs, {f"x{k}": c[None] for k, c in enumerate(columns)}, kind)
        with np.errstate(all="ignore"):
            actual = compiled(*columns)
        if op in ULPS:
            assert_within_ulps(actual, expected, ULPS[op])
        else:
            # the sign of a zero has no sign to speak of, nor that of Microsoft's fma, where it is called; +0 drops it
            unsigned = op == "sign" or (op == "fma" and sys.platform == "win32" and not native.has_fma())
            zero = 0.0 if unsigned else -0.0
            assert_same_bits(actual + kind(zero), expected.astype(kind) + kind(zero))


def test_fma_is_rounded_once(processor: str) -> None:
    # 97 * 257 * 673 = 2^24 + 1: the product is halfway between two floats, and the third number decides
    a, b, c = np.float32([24929 * 2.0**-12, 673 * 2.0**-12, 2.0**-80])
    compiled = kt.compile(fma, signature="(),(),()->()")
    assert compiled(a, b, c) == np.float32(1 + 2.0**-23)
    assert compiled(a, b, -c) == np.float32(1)
    x = 1 + 2.0**-30
    assert compiled(x, x, -1 - 2.0**-29) == 2.0**-60
    traced = kt.trace(fma, signature="(),(),()->()").outputs
    for sign_of_c, rounded in ((1, 1 + 2.0**-23), (-1, 1)):
        inputs = {f"x{k}": [x] for k, x in enumerate((a, b, sign_of_c * c))}
        assert interpret.evaluate(traced, inputs, np.float32)[0] == np.float32(rounded)


def test_the_sine_of_a_wide_angle_is_narrow(processor: str) -> None:
    compiled = kt.compile(lambda x: (sin(widen(x) * widen(x)), cos(widen(x))), signature="()->(),()")
    x = np.array([0.0, -0.0, 1.5, -2.5], np.float32)
    for found, exact in zip(compiled(x), (np.sin(x.astype(float) ** 2), np.cos(x.astype(float)))):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=4 * np.finfo(np.float32).eps)


# -- expressions -------------------------------------------------------------------------------------------------------


def polynomial(x: Any) -> Any:
    return ((x * 0.3 - 1.25) * x + 2.0) * x - 0.75


def planar_arm(q: list[Any]) -> Any:
    angle, x, y = 0.0, 0.0, 0.0
    for k, qk in enumerate(q):
        angle = angle + qk
        x, y = x + cos(angle) / (k + 1), y + sin(angle) / (k + 1)
    return [x, y, atan2(y, x), sqrt(x * x + y * y)]


def saturated(x: Any, y: Any) -> Any:
    inside = (x < y) & ~((x * y <= -1.0) | equal(x, 0.5)) ^ (y < 0.0)
    return select(inside, copysign(floor(x) + rint(y), -y), -sign(x) * abs(y)), inside


def mixed_precision(x: Any) -> Any:
    wide = widen(x)
    return narrow(select(wide < 1.0, fma(wide, wide, -1.0), wide * 3.0 - 2.0 / wide)) + x


EXPRESSIONS = {
    "polynomial": (polynomial, "()->()"),
    "planar_arm": (planar_arm, "(4)->(4)"),
    "saturated": (saturated, "(),()->(),()"),
    "mixed_precision": (mixed_precision, "()->()"),
}


def interpreted(function: Callable[..., Any], signature: str, args: list[Array], kind: Any) -> list[Array]:
    """The results by the interpreter, each as an array (batch, flattened core)."""
    traced = kt.trace(function, signature=signature)
    inputs = {o.name: np.moveaxis(a.reshape(a.shape[0], o.size), -1, 0) for o, a in zip(traced.operands, args)}
    flat = [np.broadcast_to(x, len(args[0])).astype(kind) for x in interpret.evaluate(traced.outputs, inputs, kind)]
    ends = np.cumsum([r.size for r in traced.results])
    return [np.stack(flat[end - r.size : end], -1) for r, end in zip(traced.results, ends)]


def batch(signature: str, kind: Any, rows: int = 53) -> list[Array]:
    rng = np.random.default_rng(5)
    operands = parse(signature).operands
    return [rng.uniform(-2, 2, (rows, *o.shape)).astype(kind) for o in operands]


def run(function: Callable[..., Any], signature: str, args: list[Array]) -> list[Array]:
    result = kt.compile(function, signature=signature)(*args)
    results = result if isinstance(result, tuple) else (result,)
    return [r.reshape(len(args[0]), -1) for r in results]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_means_what_the_interpreter_says(name: str, kind: Any, processor: str) -> None:
    function, signature = EXPRESSIONS[name]
    args = batch(signature, kind)
    for actual, expected in zip(run(function, signature, args), interpreted(function, signature, args, kind)):
        assert actual.dtype == kind
        scale = np.maximum(1, np.abs(expected))
        assert (np.abs(actual - expected) <= SUM * np.finfo(kind).eps * scale).all()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_reassociated_and_no_quotient_becomes_a_product(kind: Any, processor: str) -> None:
    def function(a: Any, b: Any, c: Any) -> Any:
        sums = [(a + b) - a, (a + b) + c, a + (b + c), (a - b) + b]
        return [*sums, a / 3.0, a / c, b / c, (a * 0.1) * 10.0, (a * b) * c]

    a, b, c = np.random.default_rng(3).normal(size=(3, 101)).astype(kind)
    compiled = kt.compile(function, signature="(),(),()->(9)")
    assert_same_bits(compiled(a, b, c), np.stack(function(a, b, c), -1))


@pytest.mark.parametrize("kind", KINDS)
def test_constants_are_rounded_to_the_precision_of_their_operation(kind: Any, processor: str) -> None:
    numbers = [0.1, -1 / 3, 1e300, 1e-300, 1e-42, np.inf, -np.inf, np.nan, 2.0**24 + 1]
    compiled = kt.compile(lambda x: [x * c for c in numbers], signature=f"()->({len(numbers)})")
    with np.errstate(all="ignore"):
        assert_same_bits(compiled(kind(1)), np.array(numbers).astype(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_constants_of_fma_are_rounded_too(kind: Any, processor: str) -> None:
    def function(x: Any) -> Any:
        return [fma(x, 1e30, 1.0), fma(0.1, x, -1 / 3), fma(x, x, 0.1)]

    args = batch("()->(3)", kind)
    assert_same_bits(*run(function, "()->(3)", args), *interpreted(function, "()->(3)", args, kind))


def test_truth_values_of_python_and_of_a_trace_go_together() -> None:
    def function(x: Any) -> Any:
        p = x < 1.0
        return [True & p, False & p, True | p, False | p, True ^ p, False ^ p, p & True, p | False, p ^ True]

    compiled = kt.compile(function, signature="()->(9)")
    np.testing.assert_array_equal(compiled([0.0, 2.0]), [[1, 0, 1, 1, 0, 1, 1, 1, 0], [0, 0, 1, 0, 1, 0, 0, 0, 1]])


# -- outputs -----------------------------------------------------------------------------------------------------------


def test_outputs_may_be_constants_inputs_and_repeated(processor: str) -> None:
    def function(x: Any, y: Any) -> Any:
        s = x[0] * y
        return [2.5, s, x[1], s, -s], [[y, -1.0], [x[1], s]]

    compiled = kt.compile(function, signature="(2),()->(5),(2,2)")
    rng = np.random.default_rng(0)
    for kind in KINDS:
        x, y = rng.normal(size=(21, 2)).astype(kind), rng.normal(size=21).astype(kind)
        s, one = x[:, 0] * y, np.ones(21, kind)
        first, second = compiled(x, y)
        np.testing.assert_array_equal(first, np.stack([2.5 * one, s, x[:, 1], s, -s], -1))
        np.testing.assert_array_equal(second, np.stack([y, -one, x[:, 1], s], -1).reshape(21, 2, 2))


def test_a_function_may_have_no_operations_at_all(processor: str) -> None:
    swap = kt.compile(lambda x: [x[1], x[0], 0.0], signature="(2)->(3)")
    np.testing.assert_array_equal(swap([[1.0, 2.0], [3.0, 4.0]]), [[2.0, 1.0, 0.0], [4.0, 3.0, 0.0]])


def test_a_truth_value_comes_out_as_one_or_zero(processor: str) -> None:
    compiled = kt.compile(lambda x: [x < 1.0, ~(x < 1.0)], signature="()->(2)")
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(compiled([0.0, 2.0, np.nan]), [[1, 0], [0, 1], [0, 1]])


def test_cores_of_any_rank_keep_their_order(processor: str) -> None:
    def function(a: Any, x: Any, y: Any) -> Any:
        return [[[a * x[i][j] + y[i][j][k] for i in range(2)] for j in range(3)] for k in range(9)]

    compiled = kt.compile(function, signature="(),(2,3),(2,3,9)->(9,3,2)")
    rng = np.random.default_rng(1)
    for kind in KINDS:
        a, x, y = (rng.integers(-9, 9, (13, *core)).astype(kind) for core in ((), (2, 3), (2, 3, 9)))
        expected = a[:, None, None, None] * x[..., None] + y
        np.testing.assert_array_equal(compiled(a, x, y), np.moveaxis(expected, (1, 2, 3), (3, 2, 1)))


# -- parts -------------------------------------------------------------------------------------------------------------


def in_parts(monkeypatch: pytest.MonkeyPatch, size: int) -> list[int]:
    """From here on, functions are cut into parts of this size; how many parts each had is in the list."""
    counts: list[int] = []

    def cut(*args: Any) -> Any:
        parts, slots = original(*args, size=size)
        counts.append(len(parts))
        return parts, slots

    original = program.cut
    monkeypatch.setattr(program, "cut", cut)
    return counts


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*EXPRESSIONS, "crossing"])
def test_parts_compute_what_the_whole_does(
    name: str, kind: Any, processor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, signature = {**EXPRESSIONS, "crossing": (crossing, "(5)->(5)")}[name]
    args = batch(signature, kind)
    whole = run(function, signature, args)
    counts = in_parts(monkeypatch, ODD)
    cut = run(function, signature, args)
    assert counts[0] > 1
    for a, b in zip(cut, whole):
        if processor == "x86-64":
            assert_same_bits(a, b)
        else:  # a product and a sum in different parts are not contracted
            assert (np.abs(a - b) <= SUM * np.finfo(kind).eps * np.maximum(1, np.abs(b))).all()


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("kind", KINDS)
def test_a_large_function_is_cut_and_right(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Any) -> Any:
        y = list(x)
        for round_ in range(60):
            y = [select(a < b, a - 0.5 * b, fma(a, 0.25, b) * 0.5) for a, b in zip(y, y[1:] + y[:1])]
            y[round_ % 8] = sin(y[round_ % 8])
        return y

    counts = in_parts(monkeypatch, PART)
    args = batch("(8)->(8)", kind)
    (actual,), (expected,) = run(function, "(8)->(8)", args), interpreted(function, "(8)->(8)", args, kind)
    assert counts[0] > 1
    # a comparison of two close numbers may turn out otherwise after a rounding: most rows, not all, must agree
    agree = (np.abs(actual - expected) <= 1e3 * np.finfo(kind).eps).all(-1)
    assert agree.mean() > 0.9


# -- sums of products --------------------------------------------------------------------------------------------------

COLUMNS = (3, 17)  # in blocks of 3, and of 8, 8 and 1


def solved(L: Any, b: Any) -> Any:
    """(1 + L)^-1 b, row by row: every sum needs those before, and the rows of b have their first factors in common."""
    n, m = len(L), len(b[0])
    y: list[list[Any]] = []
    for i in range(n):
        row = [plus_products(b[i][c], [-x for x in L[i][:i]], [y[k][c] for k in range(i)]) for c in range(m)]
        y.append(row)
    return y


def mixed(L: Any, b: Any) -> Any:
    """Sums with and without a start, of inputs and of values, used by other operations and by sums, results twice."""
    y = solved(L, b)
    n, m = len(L), len(b[0])
    plain = [[plus_products(0.0, L[i], [y[k][c] for k in range(n)]) for c in range(m)] for i in range(n)]
    curved = [[sin(x) for x in row] for row in plain]
    again = [[plus_products(curved[i][c], L[i], [row[c] for row in plain]) for c in range(m)] for i in range(n)]
    wide = [[narrow(plus_products(widen(x), L[0], row)) for x in row] for row in again]
    return [[x + v for x, v in zip(*rows)] for rows in zip(again, wide)], y, y


def in_tables(monkeypatch: pytest.MonkeyPatch, size: int) -> list[bool]:
    """From here on, all sums of products come from tables; which parts are tables is in the list."""
    tables: list[bool] = []

    def cut(*args: Any) -> Any:
        parts, slots = original(*args, size=size)
        tables.extend(part.is_table for part in parts)
        return parts, slots

    original = program.cut
    monkeypatch.setattr(program, "cut", cut)
    monkeypatch.setattr(program, "MANY", 0)
    return tables


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", COLUMNS)
def test_sums_from_tables_mean_what_the_interpreter_says(
    columns: int, kind: Any, processor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 7
    matrix = f"({n},{columns})"
    signature = f"({n},{n}),{matrix}->{matrix},{matrix},{matrix}"
    args = batch(signature, kind)
    args[0] /= n
    tables = in_tables(monkeypatch, 20)
    found = run(mixed, signature, args)
    assert {*tables} == {True, False}
    assert sum(tables) > 1
    for actual, expected in zip(found, interpreted(mixed, signature, args, kind)):
        scale = np.maximum(1, np.abs(expected))
        assert (np.abs(actual - expected) <= SUM * np.finfo(kind).eps * scale).all()


@pytest.mark.usefixtures("no_cache")
def test_derivatives_of_accelerations_are_the_same_from_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, rng = kt.robots.random_tree(4, 12, ["revolute"]), np.random.default_rng(0)
    states = [rng.normal(size=(11, n)) for n in (robot.nq, robot.nv, robot.nv)]
    whole = kt.compile(forward_dynamics_derivatives, robot)(*states)
    tables = in_tables(monkeypatch, PART)
    found = kt.compile(forward_dynamics_derivatives, robot)(*states)
    assert any(tables)
    for a, b in zip(found, whole):
        np.testing.assert_allclose(a, b, rtol=0, atol=SOLVED * np.abs(b).max())
