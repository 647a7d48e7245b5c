"""Functions of the state that differentiate their own results, also where the state is an expression.

Inside an integrator step the state is itself an expression. Simplification may rewrite what depends on it, such as
sin(-x) = -sin(x), and a derivative with respect to the state would then miss a part. So the function is traced with
plain inputs, and the state is substituted for them afterwards. The state may be numbers too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kinetree.graph.node import Graph, Node, live
from kinetree.parameter import FUNCTIONS
from kinetree.scalar import Vector, plus_products


def with_symbols(function: Callable[[Node, list[Node], list[Node]], Vector], t: Any, q: Vector, qd: Vector) -> Vector:
    """function(t, q, qd); its arguments are inputs of a graph, so that `kinetree.graph.differentiate` works on them.

    Args:
        function: from the time, the positions and the velocities to any scalars.
        t, q, qd: the state, numbers or scalars of a graph.

    Example:
        >>> from kinetree.graph.differentiate import pushforward
        >>> with_symbols(lambda t, q, qd: pushforward([q[0] * q[0]], q, qd), 0.0, [3.0], [0.5])
        [3.0]
    """
    given = [t, *q, *qd]
    graph = next((x.graph for x in given if isinstance(x, Node)), None) or Graph()
    symbols = [graph.input("state of a controller", k) for k in range(len(given))]
    n = 1 + len(q)
    return replaced(function(symbols[0], symbols[1:n], symbols[n:]), dict(zip(symbols, given)))


def replaced(outputs: Vector, values: Mapping[Node, Any]) -> list[Any]:
    """The outputs with other scalars substituted for some inputs."""
    known: dict[Node, Any] = dict(values)
    for node in live([y for y in outputs if isinstance(y, Node)]):
        if node in known:
            continue
        args = [known[x] for x in node.args]
        if node.op == "const":
            known[node] = node.value
        elif all(a is b for a, b in zip(args, node.args)):
            known[node] = node  # nothing changes; inputs that stay, such as named parameters, are among these
        elif node.op == "dot":
            known[node] = plus_products(args[0], args[1::2], args[2::2])
        else:
            known[node] = FUNCTIONS[node.op](*args)
    return [known[y] if isinstance(y, Node) else y for y in outputs]
