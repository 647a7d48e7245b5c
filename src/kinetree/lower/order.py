"""Order the operations so that few values live at once.

List scheduling backwards from the outputs: among the operations whose users are all scheduled, the next is the one that
makes the fewest new values live, and among those the one traced last. Measured against depth-first and creation order
it gives the fastest code, up to a quarter faster, but for long programs with many results. Those, such as derivatives,
are a tenth faster as they were traced: a recursion is done with a result when it has made it. And so are sums of
products, of which those with the same factors were traced together.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from kinetree.graph.node import Node, live

LONG, MANY = 5000, 0.03  # operations, and results for each of them


def ordered(outputs: Sequence[Node]) -> list[Node]:
    """The operations that the outputs need, arguments before users; no constants, no inputs."""
    traced = [node for node in live(outputs) if node.args]
    results = {node for node in outputs if node.args}
    if (len(traced) > LONG and len(results) > MANY * len(traced)) or any(node.op == "dot" for node in traced):
        return traced
    return short_lived(outputs)


def short_lived(*groups: Sequence[Node]) -> list[Node]:
    """The operations in the order of list scheduling.

    Args:
        groups: of outputs, in the order in which they are to be finished: what a group alone needs is computed for it,
            between the groups before and those after.
    """
    nodes = {node.index: node for node in live([node for group in groups for node in group]) if node.args}
    arguments = {k: [a.index for a in dict.fromkeys(node.args) if a.args] for k, node in nodes.items()}
    users: dict[int, list[int]] = {k: [] for k in nodes}
    for k, args in arguments.items():
        for arg in args:
            users[arg].append(k)
    new = {k: len(args) for k, args in arguments.items()}  # values that come alive with it
    waits = {k: len(of) for k, of in users.items()}  # for so many users
    first = {node.index: number for number, group in reversed([*enumerate(groups)]) for node in group if node.args}
    alive: set[int] = set()

    def revive(k: int) -> None:
        if k not in alive:
            alive.add(k)
            for user in users[k]:
                new[user] -= 1

    ready: list[tuple[int, int]] = []
    backwards: list[Node] = []
    for number in reversed(range(len(groups))):
        own = [k for k in dict.fromkeys(node.index for node in groups[number]) if first.get(k) == number]
        for k in own:
            revive(k)
        for k in own:
            if not waits[k]:
                heapq.heappush(ready, (new[k], -k))
        while ready:
            cost, k = heapq.heappop(ready)
            k = -k
            if new[k] != cost:  # an argument has come alive since
                heapq.heappush(ready, (new[k], -k))
                continue
            backwards.append(nodes[k])
            for arg in arguments[k]:
                revive(arg)
                waits[arg] -= 1
                if not waits[arg] and first.get(arg, number) >= number:
                    heapq.heappush(ready, (new[arg], -arg))
    return backwards[::-1]
