"""The tree of a mechanism as data for a page: bodies, joints, frames, and what closes loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from kinetree.joints.rotor import Rotor
from kinetree.model import Frame, Joint, Mechanism
from kinetree.scalar import is_zero
from kinetree.spatial import Sym3, Transform

KNOWN = (Fixed, Revolute, Prismatic, Helical, Rotor, Cylindrical, Universal, Planar, Spherical, Free)
Data = dict[str, Any]


def rows(pose: Transform) -> list[float]:
    """The twelve numbers of a pose: the rows of [R, p]."""
    return [float(x) for row, p in zip(pose.R.matrix, pose.p) for x in (*row, p)]


def upright(mechanism: Mechanism) -> list[float]:
    """The pose of the world in the picture, whose third axis points up: the axis that gravity is along."""
    along = [k for k, g in enumerate(mechanism.gravity) if not is_zero(g)]
    turn = np.roll(np.eye(3), 2 - along[0] if len(along) == 1 else 0, axis=0)
    return [float(x) for row in turn for x in (*row, 0.0)]


def tree_data(mechanism: Mechanism, driving: Sequence[str] | None = None) -> Data:
    """The tree of a mechanism without open parameters.

    Args:
        mechanism: what to show.
        driving: the joints that lead where loops must close; the actuated ones by default.
    """
    named = [(name, frame) for name, frame in mechanism.named_frames]
    leads = {b.joint.name for b in mechanism.bodies if b.joint.actuated} if driving is None else {*driving}
    led = [i for i, b in enumerate(mechanism.bodies) if b.joint.name in leads and not b.joint.mimic]
    return {
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "bodies": [_body(mechanism, i) for i in range(mechanism.nbodies)],
        "frames": [{"name": name, **_frame(mechanism, frame)} for name, frame in named],
        "loops": [_loop(mechanism, loop) for loop in mechanism.loops],
        "couplings": [_coupling(mechanism, x) for x in mechanism.couplings],
        "quaternions": [start for _, start in mechanism.quaternions],
        "driving": [k for i in led for k in range(mechanism.nv)[mechanism.v_slices[i]]],
        "positions": list(mechanism.position_names),
        "coordinates": list(mechanism.coordinate_names),
    }


def unknown(mechanism: Mechanism) -> list[str]:
    """The joints of types of one's own, which the page can't move."""
    return [body.joint.name for body in mechanism.bodies if type(body.joint.kind) not in KNOWN]


def _body(mechanism: Mechanism, i: int) -> Data:
    body = mechanism.bodies[i]
    joint, limits = body.joint, body.joint.limits
    q, v = mechanism.q_slices[i], mechanism.v_slices[i]
    mimic = [float(joint.mimic.multiplier), float(joint.mimic.offset)] if joint.mimic else None
    own = {} if joint.mimic else {"names": list(mechanism.coordinate_names[v])}
    return {
        "name": body.name,
        "parent": mechanism.parents[i],
        "mass": float(body.inertia.mass),
        "com": [float(x) for x in body.inertia.com] if not is_zero(body.inertia.mass) else [0.0, 0.0, 0.0],
        "ellipsoid": ellipsoid(body.inertia),
        "joint": {
            "name": joint.name, "place": rows(_at_zero(joint)), **_kind(joint.kind),
            "q": q.start or 0, "v": v.start or 0, "nq": joint.kind.nq, "nv": joint.kind.nv, "mimic": mimic,
            "actuated": joint.actuated,
            **{name: _finite(getattr(limits, name)) for name in ("lower", "upper", "velocity", "effort")}, **own,
        },
    }  # fmt: skip


def _at_zero(joint: Joint) -> Transform:
    """The body in its parent where the coordinate is zero: a revolute joint may have turned it already."""
    return joint.placement @ joint.kind.transform((0.0,)) if isinstance(joint.kind, Revolute) else joint.placement


def _kind(kind: JointKind) -> Data:
    """A joint type as data; one that the page does not know stands still."""
    if type(kind) not in KNOWN:
        return {"type": "fixed"}
    found: Data = {"type": type(kind).__name__.lower()}
    if isinstance(kind, Universal):
        return found | {"axis": _three(kind.first), "second": _three(kind.second)}
    if axis := getattr(kind, "axis", None):
        found["axis"] = _three(axis)
    if isinstance(kind, Helical):
        found["pitch"] = float(kind.pitch)
    if isinstance(kind, Rotor):
        found["ratio"] = float(kind.gear_ratio)
    return found


def _frame(mechanism: Mechanism, frame: Frame) -> Data:
    return {"body": mechanism.index_of(frame.body), "pose": rows(frame.pose)}


def _loop(mechanism: Mechanism, loop: Any) -> Data:
    ends = {side: _frame(mechanism, getattr(loop, side)) for side in ("predecessor", "successor")}
    return {"name": loop.name, **_kind(loop.kind), **ends}


def _coupling(mechanism: Mechanism, coupling: Any) -> Data:
    def where(joint: str | None) -> Data | None:
        return None if joint is None else mechanism.coordinate_index(joint)._asdict()

    values = [float(x) for x in coupling.coefficients]
    return {"joint": where(coupling.joint), "leader": where(coupling.leader), "coefficients": values}


def principal(about_com: Sym3) -> tuple[np.ndarray, np.ndarray]:
    """The principal moments of an inertia, rising, and their axes as the columns of a rotation."""
    moments, axes = np.linalg.eigh(np.array([[float(x) for x in row] for row in about_com.full]))
    return moments, axes * (1.0, 1.0, np.sign(np.linalg.det(axes)) or 1.0)


def ellipsoid(inertia: Any) -> Data | None:
    """The ellipsoid of uniform density with the same mass and moments: its pose and its half axes [m]."""
    mass = float(inertia.mass)
    if not mass > 0:
        return None
    moments, axes = principal(inertia.about_com)
    half = np.sqrt(np.maximum(2.5 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    pose = np.concatenate([axes, np.array([[float(x)] for x in inertia.com])], axis=1)
    if not np.isfinite(half).all() or not half.max() > 0:
        return None
    return {"pose": pose.ravel().tolist(), "size": np.maximum(half, 0.02 * half.max()).tolist()}


def _three(axis: Any) -> list[float]:
    return [float(x) for x in axis]


def _finite(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
