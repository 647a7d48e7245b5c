"""Plans as tables for other programs: CSV, JSON, and the layout of ROS trajectory messages."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from kinetree import files
from kinetree.errors import InputError
from kinetree.plan.plan import Plan
from kinetree.runtime.arrays import Array

_YAML = (".yaml", ".yml")


def columns(plan: Plan, count: int) -> tuple[Array, dict[str, tuple[tuple[str, ...], Array]]]:
    """So many even times of a plan, and q, qd, qdd and tau there, each with the names of its columns."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 2:
        raise InputError(f"the number of times of a table is an integer from 2 on, got {count!r}")
    t, robot = np.linspace(0.0, plan.duration, count), plan.robot
    q, qd, qdd, _ = plan.motion(t)
    names = tuple(robot.coordinate_names)
    actuated = tuple(names[k] for k in plan.dynamics.actuated(robot))
    positions, forces = tuple(robot.position_names), plan.forces(t)
    return t, {"q": (positions, q), "qd": (names, qd), "qdd": (names, qdd), "tau": (actuated, forces)}


def write_csv(plan: Plan, path: files.Name, count: int) -> Path:
    """See `Plan.to_csv`."""
    t, parts = columns(plan, count)
    table = {f"{key}.{name}": x for key, (own, values) in parts.items() for name, x in zip(own, values.T)}
    return files.write_csv(path, {"t": t} | table)


def write_json(plan: Plan, path: files.Name, count: int) -> Path:
    """See `Plan.to_json`."""
    t, parts = columns(plan, count)
    content: dict[str, Any] = {"robot": plan.robot.name, "duration": plan.duration, "t": t.tolist()}
    content["names"] = {key: [*names] for key, (names, _) in parts.items()}
    content |= {key: values.tolist() for key, (_, values) in parts.items()}
    return files.write(path, json.dumps(content, allow_nan=False).encode("utf-8"))


def write_ros(plan: Plan, path: files.Name, count: int) -> Path:
    """See `Plan.to_ros`."""
    if plan.robot.quaternions:
        raise InputError("joint trajectories of ROS have no orientations: lock or remove what floats")
    t, parts = columns(plan, count)
    names, q = parts["q"]
    actuated, tau = parts["tau"]
    forces = np.zeros_like(q)
    forces[:, [names.index(name) for name in actuated]] = tau
    points = [
        {"positions": q[k].tolist(), "velocities": parts["qd"][1][k].tolist(),
         "accelerations": parts["qdd"][1][k].tolist(), "effort": forces[k].tolist(), "time_from_start": _stamp(time)}
        for k, time in enumerate(t.tolist())
    ]  # fmt: skip
    header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
    message = {"header": header, "joint_names": [*names], "points": points}
    text = _yaml(message) if os.fspath(path).lower().endswith(_YAML) else json.dumps(message, allow_nan=False)
    return files.write(path, text.encode("utf-8"))


def _stamp(t: float) -> dict[str, int]:
    """A builtin_interfaces/Duration."""
    nanoseconds = round(t * 1e9)
    return {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}


def _yaml(message: dict[str, Any]) -> str:
    """The message in YAML: lists of numbers in one line, a point below the other."""
    lines = [*(f"{key}: {json.dumps(message[key])}" for key in ("header", "joint_names")), "points:"]
    for point in message["points"]:
        lines += [f"{'-' if k == 0 else ' '} {key}: {_flow(x)}" for k, (key, x) in enumerate(point.items())]
    return "\n".join(lines) + "\n"


def _flow(x: Any) -> str:
    """Numbers with a point, which readers of YAML would else take for texts, such as 1e-05."""
    if isinstance(x, list):
        return "[" + ", ".join(_number(value) for value in x) + "]"
    return json.dumps(x)


def _number(x: float) -> str:
    text = repr(x)
    if not math.isfinite(x) or "e" not in text:
        return text
    digits, power = text.split("e")
    return f"{digits if '.' in digits else digits + '.0'}e{power}"
