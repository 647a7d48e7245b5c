"""Bodies that become part of their parents: joints locked at a position, fixed joints merged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kinetree.errors import ModelError, check_name
from kinetree.joints import Fixed
from kinetree.model import Frame, Inertia, Mechanism, Moments
from kinetree.model.locked_joint import coordinates, pose_at
from kinetree.model.surgery.frames import moved_frames, moved_loops, moved_shapes
from kinetree.spatial import Transform


def lock(mechanism: Mechanism, positions: Mapping[str, Any]) -> Mechanism:
    """The mechanism with joints held at positions; their bodies are welded to the parents.

    The frames of the welded bodies stay by name. Springs, friction and rotors of locked joints are gone, and what is
    welded to the world has no inertia any more: potential energies differ by a constant. Joints that mimic a locked
    one are held where it holds them.

    Args:
        mechanism: to be locked.
        positions: for each joint by name, one number or one for each of its coordinates [rad, m].
    """
    moving = {body.joint.name: body.joint for body in mechanism.bodies if body.joint.kind.nv}
    for name in positions:
        check_name("moving joint", name, moving)
        if mimic := moving[name].mimic:
            raise ModelError(f"joint {name!r} mimics {mimic.joint!r} and can't be locked alone; lock {mimic.joint!r}")
    poses = {}
    for body in mechanism.bodies:
        joint, mimic = body.joint, body.joint.mimic
        leader = mimic.joint if mimic else joint.name
        if leader in positions:
            q = coordinates(moving[leader].kind, positions[leader], leader)
            q = (mimic.multiplier * q[0] + mimic.offset,) if mimic else q
            poses[body.name] = joint.placement @ pose_at(joint.kind, q, joint.name)
    return welded(mechanism, poses)


def merge_fixed(mechanism: Mechanism) -> Mechanism:
    """The mechanism without fixed joints: their bodies are welded to the parents, their frames stay by name."""
    fixed = [body for body in mechanism.bodies if isinstance(body.joint.kind, Fixed)]
    return welded(mechanism, {body.name: body.joint.placement for body in fixed})


def welded(mechanism: Mechanism, poses: Mapping[str, Transform]) -> Mechanism:
    """The mechanism with bodies, by name, fixed in their parents at poses."""
    _check_couplings(mechanism, poses)
    # where each body is: in itself, or in the one that it is part of now (None: the world)
    places: dict[str | None, Frame] = {None: Frame(None)}
    inertias: dict[str, Inertia | Moments] = {}
    for body in mechanism.bodies:
        if body.name in poses:
            place = places[body.parent]
            places[body.name] = Frame(place.body, place.pose @ poses[body.name])
            if place.body is not None:
                inertias[place.body] += body.inertia.moved(places[body.name].pose)
        else:
            places[body.name], inertias[body.name] = Frame(body.name), body.inertia
    bodies = []
    for body in mechanism.bodies:
        if body.name not in poses:
            up = places[body.parent]
            joint = replace(body.joint, placement=up.pose @ body.joint.placement)
            bodies.append(replace(body, joint=joint, inertia=inertias[body.name], parent=up.body))

    def move(frame: Frame) -> Frame:
        place = places[frame.body]
        return Frame(place.body, place.pose @ frame.pose)

    frames = (*((name, places[name]) for name in poses), *moved_frames(mechanism, move))
    loops = moved_loops(mechanism, move)
    for old, new in zip(mechanism.loops, loops):
        if new.predecessor.body == new.successor.body and old.predecessor.body != old.successor.body:
            given = f"loop {old.name!r} would have both ends on {new.successor.body or 'the world'!r}"
            raise ModelError(f"{given}; leave one of its joints free, or take the loop away first")
    shapes = moved_shapes(mechanism, move)
    return replace(mechanism, bodies=tuple(bodies), named_frames=frames, loops=loops, shapes=shapes)


def _check_couplings(mechanism: Mechanism, poses: Mapping[str, Transform]) -> None:
    gone = {body.joint.name for body in mechanism.bodies if body.name in poses}
    for coupling in mechanism.couplings:
        if name := next((x for x in (coupling.joint, coupling.leader) if x in gone), None):
            held = f"the coupling of {coupling.joint!r} to {coupling.leader!r}, which can't hold without it"
            raise ModelError(f"joint {name!r} is in {held}; take the coupling away first")
    for motor in (body.joint for body in mechanism.bodies if body.joint.transmission):
        driven = motor.transmission.joint if motor.transmission else ""
        if (motor.name in gone) != (driven in gone):
            raise ModelError(f"motor {motor.name!r} drives {driven!r} through a spring; lock both of them or neither")
