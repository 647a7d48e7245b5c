"""Values on the command line: names, numbers and assignments, refused with an example of what is expected."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from kinetree.catalogue import FRAMED

WITH_FRAME = (*FRAMED, "inverse_kinematics")  # algorithms that need --frame


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(filter(None, text.split(",")))


def numbers(text: str) -> float | list[float]:
    """One number, or several with commas between them."""
    try:
        values = [float(x) for x in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 2.5 or 2.5,3,1") from None
    return values[0] if len(values) == 1 else values


def add_assignments(parser: Any, option: str, metavar: str, example: str, help: str) -> None:
    """An option NAME=NUMBER that may be given more than once."""

    def read(text: str) -> tuple[str, float]:
        name, _, number = text.partition("=")
        try:
            return name, float(number)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not like {example}") from None

    parser.add_argument(option, type=read, action="append", default=[], metavar=metavar, help=help)


def require_frame(args: argparse.Namespace, algorithms: Iterable[str]) -> None:
    """Refuse an algorithm that needs a frame where none is given."""
    for name in algorithms:
        if name in WITH_FRAME and args.frame is None:
            args.refuse(f"{name} needs --frame NAME; kinetree info lists the frames")
