"""The platform of Gough and Stewart: six legs that grow and shrink."""

from __future__ import annotations

from math import cos, radians, sin

from kinetree.joints import Free, Prismatic, Spherical, Universal
from kinetree.model import Body, Frame, Joint, Limits, Loop
from kinetree.robot import Robot
from kinetree.robots.solids import cylinder
from kinetree.spatial import Mat3, Rotation, Transform, Vec3

_BASE, _PLATFORM, _HEIGHT = 0.5, 0.3, 0.6  # m, radii of the joints' circles, the platform above the base
_ANGLES = ((-10.0, -50.0), (10.0, 50.0))  # degrees, the two legs of a third: at the base, at the platform
_STROKE = 0.15  # m, to either side
_PLATE = cylinder(20.0, Vec3(0.0, 0.0, -0.01), Vec3(0.0, 0.0, 0.01), 0.32)


def gough_stewart() -> Robot:
    """A hexapod of six UPS legs: universal joint, driven prismatic joint, ball.

    Base joints lie on a circle of 0.5 m radius in pairs 20 degrees apart, the platform's balls on one of 0.3 m in pairs
    20 degrees apart, turned by 60 degrees against the base. The tree is cut at the balls, loops "ball1" to "ball6";
    they close at ``robot.neutral``, with the platform level 0.6 m above the base and the legs in the middle of their
    stroke. Numbers are our own.

    Example:
        >>> robot = gough_stewart()
        >>> [body.joint.name for body in robot.bodies if body.joint.actuated]
        ['leg1', 'leg2', 'leg3', 'leg4', 'leg5', 'leg6']
    """
    bodies: list[Body] = []
    loops: list[Loop] = []
    feet = [(120.0 * k + base, 120.0 * k + platform) for k in range(3) for base, platform in _ANGLES]
    for k, (base, platform) in enumerate(feet, 1):
        foot, ball = _on_circle(_BASE, base), _on_circle(_PLATFORM, platform)
        way = ball + Vec3(0.0, 0.0, _HEIGHT) - foot
        length, up = way.dot(way) ** 0.5, _upright(way)
        top = Transform(p=Vec3(0.0, 0.0, length))
        hinge = Joint(f"foot{k}", Universal(), Transform(up, foot), actuated=False)
        bodies.append(Body(f"cylinder{k}", hinge, cylinder(4.0, Vec3.zero, Vec3(0.0, 0.0, 0.4), 0.04)))
        slide = Joint(f"leg{k}", Prismatic(), top, limits=Limits(-_STROKE, _STROKE))
        bodies.append(Body(f"rod{k}", slide, cylinder(1.5, Vec3(0.0, 0.0, -0.4), Vec3.zero, 0.02), f"cylinder{k}"))
        loops.append(Loop(f"ball{k}", Spherical(), Frame(f"rod{k}"), Frame("platform", Transform(up, ball))))
    above = Transform(p=Vec3(0.0, 0.0, _HEIGHT))
    bodies.append(Body("platform", Joint("platform_joint", Free(), above, actuated=False), _PLATE))
    return Robot(tuple(bodies), "gough_stewart", loops=tuple(loops))


def _on_circle(radius: float, degrees: float) -> Vec3:
    return Vec3(radius * cos(radians(degrees)), radius * sin(radians(degrees)), 0.0)


def _upright(way: Vec3) -> Rotation:
    """The orientation with z along the way and x level."""
    z = way * (1.0 / way.dot(way) ** 0.5)
    level = (z.x**2 + z.y**2) ** 0.5
    x = Vec3(-z.y / level, z.x / level, 0.0)
    return Rotation.of(Mat3(x, z.cross(x), z).T)
