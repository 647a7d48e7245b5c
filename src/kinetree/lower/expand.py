"""Replace what no processor has as an instruction: sine, cosine, atan2, sign and sums of products become arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from kinetree.graph.interpret import MEANING
from kinetree.graph.node import Graph, Node, live
from kinetree.lower import elementary


def expand(outputs: Sequence[Node], *, single: bool, keep: bool = False, fused: bool = True) -> list[Node]:
    """The same outputs in a new graph of machine operations, for float32 (single) or float64.

    Args:
        outputs: nodes of one graph.
        single: for float32.
        keep: whether sums of products stay one operation each.
        fused: whether the target has `fma`.
    """
    own = elementary.sincos_single if single else elementary.sincos
    sincos = cache(partial(own, fused=fused))  # both of an angle share its reduction
    rules: dict[str, Callable[..., Any]] = {
        "sin": lambda angle: sincos(angle)[0],
        "cos": lambda angle: sincos(angle)[1],
        "atan2": partial(elementary.atan2_single if single else elementary.atan2, fused=fused),
        "sign": elementary.sign,
    }
    if not single:
        rules |= dict.fromkeys(("widen", "narrow"), lambda x: x)
    return _replaced(outputs, rules, keep=keep)


def without_sums(outputs: Sequence[Node]) -> list[Node]:
    """The same outputs with sums of products written out and simplified; elementary functions stay."""
    if not any(node.op == "dot" for node in live(outputs)):
        return list(outputs)
    return _replaced(outputs, {}, simplify=True)


def _replaced(
    outputs: Sequence[Node], rules: Mapping[str, Callable[..., Any]], *, keep: bool = False, simplify: bool = False
) -> list[Node]:
    """The same outputs in a new graph, with rules for some operations."""
    graph = Graph()
    values: dict[Node, Any] = {}
    for node in live(outputs):
        op, args = node.op, [values[arg] for arg in node.args]
        kinds = {*map(type, args)}
        if not args:
            values[node] = node.value if op == "const" else graph.input(*node.value)
        elif op in rules:
            values[node] = rules[op](*args)
        elif op == "dot":
            pairs = [*zip(args[1::2], args[2::2])]
            values[node] = graph.plus_products(args[0], pairs) if keep else sum((a * b for a, b in pairs), args[0])
        elif Node not in kinds:  # what came before has become a number
            values[node] = MEANING[op](*args).item()
        elif simplify or len(kinds) > 1:
            values[node] = graph.apply(op, *args)
        else:
            values[node] = graph.same(op, tuple(args))
    return [graph.node(values[node]) for node in outputs]
