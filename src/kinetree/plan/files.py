"""Plans in files: JSON with the robot inside, numbers with all their digits."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from kinetree import files
from kinetree.closed import ClosedChain
from kinetree.errors import InputError, KinetreeError
from kinetree.nlp.solution import Termination
from kinetree.plan import coordinates, forces, frames, quantity as quantities, squares
from kinetree.plan.constraints import ALWAYS, PathConstraint, interval
from kinetree.plan.dynamics import Dynamics, loads_on
from kinetree.plan.plan import Plan
from kinetree.plan.problem_files import read_problem, written_problem
from kinetree.plan.quantity import Custom, Quantity
from kinetree.plan.status import PlanStatus
from kinetree.plan.warm import WarmStart
from kinetree.robot import Robot
from kinetree.runtime.arrays import Indices
from kinetree.transcribe.bspline import BSpline

T = TypeVar("T")
# how a search ended: fields of every planned motion, with their types
OUTCOME: dict[str, Any] = {"status": PlanStatus, "termination": Termination, "cost": float, "violation": float,
                           "iterations": int, "seconds": float, "worst": str}  # fmt: skip
# by the names in files; functions of the user's own have no text
KINDS: dict[str, type[Quantity]] = {
    name: kind
    for name, kind in {**vars(quantities), **vars(forces), **vars(frames), **vars(squares)}.items()
    if isinstance(kind, type) and issubclass(kind, Quantity) and kind not in (Quantity, Custom)
}


@dataclasses.dataclass(frozen=True)
class JsonFormat:
    """A kind of JSON files: the method that writes them, what they say of themselves, their largest size [bytes]."""

    saved_by: str
    name: str
    version: int
    largest: int

    def write(self, path: files.Name, content: dict[str, Any]) -> Path:
        """Write a file, the whole of it or nothing; gives the absolute path."""
        whole = plain({"format": self.name, "version": self.version, **content})
        return files.write(path, json.dumps(whole, indent=1, allow_nan=False).encode("utf-8"))

    def read(self, path: files.Name, made: Callable[[dict[str, Any]], T]) -> T:
        """What a file holds, or a sentence on why it is none; files are untrusted."""
        text, shown, what = files.read(path, self.largest, self.saved_by), os.fspath(path), f"file of {self.saved_by}"
        try:
            content, own = json.loads(text), (self.name, self.version)
            if not isinstance(content, dict) or (content.get("format"), content.get("version")) != own:
                raise InputError(f"it does not say {self.name!r}, version {self.version}")
            return made(content)
        except KeyError as error:
            raise InputError(f"{shown} is not a whole {what}: {error} is missing or unknown") from None
        except (KinetreeError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise InputError(f"{shown} is not a {what}: {error}") from None


def plain(x: Any) -> Any:
    """A value for JSON: dataclasses and arrays by their contents, enumerations by name, infinite numbers as texts."""
    if dataclasses.is_dataclass(x):
        return {field.name: plain(getattr(x, field.name)) for field in dataclasses.fields(x)}
    if isinstance(x, Mapping):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, tuple | list):
        return [plain(value) for value in x]
    if isinstance(x, np.ndarray):
        return x.tolist() if np.isfinite(x).all() else plain(x.tolist())
    if isinstance(x, Enum):
        return x.name
    return str(x) if isinstance(x, float) and not math.isfinite(x) else x


def made(kind: Any, x: Any) -> Any:
    """The value of a type that `plain` made this of; it is untrusted."""
    parts, origin = get_args(kind), get_origin(kind)
    if NoneType in parts:
        return None if x is None else made(parts[0], x)
    if dataclasses.is_dataclass(kind):
        return kind(**made_fields(kind, x, x))  # type: ignore[operator]
    if origin is np.ndarray:
        return np.array(x, np.int64 if kind == Indices else float)
    if origin is tuple:
        return tuple(made(parts[0], value) for value in x)
    if origin in (dict, Mapping):
        return {str(key): made(parts[1], value) for key, value in x.items()}
    return kind[x] if issubclass(kind, Enum) else kind(x)


def made_fields(kind: Any, content: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Some fields of a dataclass, by name."""
    kinds = get_type_hints(kind)
    return {name: made(kinds[name], content[name]) for name in names}


FORMAT = JsonFormat("Plan.save", "kinetree plan", 2, 2**28)


def save(plan: Plan, path: files.Name) -> Path:
    """Write a plan; see `Plan.save`."""
    task = written_problem(plan.problem, _written)
    content = {
        **{name: getattr(plan, name) for name in (*OUTCOME, "duration", "residual", "external")},
        **plan.spline.to_json(plan.control_points),
        "coordinates": plan.coordinates.to_json(),
        "constraints": written_constraints(plan.constraints),
        "warm": None if task is None else plan.warm,
        "problem": task,
        "robot": json.loads(plan.robot.to_json()),
    }
    return FORMAT.write(path, content)


