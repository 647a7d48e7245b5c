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
    outputs = [node for group in groups for node in group]
    arguments = {node: [a for a in dict.fromkeys(node.args) if a.args] for node in live(outputs) if node.args}
    users = dict.fromkeys(arguments, 0)
    for args in arguments.values():
        for arg in args:
            users[arg] += 1
    first = {node: k for k, group in reversed([*enumerate(groups)]) for node in group if node.args}
    alive: set[Node] = set()

    def entry(node: Node) -> tuple[int, int, Node]:
        return sum(arg not in alive for arg in arguments[node]), -node.index, node

    ready: list[tuple[int, int, Node]] = []
    backwards: list[Node] = []
    for k in reversed(range(len(groups))):
        own = [node for node in dict.fromkeys(groups[k]) if first.get(node) == k]
        alive.update(own)
        for node in own:
            if not users[node]:
                heapq.heappush(ready, entry(node))
        while ready:
            cost, _, node = heapq.heappop(ready)
            now = entry(node)
            if now[0] != cost:  # an argument has come alive since
                heapq.heappush(ready, now)
                continue
            backwards.append(node)
            for arg in arguments[node]:
                alive.add(arg)
                users[arg] -= 1
                if not users[arg] and first.get(arg, k) >= k:
                    heapq.heappush(ready, entry(arg))
    return backwards[::-1]
