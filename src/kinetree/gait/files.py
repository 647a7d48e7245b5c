"""Gaits in files: JSON with the step and the walker inside, and the curves of a stride as CSV."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.files import Name, write_csv
from kinetree.gait.curves import table
from kinetree.gait.gait import Gait
from kinetree.gait.phases import Timing
from kinetree.gait.step import Step, Stride
from kinetree.gait.stride import StrideGait
from kinetree.gait.walker import Walker
from kinetree.nlp.solution import Termination
from kinetree.plan import Plan, PlanStatus
from kinetree.plan.files import JsonFormat
from kinetree.transcribe.bspline import BSpline

FORMAT = JsonFormat("Gait.save", "kinetree gait", 2, 2**24)
_MOST_POINTS = 1000  # control points of a file
_KINDS: dict[str, tuple[type[Step], type[Gait]]] = {"step": (Step, Gait), "stride": (Stride, StrideGait)}


def save(gait: Gait, path: Name) -> Path:
    """Write a gait; see `Gait.save`."""
    return FORMAT.write(path, to_json(gait), allow_nan=False)


def load(path: Name) -> Gait:
    """Read a gait; see `Gait.load`."""
    return FORMAT.read(path, from_json)


def to_csv(gait: Gait, path: Name, count: int) -> Path:
    """Write the curves of a stride; see `Gait.to_csv`."""
    columns = {f"{curve.name} [{curve.unit}]": values for curve, values in table(gait, count).items()}
    return write_csv(path, {"percent": gait.angles(count)["percent"], **columns})


def to_json(gait: Gait) -> dict[str, Any]:
    """A gait as plain values."""
    plan = gait.plan
    numbers = {name: getattr(plan, name) for name in ("cost", "violation", "iterations", "seconds")}
    return {
        "kind": next(name for name, (kind, _) in _KINDS.items() if type(gait.step) is kind),
        "step": dataclasses.asdict(gait.step),
        "status": plan.status.name,
        "termination": plan.termination.name,
        "worst": plan.worst,
        **{name: x if math.isfinite(x) else None for name, x in numbers.items()},
        "control_points": plan.control_points.tolist(),
    }


def from_json(content: dict[str, Any]) -> Gait:
    """A gait from plain values, which are untrusted."""
    fields = dict(content["step"])
    body, timing = dict(fields.pop("walker")), Timing(**fields.pop("timing"))
    frozen = body.pop("frozen")
    walker = Walker(**body, frozen=None if frozen is None else tuple(frozen))
    step_kind, gait_kind = _KINDS[content["kind"]]
    step = step_kind(walker, timing=timing, **fields)
    if not (isinstance(step.control_points, int) and 4 <= step.control_points <= _MOST_POINTS):
        raise InputError(f"control points are a number from 4 to {_MOST_POINTS}, got {step.control_points!r}")
    for name in ("speed", "length"):
        if not 0.0 < getattr(step, name) < math.inf:
            raise InputError(f"{name} is a positive number, got {getattr(step, name)!r}")
    points = np.array(content["control_points"], float)
    if points.shape != (step.points, walker.robot.nv) or not np.isfinite(points).all():
        raise InputError(f"{step.points} control points of {walker.robot.nv} finite numbers are needed")
    cost, violation = (math.nan if content[x] is None else float(content[x]) for x in ("cost", "violation"))
    plan = Plan(
        walker.robot, BSpline(step.points), points, step.duration, PlanStatus[content["status"]], cost, violation,
        int(content["iterations"]), float(content["seconds"]), str(content["worst"]),
        tuple(step.problem().constraints), termination=Termination[content["termination"]],
    )  # fmt: skip
    return gait_kind(step, plan)
