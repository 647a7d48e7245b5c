"""Task files of ``kinetree plan``, in TOML: a robot, the start and end of its motion, its constraints and its cost.

robot = "zoo:two_link"            # or a file beside this one
control_points = 30
minimise = "time"                 # or { time = 1.0, effort = 0.01 }
report = "plan.html"

[start]
q = [0.0, -2.0]
[end]
q = [1.0, -1.0]
[limits]
force = 10.0                      # one number, one for each joint, { lower = ..., upper = ... } or "model"
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetree.cli import source
from kinetree.errors import InputError, KinetreeError, UnknownNameError, check_names
from kinetree.model.text.file import read_text, shown
from kinetree.model.text.toml import parse_toml
from kinetree.plan import Distance, FramePosition, FrameVelocity, Problem, Quantity, Reaction
from kinetree.plan.named import QUANTITIES

MOST = 2**20, 10_000, 200  # characters, characters of a line, and its dots
KEYS = ("robot", "control_points", "degree", "knots", "duration", "minimise", "start", "end", "via", "limits", "limit",
        "simulate", "plan", "report")  # fmt: skip
OUTPUTS = {"plan": ".json", "report": ".html"}
GAINS = {"kp": 400.0, "kd": 40.0, "rest": 0.2}  # of the simulation [1/s^2], [1/s], [s]
MODEL = "model"
# quantities that need names: what makes them, and the keys that it takes
_NAMED: Mapping[str, tuple[Callable[..., Quantity], tuple[str, ...]]] = {
    "reaction": (Reaction, ("body", "part")),
    "frame_position": (FramePosition, ("frame",)),
    "frame_velocity": (FrameVelocity, ("frame",)),
    "distance": (Distance, ("one", "other")),
}
_NAMES = tuple(dict.fromkeys(name for _, names in _NAMED.values() for name in names))


@dataclass(frozen=True)
class Task:
    """What a task file asks for.

    Args:
        problem: to be solved.
        notes: the warnings of the robot's reader.
        outputs: where the plan and the report go, those that are wanted.
        gains: kp, kd and rest of the simulation; None without one.
    """

    problem: Problem
    notes: tuple[str, ...]
    outputs: dict[str, Path]
    gains: dict[str, float] | None


def read(path: str) -> Task:
    """The task of a file; an error begins with the file and the key."""
    name, text = read_text(path, "a task in TOML")
    content = parse_toml(name, text, "a task", *MOST)
    check_keys(name, "key", content, KEYS)
    for key in ("robot", "start", "end"):
        if key not in content:
            raise InputError(f"{name}: there is no {key!r}; a task needs a robot, [start] and [end]")
    folder = Path(path).parent
    found = located(f"{name}: robot", lambda: _robot(content["robot"], folder))
    spline = {key: content[key] for key in ("control_points", "degree", "knots") if key in content}
    if isinstance(spline.get("knots", ""), dict):
        raise InputError(f'{name}: knots are "even", "adapted", "free" or a list of numbers')
    problem = located(name, lambda: Problem(found.robot, **spline))
    for key, add in _PARTS.items():
        if key in content:
            add(problem, f"{name}: {key}", content[key])
    located(f"{name}: minimise", lambda: _costs(problem, content.get("minimise", "time")))
    wanted = {key: end for key, end in OUTPUTS.items() if key in content}
    outputs = {key: _output(f"{name}: {key}", folder, content[key], end) for key, end in wanted.items()}
    return Task(problem, found.notes, outputs, _gains(f"{name}: simulate", content.get("simulate", True)))


def located(where: str, work: Callable[[], Any]) -> Any:
    """The result of some work; an error names where in the file it comes from."""
    try:
        return work()
    except KinetreeError as error:
        raise InputError(f"{where}: {error}") from None


def check_keys(where: str, kind: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse keys that are not among the names."""
    located(where, lambda: check_names(kind, given, names))


# -- parts of a task ---------------------------------------------------------------------------------------------------


def _robot(origin: Any, folder: Path) -> source.Source:
    if not isinstance(origin, str):
        raise InputError(f"expected {source.FILE}, got {origin!r}")
    return source.read(origin if origin.startswith(source.ZOO) else str(folder / origin))


