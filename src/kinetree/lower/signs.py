"""Settle the signs that the peephole rules pushed outwards: a negation that can be free becomes free."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.graph.node import Graph, Node, live


def settle_signs(outputs: Sequence[Node]) -> list[Node]:
    """The same outputs, with -(a - b) as b - a, -(x + c) as -c - x and -(x * c) as x * -c, where it is free."""
    graph = Graph()
    nodes = live(outputs)
    uses = dict.fromkeys(nodes, 0)
    for used in (*outputs, *(arg for node in nodes for arg in node.args)):
        uses[used] += 1
    values: dict[Node, Node] = {}
    for node in nodes:
        inner = node.args[0] if node.op == "neg" else None
        if inner is not None and inner.op == "sub" and uses[inner] == 1:
            values[node] = graph.make("sub", *(values[arg] for arg in reversed(inner.args)))
        elif inner is not None and inner.op == "add" and uses[inner] == 1 and inner.args[1].op == "const":
            values[node] = graph.make("sub", -inner.args[1].value, values[inner.args[0]])
        elif inner is not None and inner.op == "mul" and uses[inner] == 1 and inner.args[1].op == "const":
            values[node] = graph.make("mul", values[inner.args[0]], -inner.args[1].value)
        elif node.op == "const":
            values[node] = graph.constant(node.value)
        elif node.op == "input":
            values[node] = graph.input(*node.value)
        else:
            values[node] = graph.same(node.op, tuple([values[arg] for arg in node.args]))
    return [values[node] for node in outputs]
