"""TOML as dictionaries, within limits: long dotted keys take Python's reader quadratic time and memory."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from kinetree.errors import ModelFileError
from kinetree.model.text.file import TOO_SMALL, vanishes


def parse_toml(file: str, text: str, what: str, characters: int, line: int, dots: int) -> dict[str, Any]:
    """The content of a text in TOML; what is wrong becomes a `ModelFileError` with the name of the file.

    Args:
        file: where the text is from.
        text: in TOML.
        what: the text is, such as "a task".
        characters, line, dots: the most characters of the text, characters of a line and dots in a line.
    """
    if len(text) > characters:
        raise ModelFileError(f"{file} is larger than the {characters} characters that {what} may have")
    for number, row in enumerate(text.split("\n"), 1):
        if len(row) > line or row.count(".") > dots:
            raise ModelFileError(f"{file}, line {number}: more than {line} characters or {dots} dots in a line")
    toml = _reader(file)
    try:
        return toml.loads(text, parse_float=_number)
    except ValueError as error:  # the reader's own error is one
        raise ModelFileError(f"{file}: not readable as TOML: {error}") from None
    except RecursionError:
        raise ModelFileError(f"{file}: not readable as TOML: values are nested too deep") from None


def _number(text: str) -> float:
    if vanishes(text, value := float(text)):
        raise ModelFileError(f"{text} {TOO_SMALL}")
    return value


def _reader(file: str) -> Any:
    """Python's reader of TOML, which Python 3.10 does not have."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("tomllib")
    with contextlib.suppress(ImportError):
        return importlib.import_module("tomli")
    raise ModelFileError(f"{file}: this Python can't read TOML; use Python 3.11 or later, or install the package tomli")