def _table(where: str, value: Any, names: Sequence[str], kind: str = "key") -> dict[str, Any]:
    """A table whose keys are among the names."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected a table, got {shown(repr(value))}")
    check_keys(where, kind, value, names)
    return value


def _tables(where: str, value: Any, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    if not isinstance(value, list):
        key = where.rpartition(" ")[2]
        raise InputError(f"{where}: expected [[{key}]] tables, got {shown(repr(value))}")
    yield from (_table(where, x, names) for x in value)


def _numbers(where: str, value: Any, *, infinite: bool = False) -> Any:
    """One number or a list of them, all finite unless they are bounds."""
    for x in value if isinstance(value, list) else [value]:
        if not isinstance(x, int | float) or isinstance(x, bool) or math.isnan(x) or (math.isinf(x) and not infinite):
            raise InputError(f"{where}: expected finite numbers, got {shown(repr(value))}")
    return value


def _end(problem: Problem, where: str, given: Any) -> None:
    table = _table(where, given, ("q", "qd", "qdd"))
    if "q" not in table:
        raise InputError(f"{where}: there is no q, the positions")
    values = {key: _numbers(f"{where}.{key}", x) for key, x in table.items()}
    located(where, lambda: getattr(problem, where.rpartition(" ")[2])(**values))


def _via(problem: Problem, where: str, given: Any) -> None:
    for table in _tables(where, given, ("at", "what", "value", "lower", "upper", *_NAMES)):
        if "at" not in table:
            raise InputError(f"{where}: there is no at, the normalised time from 0 to 1")
        wanted, at = _quantity(where, table), _numbers(f"{where}.at", table["at"])
        sides = {key: _numbers(f"{where}.{key}", table[key], infinite=True)
                 for key in ("value", "lower", "upper") if key in table}  # fmt: skip
        located(where, lambda at=at, wanted=wanted, sides=sides: problem.via(at, wanted, **sides))


def _limits(problem: Problem, where: str, given: Any) -> None:
    """The table [limits]: quantities that need no other names."""
    for key, value in _table(where, given, [*QUANTITIES], "quantity").items():
        _limit_one(problem, f"{where}.{key}", QUANTITIES[key], value)


def _limit(problem: Problem, where: str, given: Any) -> None:
    """The tables [[limit]]: any quantity."""
    for table in _tables(where, given, ("what", "bound", "lower", "upper", *_NAMES)):
        sides = {key: table[key] for key in ("lower", "upper") if key in table}
        _limit_one(problem, where, _quantity(where, table), table.get("bound", sides))


def _limit_one(problem: Problem, where: str, wanted: Quantity, value: Any) -> None:
    before = len(problem.constraints)
    if value == MODEL:
        sides: dict[str, Any] = {"bound": MODEL}
    elif isinstance(value, dict):
        both = _table(where, value, ("lower", "upper"))
        sides = {key: _numbers(f"{where}.{key}", x, infinite=True) for key, x in both.items()}
    else:
        sides = {"bound": _numbers(where, value, infinite=True)}
    located(where, lambda: problem.limit(wanted, **sides))
    if len(problem.constraints) == before:
        raise InputError(f"{where}: the model has no limits of {wanted.title}; give numbers")


def _quantity(where: str, table: Mapping[str, Any]) -> Quantity:
    what = str(table.get("what"))
    names = {key: table[key] for key in _NAMES if key in table}
    for key, value in names.items():
        if not isinstance(value, str):
            raise InputError(f"{where}.{key}: expected a name in quotes, got {value!r}")
    if what in QUANTITIES and not names:
        return QUANTITIES[what]
    if what not in _NAMED:
        raise InputError(f"{where}.what: " + str(UnknownNameError("quantity", what, [*QUANTITIES, *_NAMED])))
    make, keys = _NAMED[what]
    check_keys(where, f"key of {what}", names, keys)
    return make(**names)


def _duration(problem: Problem, where: str, given: Any) -> None:
    times = _numbers(where, given)
    both = times if isinstance(times, list) else [times]
    if not 1 <= len(both) <= 2:
        raise InputError(f"{where}: one number of seconds, or the least and the most, got {given!r}")
    located(where, lambda: problem.duration(*both))


def _costs(problem: Problem, given: Any) -> None:
    for what, weight in (given if isinstance(given, dict) else {given: 1.0}).items():
        if not isinstance(what, str):
            raise InputError(f"expected the name of a cost, or a table of weights, got {what!r}")
        problem.minimise(what, _numbers(what, weight))


def _gains(where: str, given: Any) -> dict[str, float] | None:
    if isinstance(given, bool):
        return dict(GAINS) if given else None
    table = _table(where, given, [*GAINS])
    return {**GAINS, **{key: float(_numbers(f"{where}.{key}", x)) for key, x in table.items()}}


def _output(where: str, folder: Path, given: Any, ending: str) -> Path:
    """A file in the folder of the task or below it: a task from elsewhere must not write anywhere else."""
    if not isinstance(given, str) or not given.lower().endswith(ending):
        raise InputError(f"{where}: expected the name of a {ending} file, got {given!r}")
    target = folder / given
    if Path(given).is_absolute() or not target.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{where}: {given!r} is not in the folder of the task; name it on the command line")
    return target


_PARTS = {"duration": _duration, "start": _end, "end": _end, "via": _via, "limits": _limits, "limit": _limit}
