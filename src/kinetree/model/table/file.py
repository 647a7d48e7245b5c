"""Tables in files: the rows and settings of a CSV or TOML file.

CSV: a header with the names of the columns, then one line for each row; an empty cell is left out. Lines that begin
with # are comments. Those before the header may be settings:

    # convention: standard
    # degrees: yes
    # name: arm
    # gravity: 0 0 -9.81
    # base: fixed

TOML: the same settings as keys at the top, and one ``[[link]]`` for each row.
"""

from __future__ import annotations

import csv
import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetree.errors import ModelError, ModelFileError, UnknownNameError, check_name
from kinetree.model.text.file import read_text, shown
from kinetree.model.text.toml import parse_toml

SETTINGS = ("convention", "degrees", "name", "gravity", "base")
ROWS = "link"  # the name of the tables of a TOML file that are rows
MAX_ROWS = 10_000
MAX_CSV = 2**20  # characters of a CSV file
# of a TOML file: characters, characters of a line and dots in it; long dotted keys take quadratic time and memory
MAX_TOML, MAX_LINE, MAX_DOTS = 2**18, 1000, 50
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
_SIMILAR = 0.8  # of the letters; a comment that could be a setting with a slip of the pen


@dataclass(frozen=True)
class Table:
    """The rows and settings of a table, and where they stand."""

    rows: tuple[Any, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
    lines: tuple[int, ...] = ()  # of the rows, where there are lines

    def error(self, message: str, row: int | None = None, key: str | None = None) -> ModelError:
        """The error to raise for a row and one of its keys, or for the whole table."""
        place = [] if self.file is None else [self.file]
        if row is not None:
            place.append(f"line {self.lines[row - 1]}" if self.lines else f"{ROWS if self.file else 'row'} {row}")
        if key is not None:
            place.append(f"column {key!r}" if self.lines else repr(key))
        kind = ModelError if self.file is None else ModelFileError
        return kind(f"{', '.join(place)}: {message}" if place else message)

    def unknown(self, row: int, error: UnknownNameError) -> ModelError:
        """The error to raise for a name in a row that does not exist."""
        placed = self.error(str(error), row)
        if self.file is not None:
            return placed
        error.message = str(placed)
        return error


def read_table(source: str | os.PathLike[str], columns: Sequence[str]) -> Table:
    """The table in a file, by the ending of its name.

    Args:
        source: the path.
        columns: the names that a CSV file may have in its header.
    """
    ending = Path(source).suffix.lower()
    if ending not in _READERS:
        known = " or ".join(_READERS)
        expected = f"expected the path of a file that ends in {known}, or a list of rows"
        raise ModelFileError(f"can't read a table from {shown(os.fspath(source))}; {expected}")
    file, text = read_text(source, f"a table in a {ending} file")
    return _READERS[ending](file, text, columns)


# -- CSV ---------------------------------------------------------------------------------------------------------------


def _read_csv(file: str, text: str, columns: Sequence[str]) -> Table:
    if len(text) > MAX_CSV:
        raise ModelFileError(f"{file} is larger than the {MAX_CSV} characters that a table in CSV may have")
    settings: dict[str, Any] = {"name": Path(file).stem}
    header: list[str] | None = None
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{file}, line {number}"
        if len(rows) > MAX_ROWS or number > 2 * MAX_ROWS:
            raise ModelFileError(f"{where}: there are more than {MAX_ROWS} rows, more than any robot has links")
        if line.lstrip().startswith("#"):
            settings |= _setting(line, where) if header is None else {}
        elif line.strip(" \t,"):
            cells = _cells(line, where)
            if header is None:
                header = _header(cells, columns, where)
                continue
            rows.append(_row(header, cells, where))
            lines.append(number)
    if not rows:
        what = "no row below the header" if header else "nothing in it"
        expected = "expected a header such as a,alpha,d,theta and a line for each link"
        raise ModelFileError(f"{file}: there is {what}; {expected}")
    return Table(tuple(rows), settings, file, tuple(lines))


def _setting(line: str, where: str) -> dict[str, Any]:
    """The setting in a comment, if it is one."""
    key, colon, value = (part.strip() for part in line.lstrip("# \t").partition(":"))
    if not colon:
        return {}
    if key.lower() not in SETTINGS:
        if near := difflib.get_close_matches(key.lower(), SETTINGS, n=1, cutoff=_SIMILAR):
            raise ModelFileError(f"{where}: did you mean the setting {near[0]!r}? A comment may not look like {key!r}:")
        return {}
    if key.lower() != "degrees":
        return {key.lower(): value}
    if value.lower() not in _TRUTH:
        raise ModelFileError(f"{where}: degrees: {shown(value)} is not one of {', '.join(_TRUTH)}")
    return {"degrees": _TRUTH[value.lower()]}


def _cells(line: str, where: str) -> list[str]:
    try:
        (cells,) = csv.reader([line], strict=True, skipinitialspace=True)
    except csv.Error as error:
        raise ModelFileError(f"{where}: not readable as CSV: {error}") from None
    return [cell.strip() for cell in cells]


def _header(cells: list[str], columns: Sequence[str], where: str) -> list[str]:
    for k, cell in enumerate(cells):
        if cell not in columns and (";" in cell or "\t" in cell):
            raise ModelFileError(f"{where}, the header: {shown(cell)} is one cell; separate cells by commas")
        check_name("column", cell, columns, f"{where}, the header", ModelFileError)
        if cell in cells[:k]:
            raise ModelFileError(f"{where}, the header: the column {cell!r} is there twice; remove one of them")
    return cells


def _row(header: list[str], cells: list[str], where: str) -> dict[str, Any]:
    if len(cells) != len(header):
        raise ModelFileError(f"{where}: {len(cells)} cells, but the header has {len(header)} columns")
    row: dict[str, Any] = {name: cell for name, cell in zip(header, cells) if cell}
    if row.get("parent", "").isdecimal():
        row["parent"] = int(row["parent"][:9])
    return row


# -- TOML --------------------------------------------------------------------------------------------------------------


def _read_toml(file: str, text: str, columns: Sequence[str]) -> Table:
    content = parse_toml(file, text, "a table in TOML", MAX_TOML, MAX_LINE, MAX_DOTS)
    rows = content.pop(ROWS, None)
    for key in content:
        check_name("key", key, (*SETTINGS, ROWS), file, ModelFileError)
    if not isinstance(content.get("name", ""), str):
        raise ModelFileError(f"{file}: the name {content['name']!r} is not text in quotes")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ModelFileError(f"{file}: there are no rows; expected one [[{ROWS}]] table for each link")
    if len(rows) > MAX_ROWS:
        raise ModelFileError(f"{file}: there are more than {MAX_ROWS} rows, more than any robot has links")
    return Table(tuple(rows), {"name": Path(file).stem, **content}, file)


_READERS: Mapping[str, Callable[[str, str, Sequence[str]], Table]] = {".csv": _read_csv, ".toml": _read_toml}
