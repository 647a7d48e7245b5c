"""``kinetree view``: a robot in three dimensions, in the browser or as a page."""

from __future__ import annotations

import argparse

from kinetree.cli import source
from kinetree.cli.arguments import add_assignments
from kinetree.cli.terminal import complain

DESCRIPTION = (
    "Show a robot in the default browser: turn it, move its joints, see what closes its loops. With -o, write the page "
    "instead: one file that needs no network."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    parser.add_argument("-o", "--output", metavar="PAGE", help="write the page to this .html file and open nothing")
    parser.add_argument(
        "--packages", metavar="FOLDER", action="append", help="where package:// addresses of meshes are"
    )
    text = "the value of a named parameter of the model; may be given more than once"
    add_assignments(parser, "--set", "NAME=NUMBER", "payload=1.5", text)
    source.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Show the robot."""
    found = source.read(args.file, args.base, args.strict, args.packages)
    for note in found.notes:
        complain(note)
    view = found.robot.view(**dict(args.set))
    print(view.save(args.output) if args.output else view.open())
    return 0
