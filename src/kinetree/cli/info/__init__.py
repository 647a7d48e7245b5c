"""``kinetree info FILE``: joints, limits, masses, frames, findings and the kinematic tree of a robot.

``kinetree info --devices``: the GPUs of this machine.
"""

from __future__ import annotations

import argparse

from kinetree.cli import source, terminal
from kinetree.cli.info.devices import devices, report as devices_report
from kinetree.cli.info.facts import facts
from kinetree.cli.info.report import report

DESCRIPTION = (
    "Show the joints, limits, masses, frames, findings and the kinematic tree of a robot; or the GPUs of this machine."
)
EPILOG = "The exit status is 1 where the robot has errors, or no GPU is found; 0 where it has warnings at most."

FOUND_ERRORS = NO_DEVICE = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", nargs="?", help=source.FILE)
    parser.add_argument("--devices", action="store_true", help="the GPUs of this machine, instead of a file")
    terminal.add_json(parser)
    source.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the description of a robot, or the GPUs; 1 where a finding is an error, or there is no GPU."""
    if args.devices == (args.file is not None):
        args.refuse("give a FILE, or --devices")
    if args.devices:
        gpus = devices()
        terminal.show(gpus, devices_report, args.json)
        return 0 if gpus["devices"] else NO_DEVICE
    found = facts(source.read(args.file, args.base, args.strict))
    terminal.show(found, report, args.json)
    return FOUND_ERRORS if any(finding["severity"] == "error" for finding in found["findings"]) else 0
