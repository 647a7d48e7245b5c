"""Cut a long run of operations into parts of bounded size.

The time of a code generator grows faster than the length of a function; parts keep it linear. A value that a later
part needs goes through a slot of scratch memory, which is given to another value after its last use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kinetree.graph.node import Node

PART = 600  # operations in a part; measured: best speed and compile time from 400 to 900


@dataclass
class Part:
    """A run of operations, the values it needs from memory and those it leaves there."""

    operations: list[Node]
    loads: dict[Node, int] = field(default_factory=dict)
    stores: list[tuple[Node, int]] = field(default_factory=list)


def cut(ordered: Sequence[Node], wide: frozenset[Node], size: int = PART) -> tuple[list[Part], int]:
    """The parts, with scratch slots numbered from 0, and how many slots they need."""
    count = max(1, -(-len(ordered) // size))
    length = -(-len(ordered) // count) or 1
    parts = [Part(list(ordered[i : i + length])) for i in range(0, len(ordered), length)]
    home = {node: k for k, part in enumerate(parts) for node in part.operations}
    last: dict[Node, int] = {}
    for k, part in enumerate(parts):
        for node in part.operations:
            for arg in node.args:
                if arg in home and home[arg] != k:
                    last[arg] = k
    free: dict[int, list[int]] = {1: [], 2: []}
    slots: dict[Node, int] = {}
    total = 0
    ending: dict[int, list[Node]] = {}
    for node, k in last.items():
        ending.setdefault(k, []).append(node)
    for k, part in enumerate(parts):
        needed = {arg for node in part.operations for arg in node.args if arg in last and home[arg] != k}
        part.loads = {arg: slots[arg] for arg in sorted(needed, key=lambda n: n.index)}
        for node in ending.get(k, ()):
            free[1 + (node in wide)].append(slots[node])
        for node in part.operations:
            if node in last:
                width = 1 + (node in wide)
                if not free[width]:
                    free[width].append(total)
                    total += width
                slots[node] = free[width].pop()
                part.stores.append((node, slots[node]))
    return parts, total
