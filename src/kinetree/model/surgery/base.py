"""What a mechanism stands on and falls towards: its base and its gravity."""

from __future__ import annotations

from dataclasses import replace

from kinetree.errors import ModelError
from kinetree.joints import Free
from kinetree.model import Body, Frame, Inertia, Joint, Mechanism, Moments, gravity_vector
from kinetree.model.surgery.frames import moved
from kinetree.model.surgery.weld import welded
from kinetree.model.validation import free_name
from kinetree.scalar import Vector

BASE = "base"


def with_gravity(mechanism: Mechanism, gravity: Vector) -> Mechanism:
    """The mechanism under another gravity: the acceleration of free fall in world axes [m/s^2]."""
    return replace(mechanism, gravity=gravity_vector(gravity))


def with_base(mechanism: Mechanism, base: str, inertia: Inertia | Moments | None = None) -> Mechanism:
    """The mechanism on a floating base, or with its floating base fixed.

    "floating": what was on the world - bodies, frames, ends of loops - is on a new body "base" on the free joint
    "base", whose coordinates come first. A frame "base" at the world's origin becomes that body; where another frame
    has the name, the body is called "base_". What the world has carried has no known inertia: give it.

    "fixed": the body on the free joint is welded to the world where the joint frame is; its frame stays by name.

    Args:
        mechanism: to be put on another base.
        base: "floating" or "fixed".
        inertia: of the floating base; none by default.
    """
    if base == "floating":
        return _floating(mechanism, inertia or Inertia())
    if base != "fixed":
        raise ModelError(f"base {base!r} is not one of 'fixed', 'floating'")
    if inertia is not None:
        raise ModelError("an inertia has no effect on a fixed base; leave it out")
    root = floating_root(mechanism)
    if root is None:
        roots = [f"{x.name!r} on a {type(x.joint.kind).__name__} joint" for x in mechanism.bodies if x.parent is None]
        given = f"{mechanism.name!r} has no floating base to be fixed"
        raise ModelError(f"{given}: on the world there is {', '.join(roots) or 'nothing'}")
    return welded(mechanism, {root.name: root.joint.placement})


def floating_root(mechanism: Mechanism) -> Body | None:
    """The one body on the world, where it is free; else None."""
    roots = [body for body in mechanism.bodies if body.parent is None]
    return roots[0] if len(roots) == 1 and isinstance(roots[0].joint.kind, Free) else None


def _floating(mechanism: Mechanism, inertia: Inertia | Moments) -> Mechanism:
    if root := floating_root(mechanism):
        raise ModelError(f"{mechanism.name!r} is on a floating base already, {root.name!r}")
    if any(body.joint.name == BASE for body in mechanism.bodies):
        raise ModelError(f"{BASE!r} is the name of the joint of a floating base; rename the joint that has it")
    # a frame in the place of the base is the base
    there = mechanism.frames.get(BASE) == Frame(None)
    name = BASE if there else free_name(BASE, mechanism.frames)

    def move(frame: Frame) -> Frame:
        return frame if frame.body is not None else Frame(name, frame.pose)

    frames = tuple((x, frame) for x, frame in mechanism.named_frames if x != name)
    carried = (replace(body, parent=body.parent or name) for body in mechanism.bodies)
    bodies = (Body(name, Joint(BASE, Free()), inertia), *carried)
    return moved(replace(mechanism, named_frames=frames), bodies, move)
