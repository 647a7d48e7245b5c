"""Measurements in CSV files: one row for each time, one column for each quantity of each joint."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.files import Name, reading
from kinetree.identify.chains import Columns
from kinetree.runtime.arrays import Array

_DELIMITERS = ",;\t"
_SEPARATORS = "commas, semicolons or tabs"
_LETTERS = ("t", "q")  # how the names of columns that are used begin


def read_measurements(path: Name, columns: Columns) -> dict[str, Any]:
    """The fields of `Data` of a robot with these columns."""
    header, table = _table(path)
    q = _series("q", columns.positions, header, table)
    if q is None:  # of a closed chain
        q = _series("q", columns.velocities, header, table)
    forces = _series("tau", columns.forces, header, table, columns.passive)
    if "t" not in header or q is None or forces is None:
        wanted = ["t", *(f"q.{n}" for n in columns.positions)]
        wanted += [f"tau.{n}" for n in columns.forces if n not in columns.passive]
        missing = [name for name in wanted if name not in header]
        raise InputError(
            f"{os.fspath(path)}: the columns {', '.join(missing)} are wanted (or numbered ones, q1, tau1, ...); there "
            f"are {', '.join(header)}"
        )
    qd, qdd = (_series(name, columns.velocities, header, table) for name in ("qd", "qdd"))
    t = table[:, header.index("t")]
    return {"t": t, "q": q, "forces": forces, "qd": qd, "qdd": qdd, "joints": columns.forces}


def _series(
    letters: str, names: Sequence[str], header: list[str], table: Array, optional: frozenset[str] = frozenset()
) -> Array | None:
    """The columns of a quantity; None if one of them is missing."""
    forms = (
        [[f"{letters}_{n}"] for n in names],
        [[f"{letters}.{n}"] for n in names],
        [[f"{letters}{k}", f"{letters}_{k}"] for k in range(1, len(names) + 1)],
    )
    for form in forms:
        found = [next((header.index(x) for x in own if x in header), None) for own in form]
        there = [k is not None for k in found]
        if any(there) and all(given or name in optional for given, name in zip(there, names)):
            return np.stack([np.zeros(len(table)) if k is None else table[:, k] for k in found], axis=1)
    return None


def _table(path: Name) -> tuple[list[str], Array]:
    """The header, and the numbers; a missing one is NaN."""
    with reading(path):
        content = Path(path).read_bytes()
    where = os.fspath(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{where} is not a text file in UTF-8") from None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(f"{where} is empty")
    delimiter = max(_DELIMITERS, key=lines[0][1].count)
    try:
        header, *rows = csv.reader((line for _, line in lines), delimiter=delimiter)
    except csv.Error as error:
        raise InputError(f"{where} is not a table: {error}") from None
    header = [name.strip() for name in header]
    if len(header) == 1:
        raise InputError(f"{where}: {header[0]!r:.60} is the only column; columns are separated by {_SEPARATORS}")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise InputError(f"{where}: the header names {', '.join(repeated)} more than once")
    table: list[list[float]] = []
    for (number, _), cells in zip(lines[1:], rows):
        if len(cells) != len(header):
            raise InputError(f"{where}, line {number}: {len(cells)} numbers under {len(header)} names of columns")
        table.append([_number(x, name, f"{where}, line {number}") for x, name in zip(cells, header)])
    return header, np.array(table, float).reshape(-1, len(header))


def _number(cell: str, column: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        if cell.strip() and column.startswith(_LETTERS):
            raise InputError(f"{where}: {cell!r} in column {column!r} is not a number") from None
        return float("nan")
