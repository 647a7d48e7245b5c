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
from kinetree.plan import frames, squares
from kinetree.plan import quantity as quantities
from kinetree.plan import way as ways
from kinetree.plan.chain_plan import ChainPlan
from kinetree.plan.chains import Closed, of_tree
from kinetree.plan.conditions import Limit, span
from kinetree.plan.flat import Elastic
from kinetree.plan.floating import Charts
from kinetree.plan.given import loads
from kinetree.plan.path import Path as JointPath
from kinetree.plan.path_plan import PathPlan
from kinetree.plan.plan import Plan, PlanStatus
from kinetree.plan.quantity import Custom, Quantity
from kinetree.plan.spline import Spline
from kinetree.plan.way import Coordinates
from kinetree.plan.way_plan import WayPlan
from kinetree.robot import Robot

T = TypeVar("T")
FORMAT = "kinetree plan"
VERSION = 1
LARGEST = 2**28  # bytes of a file
WHOLE = (0.0, 1.0)  # of a motion, as limits of older files hold
_PLAIN = ("duration", "cost", "violation", "iterations", "seconds", "worst", "residual")
# by the names in files; functions of the user's own have no text
KINDS: dict[str, type[Quantity]] = {
    name: kind
    for name, kind in {**vars(quantities), **vars(frames), **vars(squares), **vars(ways)}.items()
    if isinstance(kind, type) and issubclass(kind, Quantity) and kind not in (Quantity, Custom)
}


def save(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan; see `Plan.save`."""
    limits = [
        {
            "quantity": found,
            "lower": _bounds(limit.lower),
            "upper": _bounds(limit.upper),
            "during": limit.during,
            "scale": limit.scale,
        }
        for limit in plan.limits
        if (found := _written(of_tree(limit.quantity))) is not None
    ]
    followed = plan.path if isinstance(plan, PathPlan) else None
    content = {
        "format": FORMAT,
        "version": VERSION,
        "status": plan.status.name,
        **{name: getattr(plan, name) for name in _PLAIN},
        **_curve(plan.spline, plan.points),
        "path": None if followed is None else _curve(followed.spline, followed.points),
        "coordinates": _coordinates(plan),
        "limits": limits,
        "external": plan.external,
        "robot": json.loads(plan.robot.to_json()),
    }
    return files.write(path, json.dumps(content, indent=1).encode("utf-8"))


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
    numbers = {name: float(content[name]) for name in ("duration", "cost", "violation", "seconds")}
    if not 0.0 < numbers["duration"] < np.inf:
        raise InputError(f"a duration is a positive number of seconds, got {numbers['duration']!r}")
    path, coordinates = content["path"], _read_coordinates(robot, content)
    width = robot.nv if coordinates is None else coordinates.width
    spline, points = _read_curve(content, width if path is None else 1)
    given: dict[str, Any] = {
        **numbers,
        "status": PlanStatus[content["status"]],
        "iterations": int(content["iterations"]),
        "worst": str(content["worst"]),
        "residual": float(content.get("residual", 0.0)),
        "limits": tuple(_limit(robot, x, coordinates) for x in content["limits"]),
        "external": loads(robot, content["external"]),
    }
    if isinstance(coordinates, Closed):
        return ChainPlan(robot, spline, points, **given, closed=coordinates)
    if coordinates is not None:
        return WayPlan(robot, spline, points, **given, coordinates=coordinates)
    if path is None:
        return Plan(robot, spline, points, **given)
    return PathPlan(robot, spline, points, **given, path=JointPath(*_read_curve(path, robot.nv)))


def _coordinates(plan: Plan) -> dict[str, Any] | None:
    """What the spline describes, where it is not the joints."""
    if isinstance(plan, ChainPlan) and plan.closed is not None:
        chain = plan.closed.chain
        posture = plan.closed.posture.tolist()
        return {"kind": "chain", "actuated": chain.actuated, "weights": chain.actuation.weights, "posture": posture}
    way = plan.coordinates if isinstance(plan, WayPlan) else None
    if isinstance(way, Charts):
        return {"kind": "charts", "references": way.references.tolist(), "driven": way.driven}
    return None if way is None else {"kind": "elastic"}


def _read_coordinates(robot: Robot, content: dict[str, Any]) -> Coordinates | None:
    given = content.get("coordinates")
    if given is None:
        return None
    if given["kind"] == "elastic":
        return Elastic(robot, loads(robot, content["external"]))
    if given["kind"] == "chain":
        return Closed(ClosedChain(robot, given["actuated"], weights=given["weights"]), given["posture"])
    charts = Charts(robot, bool(given["driven"]))
    references = np.array(given["references"], float)
    if references.shape != charts.references.shape or not np.isfinite(references).all():
        raise InputError(f"{len(robot.quaternions)} reference orientations have four numbers each")
    charts.references[:] = references
    return charts


def _curve(spline: Spline, points: Any) -> dict[str, Any]:
    return {"degree": spline.degree, "knots": list(spline.inner or ()), "points": points.tolist()}


def _read_curve(content: dict[str, Any], width: int) -> tuple[Spline, Any]:
    points = np.array(content["points"], float)
    if points.ndim != 2 or points.shape[1] != width or not np.isfinite(points).all():
        raise InputError(f"control points are finite rows of {width} numbers, the shape is {points.shape}")
    knots = tuple(map(float, content["knots"]))
    if not all(0.0 < x < 1.0 for x in knots):
        raise InputError("the inner knots of a spline are between 0 and 1")
    return Spline(len(points), int(content["degree"]), knots), points


def _written(wanted: Quantity) -> dict[str, Any] | None:
    """A quantity by the name of its kind and its fields; None where it has a function of the user's own."""
    if KINDS.get(type(wanted).__name__) is not type(wanted):
        return None
    fields: dict[str, Any] = {"kind": type(wanted).__name__}
    for field in dataclasses.fields(wanted):
        value = getattr(wanted, field.name)
        if isinstance(value, Quantity) and (value := _written(value)) is None:
            return None
        fields[field.name] = value
    return fields


def _read(given: dict[str, Any]) -> Quantity:
    fields = dict(given)
    kind = KINDS[fields.pop("kind")]
    return kind(**{name: _read(x) if isinstance(x, dict) else _tuple(x) for name, x in fields.items()})


def _tuple(x: Any) -> Any:
    return tuple(map(_tuple, x)) if isinstance(x, list) else x


def _limit(robot: Robot, given: dict[str, Any], coordinates: Coordinates | None) -> Limit:
    wanted = _read(given["quantity"])
    wanted.check(robot)
    if isinstance(coordinates, Closed):
        wanted = coordinates.quantity(wanted)
    sides = []
    for name, missing in (("lower", -np.inf), ("upper", np.inf)):
        side = np.array([missing if x is None else float(x) for x in given[name]])
        if side.shape != (wanted.size(robot),):
            raise InputError(f"a bound on {wanted.title} has {wanted.size(robot)} numbers, got {side.size}")
        sides.append(side)
    during, scale = span(given.get("during", WHOLE), given.get("scale"))
    return Limit(wanted, sides[0], sides[1], during, scale)


def _bounds(values: Any) -> list[float | None]:
    """Numbers, None where they are infinite."""
    return [float(x) if np.isfinite(x) else None for x in values]
