"""``kinetree info FILE``: joints, limits, masses, frames, findings and the tree of the bodies."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from kinetree.cli import source, terminal
from kinetree.cli.facts import facts
from kinetree.cli.report import report

FOUND_ERRORS = 1


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "info",
        help="what is in a robot file",
        description="Show the joints, limits, masses, frames, findings and the tree of a robot.",
        epilog="The exit status is 1 where the robot has errors, 0 where it has warnings at most.",
    )
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    parser.add_argument("--json", action="store_true", help="everything as one JSON object, with all digits")
    source.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print it; 1 where a finding is an error."""
    found = facts(source.read(args.file, args.base, args.strict))
    if args.json:
        terminal.say(json.dumps(found, allow_nan=False))
    else:
        terminal.say(report(found, terminal.width(), terminal.marks(sys.stdout)))
    return FOUND_ERRORS if any(finding["severity"] == "error" for finding in found["findings"]) else 0
