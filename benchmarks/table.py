"""Tables in Markdown, aligned so that they read well in a terminal too.

A column with the head "goal" belongs to the column before it: ">= 45", "<= 150 ms", "within 1 %", or nothing. It is
printed nowhere; a goal that is missed is said below the table, on the terminal only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

GOAL = "goal"
shown: list[str] = []  # the tables since somebody last emptied this list, for a page


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print one table and keep it; say which goals are missed."""
    columns = [k for k, head in enumerate(header) if head != GOAL]
    body = lines([header[k] for k in columns], [[row[k] for k in columns] for row in rows])
    print("", title, "", *body, sep="\n", flush=True)
    for goal in missed(header, rows):
        print(f"missed: {goal}", file=sys.stderr, flush=True)
    shown.append("\n".join([f"**{title}**", "", *body]))


def lines(header: Sequence[str], rows: Sequence[Sequence[object]], left: int = 1) -> list[str]:
    """The lines of a table; that many columns are words, aligned left, the others numbers."""
    cells = [[str(x) for x in row] for row in (header, *rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(header))]

    def text(line: Sequence[str]) -> str:
        aligned = (c.ljust(w) if k < left else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths)))
        return f"| {' | '.join(aligned)} |"

    rule = "|" + "|".join("-" * (w + 1) + ("-" if k < left else ":") for k, w in enumerate(widths)) + "|"
    return [text(cells[0]), rule, *map(text, cells[1:])]


def missed(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The goals that are not reached, each in words."""
    for row in rows:
        for k, head in enumerate(header):
            if head == GOAL and row[k] and not reached(str(row[k - 1]), str(row[k])):
                yield f"{row[0]}: {header[k - 1]} {row[k - 1]}, goal {row[k]}"


def reached(cell: str, goal: str) -> bool:
    """Whether all numbers of a cell are as the goal says; both have the same unit."""
    numbers = [float(x.replace(",", "")) for x in re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", cell)]
    sign, by, *_ = goal.split()
    limit = float(by.replace(",", ""))
    tests = {"<=": lambda x: x <= limit, ">=": lambda x: x >= limit, "within": lambda x: abs(x) <= limit}
    return bool(numbers) and all(map(tests[sign], numbers))
