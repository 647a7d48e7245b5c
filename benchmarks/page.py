"""docs/benchmarks.md: prose by hand, and tables between two comments for each section, which are written here."""

from __future__ import annotations

import re
from pathlib import Path

from kinetree import files

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def write(name: str, tables: list[str], path: Path = PAGE) -> None:
    """Put these tables in the place of a section, the whole file or nothing."""
    files.write(path, filled(path.read_text(encoding="utf-8"), name, tables).encode())


def filled(text: str, name: str, tables: list[str]) -> str:
    """A page with other tables between ``<!-- name -->`` and ``<!-- end of name -->``."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    place = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    if len(place.findall(text)) != 1:
        raise ValueError(f"the page has no place for {name!r}: a line {begin} and, below it, a line {end}")
    inside = "\n\n".join([begin, *tables, end])
    return place.sub(lambda _: inside, text)
