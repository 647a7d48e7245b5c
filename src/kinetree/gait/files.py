"""Gaits in files: JSON with the step and the walker inside, and the curves of a stride as CSV."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.files import write
from kinetree.files import write_csv as write_table
from kinetree.gait.asymmetric import StrideGait
from kinetree.gait.gait import Gait
from kinetree.gait.phases import Timing
from kinetree.gait.step import Step
from kinetree.gait.stride import Stride
from kinetree.gait.walker import Walker
from kinetree.plan.files import read
from kinetree.plan.status import PlanStatus

FORMAT = "kinetree gait"
VERSION = 1
LARGEST = 2**24  # bytes of a file
_MOST_POINTS = 1000  # control points of a file
_KINDS: dict[str, type[Step]] = {"step": Step, "stride": Stride}


def save(gait: Gait, path: str | os.PathLike[str]) -> Path:
    """Write a gait; see `Gait.save`."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "kind": next(name for name, kind in _KINDS.items() if type(gait.step) is kind),
        "status": gait.status.name,
        "effort": _plain(gait.effort),
        "violation": _plain(gait.violation),
        "worst": gait.worst,
        "iterations": gait.iterations,
        "seconds": gait.seconds,
        "counts": gait.counts,
        "walker": _fields(gait.step.walker),
        "timing": _fields(gait.step.timing),
        "step": _fields(gait.step),
        "points": gait.points.tolist(),
    }
    return write(path, json.dumps(content, indent=1, allow_nan=False).encode("utf-8"))


def load(path: str | os.PathLike[str]) -> Gait:
    """Read a gait; see `Gait.load`."""
    return read(path, "Gait.save", FORMAT, VERSION, LARGEST, _gait)


def write_csv(gait: Gait, path: str | os.PathLike[str], count: int) -> Path:
    """Write the curves of a stride; see `Gait.write_csv`."""
    angles, ground, joints, moments = (
        f(count) for f in (gait.angles, gait.ground_forces, gait.joint_forces, gait.moments)
    )
    columns = {"percent": angles["percent"]}
    for curves, title in (
        (angles, "{} angle [deg]"),
        (ground, "{} ground force [BW]"),
        (joints, "{} joint force [BW]"),
        (moments, "{} moment [Nm/kg]"),
    ):
        columns |= {title.format(name): curve for name, curve in curves.items() if name != "percent"}
    return write_table(path, columns)


def _fields(x: Any) -> dict[str, Any]:
    """The fields of a dataclass that are plain; those that are dataclasses stand beside it in the file."""
    found = {field.name: getattr(x, field.name) for field in dataclasses.fields(x)}
    return {name: _plainly(value) for name, value in found.items() if not dataclasses.is_dataclass(value)}


def _plainly(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return dict(value) if hasattr(value, "items") else list(value)


def _plain(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _number(given: Any) -> float:
    return float("nan") if given is None else float(given)


def _gait(content: dict[str, Any]) -> Gait:
    walker = Walker(**_read(content["walker"]))
    step = _KINDS[content["kind"]](walker, timing=Timing(**_read(content["timing"])), **_read(content["step"]))
    if not (isinstance(step.control_points, int) and 4 <= step.control_points <= _MOST_POINTS):
        raise InputError(f"control points are a number from 4 to {_MOST_POINTS}, got {step.control_points!r}")
    for name in ("speed", "length"):
        if not 0.0 < getattr(step, name) < math.inf:
            raise InputError(f"{name} is a positive number, got {getattr(step, name)!r}")
    count = step.points if isinstance(step, Stride) else step.control_points
    points = np.array(content["points"], float)
    if points.shape != (count, walker.robot.nv) or not np.isfinite(points).all():
        raise InputError(f"{count} control points of {walker.robot.nv} finite numbers are needed")
    kind = StrideGait if isinstance(step, Stride) else Gait
    return kind(
        step,
        points,
        PlanStatus[content["status"]],
        _number(content["effort"]),
        _number(content["violation"]),
        str(content["worst"]),
        int(content["iterations"]),
        float(content["seconds"]),
        {str(name): int(count) for name, count in content["counts"].items()},
    )


def _read(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
