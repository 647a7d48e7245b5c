"""Cut a long run of operations into parts of bounded size.

The time of a code generator grows faster than the length of a function; parts keep it linear. A value that a later
part needs goes through a slot of scratch memory, which is given to another value after its last use.

Sums of products that are still one operation each (``dot``) make parts of their own: a target can take them from a
table, with a few loops for code.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from kinetree.graph.node import Node

PART = 600  # operations in a part; measured: best speed and compile time from 400 to 900
LONG, SHORT_PART = 10_000, 100  # and in a part of a program longer than this: as fast, compiled in a third less time


@dataclass
class Part:
    """A run of operations, the values it needs from memory and those it leaves there."""

    operations: list[Node]
    is_table: bool = False  # nothing but sums of products
    loads: dict[Node, int] = field(default_factory=dict)
    stores: list[tuple[Node, int]] = field(default_factory=list)


def cut(
    ordered: Sequence[Node], wide: frozenset[Node], results: Container[Node] = (), size: int | None = None
) -> tuple[list[Part], int]:
    """The parts, with scratch slots numbered from 0, and how many slots they need.

    Args:
        ordered: the operations.
        wide: those whose value takes two slots.
        results: those that every part finds among the results, and that need no slot.
        size: operations in a part, at most.
    """
    size = size or (SHORT_PART if len(ordered) > LONG else PART)
    parts = [part for run in _runs(ordered) for part in _even(run, size)]
    home = {node: k for k, part in enumerate(parts) for node in part.operations}
    last: dict[Node, int] = {}
    for k, part in enumerate(parts):
        for node in part.operations:
            for arg in node.args:
                if arg in home and (home[arg] != k or part.is_table) and arg not in results:
                    last[arg] = k
    return parts, _slots(parts, last, wide)


def _slots(parts: Sequence[Part], last: dict[Node, int], wide: frozenset[Node]) -> int:
    """Give every value a slot until the last part that needs it; how many there are then."""
    free: dict[int, list[int]] = {1: [], 2: []}
    slots: dict[Node, int] = {}
    total = 0
    ending: dict[int, list[Node]] = {}
    for node, k in last.items():
        ending.setdefault(k, []).append(node)

    def release(k: int) -> None:
        for node in ending.get(k, ()):
            free[1 + (node in wide)].append(slots[node])

    for k, part in enumerate(parts):
        needed = {arg for node in part.operations for arg in node.args if arg in slots}
        part.loads = {arg: slots[arg] for arg in sorted(needed, key=lambda n: n.index)}
        if not part.is_table:  # such a part reads before it writes
            release(k)
        for node in part.operations:
            if node in last:
                width = 1 + (node in wide)
                if not free[width]:
                    free[width].append(total)
                    total += width
                slots[node] = free[width].pop()
                part.stores.append((node, slots[node]))
        if part.is_table:
            release(k)
    return total


def _runs(ordered: Sequence[Node]) -> Iterator[list[Node]]:
    """Sums of products by themselves, as late as they can be, and what is between them."""
    others: list[Node] = []
    sums: dict[Node, None] = {}
    for node in ordered:
        if node.op == "dot":
            sums[node] = None
            continue
        if sums and any(arg in sums for arg in node.args):
            yield others
            yield [*sums]
            others, sums = [], {}
        others.append(node)
    yield others
    yield [*sums]


def _even(run: list[Node], size: int) -> Iterator[Part]:
    """Parts of about the same length."""
    if not run:
        return
    is_table = run[0].op == "dot"
    count = max(1, -(-len(run) // size))
    length = -(-len(run) // count)
    for i in range(0, len(run), length):
        yield Part(run[i : i + length], is_table)
