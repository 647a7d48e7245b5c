"""The arm of Hua, Poursina and Sanfilippo: two rigid joints and an elastic one, motors near the base."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import Any

from kinetree.joints.axis import Z_AXIS
from kinetree.model import Frame
from kinetree.model.dh import DH
from kinetree.model.motors import Motor
from kinetree.robot import Robot
from kinetree.spatial import Transform, Vec3

_POSSIBLE = 0.4  # the products of inertia are so much of those printed; with half of them link 3 is still impossible
_INERTIAS = (  # kg m^2: xx, yy, zz, xy, xz, yz of table I
    (0.40, 0.50, 0.40, 0.0, 0.0, 0.0),
    (0.35, 0.40, 0.30, 0.15, 0.10, 0.20),
    (0.30, 0.25, 0.25, 0.15, 0.13, 0.20),
)
_HEIGHT, _LENGTH = 0.3, 0.4  # m, our own
_GEAR = 10.0  # our own
_STIFFNESS = 100.0  # N m/rad


def mixed_elastic() -> Robot:
    """Three revolute joints, the third elastic with 100 N m/rad; motors on the base and, for joints 2 and 3, on link 1.

    From [Hua] section V: masses, moments of inertia, stiffness, and which motor is on which link. The inertias that it
    prints for links 2 and 3 are possible for no rigid body; here their products are 0.4 of those printed. Geometry,
    centres of mass and gear ratios are not given there and our own: joint 1 is vertical, joints 2 and 3 are horizontal
    at a shoulder 0.3 m high, links 2 and 3 are 0.4 m long and have their centres in the middle. All gear ratios are 10;
    motors 2 and 3 are at the shoulder, along its axis.

    Source: Hua, section V; our own numbers for the geometry.

    Example:
        >>> mixed_elastic().joint_names
        ('joint1', 'joint2', 'joint3', 'joint3_motor')
    """
    link1, link2, link3 = ((*J[:3], *(_POSSIBLE * x for x in J[3:])) for J in _INERTIAS)
    rows = [
        DH(d=_HEIGHT, mass=2.5, com=(0.0, 0.0, -_HEIGHT / 2), inertia=link1),
        DH(alpha=pi / 2, mass=1.5, com=(_LENGTH / 2, 0.0, 0.0), inertia=link2),
        DH(a=_LENGTH, mass=1.0, com=(_LENGTH / 2, 0.0, 0.0), inertia=link3),
    ]
    tip = Frame("link3", Transform(p=Vec3(_LENGTH, 0.0, 0.0)))
    arm = replace(Robot.from_dh(rows, "modified", name="mixed_elastic"), named_frames=(("tip", tip),))
    shoulder = Vec3(0.0, -1.0, 0.0)  # the axis of joint 2 in the frame of link 1
    rotor: dict[str, Any] = {"gear_ratio": _GEAR, "mass": 1.0, "spin_inertia": 0.004, "transverse_inertia": 0.006}
    motors = [
        Motor("joint1", "world", Z_AXIS, **rotor),
        Motor("joint2", "link1", shoulder, **rotor),
        Motor("joint3", "link1", shoulder, stiffness=_STIFFNESS, **rotor),
    ]
    return arm.with_motors(motors)
