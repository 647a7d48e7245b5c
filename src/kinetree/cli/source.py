"""Reading the robot that a command works on: a file, or ``zoo:NAME`` for a built-in robot."""

from __future__ import annotations

import argparse
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree import robots
from kinetree.errors import ModelWarning, check_name
from kinetree.model import files
from kinetree.model.surgery.base import floating_root
from kinetree.robot import Robot

ZOO = "zoo:"
FILE = "a robot file (.urdf, .xml, .mjcf, .par, .csv, .toml, .json), or zoo:NAME for a built-in robot"


@dataclass(frozen=True)
class Source:
    """A robot, where it is from, and the warnings of its reader."""

    robot: Robot
    origin: str
    format: str
    notes: tuple[str, ...] = ()


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of every command that reads a robot."""
    parser.add_argument("--base", choices=("fixed", "floating"), help="a fixed or a floating base (as the file says)")
    parser.add_argument(
        "--no-strict", dest="strict", action="store_false", help="accept physically impossible inertias and limits"
    )


def read(origin: str, base: str | None = None, strict: bool = True, packages: Sequence[str] | None = None) -> Source:
    """The robot of a file, with the warnings of its reader as notes.

    Args:
        origin: a path, or "zoo:" and the name of a built-in robot.
        base: "fixed" or "floating"; what the file says by default.
        strict: whether inertias and limits that are physically impossible are refused.
        packages: folders in which files that the model names may be.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        if origin.startswith(ZOO):
            name, known = origin.removeprefix(ZOO), built_in()
            check_name("built-in robot", name, known)
            robot, form = known[name](), "built-in"
        else:
            robot, form = _from_file(origin, base, strict, packages)
    if base is not None and base != base_of(robot):
        robot = robot.with_base(base)
    return Source(robot, origin, form, tuple(dict.fromkeys(str(warning.message) for warning in caught)))


def base_of(robot: Robot) -> str:
    """ "floating" where one body on a free joint carries all others, else "fixed"."""
    return "floating" if floating_root(robot) else "fixed"


def built_in() -> dict[str, Callable[[], Robot]]:
    """The built-in robots that need no arguments, by name."""
    makers: dict[str, Callable[..., Robot]] = {name: getattr(robots, name) for name in robots.names()}
    arguments = {name: inspect.signature(make).parameters.values() for name, make in makers.items()}
    return {name: makers[name] for name, given in arguments.items() if all(p.default is not p.empty for p in given)}


def _from_file(path: str, base: str | None, strict: bool, packages: Sequence[str] | None) -> tuple[Robot, str]:
    """The robot and the name of its format; of the options, those that its reader takes."""
    form = files.format_of(path)
    known = inspect.signature(files.reader_of(form)).parameters
    given: dict[str, Any] = {"base": base, "strict": None if strict else False, "packages": packages}
    options = {name: value for name, value in given.items() if name in known and value is not None}
    return Robot.from_file(path, **options), form
