"""A payload or another mechanism, fixed at a frame."""

from __future__ import annotations

from dataclasses import replace

from kinetree.errors import ModelError
from kinetree.joints import Free
from kinetree.model import Body, Frame, Inertia, Mechanism, Moments
from kinetree.model.surgery.frames import moved_frames, moved_loops, moved_shapes
from kinetree.spatial import Transform

Payload = Inertia | Moments


def attach(
    mechanism: Mechanism, what: Payload | Mechanism, frame: str, pose: Transform = Transform.identity, prefix: str = ""
) -> Mechanism:
    """The mechanism with a payload, or with another mechanism, fixed at a frame.

    The coordinates of the other mechanism come after those of this one; gravity and name are this one's. Parameters
    of the same name are the same parameter. The result is strict where both were.

    Args:
        mechanism: what carries.
        what: the inertia or moments of a payload, or a mechanism on a fixed base, whose world comes to be at the frame.
        frame: one of ``frames``.
        pose: of the payload's frame, or of the other mechanism's world, in that frame.
        prefix: put before all names of the other mechanism: of bodies, joints, frames and loops.
    """
    carrier, X = mechanism.frame(frame)
    place = Frame(None if carrier < 0 else mechanism.bodies[carrier].name, X @ pose)
    if isinstance(what, Inertia | Moments):
        return _with_payload(mechanism, what, frame, place)
    if isinstance(what, Mechanism):
        return _with_mechanism(mechanism, _prefixed(what, prefix), place)
    raise ModelError(f"attach takes the Inertia of a payload or a Robot, got {what!r}")


def _with_payload(mechanism: Mechanism, payload: Payload, frame: str, place: Frame) -> Mechanism:
    if place.body is None:
        on_bodies = [name for name, x in mechanism.frames.items() if x.body is not None]
        remedy = f"attach it to a frame of a body: {', '.join(map(repr, on_bodies)) or 'there is none'}"
        raise ModelError(f"frame {frame!r} is fixed in the world, where a payload has no effect; {remedy}")
    bodies, i = [*mechanism.bodies], mechanism.index_of(place.body)
    bodies[i] = replace(bodies[i], inertia=bodies[i].inertia + payload.moved(place.pose))
    return replace(mechanism, bodies=tuple(bodies))


def _with_mechanism(mechanism: Mechanism, other: Mechanism, place: Frame) -> Mechanism:
    if root := next((x for x in other.bodies if x.parent is None and isinstance(x.joint.kind, Free)), None):
        remedy = 'attach robot.with_base("fixed"), or lock that joint'
        raise ModelError(f"{other.name!r} is not on a fixed base: its body {root.name!r} is free; {remedy}")
    _check_names(mechanism, other)

    def move(frame: Frame) -> Frame:
        return frame if frame.body is not None else Frame(place.body, place.pose @ frame.pose)

    carried = []
    for body in other.bodies:
        root = move(Frame(body.parent, body.joint.placement))
        carried.append(replace(body, joint=replace(body.joint, placement=root.pose), parent=root.body))
    whole = replace(
        mechanism,
        bodies=(*mechanism.bodies, *carried),
        named_frames=(*mechanism.named_frames, *moved_frames(other, move)),
        loops=(*mechanism.loops, *moved_loops(other, move)),
        couplings=(*mechanism.couplings, *other.couplings),
        strict=mechanism.strict and other.strict,
        shapes=(*mechanism.shapes, *moved_shapes(other, move)),
    )
    whole.parameters  # noqa: B018 - raises where one parameter has two defaults
    return whole


def _prefixed(mechanism: Mechanism, prefix: str) -> Mechanism:
    """The mechanism with the prefix before all its names."""
    if not prefix:
        return mechanism

    def named(name: str | None) -> str | None:
        return None if name is None else prefix + name

    def renamed(frame: Frame) -> Frame:
        return Frame(named(frame.body), frame.pose)

    def body_of(body: Body) -> Body:
        joint, mimic, spring = body.joint, body.joint.mimic, body.joint.transmission
        mimic = mimic and replace(mimic, joint=prefix + mimic.joint)
        spring = spring and replace(spring, joint=prefix + spring.joint)
        joint = replace(joint, name=prefix + joint.name, mimic=mimic, transmission=spring)
        return replace(body, name=prefix + body.name, joint=joint, parent=named(body.parent))

    loops = (replace(x, name=prefix + x.name) for x in moved_loops(mechanism, renamed))
    couplings = (replace(x, joint=prefix + x.joint, leader=named(x.leader)) for x in mechanism.couplings)
    return replace(
        mechanism,
        bodies=tuple(map(body_of, mechanism.bodies)),
        named_frames=tuple((prefix + name, frame) for name, frame in moved_frames(mechanism, renamed)),
        loops=tuple(loops),
        couplings=tuple(couplings),
        shapes=moved_shapes(mechanism, renamed),
    )


def _check_names(mechanism: Mechanism, other: Mechanism) -> None:
    for kind, ours, theirs in (
        ("frame", mechanism.frames, other.frames.keys() - {"world"}),
        ("joint", *({body.joint.name for body in x.bodies} for x in (mechanism, other))),
        ("loop", *({loop.name for loop in x.loops} for x in (mechanism, other))),
    ):
        if twice := sorted({*ours} & {*theirs}):
            listed = ", ".join(map(repr, twice[:5])) + (", ..." if len(twice) > 5 else "")
            raise ModelError(f"both robots have a {kind} called {listed}; pass prefix= to tell them apart")
