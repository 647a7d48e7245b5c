"""The planar parallel robot with three legs of two bars: three turns each, hence 3-RRR."""

from __future__ import annotations

from math import pi

from kinetree.joints import Planar, Revolute
from kinetree.model import Body, Frame, Inertia, Joint, Limits, Loop
from kinetree.robot import Robot
from kinetree.robots.solids import cylinder
from kinetree.spatial import Rotation, Sym3, Transform, Vec3

_BASE, _PLATFORM = 0.40, 0.10  # m, radii of the circles of the motors and of the pins
_UPPER, _LOWER = Vec3(-0.15, 0.20, 0.0), Vec3(-0.15, -0.20, 0.0)  # m, the bars at neutral; x is outwards, y to the left


def planar_3rrr() -> Robot:
    """A platform that three legs move in the horizontal plane; each has a driven bar and one that holds a corner.

    All bars are 0.25 m long. The motors stand on a circle of 0.40 m radius, 120 degrees apart, and the platform is a
    triangle with its corners 0.10 m from the centre. The tree is cut at the pins on the platform, loops "pin1" to
    "pin3"; they close at ``robot.neutral``, with the platform in the middle and the elbows bent to the left, seen from
    the centre. The lines of the lower bars pass the centre at 0.08 m there, so the motors hold the platform against
    any turn. Gravity is along -z, across the plane. Numbers are our own.

    Example:
        >>> robot = planar_3rrr()
        >>> robot.nv, [loop.name for loop in robot.loops], sum(body.joint.actuated for body in robot.bodies)
        (9, ['pin1', 'pin2', 'pin3'], 3)
    """
    bodies: list[Body] = []
    loops: list[Loop] = []
    for k in (1, 2, 3):
        turn = Rotation.about(2, (k - 1) * 2 * pi / 3)
        foot, corner = (Transform(turn, turn @ Vec3(radius, 0.0, 0.0)) for radius in (_BASE, _PLATFORM))
        motor = Joint(f"motor{k}", Revolute(), foot, rotor_inertia=0.005, limits=Limits(-1.0, 1.0))
        bodies.append(Body(f"upper{k}", motor, cylinder(0.5, Vec3.zero, _UPPER, 0.01)))
        elbow = Joint(f"elbow{k}", Revolute(), Transform(p=_UPPER), actuated=False)
        bodies.append(Body(f"lower{k}", elbow, cylinder(0.4, Vec3.zero, _LOWER, 0.01), f"upper{k}"))
        end = Frame(f"lower{k}", Transform(p=_LOWER))
        loops.append(Loop(f"pin{k}", Revolute(), end, Frame("platform", corner)))
    bodies.append(Body("platform", Joint("platform_joint", Planar(), actuated=False), _triangle(0.6, _PLATFORM)))
    return Robot(tuple(bodies), "planar_3rrr", loops=tuple(loops))


def _triangle(mass: float, radius: float) -> Inertia:
    """A thin plate with three equal sides in the x-y plane, corners at the radius [m]."""
    across = mass * radius**2 / 8
    return Inertia(mass, Vec3.zero, Sym3.diagonal(across, across, 2 * across))
