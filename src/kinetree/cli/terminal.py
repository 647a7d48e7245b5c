"""What a terminal can show: its width, its characters, and text that does nothing to it.

Names come from files that nobody has checked. What does not print, such as the escape character that moves the
cursor, is shown as ``\\x1b``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from kinetree import __version__
from kinetree.errors import printable as printable

STOPPED = 130  # the exit status after Ctrl-C
PIPED = 120  # columns where there is no terminal to ask
_LEAST = 40


@dataclass(frozen=True)
class Marks:
    """The signs beyond plain text."""

    rule: str
    through: str
    branch: str
    last: str
    cut: str


FINE = Marks("─", "│  ", "├─ ", "└─ ", "…")
PLAIN = Marks("-", "|  ", "|- ", "`- ", "...")


def marks(stream: TextIO) -> Marks:
    """Box drawing where the stream's encoding has it, ASCII elsewhere."""
    try:
        "".join(vars(FINE).values()).encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return FINE


def width() -> int:
    """The columns of the terminal, or what ``COLUMNS`` says."""
    return max(_LEAST, shutil.get_terminal_size((PIPED, 24)).columns)


def columns(text: str) -> int:
    """How many columns a text takes: two for a wide character, none for a mark above another."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def shortened(text: str, most: int, cut: str) -> str:
    """The text in at most so many columns; what is too much goes out of the middle.

    Example:
        >>> shortened("gripper_left_inner_joint", 16, "..")
        'gripper..r_joint'
    """
    if columns(text) <= most:
        return text
    room = max(0, most - len(cut))
    head, tail = "", ""
    for a, b in zip(text, reversed(text)):
        if columns(head + a + tail) > room:
            break
        head += a
        if columns(head + b + tail) > room:
            break
        tail = b + tail
    return head + cut + tail


def say(text: str) -> None:
    """Print a text; characters that the output does not have are written out."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option of every command that `show` prints the results of."""
    parser.add_argument("--json", action="store_true", help="print one JSON object with all digits")


def show(found: dict[str, Any], text: Callable[[dict[str, Any], int, Marks], str], as_json: bool) -> None:
    """Print results: as one JSON object, or as the text that a function of them, the width and the marks gives."""
    whole = {"kinetree": __version__, **found}
    say(json.dumps(whole, allow_nan=False) if as_json else text(found, width(), marks(sys.stdout)))


def summary(title: str, rows: Mapping[str, str]) -> list[str]:
    """A title and short values below it, each after its name.

    Example:
        >>> print(*summary("arm", {"mass": "2 kg", "duration": "1 s"}), sep="\\n")
        arm
          mass      2 kg
          duration  1 s
    """
    size = max(map(len, rows), default=0)
    return [printable(title), *(f"  {name:<{size}}  {printable(value)}" for name, value in rows.items())]


def complain(message: str) -> None:
    """Print a message on the standard error, as this command's."""
    lines = [printable(line) for line in message.splitlines()]
    print("kinetree: " + "\n".join(lines), file=sys.stderr)


def remark(notes: Iterable[str]) -> None:
    """Print notes on the standard error."""
    for note in notes:
        complain(f"note: {note}")
