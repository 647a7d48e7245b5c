"""From a traced function to a straight-line program in parts; the passes are listed in `lower`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.graph.node import Node, live
from kinetree.lower.chains import chain_products
from kinetree.lower.cut import Part, cut
from kinetree.lower.expand import expand
from kinetree.lower.operand import Operand as Operand
from kinetree.lower.order import ordered
from kinetree.lower.signs import settle_signs
from kinetree.lower.widths import settle_widths

MANY = 20_000  # products in sums; from here on tables compile in a third of the time, and are as fast or faster


@dataclass(frozen=True)
class Program:
    """Straight-line code for one state: parts, scratch slots, and where results come from.

    A program that repeats is one step of an iteration. Results with the names of operands take their places in the next
    step; the last result, `again`, is not written but says whether there is one: it is above zero then.
    """

    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    outputs: tuple[Node, ...]  # of all results, flattened in order
    parts: tuple[Part, ...]
    slots: int
    wide: frozenset[Node]
    single: bool
    repeats: bool = False

    @property
    def written(self) -> tuple[Operand, ...]:
        """The results that a caller gets."""
        return self.results[:-1] if self.repeats else self.results

    @property
    def fed_back(self) -> list[tuple[str, int, Node]]:
        """Of a program that repeats: an operand, a position in it, and what is there in the next step."""
        nodes, names = iter(self.outputs), {operand.name for operand in self.operands}
        elements = [(result.name, k, next(nodes)) for result in self.results for k in range(result.size)]
        return [(name, k, node) for name, k, node in elements if self.repeats and name in names]


def lower(
    operands: Sequence[Operand],
    results: Sequence[Operand],
    outputs: Sequence[Node],
    *,
    single: bool,
    repeats: bool = False,
    chained: bool = False,
    fused: bool = True,
    tables: bool = True,
) -> Program:
    """Chain products, where so many threads run that waiting is free; expand, settle signs and widths, order, cut.

    Sums of very many products stay operations that walk through tables, unless these are not wanted.
    """
    products = sum(len(node.args) // 2 for node in live(outputs) if node.op == "dot")
    outputs = chain_products(outputs) if chained else outputs
    outputs = expand(outputs, single=single, keep=tables and products > MANY, fused=fused)
    outputs = settle_signs(outputs)
    outputs, wide = settle_widths(outputs) if single else (outputs, frozenset())
    parts, slots = cut(ordered(outputs), wide, frozenset(outputs))
    return Program(tuple(operands), tuple(results), tuple(outputs), tuple(parts), slots, wide, single, repeats)
