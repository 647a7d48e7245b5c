"""Motions in files of NumPy's .npz format, which lose nothing."""

from __future__ import annotations

import contextlib
import json
import math
import os
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from kinetree.errors import InputError, KinetreeError, ModelError
from kinetree.files import Name, reading, whole
from kinetree.robot import Robot
from kinetree.simulation.interpolation import QuaternionCoordinates
from kinetree.simulation.outcome import Occurrence, Outcome

if TYPE_CHECKING:
    from kinetree.simulation.motion import Motion

FORMAT = "kinetree motion 2"
QUANTITIES = ("q", "qd", "qdd", "tau", "wrenches")
_NAMES = ("reason", "joints", "positions", "forces")
# what NumPy and zipfile raise for other files
_BROKEN = (ValueError, TypeError, AttributeError, KeyError, EOFError, MemoryError, OverflowError, RuntimeError,
           zipfile.BadZipFile, zlib.error)  # fmt: skip


def save(motion: Motion, path: Name) -> Path:
    """Write a motion; see `Motion.save`."""
    arrays = {name: x for name in ("t", *QUANTITIES, "status", "end") if (x := getattr(motion, name)) is not None}
    names = {name: np.array(getattr(motion, name), np.str_) for name in _NAMES}
    kinds = {"name": np.str_, "t": float, "row": np.int64, "q": float, "qd": float}
    events = {f"event_{key}": np.array([getattr(e, key) for e in motion.events], of) for key, of in kinds.items()}
    events["event_row"] = events["event_row"].reshape(len(motion.events), len(motion.batch))
    values = [*motion.parameters.values()]
    others = {
        "quaternions": np.array([tuple(map(int, x)) for x in motion.quaternions], np.int64).reshape(-1, 3),
        "parameter_names": np.array([*motion.parameters], np.str_),
        "parameter_values": np.stack(values) if values else np.zeros(0),
        "robot": np.array(_robot_text(motion.robot)),
    }
    with whole(path) as file:
        np.savez_compressed(file, format=np.array(FORMAT), **arrays, **names, **events, **others)
    return Path(path).absolute()


def load(path: Name, largest: int) -> dict[str, Any]:
    """The fields of the motion in a file that `save` wrote, with at most this many bytes in memory."""
    shown = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    with reading(path), open(path, "rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                members = archive.infolist()
                size = sum(member.file_size for member in members)
                arrays = {x.filename.removesuffix(".npy"): _array(archive, x) for x in members if size <= largest}
        except _BROKEN as error:
            raise InputError(f"{shown} is not a file of Motion.save: {error}") from None
    if size > largest:
        raise InputError(f"{shown} takes {size} bytes in memory; if you trust it, load it with largest={size}")
    if str(arrays.pop("format", "")) != FORMAT:
        raise InputError(f"{shown} is not a file of Motion.save: its format is not {FORMAT!r}")
    try:
        return _fields(arrays)
    except KeyError as error:
        raise InputError(f"{shown} is not a whole file of Motion.save: {error} is missing") from None
    except (KinetreeError, *_BROKEN) as error:
        raise InputError(f"{shown} is not a whole file of Motion.save: {error}") from None


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """An array of an archive; its header must not ask for more memory than its bytes take."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others decompress without bounds
        raise InputError(f"{member.filename} is compressed by method {member.compress_type}")
    with archive.open(member) as file:
        if npy.read_magic(file) != (1, 0):
            raise InputError(f"{member.filename} is not an array of version 1.0")
        shape, _, dtype = npy.read_array_header_1_0(file)
    if math.prod(shape) * max(1, dtype.itemsize) > member.file_size:
        raise InputError(f"{member.filename} has the shape {shape} and only {member.file_size} bytes")
    with archive.open(member) as file:
        return npy.read_array(file, allow_pickle=False)


def _fields(x: dict[str, Any]) -> dict[str, Any]:
    found = {name: x[name] for name in ("t", *QUANTITIES, "status", "end") if name in x or name in ("t", "q", "status")}
    t, q = found["t"], found["q"]
    for name, array in found.items():
        sampled = name in QUANTITIES and (array.ndim < q.ndim or array.shape[: q.ndim - 1] != q.shape[:-1])
        if array.dtype.kind not in "biuf" or sampled:
            raise InputError(f"{name} is an array of {array.dtype} with the shape {array.shape}")
    if t.ndim != 1 or q.ndim < 2 or q.shape[-2] != len(t):
        raise InputError(f"t has the shape {t.shape}, q the shape {q.shape}")
    if not np.isin(found["status"], [*Outcome]).all():
        raise InputError(f"its status is one of {', '.join(x.name for x in Outcome)}")
    events = zip(*(x[f"event_{key}"] for key in ("name", "t", "row", "q", "qd")))
    return {
        **found,
        **{name: tuple(map(str, x[name])) for name in _NAMES},
        "events": tuple(Occurrence(str(name), float(t), tuple(map(int, row)), q, qd) for name, t, row, q, qd in events),
        "quaternions": tuple(QuaternionCoordinates(int(q), int(v), bool(free)) for q, v, free in x["quaternions"]),
        "parameters": dict(zip(map(str, x["parameter_names"]), x["parameter_values"])),
        "robot": _robot(str(x["robot"])),
    }


def _robot_text(robot: Robot | None) -> str:
    if robot is not None:
        with contextlib.suppress(ModelError):  # joints of the user have no text
            return robot.to_json()
    return ""


def _robot(text: str) -> Robot | None:
    content = json.loads(text) if text else None
    if content is None:
        return None
    if not isinstance(content, dict):  # another text would be taken for the path of a file
        raise InputError("its robot is no description of one")
    return Robot.from_json(json.dumps(content))
