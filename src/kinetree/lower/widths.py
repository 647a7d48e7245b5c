"""Settle precisions in float32 code: a value is wide (double) if it was widened or computed from one that was."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.graph.node import Graph, Node, live


def settle_widths(outputs: Sequence[Node]) -> tuple[list[Node], frozenset[Node]]:
    """The same outputs, narrow, with every operation on values of one width; and the wide values."""
    graph = Graph()
    values: dict[Node, Node] = {}
    wide: set[Node] = set()

    def widened(value: Node) -> Node:
        if value in wide or value.op == "const" or value.is_boolean:
            return value
        wide.add(graph.make("widen", value))
        return graph.make("widen", value)

    for node in live(outputs):
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            values[node] = graph.constant(node.value)
        elif node.op == "input":
            values[node] = graph.input(*node.value)
        elif node.op == "widen":
            values[node] = widened(args[0])
        elif node.op == "narrow":
            values[node] = graph.make("narrow", args[0]) if args[0] in wide else args[0]
        elif node.op == "turned":
            values[node] = graph.make("turned", *args)  # a number, by the bits of a wide one
        elif node.op == "dot" and any(arg in wide for arg in args):
            values[node] = widened(args[0])
            for a, b in zip(args[1::2], args[2::2]):
                product = graph.make("mul", widened(a), widened(b))
                values[node] = graph.make("add", values[node], product)
                wide.update((product, values[node]))
        elif any(arg in wide for arg in args):
            values[node] = graph.make(node.op, *map(widened, args))
            if not node.is_boolean:
                wide.add(values[node])
        else:
            values[node] = graph.make(node.op, *args)
    narrow = [graph.make("narrow", values[y]) if values[y] in wide else values[y] for y in outputs]
    return narrow, frozenset(wide)
