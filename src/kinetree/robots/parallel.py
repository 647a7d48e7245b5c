"""Parallel robots: a platform on legs. Each tree is cut at the joints on the platform; numbers are our own."""

from __future__ import annotations

from collections.abc import Sequence
from math import asin, cos, pi, radians, sin

from kinetree.joints import Free, JointKind, Planar, Prismatic, Revolute, Spherical, Universal
from kinetree.joints.axis import X_AXIS, Y_AXIS
from kinetree.model import Body, Frame, Inertia, Joint, Limits, Loop
from kinetree.robot import Robot
from kinetree.robots.solids import cylinder
from kinetree.spatial import Mat3, Rotation, Sym3, Transform, Vec3


def delta() -> Robot:
    """A delta robot: motors lift three arms, each with a pair of rods of equal length to the platform below.

    Arms 0.23 m, rods 0.50 m, motors on a circle of 0.12 m radius, the rods' balls 0.05 m from the platform's centre.
    A rod hangs on its arm by a universal joint and holds the platform by a ball; the tree is cut at the six balls,
    loops "ball1a" to "ball3b". They close at ``robot.neutral``: arms level, platform 0.4 m below the motors. The
    motors are driven, positive downwards.

    Source: our own numbers.

    Example:
        >>> robot = delta()
        >>> robot.nv, len(robot.loops), sum(body.joint.actuated for body in robot.bodies)
        (21, 6, 3)
    """
    base, arm, platform, rod = 0.12, 0.23, 0.05, 0.50  # m: radius of the motors, arm, radius of the balls, rod
    half_width = 0.04  # m, between the two rods of an arm
    span = base + arm - platform  # 0.30 m, what a rod bridges sideways with the arms level; so it bridges 0.40 m down
    height, down, tilt = (rod**2 - span**2) ** 0.5, Vec3(0.0, 0.0, -rod), Rotation.about(1, asin(span / rod))
    bodies: list[Body] = []
    loops: list[Loop] = []
    for k in (1, 2, 3):
        root = _third(k, base)
        motor = Joint(f"motor{k}", Revolute(Y_AXIS), root, rotor_inertia=0.01, limits=Limits(-1.0, 1.4))
        bodies.append(Body(f"arm{k}", motor, cylinder(0.5, Vec3.zero, Vec3(arm, 0.0, 0.0), 0.015)))
        for name, y in ((f"{k}a", -half_width), (f"{k}b", half_width)):
            elbow = Transform(tilt, Vec3(arm, y, 0.0))
            hinge = Joint(f"elbow{name}", Universal(Y_AXIS, X_AXIS), elbow, actuated=False)
            bodies.append(Body(f"rod{name}", hinge, cylinder(0.08, Vec3.zero, down, 0.005), f"arm{k}"))
            end = root @ elbow @ Transform(p=down)
            place = Frame("platform", Transform(end.R, end.p + Vec3(0.0, 0.0, height)))
            loops.append(Loop(f"ball{name}", Spherical(), Frame(f"rod{name}", Transform(p=down)), place))
    thick = cylinder(0.4, Vec3(0.0, 0.0, -0.01), Vec3(0.0, 0.0, 0.01), 0.06)
    return _on_legs("delta", bodies, loops, Free(), -height, thick)


def gough_stewart() -> Robot:
    """A hexapod of six UPS legs: universal joint, driven prismatic joint, ball.

    Base joints lie on a circle of 0.5 m radius in pairs 20 degrees apart, the platform's balls on one of 0.3 m in pairs
    20 degrees apart, turned by 60 degrees against the base. The tree is cut at the balls, loops "ball1" to "ball6";
    they close at ``robot.neutral``, with the platform level 0.6 m above the base and the legs in the middle of their
    stroke.

    Source: our own numbers.

    Example:
        >>> robot = gough_stewart()
        >>> [body.joint.name for body in robot.bodies if body.joint.actuated]
        ['leg1', 'leg2', 'leg3', 'leg4', 'leg5', 'leg6']
    """
    height, stroke = 0.6, Limits(-0.15, 0.15)  # m
    angles = ((-10.0, -50.0), (10.0, 50.0))  # degrees, the two legs of a third: at the base, at the platform
    bodies: list[Body] = []
    loops: list[Loop] = []
    feet = [(120.0 * k + base, 120.0 * k + platform) for k in range(3) for base, platform in angles]
    for k, (base, platform) in enumerate(feet, 1):
        foot, ball = _on_circle(0.5, base), _on_circle(0.3, platform)
        way = ball + Vec3(0.0, 0.0, height) - foot
        length, up = way.dot(way) ** 0.5, _upright(way)
        hinge = Joint(f"foot{k}", Universal(), Transform(up, foot), actuated=False)
        bodies.append(Body(f"cylinder{k}", hinge, cylinder(4.0, Vec3.zero, Vec3(0.0, 0.0, 0.4), 0.04)))
        slide = Joint(f"leg{k}", Prismatic(), Transform(p=Vec3(0.0, 0.0, length)), limits=stroke)
        bodies.append(Body(f"rod{k}", slide, cylinder(1.5, Vec3(0.0, 0.0, -0.4), Vec3.zero, 0.02), f"cylinder{k}"))
        loops.append(Loop(f"ball{k}", Spherical(), Frame(f"rod{k}"), Frame("platform", Transform(up, ball))))
    plate = cylinder(20.0, Vec3(0.0, 0.0, -0.01), Vec3(0.0, 0.0, 0.01), 0.32)
    return _on_legs("gough_stewart", bodies, loops, Free(), height, plate)


