"""Vectors that turn in a plane: two coordinates, of which each is, up to its sign, the derivative of the other.

    x' = x cos a + y sin a        dx'/da =  y'
    y' = y cos a - x sin a        dy'/da = -x'

By this way a derivative by the angle takes one product; by way of cos a and sin a it takes four.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from kinetree.graph.node import Node


class _Coordinate(NamedTuple):
    """``by_cos cos x + by_sin sin y``, where the first two are signs, of the cosine and the sine of one angle."""

    by_cos: float
    cos: Node
    x: Node
    by_sin: float
    sin: Node
    y: Node


def partials(nodes: Iterable[Node], ends: Container[Node]) -> dict[Node, list[tuple[Node, Any]]]:
    """Of coordinates whose partner is among the nodes too: what they depend on, each with the partial derivative.

    What is in ``ends`` is not gone past: coordinates that depend on it by a product, a sine or a cosine are left out.
    """
    found = {node: c for node in nodes if (c := _coordinate(node, ends)) is not None}
    places = {(c.cos, c.x, c.y, c.by_cos * c.by_sin): node for node, c in found.items()}
    result: dict[Node, list[tuple[Node, Any]]] = {}
    for node, c in found.items():
        partner = places.get((c.cos, c.y, c.x, -c.by_cos * c.by_sin))
        if partner is not None:
            by_angle = c.by_sin * found[partner].by_cos * partner
            result[node] = [(c.x, c.by_cos * c.cos), (c.y, c.by_sin * c.sin), (c.cos.args[0], by_angle)]
    return result


def _coordinate(node: Node, ends: Container[Node]) -> _Coordinate | None:
    """The node as a coordinate, if it is a sum of a product with a cosine and one with the sine of the same angle."""
    if node.op not in ("add", "sub") or any(arg.op != "mul" or arg in ends for arg in node.args):
        return None
    turned = [_factors(arg) for arg in node.args]
    signs = 1.0, 1.0 if node.op == "add" else -1.0
    terms = {f.op: (sign, f, x) for sign, pair in zip(signs, turned) if pair is not None for f, x in [pair]}
    if len(terms) < 2:
        return None
    (by_cos, cos, x), (by_sin, sin, y) = terms["cos"], terms["sin"]
    is_end = cos in ends or sin in ends
    return None if cos.args != sin.args or is_end else _Coordinate(by_cos, cos, x, by_sin, sin, y)


def _factors(product: Node) -> tuple[Node, Node] | None:
    """The sine or cosine in a product, and the other factor."""
    a, b = product.args
    if b.op in ("cos", "sin"):
        a, b = b, a
    return (a, b) if a.op in ("cos", "sin") and b.op not in ("cos", "sin") else None
