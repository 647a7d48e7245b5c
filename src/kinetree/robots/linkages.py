"""Planar linkages: bars between pins. They are given by the pins' places in one configuration, the neutral one."""

from __future__ import annotations

from kinetree.joints import Revolute
from kinetree.joints.axis import Z_AXIS
from kinetree.model import Body, Frame, Joint, Loop
from kinetree.robot import Robot
from kinetree.robots.solids import cylinder
from kinetree.spatial import Transform, Vec3

_BACKWARD = Vec3(0.0, -1.0, 0.0)  # turning about it lifts what points along x


def four_bar() -> Robot:
    """A crank and rocker in the vertical x-z plane: crank 0.15 m, coupler 0.40 m, rocker 0.39 m, pivots 0.56 m apart.

    The shortest and the longest bar are together shorter than the other two, so the crank turns fully (Grashof).
    The tree is cut at the pin between coupler and rocker, the loop "pin"; it closes at ``robot.neutral``. The crank is
    driven.

    Source: our own numbers.

    Example:
        >>> robot = four_bar()
        >>> robot.nv, [loop.name for loop in robot.loops]
        (3, ['pin'])
    """
    a, b, c, d = Vec3(0.0, 0.0, 0.0), Vec3(0.09, 0.0, 0.12), Vec3(0.41, 0.0, 0.36), Vec3(0.56, 0.0, 0.0)
    bodies = (
        _bar("crank", _BACKWARD, a, b, 0.5),
        _bar("coupler", _BACKWARD, b - a, c - a, 1.2, "crank"),
        _bar("rocker", _BACKWARD, d, c, 1.2, driven=False),
    )
    return Robot(bodies, "four_bar", loops=(_pin(_BACKWARD, "coupler", c - b, "rocker", c - d),))


def five_bar() -> Robot:
    """Two driven bars of 0.30 m and two of 0.40 m in the horizontal plane, pivots 0.12 m apart: a plane parallel robot.

    The tree is cut at the tip, the loop "pin"; it closes at ``robot.neutral``. The bars at the base are driven, the
    frame "tip" is the tool.

    Source: our own numbers.

    Example:
        >>> robot = five_bar()
        >>> [body.joint.name for body in robot.bodies if body.joint.actuated]
        ['left_shoulder', 'right_shoulder']
    """
    tip = Vec3(0.0, 0.56, 0.0)
    bodies: list[Body] = []
    for side, sign in (("left", -1.0), ("right", 1.0)):
        root, elbow = Vec3(sign * 0.06, 0.0, 0.0), Vec3(sign * 0.24, 0.24, 0.0)
        bodies.append(_bar(f"{side}_upper", Z_AXIS, root, elbow, 0.6, joint=f"{side}_shoulder"))
        bodies.append(_bar(f"{side}_lower", Z_AXIS, elbow - root, tip - root, 0.4, f"{side}_upper", f"{side}_elbow"))
    left, right = tip - Vec3(-0.24, 0.24, 0.0), tip - Vec3(0.24, 0.24, 0.0)
    pin = _pin(Z_AXIS, "left_lower", left, "right_lower", right)
    return Robot(tuple(bodies), "five_bar", named_frames=(("tip", pin.predecessor),), loops=(pin,))


def _bar(
    name: str, axis: Vec3, start: Vec3, end: Vec3, mass: float, parent: str = "", joint: str = "", driven: bool = True
) -> Body:
    """A slender bar that turns about its start; both ends are in the parent's frame. Bars on bars are not driven."""
    hinge = Joint(joint or f"{name}_joint", Revolute(axis), Transform(p=start), actuated=driven and not parent)
    return Body(name, hinge, cylinder(mass, Vec3.zero, end - start, 0.01), parent or None)


def _pin(axis: Vec3, one: str, place: Vec3, other: str, there: Vec3) -> Loop:
    return Loop("pin", Revolute(axis), Frame(one, Transform(p=place)), Frame(other, Transform(p=there)))
