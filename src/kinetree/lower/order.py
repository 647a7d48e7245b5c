"""Order the operations so that values live briefly: depth first from the outputs."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.graph.node import Node


def depth_first(outputs: Sequence[Node]) -> list[Node]:
    """The operations that the outputs need, arguments before users; no constants, no inputs."""
    ordered: list[Node] = []
    seen: set[Node] = set()
    for output in outputs:
        stack = [(output, False)]
        while stack:
            node, done = stack.pop()
            if done:
                ordered.append(node)
            elif node not in seen and node.args:
                seen.add(node)
                stack.append((node, True))
                stack += [(arg, False) for arg in reversed(node.args)]
    return ordered
