"""Other robots made of a robot: joints locked, payloads attached, another base, ..."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.model import Inertia, Mechanism, Moments
from kinetree.scalar import Vector
from kinetree.spatial import Transform

if TYPE_CHECKING:
    from kinetree.model.motors import Motor
    from kinetree.model.surgery.attach import Payload
    from kinetree.robot.robot import Robot


def lock(robot: Robot, positions: Mapping[str, Any]) -> Robot:
    """The robot with joints held at positions [rad, m], by name; their bodies are welded to the parents.

    The frames of those bodies stay. Joints that mimic a locked one are held where it holds them.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link().lock({"joint2": 0.5})
        >>> arm.joint_names, "link2" in arm.frames
        (('joint1',), True)
    """
    from kinetree.model import surgery

    return robot.of(surgery.lock(robot, positions))


def attach(
    robot: Robot, what: Payload | Mechanism, frame: str, pose: Transform = Transform.identity, prefix: str = ""
) -> Robot:
    """The robot with a payload, or with another robot, fixed at a frame.

    The coordinates of the other robot come last; gravity and name are this one's.

    Args:
        what: the inertia of the payload, or a robot on a fixed base.
        frame: one of ``frames``.
        pose: of the payload's or the other robot's frame in that frame.
        prefix: put before all names of the other robot.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.attach(kt.Inertia(0.5), "dh2").bodies[1].inertia.mass - arm.bodies[1].inertia.mass
        0.5
        >>> arm.attach(arm, "dh2", prefix="second_").joint_names
        ('joint1', 'joint2', 'second_joint1', 'second_joint2')
    """
    from kinetree.model import surgery

    return robot.of(surgery.attach(robot, what, frame, pose, prefix))


def merge_fixed(robot: Robot) -> Robot:
    """The robot without fixed joints: their bodies are welded to the parents, their frames stay.

    Example:
        >>> import kinetree as kt
        >>> tool = kt.Robot((kt.Body("tool", kt.Joint("flange", kt.joints.Fixed()), kt.Inertia(0.2)),))
        >>> arm = kt.robots.two_link().attach(tool, "dh2")
        >>> arm.nbodies, arm.merge_fixed().nbodies
        (3, 2)
    """
    from kinetree.model import surgery

    return robot.of(surgery.merge_fixed(robot))


def reroot(robot: Robot, body: str) -> Robot:
    """The same floating robot with another body as its base.

    Bodies on the way get new body frames, about which loads and wrenches are; the old ones stay as frames, by
    their names. Revolute, prismatic, helical and cylindrical joints keep their coordinates; those of universal
    ones on the way are swapped, and spherical, planar and free ones on the way make the inverse motion.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link().with_base("floating")
        >>> arm.joint_names, arm.reroot("link2").joint_names
        (('base', 'joint1', 'joint2'), ('base', 'joint2', 'joint1'))
    """
    from kinetree.model import surgery

    return robot.of(surgery.reroot(robot, body))


def mirror(robot: Robot, normal: Vector = (0.0, 1.0, 0.0)) -> Robot:
    """The mirror image, gravity included, in the plane through the world's origin with this unit normal.

    A frame with orientation R and origin p becomes M R M, M p, with M the mirror (for a slanted normal the right M
    is that of the nearest coordinate plane). Coordinates are the same, but for displacements of cylindrical joints
    and for planar, spherical and free ones, whose numbers are those of the mirrored pose.

    Example:
        >>> import kinetree as kt
        >>> left = kt.robots.puma560()
        >>> q, M = [0.3] * 6, [1, -1, 1]
        >>> tip = left.pose(q, "link6")[:3, 3] * M
        >>> bool((abs(left.mirror().pose(q, "link6")[:3, 3] - tip) < 1e-12).all())
        True
    """
    from kinetree.model import surgery

    return robot.of(surgery.mirror(robot, normal))


def scale(robot: Robot, length: Any = 1.0, mass: Any = 1.0) -> Robot:
    """The robot with all lengths and all masses multiplied; inertias grow with mass and length squared.

    Limits and rest positions of displacements grow with length, rotor inertias as what they move; damping, Coulomb
    friction, springs, effort limits and gravity stay. The factors may be named parameters.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> ratio = arm.scale(length=2.0, mass=3.0).mass_matrix([0.1, 0.2]) / arm.mass_matrix([0.1, 0.2])
        >>> bool((abs(ratio - 12.0) < 1e-12).all())
        True
    """
    from kinetree.model import surgery

    return robot.of(surgery.scale(robot, length, mass))


def with_gravity(robot: Robot, gravity: Vector) -> Robot:
    """The robot under another gravity, in world axes [m/s^2].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().with_gravity((0.0, -1.62, 0.0)).gravity.y
        -1.62
    """
    from kinetree.model import surgery

    return robot.of(surgery.with_gravity(robot, gravity))


def with_motors(robot: Robot, motors: Sequence[Motor]) -> Robot:
    """The robot with motors on its links: their rotors are further bodies, known to every function.

    A rigid transmission ties the rotor to its joint. An elastic one adds a coordinate, the angle of the motor on
    the joint side, after those of the robot; the joint is not ``actuated`` then, the motor is.

    Args:
        motors: `Motor` descriptions.

    Example:
        >>> import kinetree as kt
        >>> motor = kt.Motor("joint2", "link1", gear_ratio=100, spin_inertia=2e-5, stiffness=300.0)
        >>> kt.robots.two_link().with_motors([motor]).joint_names
        ('joint1', 'joint2', 'joint2_motor')

    Reference: [Hua] (6)-(9), (21)-(29).
    """
    from kinetree.model import motors as model_motors

    return robot.of(model_motors.with_motors(robot, motors))


def with_base(robot: Robot, base: str, inertia: Inertia | Moments | None = None) -> Robot:
    """The robot on a "floating" base (a free body "base" with an inertia), or with its floating base "fixed".

    Frames that were fixed in the world are fixed in the floating base, and the other way round.

    Example:
        >>> import kinetree as kt
        >>> free = kt.robots.two_link().with_base("floating", kt.Inertia(5.0, about_com=(0.1, 0.1, 0.1)))
        >>> free.nq, free.nv, free.with_base("fixed").joint_names
        (9, 8, ('joint1', 'joint2'))
    """
    from kinetree.model import surgery

    return robot.of(surgery.with_base(robot, base, inertia))


def subtree(robot: Robot, body: str) -> Robot:
    """The body, its joint and all that it carries, as a robot of its own; its parent's frame is the world.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().subtree("link2").joint_names
        ('joint2',)
    """
    from kinetree.model import surgery

    return robot.of(surgery.subtree(robot, body))
