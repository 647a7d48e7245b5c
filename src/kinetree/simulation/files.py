"""Motions in files: .npz, which loses nothing, and .csv for everything else."""

from __future__ import annotations

import csv
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.files import Name, reading, whole

FORMAT = "kinetree motion 1"
# what NumPy and zipfile say of files that are none of ours
_BROKEN = (ValueError, TypeError, AttributeError, KeyError, EOFError, MemoryError, NotImplementedError,
           zipfile.BadZipFile, zlib.error)  # fmt: skip


def write_npz(path: Name, arrays: dict[str, Any]) -> Path:
    """Named arrays of numbers and texts."""
    with whole(path) as file:
        np.savez_compressed(file, format=np.array(FORMAT), **arrays)
    return Path(path).absolute()


def read_npz(path: Name) -> dict[str, Any]:
    """The arrays of a file that `write_npz` wrote."""
    with reading(path), open(path, "rb") as stream:
        try:
            with np.load(stream, allow_pickle=False) as file:
                arrays = dict(file)
        except _BROKEN as error:
            raise InputError(f"{os.fspath(path)} is not a file of Motion.to_npz: {error}") from None
    if str(arrays.pop("format", "")) != FORMAT:
        raise InputError(f"{os.fspath(path)} is not a file of Motion.to_npz: it does not say {FORMAT!r}")
    return arrays


def write_csv(path: Name, header: list[str], rows: Iterator[list[Any]]) -> Path:
    """A table in UTF-8; numbers keep all their digits."""
    with whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(header)
        writer.writerows(rows)
        text.flush()
        text.detach()
    return Path(path).absolute()
