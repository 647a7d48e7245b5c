"""``kinetree info FILE``: joints, limits, masses, frames, findings and the kinematic tree of a robot."""

from __future__ import annotations

import argparse

from kinetree.cli import source, terminal
from kinetree.cli.info.facts import facts
from kinetree.cli.info.report import report

HELP = "what is in a robot file"
DESCRIPTION = "Show the joints, limits, masses, frames, findings and the kinematic tree of a robot."
EPILOG = "The exit status is 1 where the robot has errors, 0 where it has warnings at most."

FOUND_ERRORS = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help=source.FILE)
    terminal.add_json(parser)
    source.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the description of a robot; 1 where a finding is an error."""
    found = facts(source.read(args.file, args.base, args.strict))
    terminal.show(found, report, args.json)
    return FOUND_ERRORS if any(finding["severity"] == "error" for finding in found["findings"]) else 0
