"""Which values are in registers and which in memory while a run of operations is computed.

The value whose next use is farthest leaves its register first (Belady). It is written into the code where the memory is
a part of the processor that code generators know nothing of: the shared memory of a GPU.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from kinetree.graph.node import Node

# the steps: an operation, loading an input, moving a value to memory, and back
COMPUTE, LOAD, SPILL, FILL = "compute", "load", "spill", "fill"
Step = tuple[str, Node]


def steps(operations: Sequence[Node], registers: int, movable: Callable[[Node], bool] | None = None) -> Iterator[Step]:
    """The operations, and what is moved between them so that no more values than this are in registers.

    A value is spilled once. An input is not: it is loaded again.

    Args:
        operations: arguments before users.
        registers: how many values they hold.
        movable: whether a value may leave its register; None: all may.
    """
    uses: dict[Node, list[int]] = {}
    for position in reversed(range(len(operations))):
        for arg in operations[position].args:
            if arg.op != "const":
                uses.setdefault(arg, []).append(position)
    kept: dict[Node, int] = {}  # and where each is used next
    farthest: list[tuple[int, int, Node]] = []
    spilled: set[Node] = set()
    for position, node in enumerate(operations):
        for arg in dict.fromkeys(node.args):
            if arg.op != "const" and arg not in kept:
                yield FILL if arg.args else LOAD, arg
        yield COMPUTE, node
        for value in dict.fromkeys((*node.args, node)):
            remaining = uses.get(value, [])
            while remaining and remaining[-1] <= position:
                remaining.pop()
            if remaining:
                kept[value] = remaining[-1]
                if movable is None or movable(value):
                    heapq.heappush(farthest, (-remaining[-1], value.index, value))
            else:
                kept.pop(value, None)
        while len(kept) > registers and farthest:
            use, _, value = heapq.heappop(farthest)
            if kept.get(value) == -use:
                del kept[value]
                if value.args and value not in spilled:
                    spilled.add(value)
                    yield SPILL, value


def traffic(operations: Sequence[Node], registers: int) -> int:
    """How often values are moved to memory and back."""
    return sum(step in (SPILL, FILL) for step, _ in steps(operations, registers))
