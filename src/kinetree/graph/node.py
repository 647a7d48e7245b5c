"""Immutable, hash-consed expression nodes.

A `Graph` owns the nodes of one trace. Two equal expressions are one node, so a common subexpression is shared from
the start and an expression is never expanded. Arguments come before their users in ``graph.nodes``: the list is
always a valid order of evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from itertools import compress
from numbers import Real as Number
from typing import Any

from kinetree.errors import TraceError
from kinetree.graph.operations import BOOLEAN, LOGICAL, OPERATIONS
from kinetree.graph.simplify import RULES
from kinetree.scalar import Scalar


def _operators(op: str, of_scalars: tuple[Any, Any]) -> tuple[Any, Any]:
    """The methods that `Scalar` has for an operation, but straight to its rule for nodes and numbers of Python."""
    rule, (general_first, general_second) = RULES[op], of_scalars

    def first(self: Node, other: Any) -> Any:
        if not isinstance(other, (Node, float, int)):
            return general_first(self, other)
        result = rule(self, other)
        return self.graph.make(op, self, other) if result is None else result

    def second(self: Node, other: Any) -> Any:
        if not isinstance(other, (Node, float, int)):
            return general_second(self, other)
        result = rule(other, self)
        return self.graph.make(op, other, self) if result is None else result

    return first, second


class Node(Scalar):
    """One operation of a graph; made by `Graph` alone."""

    __slots__ = ("args", "graph", "index", "op", "value")

    __add__, __radd__ = _operators("add", (Scalar.__add__, Scalar.__radd__))
    __sub__, __rsub__ = _operators("sub", (Scalar.__sub__, Scalar.__rsub__))
    __mul__, __rmul__ = _operators("mul", (Scalar.__mul__, Scalar.__rmul__))

    def __neg__(self) -> Any:
        result = RULES["neg"](self)
        return self.graph.make("neg", self) if result is None else result

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
        return self._interned(("input", operand, position), "input", (), (operand, position))

    def constant(self, value: float) -> Node:
        """A number as a node. Algorithms keep plain floats; only outputs and arguments need this."""
        return self._interned(("const", value, math.copysign(1.0, value)), "const", (), value)

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
        node = self._table.get((op, nodes))
        if node is None:
            _check_truth_values(op, nodes)
            node = self.same(op, nodes)
        return node

    def same(self, op: str, args: tuple[Node, ...]) -> Node:
        """The node ``op(*args)`` as it stands, of nodes of this graph that suit it: nothing is checked."""
        return self._interned((op, args), op, args)

    def node(self, value: Any) -> Node:
        """A node of this graph for a node or a number."""
        if type(value) is float:
            return self.constant(value)
        if isinstance(value, Node):
            if value.graph is not self:
                raise TraceError("a value of one trace was used in another; pass it as an argument instead")
            return value
        if isinstance(value, (int, Number)):  # NumPy's scalars too
            return self.constant(float(value))
        raise TraceError(
            f"a {type(value).__name__} was used where a scalar is needed; traced functions work with plain "
            "numbers and the functions of kinetree.scalar, element by element"
        )

    def _interned(self, key: tuple[Any, ...], op: str, args: tuple[Node, ...], value: Any = None) -> Node:
        node = self._table.get(key)
        if node is None:
            node = self._table[key] = Node(self, len(self.nodes), op, args, value)
            self.nodes.append(node)
        return node


def _check_truth_values(op: str, args: tuple[Node, ...]) -> None:
    """Refuse truth values where numbers are needed, and numbers where truth values are."""
    logical = op in LOGICAL
    for node in args[1:] if op == "select" else args:
        if (node.op in BOOLEAN) is not logical:
            wanted = ("a number, such as select(condition, 1.0, 0.0)", "a truth value, such as x > 0.0")[logical]
            raise TraceError(f"{op!r} was given {node!r} where it needs {wanted}")


def live(outputs: Iterable[Node], ends: Container[int] = ()) -> list[Node]:
    """The nodes that the outputs need, arguments before users; but not what those with the indices ``ends`` need."""
    outputs = list(outputs)
    if not outputs:
        return []
    nodes = outputs[0].graph.nodes[: 1 + max(node.index for node in outputs)]
    needed = bytearray(len(nodes))
    for node in outputs:
        needed[node.index] = 1
    for node in reversed(nodes):
        if needed[node.index] and node.index not in ends:
            for arg in node.args:
                needed[arg.index] = 1
    return [*compress(nodes, needed)]


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
