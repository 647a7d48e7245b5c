"""Swimming chains: an eel that moves in a horizontal plane, and one that moves in space."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from kinetree.errors import ModelError
from kinetree.joints import Free, JointKind, Planar, Revolute
from kinetree.joints.axis import Y_AXIS, Z_AXIS
from kinetree.model import Body, Frame, Inertia, Joint
from kinetree.robot import Robot
from kinetree.spatial import Sym3, Transform, Vec3

_LENGTH, _WIDTH, _HEIGHT = 0.12, 0.06, 0.09  # m, a segment with an elliptic section
_DENSITY = 1000.0  # kg/m^3, that of water: the eel neither sinks nor rises


def planar_eel(segments: int = 12) -> Robot:
    """An eel of equal segments in a horizontal plane, free to move in it, with motors between the segments.

    The coordinates are place and heading of the head, then an angle for each joint behind it; the tail points along
    -x. The water carries the weight, so gravity is zero; its other forces go into ``external``.

    Source: our own numbers.

    Args:
        segments: how many, one or more.

    Example:
        >>> planar_eel(5).nv
        7
    """
    if not isinstance(segments, int) or segments < 1:
        raise ModelError(f"an eel has one segment or more, got {segments!r}")
    return _swimmer(f"planar_eel({segments})", Planar(), [Revolute()] * (segments - 1))


def eel(joints: int = 12) -> Robot:
    """An eel of equal segments that swims in space: a free head, and joints that turn about z and y by turns.

    The coordinates are place and orientation of the head, then an angle for each joint behind it. Odd joints turn about
    z, to the side, even ones about y, up and down; the tail points along -x. The water carries the weight, so gravity
    is zero; its other forces go into ``external``. [Khalil2010] section 7 has such robots in mind.

    Source: our own numbers, those of `planar_eel`.

    Args:
        joints: how many, none or more.

    Example:
        >>> eel(5).nq, eel(5).nv, eel(5).base_joints
        (12, 11, ('base',))
    """
    if not isinstance(joints, int) or joints < 0:
        raise ModelError(f"an eel has a number of joints, none or more, got {joints!r}")
    kinds = [Revolute(Z_AXIS if k % 2 else Y_AXIS) for k in range(1, joints + 1)]
    return _swimmer(f"eel({joints})", Free(), kinds)


def _swimmer(name: str, base: JointKind, kinds: Sequence[JointKind]) -> Robot:
    """A head on its base joint, and a segment behind each of the other joints: elliptic cylinders."""
    a, b = _WIDTH / 2, _HEIGHT / 2
    mass = _DENSITY * pi * a * b * _LENGTH
    x, y, z = mass * _LENGTH**2 / 12, mass * a**2 / 4, mass * b**2 / 4
    inertia = Inertia(mass, Vec3(-_LENGTH / 2, 0.0, 0.0), Sym3.diagonal(y + z, x + z, x + y))  # about its front end
    behind = Transform(p=Vec3(-_LENGTH, 0.0, 0.0))
    bodies = [Body("head", Joint("base", base, actuated=False), inertia)]
    for k, kind in enumerate(kinds, 1):
        bodies.append(Body(f"segment{k}", Joint(f"joint{k}", kind, behind), inertia, bodies[-1].name))
    return Robot(tuple(bodies), name, Vec3.zero, (("tail", Frame(bodies[-1].name, behind)),))
