"""Gaits in files: JSON with the step and the walker inside, and the curves of a stride as CSV."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.files import Name, write_csv
from kinetree.gait.curves import table
from kinetree.gait.gait import Gait
from kinetree.gait.step import Step, Stride
from kinetree.gait.stride import StrideGait
from kinetree.gait.walk import Walk
from kinetree.plan import Plan
from kinetree.plan.files import OUTCOME, JsonFormat, made, plain, read_outcome

FORMAT = JsonFormat("Gait.save", "kinetree gait", 2, 2**24)
_MOST_POINTS = 1000  # control points of a file
_KINDS: dict[str, tuple[type[Step], type[Gait]]] = {"step": (Step, Gait), "stride": (Stride, StrideGait)}


def save(gait: Gait, path: Name) -> Path:
    """Write a gait; see `Gait.save`."""
    return FORMAT.write(path, to_json(gait))


def load(path: Name) -> Gait:
    """Read a gait; see `Gait.load`."""
    return FORMAT.read(path, from_json)


def to_csv(walk: Walk, path: Name, count: int) -> Path:
    """Write the curves of a stride; see `Walk.to_csv`."""
    columns = {f"{curve.name} [{curve.unit}]": values for curve, values in table(walk, count=count).items()}
    columns = {"percent": walk.states(count).percent, **columns}
    if walk.remark:  # whoever finds the file should know what it is
        columns["status"] = np.full(len(columns["percent"]), walk.remark)
    return write_csv(path, columns)


def to_json(gait: Gait) -> dict[str, Any]:
    """A gait as plain values."""
    kind = next(name for name, (kind, _) in _KINDS.items() if type(gait.step) is kind)
    outcome = {name: getattr(gait.plan, name) for name in (*OUTCOME, "control_points")}
    return plain({"kind": kind, "step": gait.step, **outcome})


def from_json(content: dict[str, Any]) -> Gait:
    """A gait from plain values, which are untrusted."""
    step_kind, gait_kind = _KINDS[content["kind"]]
    step = made(step_kind, {"formulation": "thesis"} | content["step"])  # older files have no other
    if not 4 <= step.control_points <= _MOST_POINTS:
        raise InputError(f"control points are a number from 4 to {_MOST_POINTS}, got {step.control_points!r}")
    for name in ("speed", "length"):
        if not 0.0 < getattr(step, name) < math.inf:
            raise InputError(f"{name} is a positive number, got {getattr(step, name)!r}")
    robot, points = step.walker.robot, np.array(content["control_points"], float)
    if points.shape != (step.points, robot.nv) or not np.isfinite(points).all():
        raise InputError(f"{step.points} control points of {robot.nv} finite numbers are needed")
    missing = {name: math.nan for name in ("cost", "violation") if content[name] is None}  # as older files have it
    rest: Any = {**read_outcome(content | missing), "constraints": tuple(step.problem().constraints)}
    return gait_kind(step, Plan(robot, step.spline, points, step.duration, **rest))
