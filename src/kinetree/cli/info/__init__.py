"""``kinetree info FILE``: joints, limits, masses, frames, findings and the kinematic tree of a robot."""

from __future__ import annotations

import argparse
from typing import Any

from kinetree.cli import source, terminal
from kinetree.cli.info.facts import facts
from kinetree.cli.info.report import report

FOUND_ERRORS = 1


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "info",
        help="what is in a robot file",
        description="Show the joints, limits, masses, frames, findings and the kinematic tree of a robot.",
        epilog="The exit status is 1 where the robot has errors, 0 where it has warnings at most.",
    )
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    terminal.add_json(parser)
    source.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the description of a robot; 1 where a finding is an error."""
    found = facts(source.read(args.file, args.base, args.strict))
    terminal.show(found, report, args.json)
    return FOUND_ERRORS if any(finding["severity"] == "error" for finding in found["findings"]) else 0
