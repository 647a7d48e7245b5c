"""Sums of products as chains: the same numbers with fewer operations that are not fused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.graph.interpret import evaluate
from kinetree.graph.node import Node, live
from kinetree.lower import chains
from kinetree.lower.chains import chain_products


def traced(function: Any, size: int) -> list[Node]:
    return list(kt.trace(lambda x: [function(*x)], signature=f"x({size})->y(1)").outputs)


def plain_sums(outputs: list[Node]) -> int:
    """Additions without a product, which no processor fuses with another operation."""
    return sum(node.op in ("add", "sub") and not any(arg.op == "mul" for arg in node.args) for node in live(outputs))


def as_text(node: Node) -> str:
    if not node.args:
        return f"x{node.value[1]}"
    sign = {"add": " + ", "sub": " - ", "mul": " * "}[node.op]
    return f"({sign.join(map(as_text, node.args))})"


@pytest.mark.parametrize(
    ("function", "chain"),
    [
        (lambda e, a, b, c, d: e + (a * b + c * d), "((x0 + (x1 * x2)) + (x3 * x4))"),
        (lambda e, a, b, c, d: e - (a * b - c * d), "((x0 - (x1 * x2)) + (x3 * x4))"),
        (lambda e, a, b, c, d: (a * b + c * d) + e, "((x0 + (x1 * x2)) + (x3 * x4))"),
        (lambda e, a, b, c, d: (a + b) + (c - d) + e, "(x0 + ((x1 + x2) + (x3 - x4)))"),
    ],
)
def test_products_join_the_sum_that_they_stand_in(function: Any, chain: str) -> None:
    outputs = traced(function, 5)
    assert [as_text(node) for node in chain_products(outputs)] == [chain]


def test_what_is_used_twice_stays() -> None:
    def function(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        inner = a * b + c * d
        return (e + inner) * inner

    outputs = traced(function, 5)
    assert list(map(as_text, chain_products(outputs))) == list(map(as_text, outputs))


@pytest.mark.parametrize("long", [True, False])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics_derivatives"])
def test_numbers_stay(name: str, long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "LONG", 0 if long else 10**9)
    function = kt.robots.panda().function(name)
    outputs = list(function.source.trace().outputs)
    chained = chain_products(outputs)
    rng = np.random.default_rng(0)
    inputs = {operand.name: rng.standard_normal((operand.size, 20)) for operand in function.operands}
    expected = np.array([np.broadcast_to(y, 20) for y in evaluate(outputs, inputs)])
    found = np.array([np.broadcast_to(y, 20) for y in evaluate(chained, inputs)])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())
    assert plain_sums(chained) < 0.9 * plain_sums(outputs)
