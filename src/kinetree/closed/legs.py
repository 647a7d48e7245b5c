"""The legs of a parallel robot, and the mechanism that they make with the platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kinetree.errors import ModelError, UnknownNameError, check_names
from kinetree.joints import JointKind, Spherical
from kinetree.model import Body, Frame, Loop, Mechanism
from kinetree.robot import Robot
from kinetree.spatial import Transform, Vec3


@dataclass(frozen=True)
class Leg:
    """A leg of a parallel robot: a robot on the base, with the joints by which it holds the platform.

    Args:
        robot: the chain of the leg, its world the base of the parallel robot.
        tips: for each frame of the leg that is joined to the platform, its name and where the joint is on the platform.
            The axes matter for joints that have an axis: both frames have them in common.
        kind: of the joints to the platform; balls by default.
        actuated: the names of the driven joints; those of the robot marked as ``actuated`` by default, which all
            joints are unless marked otherwise.
        base: where the leg's own world is on the base.

    Example:
        A leg that stands on a universal joint and grows, 0.5 m long at its neutral configuration:

        >>> import kinetree as kt
        >>> tube = kt.Body("tube", kt.Joint("foot", kt.joints.Universal()), kt.Inertia(2.0, (0, 0, 0.1), (0.01,) * 3))
        >>> slide = kt.Joint("slide", kt.joints.Prismatic((0, 0, 1)), kt.Transform(p=(0, 0, 0.5)))
        >>> rod = kt.Body("rod", slide, kt.Inertia(1.0, (0, 0, -0.1), (0.01,) * 3), "tube")
        >>> leg = kt.Leg(kt.Robot((tube, rod)), {"rod": kt.Transform(p=(0.1, 0, 0))}, actuated=["slide"])
        >>> leg.kind
        Spherical()
    """

    robot: Robot
    tips: Mapping[str, Transform]
    kind: JointKind = Spherical()
    actuated: Sequence[str] | None = None
    base: Transform = Transform.identity


def assembled(
    platform: Body, legs: Sequence[Leg], gravity: Sequence[float], name: str
) -> tuple[Robot, tuple[str, ...]]:
    """The mechanism of platform and legs, and the names of its driven joints."""
    if not isinstance(platform, Body) or platform.parent is not None:
        carried = f"; {platform.name!r} is carried by {platform.parent!r}" if isinstance(platform, Body) else ""
        raise ModelError(
            f"the platform is a kinetree.Body on a joint from the world, such as kinetree.joints.Free(){carried}"
        )
    if isinstance(legs, Leg) or not isinstance(legs, Sequence) or not legs:
        raise ModelError(f"legs is a list of kinetree.Leg, got {legs!r}")
    whole: Mechanism = Robot((), name, Vec3(*gravity))
    loops: list[Loop] = []
    for k, leg in enumerate(legs, 1):
        _check(k, leg)
        prefix = f"leg{k}_"
        loops += [_joint_to_platform(leg, prefix, tip, platform.name) for tip in leg.tips]
        whole = Robot.of(whole).attach(_driven(k, leg), "world", leg.base, prefix)
    passive = replace(platform, joint=replace(platform.joint, actuated=False))
    robot = Robot.of(replace(whole, bodies=(*whole.bodies, passive), loops=(*whole.loops, *loops)))
    actuated = tuple(b.joint.name for b in whole.bodies if b.joint.actuated and b.joint.name in whole.joint_names)
    if not actuated:
        raise ModelError(f"no leg of {name!r} has a driven joint; name them in Leg(..., actuated=[...])")
    return robot, actuated


def _check(number: int, leg: Any) -> None:
    """Refuse what is no leg."""
    if not isinstance(leg, Leg):
        raise ModelError(f"leg {number} must be a kinetree.Leg, got {leg!r}")
    for name, kind, value in (
        ("robot", Robot, leg.robot),
        ("kind", JointKind, leg.kind),
        ("base", Transform, leg.base),
    ):
        if not isinstance(value, kind):
            raise ModelError(f"leg {number}: its {name} must be a {kind.__name__}, got {value!r}")
    if not isinstance(leg.tips, Mapping) or not leg.tips:
        raise ModelError(
            f"leg {number}: tips says where its frames hold the platform, as {{'tip': kinetree.Transform(p=(0.1, 0, "
            f"0))}}, got {leg.tips!r}"
        )
    frames = [name for name, frame in leg.robot.frames.items() if frame.body is not None]
    for tip, pose in leg.tips.items():
        if tip not in leg.robot.frames:
            raise UnknownNameError(f"frame of leg {number}", tip, frames)
        if tip not in frames:
            raise ModelError(
                f"leg {number}: its frame {tip!r} is fixed in the base; what moves is {', '.join(map(repr, frames))}"
            )
        if not isinstance(pose, Transform):
            raise ModelError(f"leg {number}: the pose of {tip!r} on the platform must be a Transform, got {pose!r}")


def _driven(number: int, leg: Leg) -> Robot:
    """The leg's robot with its driven joints marked, and no others."""
    if leg.actuated is None:
        return leg.robot
    if isinstance(leg.actuated, str):
        raise ModelError(f"leg {number}: actuated is a list of names, such as [{leg.actuated!r}]")
    check_names(f"joint of leg {number}", leg.actuated, leg.robot.joint_names)
    bodies = (replace(b, joint=replace(b.joint, actuated=b.joint.name in leg.actuated)) for b in leg.robot.bodies)
    return replace(leg.robot, bodies=tuple(bodies))


def _joint_to_platform(leg: Leg, prefix: str, tip: str, platform: str) -> Loop:
    frame = leg.robot.frames[tip]
    name = f"{prefix}{tip}" if len(leg.tips) > 1 else f"{prefix}joint"
    return Loop(name, leg.kind, Frame(prefix + str(frame.body), frame.pose), Frame(platform, leg.tips[tip]))
