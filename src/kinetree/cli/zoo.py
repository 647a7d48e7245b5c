"""``kinetree robots``: the built-in robots, which every command knows as ``zoo:NAME``."""

from __future__ import annotations

import argparse
import inspect
import textwrap

from kinetree.cli import source, terminal

HELP = "the built-in robots"
DESCRIPTION = "List the built-in robots; every command takes them as zoo:NAME instead of a file."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def run(args: argparse.Namespace) -> int:
    """Print their names, and what they are."""
    made = source.built_in()
    margin = 4 + max(len(source.ZOO + name) for name in made)
    for name, make in made.items():
        about = (inspect.getdoc(make) or "").partition("\n\n")[0]
        head = f"  {source.ZOO}{name}".ljust(margin)
        terminal.say(textwrap.fill(about, terminal.width(), initial_indent=head, subsequent_indent=" " * margin))
    return 0
