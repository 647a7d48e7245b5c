"""The arm of the Space Shuttle."""

from __future__ import annotations

from kinetree.joints import Revolute
from kinetree.joints.axis import X_AXIS, Y_AXIS, Z_AXIS
from kinetree.model import Body, Frame, Joint
from kinetree.robot import Robot
from kinetree.robots.solids import cylinder
from kinetree.spatial import Transform, Vec3

_RADIUS = 0.19  # m
# joint, body, axis, from here to the next joint [m], mass [kg]; stretched along x with all angles zero
_TABLE = (
    ("shoulder_yaw", "shoulder", Z_AXIS, (0.0, 0.0, 0.31), 50.0),
    ("shoulder_pitch", "upper_boom", Y_AXIS, (6.38, 0.0, 0.0), 140.0),
    ("elbow_pitch", "lower_boom", Y_AXIS, (7.06, 0.0, 0.0), 110.0),
    ("wrist_pitch", "wrist", Y_AXIS, (0.46, 0.0, 0.0), 20.0),
    ("wrist_yaw", "hand", Z_AXIS, (0.76, 0.0, 0.0), 40.0),
    ("wrist_roll", "end_effector", X_AXIS, (0.66, 0.0, 0.0), 50.0),
)


def shuttle_rms() -> Robot:
    """An arm like the Shuttle Remote Manipulator System, in orbit: no gravity.

    NASA's public descriptions give the order of the six joints, a length of 15.3 m (50 ft 3 in), a diameter of 0.38 m
    (15 in) and a mass of 410 kg (905 lb). How length and mass are divided among the links is our assumption, and
    so is that links are uniform cylinders. Booms and joints are rigid here; the real ones were not.

    Source: NASA's public descriptions; assumptions of our own.

    Example:
        >>> arm = shuttle_rms()
        >>> round(sum(body.inertia.mass for body in arm.bodies))
        410
    """
    bodies: list[Body] = []
    parent, place = None, Vec3.zero
    for joint, body, axis, step, mass in _TABLE:
        inertia = cylinder(mass, Vec3.zero, Vec3(*step), _RADIUS)
        bodies.append(Body(body, Joint(joint, Revolute(axis), Transform(p=place)), inertia, parent))
        parent, place = body, Vec3(*step)
    return Robot(tuple(bodies), "shuttle_rms", Vec3.zero, (("tip", Frame(parent, Transform(p=place))),))
