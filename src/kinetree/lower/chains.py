"""Sums of products as chains: x + (a b + c d) becomes (x + a b) + c d, two fused operations instead of three.

Only products move, which a target may contract with the sums that they stand in anyway: sums without products, whose
rounding may matter, stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from kinetree.graph.node import Graph, Node, live

Terms = tuple[tuple[str, Node], ...]  # products, each with how it is added: "add" or "sub"
LONG = 2000  # operations; in shorter programs no more than two products join at once, which needs fewer registers
_OPPOSITE = {"add": "sub", "sub": "add"}


def chain_products(outputs: Sequence[Node]) -> list[Node]:
    """The same outputs; sums that consist of products alone and are used once join the sums that they stand in."""
    nodes = live(outputs)
    uses = Counter(chain(outputs, chain.from_iterable([node.args for node in nodes])))
    most = len(nodes) if len(nodes) > LONG else 2
    terms: dict[Node, Terms] = {}  # of sums of products
    graph = Graph()
    values: dict[Node, Node] = {}
    for node in nodes:
        op, args = node.op, node.args
        if op in _OPPOSITE:
            mine = [_products(arg, uses, terms) for arg in args]
            if mine[0] and mine[1] and len(mine[0]) + len(mine[1]) <= most:
                terms[node] = (*mine[0], *_added(op, mine[1]))
            values[node] = _sum(graph, node, mine, values)
        elif args:
            values[node] = graph.same(op, tuple([values[arg] for arg in args]))
        else:
            values[node] = graph.constant(node.value) if op == "const" else graph.input(*node.value)
    return [values[node] for node in outputs]


def _products(node: Node, uses: Mapping[Node, int], terms: Mapping[Node, Terms]) -> Terms:
    """The products whose sum a value is, if nothing else needs it."""
    if uses[node] > 1:
        return ()
    return (("add", node),) if node.op == "mul" else terms.get(node, ())


def _added(op: str, terms: Terms) -> Terms:
    return terms if op == "add" else tuple([(_OPPOSITE[sign], product) for sign, product in terms])


def _sum(graph: Graph, node: Node, mine: Sequence[Terms], values: Mapping[Node, Node]) -> Node:
    """A sum or difference, with the products of one side added to the other one by one."""
    (first, second), (left, right) = node.args, mine
    if len(right) > 1:
        start, more = values[first], _added(node.op, right)
    elif len(left) > 1 and node.op == "add":
        start, more = values[second], left
    else:
        return graph.same(node.op, (values[first], values[second]))
    for sign, product in more:
        start = graph.same(sign, (start, values[product]))
    return start