def load(path: files.Name) -> Plan:
    """Read a plan; see `Plan.load`."""
    return FORMAT.read(path, _plan)


def _plan(content: dict[str, Any]) -> Plan:
    robot = Robot.from_json(json.dumps(content["robot"]))
    duration, residual, outcome = float(content["duration"]), float(content["residual"]), read_outcome(content)
    if not 0.0 < duration < np.inf:
        raise InputError(f"a duration is a positive number of seconds, got {duration!r}")
    external = loads_on(robot, content["external"])
    described = _read_coordinates(robot, content["coordinates"], external)
    spline, points = _read_curve(content, described.size)
    fields: Any = {**outcome, "external": external, "residual": residual, "coordinates": described}
    bare = Plan(robot, spline, points, duration, **fields)
    constraints = tuple(read_constraint(robot, bare.dynamics, x) for x in content["constraints"])
    rest: dict[str, Any] = {"constraints": constraints}
    if content.get("warm") is not None:  # files of older versions have none, nor a problem
        rest["warm"] = made(WarmStart, content["warm"])
        bounded = dict.fromkeys(c.quantity for c in constraints if not c.equality.all())
        rest["warm"].check(sum(q.size(robot) for q in bounded))
    if content.get("problem") is not None:
        rest["problem"] = read_problem(content["problem"], described, content["external"], constraints, _read)
    return dataclasses.replace(bare, **rest)


def read_outcome(content: dict[str, Any]) -> dict[str, Any]:
    """How a search ended."""
    return {name: made(kind, content[name]) for name, kind in OUTCOME.items()}


def _read_coordinates(robot: Robot, given: dict[str, Any] | None, external: Any) -> coordinates.PlanCoordinates:
    """What the splines describe."""
    if given is None:
        return coordinates.JointCoordinates(robot)
    readers: dict[str, Callable[[], coordinates.PlanCoordinates]] = {
        "elastic": lambda: coordinates.FlatCoordinates(robot, external),
        "chain": lambda: coordinates.LoopCoordinates(
            ClosedChain(robot, given["actuated"], weights=given["weights"], configuration=given["configuration"]),
            given["configuration"],
        ),
        "charts": lambda: coordinates.OrientationCharts.from_json(robot, given),
        "path": lambda: coordinates.PathCoordinate(robot, coordinates.Path(*_read_curve(given, robot.nv))),
    }
    return readers[given["kind"]]()


def _read_curve(content: dict[str, Any], width: int) -> tuple[BSpline, Any]:
    points = np.array(content["points"], float)
    if points.ndim != 2 or points.shape[1] != width or not np.isfinite(points).all():
        raise InputError(f"control points are finite rows of {width} numbers, the shape is {points.shape}")
    knots = tuple(map(float, content["knots"]))
    if not all(0.0 < x < 1.0 for x in knots):
        raise InputError("the inner knots of a spline are between 0 and 1")
    return BSpline(len(points), int(content["degree"]), knots, smooth=1), points


def _written(wanted: Quantity) -> dict[str, Any] | None:
    """A quantity by the name of its class and its fields; None where it has a function of the user's own.

    Its dynamics are those of the plan, and not written.
    """
    if KINDS.get(type(wanted).__name__) is not type(wanted):
        return None
    fields: dict[str, Any] = {"kind": type(wanted).__name__}
    for field in dataclasses.fields(wanted):
        value = getattr(wanted, field.name)
        if isinstance(value, Quantity) and (value := _written(value)) is None:
            return None
        if field.name != "dynamics":
            fields[field.name] = value
    return fields


def _read(given: dict[str, Any]) -> Quantity:
    fields = dict(given)
    kind = KINDS[fields.pop("kind")]
    inner = {name: _read(fields.pop(name)) for name, x in given.items() if isinstance(x, dict)}
    return kind(**made_fields(kind, fields, fields), **inner)


def written_constraints(constraints: Iterable[PathConstraint]) -> list[dict[str, Any]]:
    """Constraints for a file; those on functions of the user's own are left out."""
    found = ((c, _written(c.quantity)) for c in constraints)
    names = ("lower", "upper", "during", "scale")
    return [{"quantity": x, **{name: getattr(c, name) for name in names}} for c, x in found if x is not None]


def read_constraint(robot: Robot, dynamics: Dynamics, given: dict[str, Any]) -> PathConstraint:
    """A constraint of a file, on a robot with these dynamics."""
    wanted = _read(given["quantity"]).under(dynamics)
    wanted.check(robot)
    sides = {name: np.array(given[name], float) for name in ("lower", "upper")}  # NaN is None, infinite in older files
    for side in sides.values():
        if side.shape != (wanted.size(robot),):
            raise InputError(f"a bound on {wanted.title} has {wanted.size(robot)} numbers, got {side.size}")
    lower, upper = (np.where(np.isnan(x), y, x) for x, y in zip(sides.values(), (-np.inf, np.inf)))
    return PathConstraint(wanted, lower, upper, *interval(given.get("during", ALWAYS), given.get("scale")))
