"""Laws of expression graphs: what the rules, the passes and the derivatives must not change."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings, strategies as st

from kinetree import scalar
from kinetree.errors import TraceError
from kinetree.graph import differentiate
from kinetree.graph.interpret import MEANING, evaluate
from kinetree.graph.node import Graph, Node, count, live
from kinetree.graph.operations import BOOLEAN, OPERATIONS
from kinetree.lower import program as lowering
from kinetree.lower.expand import expand, without_sums
from kinetree.lower.signs import settle_signs

Array = np.ndarray
INPUTS, ROWS = 3, 16

# two ways to the derivative, each a dozen roundings; measured against the largest of all tangents on the way
DERIVATIVE = 1e-10
# our sine against NumPy's: a unit in the last place, magnified by what follows; values stay below LARGEST
TRIGONOMETRY = 1e-9
LARGEST = 1e4

# -- random expressions ------------------------------------------------------------------------------------------------

CONSTANTS = (0.0, 1.0, -1.0, 2.0, -0.5, 4.0, 3.0, 0.1, -7.25, 2.0**-40)
SIGNS = ("add", "sub", "mul", "neg", "neg")
RATIONAL = (*SIGNS, "div", "fma", "sqrt", "abs", "sign", "copysign", "floor", "rint")
LOGIC = ("lt", "le", "eq", "and", "or", "xor", "not", "select")
CIRCULAR = ("sin", "cos", "atan2")


@dataclass(frozen=True)
class Step:
    """An operation on values made before: indices count from the last one."""

    op: str
    args: list[int]


def programs(*operations: str, most: int = 14) -> st.SearchStrategy[list[Step]]:
    places = st.one_of(st.integers(0, 6), st.integers(0, 20))  # mostly what was made last, then inputs, then numbers
    steps = st.tuples(st.sampled_from(operations), places, places, places)
    return st.lists(steps, min_size=1, max_size=most).map(
        lambda drawn: [Step(op, args[: OPERATIONS[op]]) for op, *args in drawn]
    )


ON_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "abs": abs, "lt": operator.lt, "le": operator.le, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "not": operator.not_, "eq": scalar.equal,
}  # fmt: skip


def simplified(op: str, *args: Any) -> Any:
    """As a traced function makes it: numbers are computed at once, the rules of the graph apply."""
    node = next((x for x in args if isinstance(x, Node)), None)
    if node is not None:
        return node.graph.apply(op, *args)
    if op in CIRCULAR:  # Python's sine may differ from NumPy's by a unit in the last place
        return float(MEANING[op](*args))
    return (ON_NUMBERS.get(op) or getattr(scalar, op))(*args)


def plain(op: str, *args: Node) -> Node:
    """As it is written, rule or no rule."""
    return args[0].graph.make(op, *args)


def build(steps: list[Step], make: Callable[..., Any], numbers: list[Any], flags: list[Any]) -> tuple[list, list]:
    """The values of all steps: numbers, and truth values."""
    numbers, flags = list(numbers), list(flags)
    for step in steps:
        takes = [flags if step.op in ("and", "or", "xor", "not") else numbers] * len(step.args)
        if step.op == "select":
            takes[0] = flags
        if not all(takes):
            continue
        args = [pool[-1 - k % len(pool)] for pool, k in zip(takes, step.args)]
        (flags if step.op in BOOLEAN else numbers).append(make(step.op, *args))
    return numbers, flags


def both(steps: list[Step]) -> tuple[list[Node], list[Node]] | None:
    """The same expressions simplified and as written; None where a division by zero is refused while tracing."""
    rich, poor = Graph(), Graph()
    inputs = [[g.input("x", k) for k in range(INPUTS)] for g in (rich, poor)]
    try:
        numbers, flags = build(steps, simplified, [*CONSTANTS, *inputs[0]], [inputs[0][0] < inputs[0][1]])
    except (ZeroDivisionError, TraceError, OverflowError):
        return None
    raw, raw_flags = build(steps, plain, [*map(poor.node, CONSTANTS), *inputs[1]], [plain("lt", *inputs[1][:2])])
    first = len(CONSTANTS) + INPUTS
    outputs = [*map(rich.node, numbers[first:]), *(rich.node(float(f) if isinstance(f, bool) else f) for f in flags)]
    return outputs, [*raw[first:], *raw_flags]


def points(seed: int) -> Array:
    """Some round numbers, so that differences vanish and comparisons meet, and some that are not."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-4, 5, (INPUTS, ROWS)) / 2.0
    x[:, ROWS // 2 :] = rng.normal(size=(INPUTS, ROWS // 2))
    return x


def tame(outputs: list[Node], x: Array, largest: float = np.inf) -> Array:
    """The rows in which nothing on the way is infinite or NaN, and no sign of a zero is looked at."""
    nodes = live(outputs)
    values = dict(zip(nodes, evaluate(nodes, {"x": x})))
    good = np.ones(ROWS, bool)
    for node in nodes:
        if node.op not in BOOLEAN:
            good &= np.isfinite(values[node]) & (np.abs(values[node]) <= largest)
        if node.op in ("atan2", "copysign"):
            for arg in node.args:
                good &= values[arg] != 0
    return good


def rows(values: Any, good: Array) -> Array:
    return np.array([np.broadcast_to(v, ROWS)[good] for v in values], float)


# -- rules -------------------------------------------------------------------------------------------------------------


@given(programs(*RATIONAL, *LOGIC, *CIRCULAR) | programs(*SIGNS, most=8), st.integers(0, 999))
@settings(max_examples=400)
def test_the_rules_change_no_value(steps: list[Step], seed: int) -> None:
    pair = both(steps)
    if pair is None or not pair[0]:
        return
    simple, raw = pair
    x = points(seed)
    good = tame(raw, x)
    np.testing.assert_array_equal(rows(evaluate(simple, {"x": x}), good), rows(evaluate(raw, {"x": x}), good))


@given(programs(*RATIONAL, *LOGIC, *CIRCULAR))
def test_the_rules_never_add_operations(steps: list[Step]) -> None:
    pair = both(steps)
    if pair is None:
        return
    simple, raw = (sum(count(side).values()) for side in pair)
    signs = count(pair[0]).get("neg", 0)  # a sign that was pushed outwards may be met twice on the way
    assert simple - signs <= raw


def test_division_by_a_power_of_two_is_exact_for_all_of_them() -> None:
    graph = Graph()
    x = np.array([1.0, 3.0, 1e-320, 1e300, 0.1])
    for exponent in (-1074, -1073, -1023, -1022, -1, 0, 1, 1021, 1023):
        c = math.ldexp(1.0, exponent)
        (value,) = evaluate([graph.node(graph.input("x") / c)], {"x": x[None]})
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(value, x / c)


# -- sharing -----------------------------------------------------------------------------------------------------------


@given(programs(*RATIONAL, *LOGIC, *CIRCULAR))
def test_the_same_expression_is_the_same_node(steps: list[Step]) -> None:
    graph = Graph()
    inputs = [graph.input("x", k) for k in range(INPUTS)]
    try:
        first = build(steps, simplified, [*CONSTANTS, *inputs], [])
    except (ZeroDivisionError, TraceError, OverflowError):
        return
    size = len(graph.nodes)
    again = build(steps, simplified, [*CONSTANTS, *inputs], [])
    assert len(graph.nodes) == size
    for a, b in zip([*first[0], *first[1]], [*again[0], *again[1]]):
        assert a is b or (not isinstance(a, Node) and (a == b or a != a))


def test_differences_in_both_directions_are_one_subtraction() -> None:
    graph = Graph()
    a, b = graph.input("x", 0), graph.input("x", 1)
    assert count([a - b, b - a]) == {"sub": 1, "neg": 1}
    assert (b - a) is -(a - b)
    assert count([(a - b) * (b - a)])["sub"] == 1
    assert (1.0 - a) is -(a - 1.0)
    assert (2.0 * a) is -(a * -2.0)


def test_sums_and_products_do_not_look_at_the_order() -> None:
    graph = Graph()
    a, b = graph.input("x", 0), graph.input("x", 1)
    assert (a + b) is (b + a)
    assert (a * b) is (b * a)
    assert (a * 2.0) is (2.0 * a)
    assert (a - b) is not (b - a)


def test_a_number_is_one_node() -> None:
    graph = Graph()
    assert graph.node(2) is graph.node(2.0) is graph.node(np.float32(2.0)) is graph.node(True + True)
    assert graph.node(0.5) is not graph.node(0.25)
    assert graph.node(0.0) is not graph.node(-0.0)


def test_neutral_elements_vanish() -> None:
    graph = Graph()
    x = graph.input("x")
    p, minus = x < 1.0, -x
    for value, same in (
        (x + 0.0, x), (0.0 + x, x), (x - 0.0, x), (x * 1.0, x), (1.0 * x, x), (x / 1.0, x), (-minus, x), (+x, x),
        (x * -1.0, -x), (0.0 - x, -x), (x - x, 0.0), (x * 0.0, 0.0), (0.0 / x, 0.0), (x**1, x), (~~p, p),
        (p & True, p), (p | False, p), (p & False, False), (p | True, True), (p ^ False, p), (p ^ True, ~p),
        (p ^ p, False), (p & p, p), (p | p, p), (scalar.select(p, x, x), x), (scalar.select(p, 2.0, 2.0), 2.0),
        (abs(-x), abs(x)), (abs(abs(x)), abs(x)), (scalar.sin(-x), -scalar.sin(x)), (scalar.cos(-x), scalar.cos(x)),
    ):  # fmt: skip
        assert value is same or value == same, (value, same)
        assert type(value) is type(same)


# -- order -------------------------------------------------------------------------------------------------------------


@given(programs(*RATIONAL, *LOGIC, *CIRCULAR), st.integers(0, 20))
def test_live_nodes_come_before_their_users_and_nothing_else_is_live(steps: list[Step], keep: int) -> None:
    pair = both(steps)
    if pair is None or not pair[1]:
        return
    outputs = pair[1][keep % len(pair[1]) :]
    nodes = live(outputs)
    seen: set[Node] = set()
    for node in nodes:
        assert seen.issuperset(node.args)
        seen.add(node)
    assert len(seen) == len(nodes)
    used = {arg for node in nodes for arg in node.args} | {*outputs}
    assert used == seen
    assert sum(count(outputs).values()) == sum(node.op in OPERATIONS for node in nodes)


# -- lowering ----------------------------------------------------------------------------------------------------------


@given(programs(*RATIONAL, *LOGIC) | programs(*SIGNS, most=8), st.integers(0, 999))
@settings(max_examples=400)
def test_settling_signs_changes_no_value_and_adds_no_operation(steps: list[Step], seed: int) -> None:
    pair = both(steps)
    if pair is None or not pair[0]:
        return
    x = points(seed)
    before, after = pair[0], settle_signs(pair[0])
    good = tame(before, x) & tame(pair[1], x)
    np.testing.assert_array_equal(rows(evaluate(after, {"x": x}), good), rows(evaluate(before, {"x": x}), good))
    assert sum(count(after).values()) <= sum(count(before).values())


@given(programs(*RATIONAL, *LOGIC, *CIRCULAR), st.integers(0, 999))
@settings(max_examples=100)
def test_expanding_leaves_machine_operations_of_the_same_value(steps: list[Step], seed: int) -> None:
    pair = both(steps)
    if pair is None or not pair[0]:
        return
    x = points(seed)
    smooth = [n for n in pair[0] if not {"lt", "le", "eq", "floor", "rint", "sign"} & {m.op for m in live([n])}]
    if not smooth:
        return
    after = expand(smooth, single=False)
    assert {"sin", "cos", "atan2", "sign", "widen", "narrow"}.isdisjoint(count(after))
    good = tame(smooth, x, LARGEST)
    a, b = rows(evaluate(after, {"x": x}), good), rows(evaluate(smooth, {"x": x}), good)
    np.testing.assert_allclose(a, b, rtol=TRIGONOMETRY, atol=TRIGONOMETRY * LARGEST)


def run_parts(program: lowering.Program, x: Array, kind: Any) -> list[Array]:
    """The outputs by parts that know of each other what is in scratch memory and among the results.

    A wide value takes two slots.
    """
    memory: list[Any] = [None] * program.slots
    results: dict[Node, Any] = {}
    outputs = {*program.outputs}

    def value(node: Node, known: dict[Node, Any]) -> Any:
        if node.op == "const":
            return node.value
        if node.op == "input":
            return x[node.value[1]]
        assert node in known or node in outputs
        return known[node] if node in known else results[node]

    for part in program.parts:
        known: dict[Node, Any] = {}
        for node, slot in part.loads.items():
            owner, number = memory[slot]
            assert owner is node
            assert node not in program.wide or memory[slot + 1] == "second half"
            known[node] = number
        stores = dict(part.stores)
        for node in part.operations:
            meaning = {**MEANING, "narrow": lambda a: np.asarray(a, kind)}[node.op]
            with np.errstate(all="ignore"):
                number = meaning(*(value(arg, known) for arg in node.args))
            width = bool if node.op in BOOLEAN else np.float64 if node in program.wide else kind
            known[node] = results[node] = np.asarray(number, width)
            if node in stores:
                slot = stores[node]
                memory[slot] = (node, known[node])
                if node in program.wide:
                    memory[slot + 1] = "second half"
    return [np.broadcast_to(np.asarray(value(node, results), kind), ROWS) for node in program.outputs]


@given(
    programs(*RATIONAL, *LOGIC, *CIRCULAR, most=25) | programs("sin", "cos", "add", "mul", most=6),
    st.integers(0, 999),
    st.integers(1, 12),
    st.booleans(),
)
@settings(max_examples=100)
def test_parts_of_any_size_compute_the_program(steps: list[Step], seed: int, size: int, single: bool) -> None:
    pair = both(steps)
    if pair is None or not pair[0]:
        return
    kind = np.float32 if single else np.float64
    x = points(seed).astype(kind)
    original = lowering.cut
    lowering.cut = lambda *args: original(*args, size=size)
    try:
        program = lowering.lower([], [], pair[0], single=single)
    finally:
        lowering.cut = original
    operations = [node for part in program.parts for node in part.operations]
    assert len(operations) == len({*operations})
    assert {*operations} == {node for node in live(program.outputs) if node.args}
    assert all(len(part.operations) <= size for part in program.parts)
    expected = evaluate(program.outputs, {"x": x}, kind)
    for a, b in zip(run_parts(program, x, kind), expected):
        np.testing.assert_array_equal(a, np.broadcast_to(b.astype(kind), ROWS))


# -- sums of products --------------------------------------------------------------------------------------------------


def sums(seed: int) -> tuple[list[Any], list[Any]]:
    """Sums of products of what came before, as one operation each, and written out: in graphs of their own."""
    rng = np.random.default_rng(seed)
    graphs = [Graph(), Graph()]
    values = [[*CONSTANTS, *(g.input("x", k) for k in range(INPUTS))] for g in graphs]
    for _ in range(6):
        start, *factors = rng.integers(-8, 0, 1 + 2 * rng.integers(0, 6))
        one, other = ([v[k] for k in factors] for v in values)
        together = scalar.plus_products(values[0][start], one[::2], one[1::2])
        apart = sum((a * b for a, b in zip(other[::2], other[1::2])), values[1][start])
        values[0].append(together)
        values[1].append(apart)
    return ([*map(g.node, v[-6:])] for g, v in zip(graphs, values))  # type: ignore[return-value]


@given(st.integers(0, 9999))
def test_a_sum_of_products_means_the_same_as_one_operation_and_written_out(seed: int) -> None:
    together, apart = sums(seed)
    x = points(seed)
    expected = rows(evaluate(apart, {"x": x}), np.ones(ROWS, bool))
    lowered = [
        together,
        without_sums(together),
        *(settle_signs(expand(together, single=False, keep=keep)) for keep in (True, False)),
    ]
    for outputs in lowered:
        actual = rows(evaluate(outputs, {"x": x}), np.ones(ROWS, bool))
        np.testing.assert_allclose(actual, expected, rtol=DERIVATIVE, atol=DERIVATIVE)
    for outputs in (lowered[1], lowered[3]):
        assert not any(node.op == "dot" for node in live(outputs))
        assert count(outputs).get("mul", 0) <= count(together).get("mul", 0)


@given(st.integers(0, 9999))
def test_a_sum_of_products_is_differentiated_as_if_written_out(seed: int) -> None:
    x, weights = points(seed), np.random.default_rng(seed).normal(size=6).tolist()
    found = []
    for outputs in sums(seed):
        graph = outputs[0].graph
        wrt = [graph.input("x", k) for k in range(INPUTS)]
        along = differentiate.pushforward(outputs, wrt, weights[:INPUTS])
        gradient = differentiate.pullback(outputs, weights, wrt)
        found.append(rows(evaluate(map(graph.node, (*along, *gradient)), {"x": x}), np.ones(ROWS, bool)))
    np.testing.assert_allclose(*found, rtol=DERIVATIVE, atol=DERIVATIVE * np.abs(found[1]).max(initial=1))


# -- derivatives -------------------------------------------------------------------------------------------------------

# (value, tangent) rules of the test's own, from the textbook
TANGENT: dict[str, Callable[..., Any]] = {
    "add": lambda a, da, b, db: da + db,
    "sub": lambda a, da, b, db: da - db,
    "mul": lambda a, da, b, db: da * b + a * db,
    "div": lambda a, da, b, db: (da * b - a * db) / (b * b),
    "neg": lambda a, da: -da,
    "fma": lambda a, da, b, db, c, dc: da * b + a * db + dc,
    "sqrt": lambda a, da: da / (2 * np.sqrt(a)),
    "abs": lambda a, da: np.where(a < 0, -da, da),
    "sign": lambda a, da: 0 * da,
    "copysign": lambda a, da, b, db: np.where(np.signbit(a) == np.signbit(b), da, -da),
    "floor": lambda a, da: 0 * da,
    "rint": lambda a, da: 0 * da,
    "sin": lambda a, da: np.cos(a) * da,
    "cos": lambda a, da: -np.sin(a) * da,
    "atan2": lambda y, dy, x, dx: (dy * x - y * dx) / (x * x + y * y),
}


def tangents(outputs: list[Node], x: Array, direction: Array) -> dict[Node, Array]:
    nodes = live(outputs)
    values = dict(zip(nodes, evaluate(nodes, {"x": x})))
    result: dict[Node, Array] = {}
    for node in nodes:
        if node.op == "input":
            result[node] = np.full(ROWS, direction[node.value[1]])
        elif node.op in BOOLEAN or node.op == "const":
            result[node] = np.zeros(ROWS)
        elif node.op == "select":
            p, a, b = node.args
            result[node] = np.where(values[p], result[a], result[b])
        else:
            with np.errstate(all="ignore"):
                result[node] = TANGENT[node.op](*(v for arg in node.args for v in (values[arg], result[arg])))
    return result


def away_from_kinks(outputs: list[Node], x: Array) -> Array:
    """Rows without the corners of abs and the like, and with every value of a size that keeps its digits."""
    good = tame(outputs, x, LARGEST)
    nodes = live(outputs)
    values = dict(zip(nodes, evaluate(nodes, {"x": x})))
    for node in nodes:
        if node.op in ("abs", "sign", "copysign", "sqrt", "div", "atan2"):
            for arg in node.args:
                good &= np.abs(values[arg]) > 1 / LARGEST
    return good


@given(
    programs(*RATIONAL, *LOGIC, *CIRCULAR, most=10) | programs("lt", "select", "mul", "add", "sin"), st.integers(0, 999)
)
@settings(max_examples=200)
def test_both_modes_of_differentiation_follow_the_textbook(steps: list[Step], seed: int) -> None:
    pair = both(steps)
    if pair is None:
        return
    outputs = [node for node in pair[0] if node.op not in BOOLEAN]
    if not outputs:
        return
    graph, x = outputs[0].graph, points(seed)
    wrt = [graph.input("x", k) for k in range(INPUTS)]
    rng = np.random.default_rng(seed)
    direction, weights = rng.normal(size=INPUTS), rng.normal(size=len(outputs))
    forward = differentiate.pushforward(outputs, wrt, direction.tolist())
    reverse = differentiate.pullback(outputs, weights.tolist(), wrt)
    expected = tangents(outputs, x, direction)
    good = away_from_kinks(outputs, x)
    scale = np.max([np.abs(t) for t in expected.values()] + [np.ones(ROWS)], axis=0)
    good &= scale <= LARGEST
    a = rows(evaluate(map(graph.node, forward), {"x": x}), good)
    b = rows([expected[node] for node in outputs], good)
    assert (np.abs(a - b) <= DERIVATIVE * LARGEST).all()
    # <weights, J direction> = <J^T weights, direction>
    back = rows(evaluate(map(graph.node, reverse), {"x": x}), good)
    assert (np.abs(weights @ b - direction @ back) <= DERIVATIVE * LARGEST * (1 + np.abs(back).sum(0))).all()


def test_what_does_not_depend_is_a_plain_zero() -> None:
    graph = Graph()
    x, y = graph.input("x", 0), graph.input("x", 1)
    assert differentiate.jacobian([x * 2.0, y, 3.0], [x]) == [[2.0], [0.0], [0.0]]
    assert differentiate.pullback([x * 2.0], [1.0], [y]) == [0.0]
    assert differentiate.hessian(x * 3.0 + y, [x, y]) == [[0.0, 0.0], [0.0, 0.0]]
    assert differentiate.jacobian([x], []) == [[]]
    assert differentiate.jacobian([], [x]) == []


def test_derivatives_share_the_values_that_they_need() -> None:
    graph = Graph()
    x = graph.input("x")
    y = scalar.sin(x * x) * 0.5
    (dy,) = differentiate.jacobian([y], [x])[0]
    counts = count([y, graph.node(dy)])
    assert counts["sin"] == counts["cos"] == 1
    assert counts["mul"] <= 5
