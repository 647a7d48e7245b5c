"""Replace what no processor has as an instruction: sine, cosine, atan2 and sign become arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.graph.interpret import MEANING
from kinetree.graph.node import Graph, Node, live
from kinetree.lower import elementary


def expand(outputs: Sequence[Node], single: bool) -> list[Node]:
    """The same outputs in a new graph of machine operations, for float32 (single) or float64."""
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
        elif not any(isinstance(arg, Node) for arg in args):  # what came before has become a number
            values[node] = MEANING[node.op](*args).item()
        else:
            values[node] = graph.apply(node.op, *args)
    return [graph.node(values[node]) for node in outputs]