def planar_3rrr() -> Robot:
    """A platform that three legs move in the horizontal plane; each has a driven bar and one that holds a corner.

    All bars are 0.25 m long. The motors stand on a circle of 0.40 m radius, 120 degrees apart, and the platform is a
    triangle with its corners 0.10 m from the centre. The tree is cut at the pins on the platform, loops "pin1" to
    "pin3"; they close at ``robot.neutral``, with the platform in the middle and the elbows bent to the left, seen from
    the centre. The lines of the lower bars pass the centre at 0.08 m there, so the motors hold the platform against
    any turn. Gravity is along -z, across the plane.

    Source: our own numbers.

    Example:
        >>> robot = planar_3rrr()
        >>> robot.nv, [loop.name for loop in robot.loops], sum(body.joint.actuated for body in robot.bodies)
        (9, ['pin1', 'pin2', 'pin3'], 3)
    """
    mass, corner = 0.6, 0.10  # kg, m: of the platform, a thin plate with three equal sides
    upper, lower = Vec3(-0.15, 0.20, 0.0), Vec3(-0.15, -0.20, 0.0)  # m, the bars; x is outwards, y to the left
    bodies: list[Body] = []
    loops: list[Loop] = []
    for k in (1, 2, 3):
        motor = Joint(f"motor{k}", Revolute(), _third(k, 0.40), rotor_inertia=0.005, limits=Limits(-1.0, 1.0))
        bodies.append(Body(f"upper{k}", motor, cylinder(0.5, Vec3.zero, upper, 0.01)))
        elbow = Joint(f"elbow{k}", Revolute(), Transform(p=upper), actuated=False)
        bodies.append(Body(f"lower{k}", elbow, cylinder(0.4, Vec3.zero, lower, 0.01), f"upper{k}"))
        end = Frame(f"lower{k}", Transform(p=lower))
        loops.append(Loop(f"pin{k}", Revolute(), end, Frame("platform", _third(k, corner))))
    across = mass * corner**2 / 8
    triangle = Inertia(mass, Vec3.zero, Sym3.diagonal(across, across, 2 * across))
    return _on_legs("planar_3rrr", bodies, loops, Planar(), 0.0, triangle)


def _on_legs(
    name: str, legs: Sequence[Body], loops: Sequence[Loop], kind: JointKind, height: float, inertia: Inertia
) -> Robot:
    """The robot whose platform hangs on the loops; it may move as its joint does, from a height [m] above the base."""
    place = Transform(p=Vec3(0.0, 0.0, height))
    platform = Body("platform", Joint("platform_joint", kind, place, actuated=False), inertia)
    return Robot((*legs, platform), name, loops=tuple(loops))


def _third(k: int, radius: float) -> Transform:
    """A place on a circle [m], 120 degrees from the one before; x is outwards."""
    turn = Rotation.about(2, (k - 1) * 2 * pi / 3)
    return Transform(turn, turn @ Vec3(radius, 0.0, 0.0))


def _on_circle(radius: float, degrees: float) -> Vec3:
    return Vec3(radius * cos(radians(degrees)), radius * sin(radians(degrees)), 0.0)


def _upright(way: Vec3) -> Rotation:
    """The orientation with z along the way and x level."""
    z = way * (1.0 / way.dot(way) ** 0.5)
    level = (z.x**2 + z.y**2) ** 0.5
    x = Vec3(-z.y / level, z.x / level, 0.0)
    return Rotation.of(Mat3(x, z.cross(x), z).T)
