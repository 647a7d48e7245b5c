"""Markers on a walker, and the motion that brings them nearest to measured ones.

A marker is a point fixed in a segment. Inverse kinematics minimises the squared distances between all markers of the
model and those that were measured, frame by frame, by Gauss-Newton steps. Missing markers don't count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import world_poses
from kinetree.compile import compiled
from kinetree.errors import InputError
from kinetree.gait.walker import Walker
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array
from kinetree.signature import Signature, parse
from kinetree.spatial import Vec3

Place = tuple[str, tuple[float, float, float]]
_STEPS, _LONGEST = 60, 0.3  # iterations at the most, and the longest step [rad, m]
_BEFORE = 3e-5  # m^2/rad^2: the weight of staying where the frame before was, which decides where markers do not
_AT_FIRST = 5  # times that the first frame is its own frame before
_STILL = 1e-7  # the longest step that is none [rad, m]
# left side and middle: the frame, and the place in it of the man of the tables [m]: x left, y up, z forward
_SIDE: dict[str, Place] = {
    "ASI": ("pelvis", (0.125, 0.090, 0.090)),
    "PSI": ("pelvis", (0.050, 0.100, -0.100)),
    "THI": ("thigh", (0.090, -0.200, 0.020)),
    "KNE": ("thigh", (0.055, -0.422, 0.0)),
    "KNM": ("thigh", (-0.055, -0.422, 0.0)),
    "TIB": ("shank", (0.055, -0.200, 0.020)),
    "ANK": ("shank", (0.040, -0.440, 0.0)),
    "ANM": ("shank", (-0.040, -0.440, 0.0)),
    "HEE": ("foot", (0.0, -0.050, -0.060)),
    "MT5": ("foot", (0.050, -0.050, 0.120)),
    "MT1": ("foot", (-0.040, -0.050, 0.130)),
    "TOE": ("forefoot", (0.0, 0.010, 0.070)),
    "SHO": ("thorax", (0.188, 0.230, 0.0)),
    "UPA": ("upper_arm", (0.050, -0.140, 0.0)),
    "ELB": ("upper_arm", (0.045, -0.282, 0.0)),
    "ELM": ("upper_arm", (-0.045, -0.282, 0.0)),
    "WRA": ("forearm", (0.030, -0.265, 0.0)),
    "WRB": ("forearm", (-0.030, -0.265, 0.0)),
    "FIN": ("hand", (0.0, -0.085, 0.010)),
}
_MIDDLE: dict[str, Place] = {
    "C7": ("thorax", (0.0, 0.242, -0.070)),
    "T10": ("thorax", (0.0, 0.020, -0.110)),
    "CLAV": ("thorax", (0.0, 0.190, 0.080)),
    "STRN": ("thorax", (0.0, 0.020, 0.110)),
    "HEAD": ("head", (0.0, 0.152, 0.0)),
}
_TRUNK = ("pelvis", "thorax")


def _sided(side: str, place: Place) -> Place:
    frame, (x, y, z) = place
    return (frame if frame in _TRUNK else f"{side}_{frame}"), (x if side == "L" else -x, y, z)


MARKERS: Mapping[str, Place] = {
    **{f"{side}{name}": _sided(side, place) for side in "LR" for name, place in _SIDE.items()},
    **_MIDDLE,
}


def markers_of(walker: Walker, attached: Mapping[str, Place] | None = None) -> dict[str, Place]:
    """Where markers are on a walker; those of `MARKERS`, which scale with its stature, by default."""
    if attached is None:
        return {name: (frame, (x * walker.size, y * walker.size, z * walker.size))
                for name, (frame, (x, y, z)) in MARKERS.items()}  # fmt: skip
    for frame, _ in attached.values():
        walker.robot.frame(frame)
    return {name: (frame, (float(p[0]), float(p[1]), float(p[2]))) for name, (frame, p) in attached.items()}


@dataclass(frozen=True)
class _MarkerPositions:
    places: tuple[Place, ...]
    __name__ = "marker_positions"

    def signature(self, robot: Mechanism) -> Signature:
        n = len(self.places)
        return parse(f"q({robot.nq}) -> positions({n},3), jacobian({3 * n},{robot.nv})")

    def __call__(self, robot: Mechanism, q: Any) -> tuple[list[list[Any]], list[list[Any]]]:
        X, screws = world_poses(robot, q), []  # of each velocity: its body, its axis, its pitch at the origin
        for i, body in enumerate(robot.bodies):
            R, p = X[i].R, X[i].p
            screws += [
                (i, R @ s.ang, R @ s.lin + p.cross(R @ s.ang)) for s in body.joint.subspace(q[robot.q_slices[i]])
            ]
        positions, jacobian = [], []
        for frame, offset in self.places:
            body, placed = robot.frame(frame)
            pose = X[body] @ placed
            P, path = pose.p + pose.R @ Vec3(*offset), {*robot.path(body)}
            columns = [axis.cross(P) + pitch if i in path else Vec3.zero for i, axis, pitch in screws]
            positions.append([*P])
            jacobian += [[*row] for row in zip(*columns)]
        return positions, jacobian


def marker_positions(walker: Walker, q: Array, attached: Mapping[str, Place] | None = None) -> tuple[Array, Array]:
    """Where the markers are (k, m, 3) [m], and the derivatives of that (k, 3 m, nv), at positions (k, nv)."""
    places = tuple(markers_of(walker, attached).values())
    positions, jacobian = compiled(_MarkerPositions(places), walker.robot)(np.asarray(q, float))
    return positions, jacobian


def nearest_motion(
    walker: Walker, measured: Mapping[str, Array], attached: Mapping[str, Place] | None = None
) -> tuple[Array, float]:
    """The motion (k, nv) whose markers are nearest to measured ones, and the root of the mean squared distance [m].

    Args:
        walker: who was measured.
        measured: positions (k, 3) [m] by the names of markers, x left, y up, z forward, above the ground; NaN where
            one was not seen.
        attached: where the markers are fixed: by name the frame and the place in it [m]; `MARKERS` by default.
    """
    known = markers_of(walker, attached)
    names = [name for name in known if name in measured]
    if len(names) < 6:
        raise InputError(f"six markers or more are needed; of {_few(known)}, the file or table has {_few(names)}")
    up = np.array([0.0, walker.ground, 0.0])
    target = np.stack([np.asarray(measured[name], float) for name in names], axis=1) + up
    seen = np.all(np.isfinite(target), axis=2)
    if (blind := np.flatnonzero(seen.sum(axis=1) < 3)).size:
        raise InputError(f"in frame {blind[0] + 1} fewer than three markers were seen; cut the recording there")
    places = {name: known[name] for name in names}
    base = [k for k, name in enumerate(walker.robot.joint_names) if name.startswith("global_t")]
    q, found = np.zeros(walker.robot.nv), []
    q[base] = np.mean((target[0] - marker_positions(walker, q[None], places)[0][0])[seen[0]], axis=0)
    for _ in range(_AT_FIRST):  # there was no frame before
        q = _nearest(walker, places, q, target[0], seen[0])
    for now, there in zip(target, seen):
        q = _nearest(walker, places, q, now, there)
        found.append(q)
    motion = np.array(found)
    left = np.where(seen, np.linalg.norm(target - marker_positions(walker, motion, places)[0], axis=2), 0.0)
    return motion, float(np.sqrt((left**2).sum() / seen.sum()))


def _nearest(walker: Walker, places: Mapping[str, Place], q: Array, target: Array, seen: Array) -> Array:
    """From the configuration before, so that one of several equal ones is the same from frame to frame."""
    eye, rows, before = np.eye(len(q)), np.repeat(seen, 3)[:, None], q
    for _ in range(_STEPS):
        (positions,), (J,) = marker_positions(walker, q[None], places)
        r = np.where(seen[:, None], target - positions, 0.0).ravel()
        J = J * rows
        step = np.linalg.solve(J.T @ J + _BEFORE * eye, J.T @ r + _BEFORE * (before - q))
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-12))
        q = q + step
        if np.abs(step).max() < _STILL:
            break
    return q


def _few(names: Iterable[str]) -> str:
    some = [*names]
    return (", ".join(some[:8]) + ", ..." * (len(some) > 8)) or "none"
