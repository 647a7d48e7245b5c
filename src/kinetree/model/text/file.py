"""What readers of model files share: bounded files, text in UTF-8, errors with their location.

Whatever is wrong with a file becomes a `ModelFileError` that begins with the file and, where there is one, the line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kinetree.errors import InertiaError, ModelError, ModelFileError

MAX_BYTES = 32 * 2**20
TOO_SMALL = "is not zero and smaller than any number here, which are 5e-324 or more; write 0 or use other units"
MAX_DIGITS = 100  # of one number; reading a number takes longer than linear time
_CHUNK = 2**16
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_PATH = 300  # characters of a path that a message shows

Source = str | os.PathLike[str]


def read_bytes(source: Source, wanted: str) -> tuple[str, bytes]:
    """The name of a file without its folder, and its content.

    Args:
        source: the path.
        wanted: what was expected, for messages.
    """
    if not isinstance(source, str | os.PathLike):
        raise ModelFileError(f"can't read a model from a {type(source).__name__}; expected {wanted}")
    try:
        path = Path(source)
        content = _first_bytes(path, MAX_BYTES + 1) if path.is_file() else None
    except (OSError, ValueError, TypeError) as error:
        raise ModelFileError(f"can't open {shown(str(source), _PATH)}: {error}; expected {wanted}") from None
    if content is None:
        raise ModelFileError(f"there is no file {shown(str(path), _PATH)}; expected {wanted}")
    if len(content) > MAX_BYTES:
        raise ModelFileError(f"{path.name} is larger than the {MAX_BYTES} bytes that a model file may have")
    return path.name, content


def read_text(source: Source, wanted: str, otherwise: str = "utf-8") -> tuple[str, str]:
    """The name of a file without its folder, and its text with lines that end in a newline character.

    Args:
        source: the path.
        wanted: what was expected, for messages.
        otherwise: "latin-1": how files that are not UTF-8 are read, unless they have characters that do not print.
    """
    name, content = read_bytes(source, wanted)
    try:
        return name, with_newlines(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        if otherwise == "latin-1" and not _CONTROL.search(text := content.decode(otherwise)):
            return name, with_newlines(text)
        line, byte = 1 + content[: error.start].count(b"\n"), content[error.start]
        remedy = "save the file as UTF-8"
        raise ModelFileError(f"{name}, line {line}: the byte 0x{byte:02x} can't be read as text; {remedy}") from None


def vanishes(numeral: str, value: float) -> bool:
    """Whether a numeral that is not zero was read as zero, because it is smaller than any float."""
    return value == 0.0 and re.search("[1-9]", re.split("[eE]", numeral)[0]) is not None


def check_length(text: str) -> None:
    """Refuse the text of a model that is longer than a file may be."""
    if len(text) > MAX_BYTES:
        raise ModelFileError(f"the text has {len(text)} characters; model files may have {MAX_BYTES}")


def with_newlines(text: str) -> str:
    """The text with every line ended in the one way."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def shown(text: str, length: int = 60) -> str:
    """The text as a message shows it: quoted, and cut where it is long."""
    return repr(text if len(text) <= length else text[:length] + "...")


@contextmanager
def located(error: Callable[[str], ModelError], remedy: str = "") -> Iterator[None]:
    """What the model refuses is raised again with its location.

    Args:
        error: makes the error to raise of a message; that of an inertia stays an `InertiaError`.
        remedy: put behind the message.
    """
    try:
        yield
    except ModelError as refused:
        placed = error(f"{refused}{remedy}")
        raise InertiaError(str(placed)) if isinstance(refused, InertiaError) else placed from None


def in_file(file: str) -> Callable[[str], ModelFileError]:
    """Makes the error to raise for a whole file of a message; one that names the file already stays as it is."""
    return lambda message: ModelFileError(message if message.startswith(f"{file}, line ") else f"{file}: {message}")


def _first_bytes(path: Path, count: int) -> bytes:
    """So many bytes of a file or a few more, or all that it has; room for them is made as they come."""
    content = bytearray()
    with path.open("rb") as stream:
        while len(content) < count and (more := stream.read(_CHUNK)):
            content += more
    return bytes(content)
