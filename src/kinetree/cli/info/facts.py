"""Everything about a robot as one plain object: what ``info --json`` prints, and what the tables are made of.

Numbers have all their digits. An infinite one (a limit that is not there) is None, one that depends on named
parameters is the text of its formula.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from kinetree.cli.numbers import plain, total
from kinetree.cli.source import Source, base_of
from kinetree.joints import JointKind
from kinetree.model import Body, Frame, Limits, Loop
from kinetree.spatial import Transform, Vec3

WORLD = "world"


def facts(source: Source) -> dict[str, Any]:
    """The object of ``info --json``; docs/command_line.md explains its keys."""
    robot = source.robot
    return {
        "file": source.origin,
        "format": source.format,
        **{name: getattr(robot, name) for name in ("name", "nq", "nv", "nbodies")},
        "base": base_of(robot),
        "total_mass": total([body.inertia.mass for body in robot.bodies]),
        "gravity": numbers(robot.gravity),
        "joints": [_joint(body, q, v) for body, q, v in zip(robot.bodies, robot.q_slices, robot.v_slices)],
        "bodies": [_body(body) for body in robot.bodies],
        "frames": [{"name": name, **_frame(frame)} for name, frame in robot.named_frames],
        "parameters": [{"name": p.name, "default": p.default} for p in robot.parameters.values()],
        "loops": [_loop(loop) for loop in robot.loops],
        "couplings": [
            {"joint": c.joint, "leader": c.leader, "coefficients": numbers(c.coefficients)} for c in robot.couplings
        ],
        "findings": [dataclasses.asdict(finding) for finding in robot.check()],
        "notes": [*source.notes],
    }


def numbers(values: Any) -> list[Any]:
    """Each number as `plain` gives it."""
    return [plain(x) for x in values]


def _joint(body: Body, q: slice, v: slice) -> dict[str, Any]:
    joint = body.joint
    return {
        "name": joint.name,
        **_kind(joint.kind),
        "parent": body.parent or WORLD,
        "body": body.name,
        "q": [q.start, q.stop],
        "v": [v.start, v.stop],
        "placement": _pose(joint.placement),
        **{field.name: plain(getattr(joint.limits, field.name)) for field in dataclasses.fields(Limits)},
        "damping": numbers(joint.damping),
        "friction": numbers(joint.coulomb),
        **{name: numbers(getattr(joint, name)) for name in ("rotor_inertia", "stiffness", "rest")},
        "gear_ratio": plain(joint.gear_ratio),
        "actuated": joint.actuated,
        "mimic": _coupling(joint.mimic, "multiplier", "offset"),
        "transmission": _coupling(joint.transmission, "stiffness", "damping"),
    }


def _coupling(to: Any, *names: str) -> dict[str, Any] | None:
    """To another joint, with its numbers."""
    return to and {"joint": to.joint, **{name: plain(getattr(to, name)) for name in names}}


def _kind(kind: JointKind) -> dict[str, Any]:
    """The kind of a joint with what belongs to it: its axes, and numbers such as a pitch."""
    own = {f.name: getattr(kind, f.name) for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else {}
    return {
        "kind": type(kind).__name__.lower(),
        "axes": [numbers(x) for x in own.values() if isinstance(x, Vec3)],
        "constants": {name: plain(x) for name, x in own.items() if not isinstance(x, Vec3)},
    }


def _body(body: Body) -> dict[str, Any]:
    inertia = body.inertia
    return {
        "name": body.name,
        "parent": body.parent or WORLD,
        "joint": body.joint.name,
        "mass": plain(inertia.mass),
        "com": numbers(inertia.com),
        "inertia": numbers(inertia.about_com),
    }


def _pose(pose: Transform) -> dict[str, Any]:
    return {"position": numbers(pose.p), "rotation": [numbers(row) for row in pose.R.matrix]}


def _frame(frame: Frame) -> dict[str, Any]:
    return {"body": frame.body or WORLD, **_pose(frame.pose)}


def _loop(loop: Loop) -> dict[str, Any]:
    ends = {"predecessor": _frame(loop.predecessor), "successor": _frame(loop.successor)}
    return {"name": loop.name, **_kind(loop.kind), **ends}
