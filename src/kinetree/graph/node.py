"""Immutable, hash-consed expression nodes.

A `Graph` owns the nodes of one trace. Two equal expressions are one node, so a common subexpression is shared from
the start and an expression is never expanded. Arguments come before their users in ``graph.nodes``: the list is
always a valid order of evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from numbers import Real as Number
from typing import Any

from kinetree.errors import TraceError
from kinetree.graph.operations import BOOLEAN, LOGICAL, OPERATIONS
from kinetree.graph.simplify import RULES
from kinetree.scalar import Scalar


class Node(Scalar):
    """One operation of a graph; made by `Graph` alone."""

    __slots__ = ("args", "graph", "index", "op", "value")

    def __init__(self, graph: Graph, index: int, op: str, args: tuple[Node, ...], value: Any) -> None:
        self.graph = graph
        self.index = index
        self.op = op
        self.args = args
        self.value = value  # a constant's number, an input's (operand, position)

    def apply(self, op: str, *args: Any) -> Any:
        return self.graph.apply(op, *args)

    def plus_products(self, start: Any, pairs: Sequence[tuple[Any, Any]]) -> Any:
        return self.graph.plus_products(start, pairs)

    @property
    def is_boolean(self) -> bool:
        return self.op in BOOLEAN

    def __repr__(self) -> str:
        if self.op == "const":
            return repr(self.value)
        if self.op == "input":
            return f"{self.value[0]}[{self.value[1]}]"
        return f"{self.op}({', '.join(f'%{a.index}' for a in self.args)})"

    def __reduce__(self) -> Any:
        raise TraceError("a traced value lives in its trace only and can't be pickled or copied")


class Graph:
    """The nodes of one trace."""

    __slots__ = ("_table", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._table: dict[tuple[Any, ...], Node] = {}

    def input(self, operand: str, position: int = 0) -> Node:
        """The element ``position`` of the flattened operand ``operand``."""
        return self._intern(("input", operand, position), "input", (), (operand, position))

    def constant(self, value: float) -> Node:
        """A number as a node. Algorithms keep plain floats; only outputs and arguments need this."""
        return self._intern(("const", value, math.copysign(1.0, value)), "const", (), value)

    def apply(self, op: str, *args: Any) -> Any:
        """The node (or number) that ``op`` makes of ``args``, simplified."""
        try:
            rule = RULES.get(op)
            result = None if rule is None else rule(*args)
        except AttributeError:  # another scalar, such as a parameter outside a model
            _ = [self.node(arg) for arg in args]  # says which
            raise
        return self.make(op, *args) if result is None else result

    def plus_products(self, start: Any, pairs: Sequence[tuple[Any, Any]]) -> Any:
        """start + sum(a * b); the products of two nodes become one node ``dot`` together."""
        start = sum((a * b for a, b in pairs if not (isinstance(a, Node) and isinstance(b, Node))), start)
        factors = [x for a, b in pairs if isinstance(a, Node) and isinstance(b, Node) for x in (a, b)]
        if not factors:
            return start
        if isinstance(start, Node):
            return self.make("dot", start, *factors)
        return self.make("dot", 0.0, *factors) + start

    def make(self, op: str, *args: Any) -> Node:
        """The node ``op(*args)`` as it stands; numbers become constants."""
        nodes = tuple([a if type(a) is Node and a.graph is self else self.node(a) for a in args])
        logical = op in LOGICAL
        for node in nodes[op == "select" :]:
            if (node.op in BOOLEAN) is not logical:
                wanted = ("a number, such as select(condition, 1.0, 0.0)", "a truth value, such as x > 0.0")[logical]
                raise TraceError(f"{op!r} was given {node!r} where it needs {wanted}")
        return self.same(op, nodes)

    def same(self, op: str, args: tuple[Node, ...]) -> Node:
        """The node ``op(*args)`` as it stands, of nodes of this graph that suit it: nothing is checked."""
        return self._intern((op, *args), op, args, None)

    def node(self, value: Any) -> Node:
        """A node of this graph for a node or a number."""
        if isinstance(value, Node):
            if value.graph is not self:
                raise TraceError("a value of one trace was used in another; pass it as an argument instead")
            return value
        if isinstance(value, (float, int, Number)):  # NumPy's scalars too
            return self.constant(float(value))
        raise TraceError(
            f"a {type(value).__name__} was used where a scalar is needed; traced functions work with plain "
            "numbers and the functions of kinetree.scalar, element by element"
        )

    def _intern(self, key: tuple[Any, ...], op: str, args: tuple[Node, ...], value: Any) -> Node:
        node = self._table.get(key)
        if node is None:
            node = Node(self, len(self.nodes), op, args, value)
            self.nodes.append(node)
            self._table[key] = node
        return node


def live(outputs: Iterable[Node], ends: Container[int] = ()) -> list[Node]:
    """The nodes that the outputs need, arguments before users; but not what those with the indices ``ends`` need."""
    outputs = list(outputs)
    if not outputs:
        return []
    nodes = outputs[0].graph.nodes
    last = max(node.index for node in outputs)
    needed = bytearray(last + 1)
    for node in outputs:
        needed[node.index] = 1
    for index in range(last, -1, -1):
        if needed[index] and index not in ends:
            for arg in nodes[index].args:
                needed[arg.index] = 1
    return [node for node, need in zip(nodes, needed) if need]


def count(outputs: Iterable[Node]) -> dict[str, int]:
    """How many of each operation the outputs need."""
    counts: dict[str, int] = {}
    for node in live(outputs):
        if node.op == "dot":  # start + a b + c d + ...
            products = len(node.args) // 2
            counts["mul"] = counts.get("mul", 0) + products
            counts["add"] = counts.get("add", 0) + products - (node.args[0].op == "const")
        elif node.op in OPERATIONS:
            counts[node.op] = counts.get(node.op, 0) + 1
    return counts
