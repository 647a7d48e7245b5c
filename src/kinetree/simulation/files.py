"""Motions in files: .npz, which loses nothing, and .csv for everything else. Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import secrets
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from kinetree.errors import InputError

FORMAT = "kinetree motion 1"
Path_ = str | os.PathLike[str]


@contextlib.contextmanager
def whole(path: Path_) -> Iterator[IO[bytes]]:
    """A file to write into, which takes its place when everything went well; missing folders are made."""
    target = Path(path).absolute()
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        with open(draft, "xb") as file:
            yield file
        os.replace(draft, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()


def write_npz(path: Path_, arrays: dict[str, Any]) -> Path:
    """Named arrays of numbers and texts."""
    with whole(path) as file:
        np.savez_compressed(file, format=np.array(FORMAT), **arrays)
    return Path(path).absolute()


def read_npz(path: Path_) -> dict[str, Any]:
    """The arrays of a file that `write_npz` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise InputError(f"{os.fspath(path)} is not a file of Motion.to_npz: {error}") from None
    if str(arrays.pop("format", "")) != FORMAT:
        raise InputError(f"{os.fspath(path)} is not a file of Motion.to_npz: it does not say {FORMAT!r}")
    return arrays


def write_csv(path: Path_, header: list[str], rows: Iterator[list[Any]]) -> Path:
    """A table in UTF-8; numbers keep all their digits."""
    with whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(header)
        writer.writerows(rows)
        text.flush()
        text.detach()
    return Path(path).absolute()
