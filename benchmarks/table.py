"""Tables in Markdown, aligned so that they read well in a terminal too."""

from __future__ import annotations

from collections.abc import Sequence


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print one table."""
    lines = [[str(x) for x in row] for row in (header, *rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]

    def text(cells: Sequence[str]) -> str:
        return (
            "| "
            + " | ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(cells, widths)))
            + " |"
        )

    rule = "|" + "|".join("-" * (w + 1) + ("-" if k == 0 else ":") for k, w in enumerate(widths)) + "|"
    print(f"\n{title}\n", text(lines[0]), rule, *map(text, lines[1:]), sep="\n", flush=True)
