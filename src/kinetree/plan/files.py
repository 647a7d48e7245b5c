"""Plans in files: JSON with the robot inside, numbers with all their digits."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kinetree import files
from kinetree.closed import ClosedChain
from kinetree.errors import InputError, KinetreeError
from kinetree.nlp.solution import Termination
from kinetree.plan import forces, frames, squares
from kinetree.plan import quantity as quantities
from kinetree.plan.constraints import ALWAYS, PathConstraint, interval
from kinetree.plan.coordinates.coordinates import PlanCoordinates
from kinetree.plan.coordinates.flat import FlatCoordinates
from kinetree.plan.coordinates.joint import JointCoordinates
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.coordinates.orientation import OrientationCharts
from kinetree.plan.coordinates.path import Path as JointPath
from kinetree.plan.coordinates.path import PathCoordinate
from kinetree.plan.dynamics import loads_on
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Custom, Quantity
from kinetree.plan.status import PlanStatus
from kinetree.robot import Robot
from kinetree.transcribe.bspline import BSpline

T = TypeVar("T")
FORMAT = "kinetree plan"
VERSION = 2
LARGEST = 2**28  # bytes of a file
_PLAIN = ("duration", "cost", "violation", "iterations", "seconds", "worst", "residual")
# by the names in files; functions of the user's own have no text
KINDS: dict[str, type[Quantity]] = {
    name: kind
    for name, kind in {**vars(quantities), **vars(forces), **vars(frames), **vars(squares)}.items()
    if isinstance(kind, type) and issubclass(kind, Quantity) and kind not in (Quantity, Custom)
}


def save(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan; see `Plan.save`."""
    constraints = [
        {"quantity": found, "lower": _bounds(c.lower), "upper": _bounds(c.upper), "during": c.during, "scale": c.scale}
        for c in plan.constraints
        if (found := _written(c.quantity)) is not None
    ]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "status": plan.status.name,
        "termination": plan.termination.name,
        **{name: getattr(plan, name) for name in _PLAIN},
        **_curve(plan.spline, plan.control_points),
        "coordinates": plan.coordinates.to_json(),
        "constraints": constraints,
        "external": plan.external,
        "robot": json.loads(plan.robot.to_json()),
    }
    return files.write(path, json.dumps(content, indent=1).encode("utf-8"))


def write_table(plan: Plan, path: str | os.PathLike[str], count: int) -> Path:
    """Write a table of a plan; see `Plan.to_csv`."""
    t, robot = np.linspace(0.0, plan.duration, count), plan.robot
    q, qd, qdd, _ = plan.motion(t)
    names = robot.coordinate_names
    actuated = [names[k] for k in plan.dynamics.actuated(robot)]
    parts = {"q": (robot.position_names, q), "qd": (names, qd), "qdd": (names, qdd), "tau": (actuated, plan.forces(t))}
    columns = {f"{key}.{name}": x for key, (own, values) in parts.items() for name, x in zip(own, values.T)}
    return files.write_csv(path, {"t": t} | columns)


def load(path: str | os.PathLike[str]) -> Plan:
    """Read a plan; see `Plan.load`."""
    return read(path, "Plan.save", FORMAT, VERSION, LARGEST, _plan)


def read(
    path: str | os.PathLike[str],
    saved_by: str,
    form: str,
    version: int,
    largest: int,
    made: Callable[[dict[str, Any]], T],
) -> T:
    """What a JSON file of ours holds, or a sentence on why it is none; files are untrusted."""
    text, shown = files.read(path, largest, saved_by), os.fspath(path)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{shown} is not a file of {saved_by}: {error}") from None
    if not isinstance(content, dict) or (content.get("format"), content.get("version")) != (form, version):
        raise InputError(f"{shown} is not a file of {saved_by}: it does not say {form!r}, version {version}")
    try:
        return made(content)
    except KeyError as error:
        raise InputError(f"{shown} is not a whole file of {saved_by}: {error} is missing or unknown") from None
    except (KinetreeError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{shown} is not a file of {saved_by}: {error}") from None


def _plan(content: dict[str, Any]) -> Plan:
    robot = Robot.from_json(json.dumps(content["robot"]))
    numbers: dict[str, Any] = {
        name: float(content[name]) for name in ("duration", "cost", "violation", "seconds", "residual")
    }
    if not 0.0 < numbers["duration"] < np.inf:
        raise InputError(f"a duration is a positive number of seconds, got {numbers['duration']!r}")
    external = loads_on(robot, content["external"])
    coordinates = _read_coordinates(robot, content["coordinates"], external)
    spline, points = _read_curve(content, coordinates.size)
    status, termination = PlanStatus[content["status"]], Termination[content["termination"]]
    bare = Plan(robot, spline, points, status=status, termination=termination, iterations=int(content["iterations"]),
                worst=str(content["worst"]), external=external, coordinates=coordinates, **numbers)  # fmt: skip
    return dataclasses.replace(bare, constraints=tuple(_constraint(bare, x) for x in content["constraints"]))


def _read_coordinates(robot: Robot, given: dict[str, Any] | None, external: Any) -> PlanCoordinates:
    """What the splines describe."""
    if given is None:
        return JointCoordinates(robot)
    made: dict[str, Callable[[], PlanCoordinates]] = {
        FlatCoordinates.kind: lambda: FlatCoordinates(robot, external),
        LoopCoordinates.kind: lambda: LoopCoordinates(
            ClosedChain(robot, given["actuated"], weights=given["weights"]), given["configuration"]
        ),
        OrientationCharts.kind: lambda: OrientationCharts.from_json(robot, given),
        PathCoordinate.kind: lambda: PathCoordinate(robot, JointPath(*_read_curve(given, robot.nv))),
    }
    return made[given["kind"]]()


def _curve(spline: BSpline, points: Any) -> dict[str, Any]:
    return {"degree": spline.degree, "knots": list(spline.inner or ()), "points": points.tolist()}


def _read_curve(content: dict[str, Any], width: int) -> tuple[BSpline, Any]:
    points = np.array(content["points"], float)
    if points.ndim != 2 or points.shape[1] != width or not np.isfinite(points).all():
        raise InputError(f"control points are finite rows of {width} numbers, the shape is {points.shape}")
    knots = tuple(map(float, content["knots"]))
    if not all(0.0 < x < 1.0 for x in knots):
        raise InputError("the inner knots of a spline are between 0 and 1")
    return BSpline(len(points), int(content["degree"]), knots), points


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
    return kind(**{name: _read(x) if isinstance(x, dict) else _tuple(x) for name, x in fields.items()})


def _tuple(x: Any) -> Any:
    return tuple(map(_tuple, x)) if isinstance(x, list) else x


def _constraint(plan: Plan, given: dict[str, Any]) -> PathConstraint:
    wanted, robot = _read(given["quantity"]).under(plan.dynamics), plan.robot
    wanted.check(robot)
    sides = []
    for name, missing in (("lower", -np.inf), ("upper", np.inf)):
        side = np.array([missing if x is None else float(x) for x in given[name]])
        if side.shape != (wanted.size(robot),):
            raise InputError(f"a bound on {wanted.title} has {wanted.size(robot)} numbers, got {side.size}")
        sides.append(side)
    during, scale = interval(given.get("during", ALWAYS), given.get("scale"))
    return PathConstraint(wanted, sides[0], sides[1], during, scale)


def _bounds(values: Any) -> list[float | None]:
    """Numbers, None where they are infinite."""
    return [float(x) if np.isfinite(x) else None for x in values]
