"""How the base of a mechanism moves, the world frame of its tree: not at all, or as prescribed.

Gravity is an upward acceleration of the base. A prescribed base has a velocity, an acceleration and, for force rates, a
jerk, each six numbers, angular first, in base axes; each is the rate of the components before it, as for a floating
base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kinetree.model import Mechanism
from kinetree.scalar import Vector
from kinetree.spatial import AngularMotion, Motion, Vec3


@dataclass(frozen=True, slots=True)
class BaseMotion:
    """The motion of the base in base axes; by default it is at rest, without gravity.

    Args:
        angular: its angular velocity and acceleration.
        acceleration: of its origin, less that of free fall.
        velocity: angular and linear.
        jerk: the rates of the angular acceleration and of ``acceleration``.
    """

    angular: AngularMotion = AngularMotion(Vec3.zero, Vec3.zero)
    acceleration: Vec3 = Vec3.zero
    velocity: Motion = Motion.zero
    jerk: Motion = Motion.zero

    @staticmethod
    def fixed(robot: Mechanism) -> BaseMotion:
        """A base at rest under gravity."""
        return BaseMotion(acceleration=-robot.gravity)

    @staticmethod
    def prescribed(robot: Mechanism, velocity: Vector, acceleration: Vector, jerk: Vector | None = None) -> BaseMotion:
        """A base with a given motion, six numbers each."""
        v, a = Motion.of(velocity), Motion.of(acceleration)
        j = Motion.zero if jerk is None else Motion.of(jerk)
        # gravity keeps its direction in space, and so turns backwards in base axes
        rate = j.lin + a.ang.cross(v.lin) + v.ang.cross(a.lin + robot.gravity)
        angular = AngularMotion(v.ang, a.ang)
        return BaseMotion(angular, a.lin + v.ang.cross(v.lin) - robot.gravity, v, Motion(j.ang, rate))


Base: TypeAlias = "BaseMotion | None"  # None: at rest under gravity
