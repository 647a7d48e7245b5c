"""``kinetree convert A B``: a robot file in another format; B is written whole or not at all."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kinetree.cli import source, terminal
from kinetree.errors import InputError
from kinetree.files import check_place, write
from kinetree.robot import Robot

DESCRIPTION = "Write the robot of one file to another, in the format that its ending names: .urdf or .json."

WRITERS: Mapping[str, Callable[[Robot], str]] = {"urdf": Robot.to_urdf, "json": Robot.to_json}
STDOUT = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("a", metavar="A", help=source.FILE)
    parser.add_argument("b", metavar="B", help="the file to write, or - for the standard output (with --to)")
    parser.add_argument("--to", choices=tuple(WRITERS), help="the format of B, where its ending does not say it")
    parser.add_argument("--force", action="store_true", help="replace B where it exists")
    source.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Read, then write."""
    form = args.to or Path(args.b).suffix.lower().removeprefix(".")
    if form not in WRITERS:
        endings = " or ".join(f".{name}" for name in WRITERS)
        args.refuse(f"B is {args.b!r}, whose ending does not say its format: end it in {endings}, or give --to")
    target = None if args.b == STDOUT else robot_file(args.b, args.force)
    read = source.read(args.a, args.base, args.strict)
    terminal.remark(read.notes)
    content = WRITERS[form](read.robot).encode("utf-8")
    if target is None:
        _to_stdout(content)
    else:
        write(target, content)
    return 0


def robot_file(name: str, force: bool) -> Path:
    """The path of a robot file to write; refused before any work."""
    path = check_place(name, folders=False)
    if path.exists() and not force:
        raise InputError(f"{name}: exists already; give --force to replace it")
    return path


def _to_stdout(content: bytes) -> None:
    """UTF-8, whatever the terminal's own encoding is: it is a file."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(content.decode("utf-8"))
    else:
        binary.write(content)
