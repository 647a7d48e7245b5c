"""Tables with aligned columns that fit a width.

Columns without content are left out. A table that is too wide is cut into several below each other, each with the
first column: between its groups of columns, and inside a group where shortening its longest cells does not help.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kinetree.cli.terminal import Marks, columns, printable, shortened

_GAP = "  "
_INDENT = "  "
_READABLE = 16  # columns below which no cell is shortened to keep a group together
_SHARE = 0.4  # of the width that one column may take in a group that is cut


@dataclass(frozen=True)
class Column:
    """One column: its head, its cells, and whether they stand at its right edge, as numbers do."""

    head: str
    cells: Sequence[str]
    right: bool = False

    @property
    def size(self) -> int:
        """How many columns of the terminal it takes."""
        return max(map(columns, (self.head, *self.cells)))

    def within(self, most: int, cut: str) -> Column:
        """The same with shortened cells."""
        return Column(self.head, [shortened(cell, most, cut) for cell in self.cells], self.right)


def table(*groups: Sequence[Column], width: int, marks: Marks) -> list[str]:
    """The lines of a table, none where it has no rows.

    Args:
        groups: columns that stand together; the very first one names the rows.
        width: of the terminal.
        marks: the signs for the rule and for what is cut out.

    Example:
        >>> from kinetree.cli.terminal import PLAIN
        >>> fruit = [Column("fruit", ["apple", "fig"]), Column("kg", ["1.5", "10"], right=True)]
        >>> print("\\n".join(table(fruit, width=80, marks=PLAIN)))
          fruit   kg
          -----  ---
          apple  1.5
          fig     10
    """
    key, *_ = groups[0]
    filled = [[_safe(c) for c in group if c is not key and any(c.cells)] for group in groups]
    key = _safe(key)
    if not key.cells:
        return []
    whole = [key, *(c for group in filled for c in group)]
    if _length([c.size for c in whole]) <= width:
        return [*_drawn(whole, marks)]
    lines: list[str] = []
    for block in (block for group in filled if group for block in _blocks(key, group, width, marks.cut)):
        # a cut table repeats only the rows that it says something about
        kept = [k for k in range(len(key.cells)) if not lines or any(c.cells[k] for c in block[1:])]
        lines += [""] * bool(lines)
        lines += _drawn([Column(c.head, [c.cells[k] for k in kept], c.right) for c in block], marks)
    return lines


def _safe(column: Column) -> Column:
    return Column(column.head, [printable(cell) for cell in column.cells], column.right)


def _length(sizes: Sequence[int]) -> int:
    return len(_INDENT) + sum(sizes) + len(_GAP) * (len(sizes) - 1)


def _blocks(key: Column, group: Sequence[Column], width: int, cut: str) -> Iterator[list[Column]]:
    """The columns in as few blocks as they need, each with the first one."""
    sizes = [c.size for c in (key, *group)]
    while _length(sizes) > width and max(sizes) > _READABLE:
        sizes[sizes.index(max(sizes))] -= 1
    if _length(sizes) <= width:
        yield [c.within(size, cut) for c, size in zip((key, *group), sizes)]
        return
    key, *rest = (c.within(int(_SHARE * width), cut) for c in (key, *group))
    block = [key]
    for column in rest:
        if len(block) > 1 and _length([c.size for c in (*block, column)]) > width:
            yield block
            block = [key]
        block.append(column)
    yield block


def _drawn(block: Sequence[Column], marks: Marks) -> Iterator[str]:
    sizes = [column.size for column in block]
    rule = [marks.rule * size for size in sizes]
    for cells in ([c.head for c in block], rule, *zip(*(c.cells for c in block))):
        padded = (_padded(text, size, c.right) for text, size, c in zip(cells, sizes, block))
        yield (_INDENT + _GAP.join(padded)).rstrip()


def _padded(text: str, size: int, right: bool) -> str:
    space = " " * (size - columns(text))
    return space + text if right else text + space
