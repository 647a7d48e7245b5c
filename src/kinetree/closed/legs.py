"""The legs of a parallel robot, and the mechanism that they make with the platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kinetree.errors import ModelError, UnknownNameError
from kinetree.joints import JointKind, Spherical
from kinetree.model.frame import Frame
from kinetree.model.loops import Loop
from kinetree.model.mechanism import Body, Mechanism
from kinetree.robot import Robot
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True)
class Leg:
    """A leg of a parallel robot: a robot on the base, with the joints by which it holds the platform.

    Args:
        robot: the chain of the leg, its world the base of the parallel robot.
        tips: for each frame of the leg that is joined to the platform, its name and where the joint is on the platform.
        kind: of the joints to the platform; balls by default.
        actuated: the names of the driven joints; those of the robot marked as ``actuated`` by default.
        base: where the leg's own world is on the base.
    """

    robot: Robot
    tips: Mapping[str, Transform]
    kind: JointKind = Spherical()
    actuated: Sequence[str] | None = None
    base: Transform = Transform.identity


def assembled(platform: Body, legs: Sequence[Leg], gravity: Sequence[float], name: str) -> tuple[Robot, list[str]]:
    """The mechanism of platform and legs, and the names of its driven joints."""
    if not isinstance(platform, Body) or platform.parent is not None:
        raise ModelError("the platform is a kinetree.Body on a joint from the world, such as kinetree.joints.Free()")
    whole: Mechanism = Robot((), name, Vec3(*gravity))
    loops: list[Loop] = []
    actuated: list[str] = []
    for k, leg in enumerate(legs, 1):
        if not isinstance(leg, Leg):
            raise ModelError(f"legs are of kinetree.Leg, got {leg!r}")
        prefix = f"leg{k}_"
        loops += [_joint_to_platform(leg, prefix, tip, platform.name, len(leg.tips)) for tip in leg.tips]
        own = [b.joint.name for b in leg.robot.bodies if b.joint.actuated] if leg.actuated is None else leg.actuated
        actuated += [prefix + joint for joint in own]
        whole = Robot.of(whole).attach(leg.robot, "world", leg.base, prefix)
    passive = replace(platform, joint=replace(platform.joint, actuated=False))
    robot = Robot.of(replace(whole, bodies=(*whole.bodies, passive), loops=(*whole.loops, *loops)))
    return robot, actuated


def _joint_to_platform(leg: Leg, prefix: str, tip: str, platform: str, tips: int) -> Loop:
    if tip not in leg.robot.frames:
        raise UnknownNameError("frame of the leg", tip, leg.robot.frames)
    frame = leg.robot.frames[tip]
    name = f"{prefix}{tip}" if tips > 1 else f"{prefix}joint"
    if frame.body is None:
        raise ModelError(f"the frame {tip!r} of a leg is fixed in its base; a leg holds the platform with a body")
    return Loop(name, leg.kind, Frame(prefix + frame.body, frame.pose), Frame(platform, leg.tips[tip]))
