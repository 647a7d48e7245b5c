"""How the world frame of a mechanism moves: not at all, or as prescribed.

Gravity is an acceleration of the root upwards. A prescribed base has a velocity, an acceleration and, for rates, a
jerk, each six numbers, angular first, in base axes; each is the rate of the components before it, as for a floating
base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.model.mechanism import Mechanism
from kinetree.scalar import Real
from kinetree.spatial.motion import Motion
from kinetree.spatial.spin import Spin
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Root:
    """Spin of the root, its velocity, the acceleration of its origin less that of free fall, and the rates of both."""

    spin: Spin
    acceleration: Vec3
    velocity: Motion
    jerk: Motion = Motion.zero

    @staticmethod
    def still(robot: Mechanism) -> Root:
        return Root(Spin(Vec3.zero, Vec3.zero), -robot.gravity, Motion.zero)

    @staticmethod
    def moving(
        robot: Mechanism, velocity: Sequence[Real], acceleration: Sequence[Real], jerk: Sequence[Real] | None = None
    ) -> Root:
        v, a = Motion.of(velocity), Motion.of(acceleration)
        j = Motion.zero if jerk is None else Motion.of(jerk)
        # gravity keeps its direction in space, and so turns backwards in base axes
        rate = j.lin + a.ang.cross(v.lin) + v.ang.cross(a.lin + robot.gravity)
        return Root(Spin(v.ang, a.ang), a.lin + v.ang.cross(v.lin) - robot.gravity, v, Motion(j.ang, rate))
