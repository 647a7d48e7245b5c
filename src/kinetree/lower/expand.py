"""Replace what no processor has as an instruction: sine, cosine, atan2, sign and sums of products become arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
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
    graph = Graph()
    values: dict[Node, Any] = {}
    sincos: dict[Node, tuple[Any, Any]] = {}  # a sine and a cosine of one angle share their reduction

    def trigonometric(angle: Node) -> tuple[Any, Any]:
        if angle not in sincos:
            reduce = elementary.sincos_single if single else elementary.sincos
            sincos[angle] = reduce(values[angle])
        return sincos[angle]

    for node in live(outputs):
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            values[node] = node.value
        elif node.op == "input":
            values[node] = graph.input(*node.value)
        elif node.op in ("sin", "cos"):
            values[node] = trigonometric(node.args[0])[node.op == "cos"]
        elif node.op == "atan2":
            values[node] = (elementary.atan2_single if single else elementary.atan2)(*args)
        elif node.op == "sign":
            values[node] = elementary.sign(*args)
        elif node.op in ("widen", "narrow") and not single:
            values[node] = args[0]
        elif node.op == "dot":
            plus = graph.plus_products if keep else written_out
            values[node] = plus(args[0], [*zip(args[1::2], args[2::2])])
        elif all(isinstance(arg, Node) for arg in args):
            values[node] = graph.same(node.op, tuple(args))
        elif not any(isinstance(arg, Node) for arg in args):  # what came before has become a number
            values[node] = MEANING[node.op](*args).item()
        else:
            values[node] = graph.apply(node.op, *args)
    return [graph.node(values[node]) for node in outputs]


def without_sums(outputs: Sequence[Node]) -> list[Node]:
    """The same outputs with every sum of products in single operations."""
    nodes = live(outputs)
    if not any(node.op == "dot" for node in nodes):
        return list(outputs)
    graph = Graph()
    values: dict[Node, Any] = {}
    for node in nodes:
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            values[node] = node.value
        elif node.op == "input":
            values[node] = graph.input(*node.value)
        elif node.op == "dot":
            values[node] = written_out(args[0], [*zip(args[1::2], args[2::2])])
        else:
            values[node] = graph.apply(node.op, *args)
    return [graph.node(values[node]) for node in outputs]


def written_out(start: Any, pairs: Sequence[tuple[Any, Any]]) -> Any:
    """start + a * b + c * d + ..."""
    return sum((a * b for a, b in pairs), start)
