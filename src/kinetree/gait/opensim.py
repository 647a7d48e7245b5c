"""Strides as files of OpenSim: .mot and .sto tables, .trc markers; and these files as numbers.

Layouts are those of OpenSim's documentation: a .mot or .sto file has a name, ``key=value`` lines, ``endheader``, labels
and rows; a .trc file three lines of header, two of labels, an empty one, and rows of frame, time and x, y, z of each
marker. Axes are x forward, y up, z to the right.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinetree.errors import InputError, check_name
from kinetree.files import Name, check_ending, read, write
from kinetree.gait.markers import marker_positions, markers_of
from kinetree.gait.states import FootForce, StrideStates
from kinetree.gait.walk import Table, Walk
from kinetree.runtime.arrays import Array

LARGEST = 2**28  # bytes of a file
_AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # from x left, y up, z forward
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 1e-3}
_LEAST = 2  # rows


class OpenSimCoordinate(NamedTuple):
    """A coordinate of OpenSim's full-body model: the joint here, in parts that all its joints have in their names."""

    parts: tuple[str, ...]
    sign: float = 1.0


def _sides() -> dict[str, OpenSimCoordinate]:
    table = {
        "hip_flexion": "hip_flexion", "hip_adduction": "hip_adduction", "hip_rotation": "hip_int_rotation",
        "knee_angle": "knee_flexion", "ankle_angle": "ankle_dorsiflexion", "subtalar_angle": "ankle_inversion",
        "mtp_angle": "forefoot_extension", "arm_flex": "shoulder_flexion", "arm_add": "shoulder_abduction",
        "arm_rot": "shoulder_int_rotation", "elbow_flex": "elbow_flexion", "pro_sup": "forearm_pronation",
        "wrist_flex": "wrist_flexion", "wrist_dev": "wrist_radial_dev",
    }  # fmt: skip
    turned = {"arm_add": -1.0, "wrist_dev": -1.0}
    sides = [(name, joint, side) for side in "rl" for name, joint in table.items()]
    return {
        f"{name}_{s}": OpenSimCoordinate((f"{s.upper()}_{joint}",), turned.get(name, 1.0)) for name, joint, s in sides
    }


COORDINATES: Mapping[str, OpenSimCoordinate] = {
    "pelvis_tilt": OpenSimCoordinate(("global_pelvis_tilt",), -1.0),
    "pelvis_list": OpenSimCoordinate(("global_pelvis_obliquity",)),
    "pelvis_rotation": OpenSimCoordinate(("global_pelvis_rotation",)),
    "pelvis_tx": OpenSimCoordinate(("global_tz_forward",)),
    "pelvis_ty": OpenSimCoordinate(("global_ty_vertical",)),
    "pelvis_tz": OpenSimCoordinate(("global_tx_lateral",), -1.0),
    **_sides(),
    "lumbar_extension": OpenSimCoordinate(("spine", "flexion"), -1.0),
    "lumbar_bending": OpenSimCoordinate(("spine", "lat_bend")),
    "lumbar_rotation": OpenSimCoordinate(("spine", "axial")),
}
SLIDING = ("pelvis_tx", "pelvis_ty", "pelvis_tz")


# -- writing -----------------------------------------------------------------------------------------------------------


def to_mot(walk: Walk, path: Name, what: Table, count: int, strides: int) -> Path:
    """See `Walk.to_mot`."""
    check_ending(path, (".mot", ".sto"))
    check_name("table", what, _TABLES)
    states = walk.states(count).repeated(strides)
    columns = {"time": states.t, **_TABLES[what](states)}
    title = f"{what} of: {walk.described}" + (f" ({walk.remark})" if walk.remark else "")
    degrees = "yes" if what == "coordinates" else "no"
    head = [
        title,
        "version=1",
        f"nRows={len(states.t)}",
        f"nColumns={len(columns)}",
        f"inDegrees={degrees}",
        "endheader",
    ]
    rows = ["\t".join(f"{x:.10g}" for x in row) for row in np.column_stack([*columns.values()])]
    return write(path, "\n".join([*head, "\t".join(columns), *rows, ""]).encode())


def _coordinates(states: StrideStates) -> dict[str, Array]:
    found = {name: x.sign * states.total(states.q, *x.parts) for name, x in COORDINATES.items()}
    found["pelvis_ty"] = found["pelvis_ty"] - states.walker.ground
    return {name: x if name in SLIDING else np.degrees(x) for name, x in found.items()}


def _moments(states: StrideStates) -> dict[str, Array]:
    """Of the first of several joints, which carries the others."""
    names, found = states.walker.robot.joint_names, {}
    for name, x in COORDINATES.items():
        first = [k for k, joint in enumerate(names) if all(part in joint for part in x.parts)][:1]
        label = f"{name}_{'force' if name in SLIDING else 'moment'}"
        found[label] = x.sign * states.moments[:, first].sum(axis=1)
    return found


def _ground_forces(states: StrideStates) -> dict[str, Array]:
    """The right foot first; the labels that OpenSim's own examples have."""
    forces: dict[str, Array] = {}
    torques: dict[str, Array] = {}
    for label, side in (("", "R"), ("1_", "L")):
        foot = states.feet[side]
        loaded = foot.force[:, 1:2] > 0.0
        point = (foot.point - [0.0, states.walker.ground, 0.0]) * loaded
        for kind, values in (("v", foot.force @ _AXES.T), ("p", point @ _AXES.T)):
            forces |= {f"{label}ground_force_{kind}{axis}": x for axis, x in zip("xyz", values.T)}
        vertical = {"x": 0.0 * foot.moment, "y": foot.moment, "z": 0.0 * foot.moment}
        torques |= {f"{label}ground_torque_{axis}": x for axis, x in vertical.items()}
    return forces | torques


