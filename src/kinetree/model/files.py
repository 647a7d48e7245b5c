"""Which reader reads which file: by the ending of its name and, for XML, by the root element.

A reader is a function of the path and of options that returns a `Mechanism`; it is loaded when a file needs it.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kinetree.errors import ModelFileError, check_names
from kinetree.model import Mechanism
from kinetree.model.text.file import shown

URDF, MJCF, PAR, TABLE, JSON = "URDF", "MJCF", "SYMORO par", "DH table", "JSON"  # the formats

ROOTS: Mapping[str, str] = {"robot": URDF, "mujoco": MJCF}
# None: the root element says it
ENDINGS: Mapping[str, str | None] = {
    **dict.fromkeys((".urdf", ".mjcf", ".xml")),
    ".par": PAR,
    **dict.fromkeys((".csv", ".toml"), TABLE),
    ".json": JSON,
}
_UNREADABLE: Mapping[str, str] = {".urdf": URDF, ".mjcf": MJCF}  # whose reader says what is wrong with the file
_HEAD = 2**20  # bytes in which the root element must begin
_BEFORE_ROOT = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z_][\w.:-]*)", re.ASCII)


def mechanism_from_file(path: str | os.PathLike[str], **options: Any) -> Mechanism:
    """The mechanism of a file in any format that Kinetree reads; see `kinetree.Robot.from_file`."""
    reader = reader_of(format_of(path))
    _, *known = inspect.signature(reader).parameters
    check_names(f"option for {Path(path).suffix.lower()} files", options, known)
    return reader(path, **options)


def reader_of(form: str) -> Callable[..., Mechanism]:
    """The function that reads a format; its module is loaded now."""
    if form == URDF:
        from kinetree.model.urdf.reader import mechanism_from_urdf as reader
    elif form == MJCF:
        from kinetree.model.mjcf.reader import mechanism_from_mjcf as reader
    elif form == PAR:
        from kinetree.model.par.reader import mechanism_from_par as reader
    elif form == TABLE:
        from kinetree.model.table.reader import mechanism_from_table as reader
    else:
        from kinetree.model.json.reader import mechanism_from_json as reader
    return reader


def format_of(path: str | os.PathLike[str]) -> str:
    """The format of a file: `URDF`, `MJCF`, `PAR`, `TABLE` or `JSON`."""
    if not isinstance(path, str | os.PathLike):
        raise ModelFileError(f"can't read a model from a {type(path).__name__}; expected the path of a file")
    ending = Path(path).suffix.lower()
    if ending == ".xacro":
        given = f"{shown(Path(path).name)} is a xacro file, which runs expressions"
        raise ModelFileError(f"{given}; if you trust it, read it by Robot.from_xacro")
    if ending not in ENDINGS:
        expected = f"expected a file that ends in {', '.join(ENDINGS)}"
        raise ModelFileError(f"can't tell the format of {shown(Path(path).name)}; {expected}")
    if not os.path.isfile(path):
        raise ModelFileError(f"there is no file {shown(os.fspath(path), 300)}")
    return ENDINGS[ending] or _by_root(Path(path), ending)


def _by_root(path: Path, ending: str) -> str:
    """The format that the root element of an XML file names."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise ModelFileError(f"can't open {shown(str(path), 300)}: {error}") from None
    root = _root(head.decode("utf-8-sig", errors="replace"))
    if root is not None and root in ROOTS:
        return ROOTS[root]
    if ending in _UNREADABLE or b"<!DOCTYPE" in head:
        return _UNREADABLE.get(ending, MJCF)
    found = f"the root element is <{root}>" if root else "there is no root element"
    raise ModelFileError(f"{path.name}: {found}; expected {' or '.join(f'<{tag}>' for tag in ROOTS)}")


def _root(text: str) -> str | None:
    place = 0
    while before := _BEFORE_ROOT.match(text, place):
        place = before.end()
    tag = _TAG.match(text, place)
    return tag[1] if tag else None
