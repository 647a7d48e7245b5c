"""Derivatives of graphs: forward mode, reverse mode, and what is built from them.

Both modes use one table of partial derivatives. They return scalars (nodes, or plain numbers where the derivative
is constant) in the same graph, so derivatives share every subexpression with the values and can be differentiated
again. Derivatives of abs, sign, floor, rint and select are those of the branch taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kinetree.graph import turns
from kinetree.graph.node import Node, live
from kinetree.scalar import copysign, cos, is_zero, select, sign, sin


def _div(y: Node, a: Any, b: Any) -> tuple[Any, ...]:
    inverse = 1.0 / b
    return inverse, -(y * inverse)


def _dot(_: Node, start: Any, *factors: Any) -> tuple[Any, ...]:
    return 1.0, *(x for a, b in zip(factors[::2], factors[1::2]) for x in (b, a))


def _atan2(_: Node, y: Any, x: Any) -> tuple[Any, ...]:
    inverse = 1.0 / (x * x + y * y)
    return x * inverse, -(y * inverse)


# d op(args) / d args, given the node itself and its arguments; a missing operation is flat
PARTIALS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "add": lambda y, a, b: (1.0, 1.0),
    "sub": lambda y, a, b: (1.0, -1.0),
    "mul": lambda y, a, b: (b, a),
    "div": _div,
    "neg": lambda y, a: (-1.0,),
    "dot": _dot,
    "fma": lambda y, a, b, c: (b, a, 1.0),
    "sin": lambda y, a: (cos(a),),
    "cos": lambda y, a: (-sin(a),),
    "atan2": _atan2,
    "sqrt": lambda y, a: (0.5 / y,),
    "abs": lambda y, a: (sign(a),),
    "copysign": lambda y, a, b: (sign(a) * copysign(1.0, b), 0.0),
    "select": lambda y, p, a, b: (0.0, select(p, 1.0, 0.0), select(p, 0.0, 1.0)),
    "widen": lambda y, a: (1.0,),
    "narrow": lambda y, a: (1.0,),
}


def _value(node: Node) -> Any:
    return node.value if node.op == "const" else node


def _partials(node: Node) -> tuple[Any, ...]:
    rule = PARTIALS.get(node.op)
    return (0.0,) * len(node.args) if rule is None else rule(node, *map(_value, node.args))


def _times(partial: Any, x: Any) -> Any:
    """The product; most partial derivatives are 1 or -1."""
    if type(partial) is float:
        return x if partial == 1.0 else -x if partial == -1.0 else partial * x
    return partial * x


def pushforward(outputs: Sequence[Any], wrt: Sequence[Node], direction: Sequence[Any]) -> list[Any]:
    """The derivative of each output along ``direction`` (forward mode).

    What ``wrt`` holds need not be inputs: a node that depends on others changes as ``direction`` says, and only so.
    """
    # users of -x see x: the rules of the graph take signs off
    signed = [(x.args[0], -d) if x.op == "neg" else (x, d) for x, d in zip(wrt, direction)]
    given = {x for x, _ in signed}
    tangent: dict[Node, Any] = {x: d for x, d in signed if not is_zero(d)}
    is_constant = tangent.keys().isdisjoint
    for node in live([y for y in outputs if isinstance(y, Node)], {x.index for x in given}):
        if is_constant(node.args) or node in given:
            continue
        if node.op == "select":  # d select = select of the tangents, one operation
            p, a, b = node.args
            total = select(p, tangent.get(a, 0.0), tangent.get(b, 0.0))
        else:
            terms = [_times(p, tangent[arg]) for arg, p in zip(node.args, _partials(node)) if arg in tangent]
            total = terms[0] if len(terms) == 1 else sum(terms[1:], terms[0])
        if not is_zero(total):
            tangent[node] = total
    return [tangent.get(y, 0.0) if isinstance(y, Node) else 0.0 for y in outputs]


def pullback(outputs: Sequence[Any], weights: Sequence[Any], wrt: Sequence[Node]) -> list[Any]:
    """The gradient of ``sum(weights * outputs)`` with respect to ``wrt`` (reverse mode)."""
    adjoint: dict[Node, Any] = {}
    for y, weight in zip(outputs, weights):
        if isinstance(y, Node):
            adjoint[y] = adjoint.get(y, 0.0) + weight
    nodes = live(adjoint)
    turned = turns.partials(nodes, {*wrt})
    for node in reversed(nodes):
        weight = adjoint.get(node, 0.0)
        if is_zero(weight) or not node.args:
            continue
        if node.op == "select":
            p, a, b = node.args
            adjoint[a] = adjoint.get(a, 0.0) + select(p, weight, 0.0)
            adjoint[b] = adjoint.get(b, 0.0) + select(p, 0.0, weight)
            continue
        for arg, partial in turned.get(node) or zip(node.args, _partials(node)):
            if arg.op != "const" and not is_zero(partial):
                adjoint[arg] = adjoint.get(arg, 0.0) + _times(partial, weight)
    return [adjoint.get(x, 0.0) for x in wrt]


def jacobian(outputs: Sequence[Any], wrt: Sequence[Node]) -> list[list[Any]]:
    """The matrix d outputs[i] / d wrt[j], by the mode that needs fewer sweeps."""
    if len(outputs) < len(wrt):
        return [pullback([y], [1.0], wrt) for y in outputs]
    columns = [pushforward(outputs, [x], [1.0]) for x in wrt]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in outputs]


def hessian(output: Any, wrt: Sequence[Node]) -> list[list[Any]]:
    """The symmetric matrix of second derivatives of one output: forward over reverse."""
    gradient = pullback([output], [1.0], wrt)
    rows = [[0.0] * len(wrt) for _ in wrt]
    for j, x in enumerate(wrt):
        for i, value in enumerate(pushforward(gradient[: j + 1], [x], [1.0])):
            rows[i][j] = rows[j][i] = value
    return rows
