"""A body, its joint and all that it carries, by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kinetree.errors import ModelError, check_name
from kinetree.joints import Rotor
from kinetree.model import Coupling, Loop, Mechanism


def subtree(mechanism: Mechanism, body: str) -> Mechanism:
    """The body, its joint and all that it carries; the frame of its parent becomes the world.

    Gravity keeps its components: it is in world axes again. Mimics, motors, loops and couplings with a part that
    stays behind are refused.

    Args:
        mechanism: to be cut.
        body: the name of the one that is to be on the world.
    """
    check_name("body", body, [x.name for x in mechanism.bodies])
    inside = {body}
    for x in mechanism.bodies:
        if x.parent in inside:
            inside.add(x.name)
    bodies = [x for x in mechanism.bodies if x.name in inside]
    joints = {x.joint.name for x in bodies}
    _check_links(mechanism, joints, body)
    # the world stays what it is only for a body that was on it
    world = {None} if bodies[0].parent is None else set()
    return replace(
        mechanism,
        bodies=tuple(replace(x, parent=None) if x.name == body else x for x in bodies),
        named_frames=tuple((name, frame) for name, frame in mechanism.named_frames if frame.body in inside),
        loops=tuple(_whole_loops(mechanism.loops, inside, inside | world, body)),
        couplings=tuple(_whole_couplings(mechanism.couplings, joints, body)),
        shapes=tuple(x for x in mechanism.shapes if x.frame.body in inside),
    )


def _check_links(mechanism: Mechanism, joints: set[str], body: str) -> None:
    """Joints that depend on each other stay together."""
    mounts = {other.joint.name: other.parent or "world" for other in mechanism.bodies}
    for x in (other.joint for other in mechanism.bodies):
        motor = x.transmission or isinstance(x.kind, Rotor)
        for link, does in ((x.mimic, "turns with" if motor else "mimics"), (x.transmission, "drives")):
            if not link or (x.name in joints) == (link.joint in joints):
                continue
            if x.name in joints:
                remedy = f"lock {link.joint!r} first, or take a larger part"
                raise ModelError(f"joint {x.name!r} {does} {link.joint!r}, which {body!r} does not carry; {remedy}")
            if motor:
                place = f"mounted on {mounts[x.name]!r}, which {body!r} does not carry"
                raise ModelError(f"motor {x.name!r} {does} {link.joint!r} but is {place}; take a larger part")


def _whole_loops(loops: Iterable[Loop], inside: set[str], known: set[str | None], body: str) -> Iterable[Loop]:
    for loop in loops:
        ends = {loop.predecessor.body, loop.successor.body}
        if ends & inside:
            if ends - known:
                given = f"loop {loop.name!r} connects {' and '.join(sorted(repr(x or 'world') for x in ends))}"
                remedy = "take the loop away first, or take a larger part"
                raise ModelError(f"{given}, of which {body!r} carries only one; {remedy}")
            yield loop


def _whole_couplings(couplings: Iterable[Coupling], joints: set[str], body: str) -> Iterable[Coupling]:
    for coupling in couplings:
        ends = {x for x in (coupling.joint, coupling.leader) if x is not None}
        if ends & joints:
            if ends - joints:
                given = f"joint {coupling.joint!r} is coupled to {coupling.leader!r}"
                remedy = "take the coupling away first, or take a larger part"
                raise ModelError(f"{given}, and {body!r} carries only one of them; {remedy}")
            yield coupling
