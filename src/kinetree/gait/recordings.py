"""Recordings of walking: joint angles or markers, and ground forces, as files or tables, to a `MeasuredWalk`.

Positions are filtered without delay and differentiated (`kinetree.identify.filtering`); ground forces are taken as they
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.errors import InputError, UnknownNameError
from kinetree.files import Name
from kinetree.gait import opensim
from kinetree.gait.markers import Place, nearest_motion
from kinetree.gait.measured import MeasuredWalk, foot_at, interpolated
from kinetree.gait.states import SIDES
from kinetree.gait.walker import Walker
from kinetree.identify.filtering import smooth
from kinetree.runtime.arrays import Array

CUTOFF = 6.0  # Hz, usual for markers of walking
_BELOW_RATE = 0.4  # cutoff over sampling rate at the most
_FEWEST = 16  # samples of a recording
_BASE = ("pelvis_tilt", "pelvis_list", "pelvis_rotation", "pelvis_tx", "pelvis_ty", "pelvis_tz")


def from_angles(
    angles: Name | Mapping[str, Any],
    forces: Name | Mapping[str, Any],
    walker: Walker | None = None,
    *,
    cutoff: float = CUTOFF,
    belt: float = 0.0,
) -> MeasuredWalk:
    """A measured walk from joint angles and ground forces: moments and forces of all joints.

    Args:
        angles: a .mot or .sto file of OpenSim, or arrays (k,) by name, ``time`` [s] among them. Names are those of
            OpenSim's full-body model (`kinetree.gait.opensim.COORDINATES`) or of the walker's joints; angles in
            degrees, as in the file's header otherwise, translations of the pelvis, above the ground, in metres. What
            is missing rests at zero, but the six coordinates of the pelvis are needed.
        forces: a .mot or .sto file with the labels of OpenSim's examples, the right foot first, or ``time`` and the
            `FootForce` of "L" and "R", x left, y up, z forward, the ground at y = 0.
        walker: who was measured; a man of 73 kg and 1.741 m by default.
        cutoff: of the filter of positions [Hz].
        belt: the speed of the treadmill [m/s]; 0 over ground.

    Returns:
        A `MeasuredWalk`: ``moments()``, ``joint_forces()``, ``powers()``, ``realism()``, ``residuals()``, ...

    Example:
        >>> import kinetree as kt
        >>> walk = kt.gait.from_angles("ik.mot", "grf.mot", kt.gait.Walker(1.80, 72.6))  # doctest: +SKIP

        Arrays: a man on a treadmill who stands upright and shifts his weight from foot to foot.

        >>> man, t = kt.gait.Walker(), np.linspace(0.0, 3.0, 151)
        >>> still = {name: 0.0 * t for name in kt.gait.opensim.COORDINATES} | {"pelvis_ty": 0.0 * t - man.ground}
        >>> left = np.clip(0.5 + np.sin(2.0 * np.pi * t), 0.0, 1.0)
        >>> up, under = np.array([0.0, man.weight, 0.0]), np.array([0.087, 0.0, 0.05])
        >>> on = {"L": (left, under), "R": (1.0 - left, under * [-1.0, 1.0, 1.0])}
        >>> feet = {s: kt.gait.FootForce(np.outer(x, up), np.outer(x > 0.0, p), 0.0 * t) for s, (x, p) in on.items()}
        >>> walk = kt.gait.from_angles(still | {"time": t}, feet | {"time": t}, man, belt=0.5)
        >>> print(walk)
        MeasuredWalk of 3 s at 0.5 m/s; strides: 2 of the left leg and 2 of the right leg
        >>> round(float(walk.joint_forces()["ankle"].max()), 2)  # the weight, less that of a foot
        0.99
    """
    walker = Walker() if walker is None else walker
    columns, degrees = opensim.read_mot(angles) if not isinstance(angles, Mapping) else (angles, True)
    columns = {name: np.asarray(x, float) for name, x in columns.items()}
    t = _times(columns.pop("time", None), columns)
    return _walk(walker, t, _positions(walker, columns, degrees), forces, cutoff, belt)


def from_markers(
    markers: Name | Mapping[str, Any],
    forces: Name | Mapping[str, Any],
    walker: Walker | None = None,
    *,
    attached: Mapping[str, Place] | None = None,
    cutoff: float = CUTOFF,
    belt: float = 0.0,
) -> MeasuredWalk:
    """A measured walk from markers and ground forces: inverse kinematics, then as `from_angles`.

    Args:
        markers: a .trc file, or positions (k, 3) [m] by name, x left, y up, z forward, the ground at y = 0, and
            ``time`` [s]; NaN where one was not seen.
        forces, walker, cutoff, belt: as for `from_angles`.
        attached: where the markers are fixed: by name the frame of the walker and the place in it [m];
            `kinetree.gait.markers.MARKERS` by default.

    Example:
        >>> import kinetree as kt
        >>> walk = kt.gait.from_markers("walk.trc", "grf.mot", kt.gait.Walker(1.80, 72.6))  # doctest: +SKIP
    """
    walker = Walker() if walker is None else walker
    if isinstance(markers, Mapping):
        columns = {name: np.asarray(x, float) for name, x in markers.items()}
        t = _times(columns.pop("time", None), columns)
    else:
        t, columns = opensim.read_trc(markers)
    q, fit = nearest_motion(walker, columns, attached)
    return replace(_walk(walker, t, q, forces, cutoff, belt), fit=fit)


def _times(t: Array | None, columns: Mapping[str, Array]) -> Array:
    if t is None:
        raise InputError(f"there is no 'time' among {', '.join([*columns][:8])}")
    if t.ndim != 1 or len(t) < _FEWEST or not (np.isfinite(t).all() and (np.diff(t) > 0.0).all()):
        raise InputError(f"times rise, and a recording has {_FEWEST} of them or more; got {t.shape}")
    for name, x in columns.items():
        if len(x) != len(t):
            raise InputError(f"{name!r} has {len(x)} samples, but there are {len(t)} times")
    return t


def _positions(walker: Walker, columns: Mapping[str, Array], degrees: bool) -> Array:
    """The coordinates (k, nv) of the walker from columns with OpenSim's names or the walker's own."""
    names = walker.robot.joint_names
    known = [name for name in columns if name in opensim.COORDINATES or name in walker.body.joint_names]
    own = {joint for name in known for joint in opensim.COORDINATES.get(name, opensim.OpenSimCoordinate((name,))).parts}
    for name in _BASE:
        if not own & {*opensim.COORDINATES[name].parts}:
            raise UnknownNameError("coordinate of the pelvis among the columns", name, [*columns][:12])
    q = np.zeros((len(next(iter(columns.values()))), len(names)))
    for name in known:
        if not np.isfinite(columns[name]).all():
            raise InputError(f"{name!r} has numbers that are missing or not finite; fill the gaps first")
        parts, sign = opensim.COORDINATES.get(name, opensim.OpenSimCoordinate((name,)))
        joints = [k for k, joint in enumerate(names) if all(part in joint for part in parts)]
        sliding = parts[0] in ("global_tx_lateral", "global_ty_vertical", "global_tz_forward")
        values = sign * (np.radians(columns[name]) if degrees and not sliding else columns[name])
        if name == "pelvis_ty":
            values = values + walker.ground
        for k in joints:
            q[:, k] = values / len(joints)
    return q


def _walk(
    walker: Walker, t: Array, q: Array, forces: Name | Mapping[str, Any], cutoff: float, belt: float
) -> MeasuredWalk:
    rate = (len(t) - 1) / float(t[-1] - t[0])
    if not 0.0 < cutoff <= _BELOW_RATE * rate:
        raise InputError(
            f"the cutoff is above 0 and at most {_BELOW_RATE:g} of the {rate:g} samples a second, got {cutoff!r}"
        )
    even = np.linspace(t[0], t[-1], len(t))
    motion = smooth(interpolated(even, t, q), rate, cutoff, 2)
    if isinstance(forces, Mapping):
        given, feet = np.asarray(forces["time"], float), {side: forces[side] for side in SIDES}
    else:
        given, feet = opensim.forces_of(forces)
    if given[0] > t[-1] or given[-1] < t[0]:
        raise InputError(f"the forces go from {given[0]:g} to {given[-1]:g} s, the motion from {t[0]:g} to {t[-1]:g} s")
    feet = {side: foot_at(even, given, foot) for side, foot in feet.items()}
    up = np.array([0.0, walker.ground, 0.0])  # here the middle of the hips stands at 0
    feet = {side: replace(foot, point=foot.point + up) for side, foot in feet.items()}
    return MeasuredWalk(walker, even, (motion[0], motion[1], motion[2]), feet, belt)
