"""Replace what no processor has as an instruction: sine, cosine, atan2, sign and sums of products become arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from kinetree.graph.interpret import MEANING
from kinetree.graph.node import Graph, Node, live
from kinetree.lower import elementary


def expand(outputs: Sequence[Node], *, single: bool, keep: bool = False) -> list[Node]:
    """The same outputs in a new graph of machine operations, for float32 (single) or float64.

    Args:
        outputs: nodes of one graph.
        single: for float32.
        keep: whether sums of products stay one operation each.
    """
    sincos = cache(elementary.sincos_single if single else elementary.sincos)  # both of an angle share its reduction
    rules: dict[str, Callable[..., Any]] = {
        "sin": lambda angle: sincos(angle)[0],
        "cos": lambda angle: sincos(angle)[1],
        "atan2": elementary.atan2_single if single else elementary.atan2,
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
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            values[node] = node.value
        elif node.op == "input":
            values[node] = graph.input(*node.value)
        elif node.op in rules:
            values[node] = rules[node.op](*args)
        elif node.op == "dot":
            pairs = [*zip(args[1::2], args[2::2])]
            values[node] = graph.plus_products(args[0], pairs) if keep else sum((a * b for a, b in pairs), args[0])
        elif not simplify and all(isinstance(arg, Node) for arg in args):
            values[node] = graph.same(node.op, tuple(args))
        elif not any(isinstance(arg, Node) for arg in args):  # what came before has become a number
            values[node] = MEANING[node.op](*args).item()
        else:
            values[node] = graph.apply(node.op, *args)
    return [graph.node(values[node]) for node in outputs]
