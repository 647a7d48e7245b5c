"""Targets of inverse kinematics as arrays: poses, points, rotations and directions, refused where they are none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.tasks import Axis, CenterOfMass, KinematicTask
from kinetree.compile import compile
from kinetree.errors import InputError
from kinetree.scalar import maximum, select
from kinetree.spatial import Transform

_ROTATION = 1e-6  # how far the rows of a rotation matrix may be from orthonormal: matrices with seven digits are meant


def target_of(task: KinematicTask, given: Any) -> NDArray[np.floating[Any]]:
    """The target of a task as an array of its shape, with any leading dimensions; NaN stays NaN."""
    x = numbers(_matrix(given) if isinstance(given, Transform) else given, task)
    core = len(task.shape)
    if x.shape[max(x.ndim - core, 0) :] != task.shape:
        shape = f"(..., {', '.join(map(str, task.shape))})"
        raise InputError(f"the target of {task} is a {task.quantity} {shape}; got an array of shape {x.shape}")
    if task.quantity in ("pose", "rotation"):
        _check_rotations(task, x)
    elif task.quantity == "direction":
        length = np.linalg.norm(x, axis=-1, keepdims=True)
        if (length == 0.0).any():
            raise InputError(f"the target of {task} is a direction; got {_row(x, length[..., 0] == 0.0)}")
        x = x / length
    return x


def target_at(task: Any, robot: Any, q: Any, parameters: Any) -> NDArray[np.floating[Any]]:
    """The target that a task has reached at configurations (n, nq)."""
    if isinstance(task, CenterOfMass):
        return robot.center_of_mass(q, **parameters)
    pose = robot.pose(q, task.frame, **parameters)
    if isinstance(task, Axis):
        return pose[:, :3, :3] @ np.array([*task.axis], float)
    return {"pose": pose, "rotation": pose[:, :3, :3], "position": pose[:, :3, 3]}[task.quantity]


def motion_of(task: KinematicTask, given: Any) -> NDArray[np.floating[Any]]:
    """The wanted velocity of a task as an array."""
    x = numbers(given, task)
    if x.shape[-1:] != (task.size,):
        raise InputError(f"the velocity of {task} has {task.size} numbers; got an array of shape {x.shape}")
    return x.astype(float, copy=False)


def _matrix(pose: Transform) -> list[list[Any]]:
    return [[*row, x] for row, x in zip(pose.R.matrix, pose.p)] + [[0.0, 0.0, 0.0, 1.0]]


def numbers(given: Any, what: Any) -> NDArray[np.floating[Any]]:
    """As an array of real numbers, float32 where it was."""
    try:
        x = np.asarray(given)
        return x if x.dtype == np.float32 or x.dtype == np.float64 else x.astype(float, casting="same_kind")
    except (TypeError, ValueError) as error:
        owner = f"the target of {what}" if isinstance(what, KinematicTask) else what
        raise InputError(f"{owner} must be an array of real numbers: {error}") from None


def _check_rotations(task: KinematicTask, x: NDArray[np.floating[Any]]) -> None:
    defect = _defect(task.shape[0])(x if x.dtype == np.float64 else x.astype(float))[..., 0]
    wrong = defect > _ROTATION  # not where it is NaN
    if wrong if x.ndim == 2 else wrong.any():
        what = "a homogeneous matrix [R, p; 0, 1]" if task.quantity == "pose" else "a rotation matrix"
        off = float(np.nanmax(defect))
        raise InputError(
            f"the target of {task} is {what} with orthonormal, right-handed axes; this one is off by {off:.2g}:\n"
            f"{_row(x, wrong)}"
        )


def _row(x: Any, wrong: Any) -> Any:
    """The first target that is wrong."""
    return x[tuple(np.argwhere(wrong)[0])] if np.ndim(wrong) else x


@cache
def _defect(size: int) -> Callable[[Any], Any]:
    made = compile(_pose_defect if size == 4 else _rotation_defect, signature=f"X({size},{size})->(1)")
    return made.direct(made)


def _rotation_defect(rows: Any) -> list[Any]:
    """How far a matrix is from a rotation: the largest element of R R^T - 1; at least 1 where it is left-handed."""
    x, y, z = rows
    defect = 0.0
    for a, b, wanted in ((x, x, 1.0), (y, y, 1.0), (z, z, 1.0), (x, y, 0.0), (x, z, 0.0), (y, z, 0.0)):
        defect = maximum(abs(sum((s * t for s, t in zip(a, b)), -wanted)), defect)
    det = x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) + x[2] * (y[0] * z[1] - y[1] * z[0])
    return [select(det < 0.0, maximum(defect, 1.0), defect)]


def _pose_defect(rows: Any) -> list[Any]:
    last = [abs(x - wanted) for x, wanted in zip(rows[3], (0.0, 0.0, 0.0, 1.0))]
    return [reduce(maximum, last, *_rotation_defect([row[:3] for row in rows[:3]]))]
