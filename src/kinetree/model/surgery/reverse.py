"""Joints seen from the other side: the parent moves, the body is what it moves on.

The reversed kind makes the inverse motion: its transform is that of the kind, inverted. Where a kind can keep its
coordinates it does, and everything that resists the joint stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kinetree import joints
from kinetree.errors import ModelError
from kinetree.model import Joint, Limits
from kinetree.model.joint import NONNEGATIVE, PER_VELOCITY
from kinetree.model.surgery.frames import rule_for


def reversed_joint(joint: Joint) -> Joint:
    """The joint with the inverse motion, still at its old placement."""
    return rule_for(REVERSED, joint.kind, f"joint {joint.name!r}: a joint", "reversed")(joint)


def check_bare(joint: Joint, why: str) -> None:
    """Refuse a joint with friction, spring, rotor or limits: they are about coordinates that it will not have."""
    for what in NONNEGATIVE:
        if any(x != 0.0 for x in getattr(joint, what)):
            raise ModelError(f"joint {joint.name!r} has a {what} {getattr(joint, what)} that can't go along: {why}")
    if joint.limits != Limits():
        raise ModelError(f"joint {joint.name!r} has {joint.limits} that can't go along: {why}")


def _about_opposite_axis(joint: Joint) -> Joint:
    # the inverse of a motion along an axis by q is that along the opposite axis by q
    kind: Any = joint.kind
    return replace(joint, kind=replace(kind, axis=-kind.axis))


def _with_axes_swapped(joint: Joint) -> Joint:
    # (R(a, q0) R(b, q1))^-1 = R(-b, q1) R(-a, q0)
    kind: Any = joint.kind
    swapped = {x: getattr(joint, x)[::-1] for x in PER_VELOCITY}
    return replace(joint, kind=joints.Universal(-kind.second, -kind.first), **swapped)


def _inverted(joint: Joint) -> Joint:
    check_bare(joint, f"reversed, its coordinates are those of the inverse {type(joint.kind).__name__} motion")
    return joint


def _refused(joint: Joint) -> Joint:
    raise ModelError(f"joint {joint.name!r}: a rotor carries nothing, so it can't become the base")


REVERSED: Mapping[type[joints.JointKind], Callable[[Joint], Joint]] = {
    **dict.fromkeys((joints.Revolute, joints.Prismatic, joints.Helical, joints.Cylindrical), _about_opposite_axis),
    joints.Universal: _with_axes_swapped,
    **dict.fromkeys((joints.Spherical, joints.Planar, joints.Free), _inverted),
    joints.Fixed: lambda joint: joint,
    joints.Rotor: _refused,
}
