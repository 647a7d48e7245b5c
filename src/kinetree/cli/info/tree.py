"""The kinematic tree, drawn with lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kinetree.cli.terminal import Marks


def branches(parents: Mapping[str, str], root: str, marks: Marks, deepest: int) -> tuple[list[str], list[str]]:
    """The names of a tree from its root outward, and the lines to draw before them.

    Args:
        parents: of each name but the root.
        root: the name at the top.
        marks: the signs to draw with.
        deepest: the most columns for the lines; of longer ones the beginning is left out.

    Example:
        >>> from kinetree.cli.terminal import PLAIN
        >>> lines, names = branches({"arm": "world", "hand": "arm", "leg": "world"}, "world", PLAIN, 20)
        >>> print(*map("".join, zip(lines, names)), sep="\\n")
        world
        |- arm
        |  `- hand
        `- leg
    """
    children: dict[str, list[str]] = {}
    for name, parent in parents.items():
        children.setdefault(parent, []).append(name)
    lines, names = [""], [root]
    # (name, the lines before its children, whether it is the last child); a stack, since a chain may be long
    stack = _pending(children.get(root, ()), "")
    while stack:
        name, before, last = stack.pop()
        line = before + (marks.last if last else marks.branch)
        lines.append(line if len(line) <= deepest else marks.cut + line[len(line) - deepest + len(marks.cut) :])
        names.append(name)
        below = before + (" " * len(marks.through) if last else marks.through)
        stack += _pending(children.get(name, ()), below)
    return lines, names


def _pending(names: Sequence[str], before: str) -> list[tuple[str, str, bool]]:
    return [(name, before, k == len(names) - 1) for k, name in enumerate(names)][::-1]
