"""A robot dog."""

from __future__ import annotations

from kinetree.joints import Free, JointKind, Revolute
from kinetree.joints.axis import X_AXIS, Y_AXIS
from kinetree.model import Body, Frame, Joint, Limits
from kinetree.robot import Robot
from kinetree.robots.solids import box, cylinder
from kinetree.spatial import Transform, Vec3

_TRUNK = box(15.0, Vec3(0.0, 0.0, 0.01), Vec3(0.55, 0.24, 0.14))
_LEGS = {"FL": (1, 1), "FR": (1, -1), "HL": (-1, 1), "HR": (-1, -1)}  # front or hind, left or right
_HIP_X, _HIP_Y, _ABDUCTION = 0.25, 0.08, 0.08  # m, from the trunk's centre to the hip, from there outwards to the leg
_THIGH, _SHANK = 0.30, 0.30  # m
_ROTOR = 0.07  # kg m^2 on the joint side: a light rotor behind a gear of about ten


def quadruped() -> Robot:
    """A dog-like robot of 30 kg: a floating trunk and four legs of three motors each.

    x is forward, y left, z up; legs FL, FR, HL, HR each have hip, thigh and knee, and end in a frame such as "FL_foot".
    With all angles zero the legs hang straight down; it stands with hip 0, thigh 0.7, knee -1.4 and the trunk 0.46 m
    above the ground.

    Source: our own numbers, in the class of the robots of this size.

    Example:
        >>> dog = quadruped()
        >>> dog.nq, dog.nv, round(sum(body.inertia.mass for body in dog.bodies), 6)
        (19, 18, 30.0)
    """
    trunk = Body("trunk", Joint("base", Free(), actuated=False), _TRUNK)
    legs = (body for leg, (front, left) in _LEGS.items() for body in _leg(leg, front, left))
    feet = [(f"{leg}_foot", Frame(f"{leg}_shank", Transform(p=Vec3(0.0, 0.0, -_SHANK)))) for leg in _LEGS]
    return Robot((trunk, *legs), "quadruped", named_frames=tuple(feet))


def _leg(leg: str, front: int, left: int) -> list[Body]:
    aside, down = Vec3(0.0, left * _ABDUCTION, 0.0), Vec3(0.0, 0.0, -_THIGH)
    hip, thigh = cylinder(1.7, Vec3.zero, aside, 0.05), cylinder(1.7, Vec3.zero, down, 0.04)
    shank = cylinder(0.35, Vec3.zero, Vec3(0.0, 0.0, -_SHANK), 0.015)

    def motor(name: str, kind: JointKind, place: Vec3, lower: float, upper: float) -> Joint:
        limits = Limits(lower, upper, velocity=20.0, effort=80.0)
        return Joint(f"{leg}_{name}", kind, Transform(p=place), damping=0.1, rotor_inertia=_ROTOR, limits=limits)

    root = Vec3(front * _HIP_X, left * _HIP_Y, 0.0)
    return [
        Body(f"{leg}_hip", motor("hip_joint", Revolute(X_AXIS), root, -0.8, 0.8), hip, "trunk"),
        Body(f"{leg}_thigh", motor("thigh_joint", Revolute(Y_AXIS), aside, -1.5, 3.0), thigh, f"{leg}_hip"),
        Body(f"{leg}_shank", motor("knee_joint", Revolute(Y_AXIS), down, -2.7, 0.0), shank, f"{leg}_thigh"),
    ]