_TABLES = {"coordinates": _coordinates, "ground_forces": _ground_forces, "moments": _moments}


def to_trc(walk: Walk, path: Name, count: int, strides: int) -> Path:
    """See `Walk.to_trc`."""
    check_ending(path, (".trc",))
    states = walk.states(count).repeated(strides)
    names = [*markers_of(states.walker)]
    places = marker_positions(states.walker, states.q)[0] - [0.0, states.walker.ground, 0.0]
    numbers = 1e3 * (places @ _AXES.T).reshape(len(states.t), -1)
    rate = (len(states.t) - 1) / float(np.ptp(states.t))
    n, m = len(states.t), len(names)
    rows = ["\t".join((str(k + 1), f"{t:.6f}", *(f"{x:.5f}" for x in row)))
            for k, (t, row) in enumerate(zip(states.t, numbers))]  # fmt: skip
    head = [
        f"PathFileType\t4\t(X/Y/Z)\t{Path(path).name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate:.6f}\t{rate:.6f}\t{n}\t{m}\tmm\t{rate:.6f}\t1\t{n}",
        "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t",
        "\t\t" + "\t".join(f"{axis}{k + 1}" for k in range(m) for axis in "XYZ"),
        "",
    ]
    return write(path, "\n".join([*head, *rows, ""]).encode())


# -- reading -----------------------------------------------------------------------------------------------------------


def read_mot(path: Name) -> tuple[dict[str, Array], bool]:
    """The columns of a .mot or .sto file by their labels, ``time`` among them, and whether angles are in degrees."""
    shown, lines = _lines(path, "motion")
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None:
        raise InputError(f"{shown} has no line 'endheader': it is no .mot or .sto file")
    head = {key.strip().lower(): x.strip().lower() for line in lines[:end] for key, _, x in [line.partition("=")]}
    body = [line.split() for line in lines[end + 1 :] if line.strip()]
    labels = body[0] if body else []
    if "time" not in labels:
        raise InputError(f"{shown} has no column 'time'; its columns are {', '.join(labels[:8])}")
    numbers = _numbers(shown, body[1:], len(labels))
    return dict(zip(labels, numbers.T)), head.get("indegrees", "no") == "yes"


def read_trc(path: Name) -> tuple[Array, dict[str, Array]]:
    """The times (k,) [s] of a .trc file, and the positions of its markers (k, 3) [m], as here: x left, y up, z forward.

    Where a marker is missing there is NaN.
    """
    shown, lines = _lines(path, "markers")
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise InputError(f"{shown} is no .trc file: it does not begin with 'PathFileType'")
    facts = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    unit = facts.get("Units", "mm").strip().lower()
    if unit not in _UNITS:
        raise InputError(f"{shown}: the unit of the markers is one of {', '.join(_UNITS)}, got {unit!r}")
    names = [name.strip() for name in lines[3].rstrip("\r\n").split("\t")[2:] if name.strip()]
    wanted = 2 + 3 * len(names)
    rows = [line.rstrip("\r\n").split("\t") for line in lines[5:] if line.strip()]
    numbers = _numbers(shown, [(row + [""] * wanted)[:wanted] for row in rows], wanted, gaps=True)
    places = numbers[:, 2:].reshape(len(numbers), len(names), 3) * _UNITS[unit] @ _AXES
    return numbers[:, 1], dict(zip(names, places.swapaxes(0, 1)))


def forces_of(path: Name) -> tuple[Array, dict[str, FootForce]]:
    """The times (k,) of a file with ground forces, and the force on each foot, as here: x left, y up, z forward."""
    columns, _ = read_mot(path)

    def three(label: str) -> Array:
        missing = [name for axis in "xyz" if (name := f"{label}{axis}") not in columns]
        if missing:
            raise InputError(
                f"{os.fspath(path)} has no column {missing[0]!r}; its columns are {', '.join([*columns][:8])}"
            )
        return np.stack([columns[f"{label}{axis}"] for axis in "xyz"], axis=-1) @ _AXES

    feet = {}
    for label, side in (("", "R"), ("1_", "L")):
        force, point, torque = (three(f"{label}ground_{x}") for x in ("force_v", "force_p", "torque_"))
        feet[side] = FootForce(force, point, torque[:, 1])
    return columns["time"], feet


def _lines(path: Name, of: str) -> tuple[str, list[str]]:
    content = read(path, LARGEST, of)
    try:
        return os.fspath(path), content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{os.fspath(path)} is not a text file: {error}") from None


def _numbers(shown: str, rows: Sequence[Sequence[str]], width: int, gaps: bool = False) -> Array:
    """A table of numbers; empty cells are NaN where there may be gaps."""
    for k, row in enumerate(rows):
        if len(row) != width:
            raise InputError(f"{shown}, row {k + 1} of the data: {len(row)} numbers under {width} labels")
    try:
        found = np.array([[float(x) if x.strip() or not gaps else np.nan for x in row] for row in rows], float)
    except ValueError as error:
        raise InputError(f"{shown}: {error}") from None
    if len(found) < _LEAST:
        raise InputError(f"{shown} has {len(found)} rows of numbers; a motion has {_LEAST} or more")
    return found
