"""Settle the signs that the peephole rules pushed outwards: a negation that can be free becomes free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from kinetree.graph.node import Graph, Node, live


def settle_signs(outputs: Sequence[Node]) -> list[Node]:
    """The same outputs, with -(a - b) as b - a, -(x + c) as -c - x and -(x * c) as x * -c, where it is free."""
    graph, nodes = Graph(), live(outputs)
    uses = Counter(chain(outputs, chain.from_iterable([node.args for node in nodes])))
    values: dict[Node, Node] = {}
    for node in nodes:
        op, args = node.op, node.args
        if op == "neg" and uses[args[0]] == 1:
            values[node] = _negated(args[0], values, graph)
        elif args:
            values[node] = graph.same(op, tuple([values[arg] for arg in args]))
        else:
            values[node] = graph.constant(node.value) if op == "const" else graph.input(*node.value)
    return [values[node] for node in outputs]


def _negated(node: Node, values: Mapping[Node, Node], graph: Graph) -> Node:
    """The negation of a node, without an operation of its own where it can do without."""
    if node.op == "sub":
        a, b = node.args
        return graph.same("sub", (values[b], values[a]))
    if node.op in ("add", "mul") and node.args[1].op == "const":
        x, number = values[node.args[0]], graph.constant(-node.args[1].value)
        return graph.same("sub", (number, x)) if node.op == "add" else graph.same("mul", (x, number))
    return graph.same("neg", (values[node],))
