"""The delta robot: three arms, six rods, a platform that does not turn."""

from __future__ import annotations

from math import asin, pi

from kinetree.joints import Free, Revolute, Spherical, Universal
from kinetree.joints.axis import X_AXIS, Y_AXIS
from kinetree.model import Body, Frame, Joint, Limits, Loop
from kinetree.robot import Robot
from kinetree.robots.solids import cylinder
from kinetree.spatial import Rotation, Transform, Vec3

_BASE, _ARM, _PLATFORM, _ROD = 0.12, 0.23, 0.05, 0.50  # m: radius of the motors, arm, radius of the balls, rod
_HALF_WIDTH = 0.04  # m, between the two rods of an arm
_SPAN = _BASE + _ARM - _PLATFORM  # 0.30 m, what a rod bridges sideways with the arms level; so it bridges 0.40 m down
_TILT = asin(_SPAN / _ROD)
_DOWN = Vec3(0.0, 0.0, -_ROD)
_HEIGHT = (_ROD**2 - _SPAN**2) ** 0.5
_THICK = cylinder(0.4, Vec3(0.0, 0.0, -0.01), Vec3(0.0, 0.0, 0.01), 0.06)


def delta() -> Robot:
    """A delta robot: motors lift three arms, each with a pair of rods of equal length to the platform below.

    Arms 0.23 m, rods 0.50 m, motors on a circle of 0.12 m radius, the rods' balls 0.05 m from the platform's centre.
    A rod hangs on its arm by a universal joint and holds the platform by a ball; the tree is cut at the six balls,
    loops "ball1a" to "ball3b". They close at ``robot.neutral``: arms level, platform 0.4 m below the motors. The
    motors are driven, positive downwards. Numbers are our own.

    Example:
        >>> robot = delta()
        >>> robot.nv, len(robot.loops), sum(body.joint.actuated for body in robot.bodies)
        (21, 6, 3)
    """
    bodies: list[Body] = []
    loops: list[Loop] = []
    for k in (1, 2, 3):
        turn = Rotation.about(2, (k - 1) * 2 * pi / 3)  # x is outwards, y along the motor's axis
        root = Transform(turn, turn @ Vec3(_BASE, 0.0, 0.0))
        motor = Joint(f"motor{k}", Revolute(Y_AXIS), root, rotor_inertia=0.01, limits=Limits(-1.0, 1.4))
        bodies.append(Body(f"arm{k}", motor, cylinder(0.5, Vec3.zero, Vec3(_ARM, 0.0, 0.0), 0.015)))
        for name, y in ((f"{k}a", -_HALF_WIDTH), (f"{k}b", _HALF_WIDTH)):
            elbow = Transform(Rotation.about(1, _TILT), Vec3(_ARM, y, 0.0))
            hinge = Joint(f"elbow{name}", Universal(Y_AXIS, X_AXIS), elbow, actuated=False)
            bodies.append(Body(f"rod{name}", hinge, cylinder(0.08, Vec3.zero, _DOWN, 0.005), f"arm{k}"))
            end = root @ elbow @ Transform(p=_DOWN)
            place = Frame("platform", Transform(end.R, end.p + Vec3(0.0, 0.0, _HEIGHT)))
            loops.append(Loop(f"ball{name}", Spherical(), Frame(f"rod{name}", Transform(p=_DOWN)), place))
    below = Transform(p=Vec3(0.0, 0.0, -_HEIGHT))
    bodies.append(Body("platform", Joint("platform_joint", Free(), below, actuated=False), _THICK))
    return Robot(tuple(bodies), "delta", loops=tuple(loops))
