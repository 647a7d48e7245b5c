"""One figure of a paper, and tables of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Figure:
    """A published figure.

    Args:
        paper: its key in docs/references.bib.
        what: the quantity.
        published: as printed.
        ours: what Kinetree gives, computed in this run.
        shown_by: the call or the test that shows it.
        why: where the two differ, why; where there is nothing to compare, what is missing.
    """

    paper: str
    what: str
    published: str
    ours: str
    shown_by: str = ""
    why: str = ""


_HEADER = {
    "paper": "paper",
    "what": "figure",
    "published": "published",
    "ours": "Kinetree",
    "shown_by": "shown by",
    "why": "where they differ, why",
}


def markdown(figures: Sequence[Figure]) -> str:
    """A table for a page."""
    lines = [_HEADER.values(), ["---"] * len(_HEADER), *map(_cells, figures)]
    return "\n".join(f"| {' | '.join(cell or '-' for cell in line)} |" for line in lines)


def section(figures: Sequence[Figure], paper: str) -> str:
    """The figures of one paper as a narrow table for a page; where they differ, why, and what shows them, as notes."""
    chosen = {figure: _note(figure) for figure in figures if figure.paper == paper}
    notes = [*dict.fromkeys(chosen.values())]
    rows = [[x.what, x.published, x.ours, f"{notes.index(note) + 1}"] for x, note in chosen.items()]
    lines = [["figure", "published", "Kinetree", "note"], ["---"] * 4, *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([table, "", *(f"{k}. {note}" for k, note in enumerate(notes, 1))])


def _note(figure: Figure) -> str:
    why = f"{figure.why[:1].upper()}{figure.why[1:]}" if figure.why else ""
    shown = f"Shown by {figure.shown_by}" if figure.shown_by else ""
    return " ".join(f"{text}." for text in (why, shown) if text)


def terminal(figures: Sequence[Figure]) -> str:
    """A table for a terminal, the reasons as notes below it."""
    notes: list[str] = []
    lines = [[*[*_HEADER.values()][:-1], "note"]]
    for figure in figures:
        *cells, why = _cells(figure)
        if why and why not in notes:
            notes.append(why)
        lines.append([*cells, f"[{notes.index(why) + 1}]" if why else ""])
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*text, "", *(f"[{k}] {note}" for k, note in enumerate(notes, 1))])


def _cells(figure: Figure) -> list[str]:
    return [getattr(figure, field.name) for field in fields(figure)]
