"""The text of a model file that is not XML: of bounded size, in UTF-8.

Whatever is wrong with a file becomes a `ModelFileError` that begins with the file and, where there is one, the line.
"""

from __future__ import annotations

import os
from pathlib import Path

from kinetree.errors import ModelFileError

_CHUNK = 2**16
_PATH = 300  # characters of a path that a message shows


def read_text(source: str | os.PathLike[str], wanted: str) -> tuple[str, str]:
    """The name of a file without its folder, and its text with lines that end in a newline character.

    Args:
        source: the path.
        wanted: what was expected, for messages.
    """
    limit = max_bytes()
    try:
        path = Path(source)
        content = first_bytes(path, limit + 1) if path.is_file() else None
    except (OSError, ValueError, TypeError) as error:
        raise ModelFileError(f"can't open {shown(str(source), _PATH)}: {error}; expected {wanted}") from None
    if content is None:
        raise ModelFileError(f"there is no file {shown(str(path), _PATH)}; expected {wanted}")
    if len(content) > limit:
        raise ModelFileError(f"{path.name} is larger than the {limit} bytes that a model file may have")
    try:
        return path.name, with_newlines(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = 1 + content[: error.start].count(b"\n")
        raise ModelFileError(
            f"{path.name}, line {line}: the byte 0x{content[error.start]:02x} can't be read as text; "
            "save the file as UTF-8"
        ) from None


def max_bytes() -> int:
    """The size that a model file may have; the reader of XML, which says it, is not loaded for tables of rows."""
    from kinetree.model.text.xml import MAX_BYTES

    return MAX_BYTES


def with_newlines(text: str) -> str:
    """The text with every line ended in the one way."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def shown(text: str, length: int = 60) -> str:
    """The text as a message shows it: quoted, and cut where it is long."""
    return repr(text if len(text) <= length else text[:length] + "...")


def first_bytes(path: Path, count: int) -> bytes:
    """So many bytes of a file or a few more, or all that it has; room for them is made as they come."""
    content = bytearray()
    with path.open("rb") as stream:
        while len(content) < count and (more := stream.read(_CHUNK)):
            content += more
    return bytes(content)
