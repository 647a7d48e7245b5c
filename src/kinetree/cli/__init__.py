"""The command ``kinetree``.

    kinetree info FILE        what is in a robot file; with --devices instead, the GPUs of this machine
    kinetree view FILE        the robot in three dimensions, in the browser
    kinetree convert A B      the same robot in another format
    kinetree bench FILE       time its functions
    kinetree plan TASK        the optimal motion for a task in TOML
    kinetree gait             a step of human walking, predicted
    kinetree identify FILE    its parameters from measurements, or an exciting trajectory
    kinetree export FILE      a function in another language or as object code; a package of ROS 2; an FMU
    kinetree robots           the built-in robots, for zoo:NAME instead of a file

Exit status: 0 success, 1 the robot has errors, no motion satisfies the limits, or the data does not identify all
parameters, 2 wrong usage, 3 a file can't be read or written, 130 stopped by Ctrl-C, 141 nobody reads the output.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from kinetree import __version__
from kinetree.cli.terminal import STOPPED, complain
from kinetree.errors import KinetreeError

COMMANDS = {
    "info": "what is in a robot file",
    "view": "a robot in three dimensions, in the browser",
    "convert": "write a robot file in another format",
    "bench": "time the functions of a robot on this machine",
    "plan": "the optimal motion for a task",
    "gait": "a step of human walking, predicted",
    "identify": "the parameters of a robot from measurements",
    "export": "a function of a robot in another language, or a robot as a package or a unit",
    "robots": "the built-in robots",
}  # each is a module of this package, imported when it is asked for
FAILED, UNREAD = 3, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after ``kinetree``; those of this process by default.

    Returns:
        The exit status.
    """
    try:
        status = _run(argv)
        sys.stdout.flush()  # here, where a closed pipe is still noticed
        return status
    except BrokenPipeError:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            # Python flushes once more when it ends; let that go nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except (KinetreeError, OSError) as error:
        complain(str(error))
        return FAILED
    except KeyboardInterrupt:
        complain("stopped")
        return STOPPED


def _run(argv: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if argv is None else argv
        args = parser(words).parse_args(words)
        return args.run(args)
    except SystemExit as stop:  # usage, help and version are argparse's
        return stop.code if isinstance(stop.code, int) else 0


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The command line, declared; of a command what it takes, if it is among the words."""
    made = argparse.ArgumentParser(
        prog="kinetree",
        description="Inspect robot files, convert and time them, plan motions, identify parameters, generate code; "
        "and predict human walking.",
    )
    made.add_argument("--version", action="version", version=f"kinetree {__version__}")
    commands = made.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, help_ in COMMANDS.items():
        own = commands.add_parser(name, help=help_)
        if name in words:
            command = import_module(f"kinetree.cli.{name}")
            own.description, own.epilog = command.DESCRIPTION, getattr(command, "EPILOG", None)
            command.add_arguments(own)
            own.set_defaults(run=command.run, refuse=own.error)
    return made
