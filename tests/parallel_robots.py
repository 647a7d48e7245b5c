"""Parallel robots for the tests, built from legs, and motions of theirs that the loops allow."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from maximal import Maximal, close, displaced, project_velocity
from strategies import with_joints

import kinetree as kt
from kinetree.joints import Fixed, Free, Planar, Prismatic, Revolute
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray

BAR = kt.Inertia(1.2, (0.01, -0.02, -0.2), (0.022, 0.024, 0.005, 0.001, 0.0, -0.001))
PLATE = kt.Inertia(6.0, (0.02, -0.01, 0.03), (0.15, 0.12, 0.2, 0.01, -0.02, 0.005))


# -- robots ------------------------------------------------------------------------------------------------------------


def ups(length: float) -> kt.Robot:
    """The leg of `kinetree.robots.gough_stewart`, upright on its own world: universal joint, driven slide."""
    zoo = kt.robots.gough_stewart()
    tube, rod = zoo.bodies[0], zoo.bodies[1]
    foot = dataclasses.replace(tube.joint, name="foot", placement=kt.Transform.identity)
    slide = dataclasses.replace(rod.joint, name="leg", placement=kt.Transform(p=(0, 0, length)))
    return kt.Robot((kt.Body("cylinder", foot, tube.inertia), kt.Body("rod", slide, rod.inertia, "cylinder")))


def stewart_legs() -> list[kt.Leg]:
    """The legs of the zoo's hexapod, of one leg placed six times."""
    zoo = kt.robots.gough_stewart()
    chain = ups(zoo.bodies[1].joint.placement.p.z)
    pairs = zip(zoo.loops, zoo.bodies[:-1:2])
    return [kt.Leg(chain, {"rod": loop.successor.pose}, base=foot.joint.placement) for loop, foot in pairs]


def stewart_of_legs() -> kt.ParallelRobot:
    """The hexapod of the zoo."""
    return kt.ParallelRobot(platform=kt.robots.gough_stewart().bodies[-1], legs=stewart_legs(), name="stewart_of_legs")


def seven_legs() -> kt.ParallelRobot:
    """The same with a seventh leg in the middle, which adds no freedom and a drive too many."""
    way = Vec3(-0.15, 0.1, 0.6)
    foot = kt.Transform(upright(way), (0.05, -0.02, 0.0))
    middle = kt.Leg(ups(way.dot(way) ** 0.5), {"rod": kt.Transform(p=(-0.1, 0.08, 0.0))}, base=foot)
    platform = kt.robots.gough_stewart().bodies[-1]
    return kt.ParallelRobot(platform=platform, legs=[*stewart_legs(), middle], name="seven_legs")


def upright(way: Vec3) -> Rotation:
    """The orientation with z along the way."""
    z = np.array([*way]) / np.linalg.norm([*way])
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    return Rotation.of_rows(np.column_stack([x, np.cross(z, x), z]).tolist())


def delta_of_legs() -> kt.ParallelRobot:
    """The delta robot of the zoo, of arms that hold the platform with two rods each."""
    zoo = kt.robots.delta()
    legs = []
    for k in range(3):
        arm, a, b = zoo.bodies[3 * k : 3 * k + 3]
        balls = {f"tip_{loop.predecessor.body}": loop for loop in zoo.loops[2 * k : 2 * k + 2]}
        chain = kt.Robot((arm, a, b), named_frames=tuple((name, x.predecessor) for name, x in balls.items()))
        legs.append(kt.Leg(chain, {name: x.successor.pose for name, x in balls.items()}))
    return kt.ParallelRobot(platform=zoo.bodies[-1], legs=legs, name="delta_of_legs")


def five_bar_of_legs() -> kt.ParallelRobot:
    """The five-bar linkage of the zoo with a tip of no mass as platform: welded to the left, pinned to the right."""
    zoo = kt.robots.five_bar()
    pin = zoo.loops[0]
    tip = kt.Body("tip", kt.Joint("tip_joint", Planar(), kt.Transform(p=(0.0, 0.56, 0.0))), kt.Inertia(0.0))
    legs = [
        kt.Leg(
            dataclasses.replace(zoo, bodies=bodies, loops=(), named_frames=(("end", end),)),
            {"end": kt.Transform()},
            kind,
        )
        for bodies, end, kind in (
            (zoo.bodies[:2], pin.predecessor, Fixed()),
            (zoo.bodies[2:], pin.successor, Revolute()),
        )
    ]
    return kt.ParallelRobot(platform=tip, legs=legs, name="five_bar_of_legs")


def rps() -> kt.ParallelRobot:
    """Three legs that swing in upright planes and grow, with balls at the platform: it lifts, tilts, shifts a bit."""
    legs = []
    for angle in (0.0, 2 * math.pi / 3, 4 * math.pi / 3):
        turn = Rotation.about(2, angle)
        swing = kt.Joint("swing", Revolute((0, 1, 0)), actuated=False)
        lift = kt.Joint("lift", Prismatic((0, 0, 1)), kt.Transform(p=(0, 0, 0.6)))
        chain = kt.Robot((kt.Body("tube", swing, BAR), kt.Body("rod", lift, BAR, "tube")))
        lean = Rotation.about(1, -math.atan2(0.15, 0.5))
        foot = kt.Transform(turn.then(lean), turn @ Vec3(0.4, 0.0, 0.0))
        legs.append(kt.Leg(chain, {"rod": kt.Transform(turn, turn @ Vec3(0.25, 0.0, 0.0))}, base=foot))
    platform = kt.Body("platform", kt.Joint("platform_joint", Free(), kt.Transform(p=(0, 0, 0.5))), PLATE)
    return kt.ParallelRobot(platform=platform, legs=legs, name="rps")


def dressed(robot: kt.ParallelRobot) -> kt.ParallelRobot:
    """With friction, rotors and springs on all joints of the legs."""
    rng = np.random.default_rng(5)
    joints = []
    for body in robot.robot.bodies:
        joint, n = body.joint, body.joint.kind.nv
        if body.name != robot.platform:
            values = {
                name: tuple(rng.uniform(0.1, 1.0, n)) for name in ("damping", "coulomb", "rotor_inertia", "stiffness")
            }
            joint = dataclasses.replace(joint, **values, rest=tuple(rng.normal(size=joint.kind.nq)))
        joints.append(joint)
    return kt.ParallelRobot.of(with_joints(robot.robot, joints), robot.platform, robot.actuated)


def of_zoo(name: str) -> kt.ParallelRobot:
    return kt.ParallelRobot.of(getattr(kt.robots, name)(), "platform")


ROBOTS: dict[str, Callable[[], kt.ParallelRobot]] = {
    "gough_stewart": lambda: of_zoo("gough_stewart"),
    "delta": lambda: of_zoo("delta"),
    "planar_3rrr": lambda: of_zoo("planar_3rrr"),
    "stewart_of_legs": stewart_of_legs,
    "delta_of_legs": delta_of_legs,
    "five_bar_of_legs": five_bar_of_legs,
    "rps": rps,
    "seven_legs": seven_legs,
    "dressed_stewart": lambda: dressed(of_zoo("gough_stewart")),
    "dressed_delta": lambda: dressed(of_zoo("delta")),
}


@functools.cache
def load(name: str) -> kt.ParallelRobot:
    return ROBOTS[name]()


# -- motions -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Motion:
    """A motion that the loops allow, with the forces and loads that cause it by the equations of free bodies.

    Args:
        q, qd, qdd: of all joints.
        pose, twist, acceleration: of the platform.
        tau: of the actuators.
        external: on all bodies (nbodies, 6).
        state: the same in maximal coordinates.
    """

    q: Array
    qd: Array
    qdd: Array
    pose: Array
    twist: Array
    acceleration: Array
    tau: Array
    external: Array
    state: Maximal


@functools.cache
def random_motion(name: str, seed: int, size: float = 0.15) -> Motion:
    """Random forces and velocities at a random configuration near the neutral one."""
    robot = load(name)
    rng, tree = np.random.default_rng([seed, 11]), robot.robot
    step = project_velocity(tree, robot.chain.neutral, rng.normal(size=tree.nv))
    q = close(tree, displaced(tree, robot.chain.neutral, size * step / np.abs(step).max()))
    qd = project_velocity(tree, q, rng.normal(size=tree.nv))
    state, external = Maximal(tree, q, qd), rng.normal(size=(tree.nbodies, 6))
    tau = rng.normal(size=len(robot.actuated)) * 20
    qdd = state.forward(driven(robot, tau), external).qdd
    return Motion(q, qd, qdd, *platform_motion(robot, state, qdd), tau, external, state)


def driven(robot: kt.ParallelRobot, tau: Any) -> Array:
    """The forces of all joints, from those of the actuators."""
    whole = np.zeros(robot.robot.nv)
    whole[list(robot.chain.actuation.actuated)] = tau
    return whole


def platform_motion(robot: kt.ParallelRobot, state: Maximal, qdd: Array) -> tuple[Array, Array, Array]:
    """Pose, twist and acceleration of the platform from the oracle's kinematics and the kind of its joint."""
    side, vs = state.bodies[robot.index], robot.robot.v_slices[robot.index]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = side.R, side.p
    if isinstance(robot.robot.bodies[robot.index].joint.kind, Planar):
        x, y, angle = qdd[vs]
        rate = np.array([0.0, 0.0, angle, x, y, 0.0])
    else:  # velocities of a free joint are in body axes
        rate = np.r_[side.R @ qdd[vs][:3], side.R @ qdd[vs][3:] + np.cross(side.w, side.v)]
    return pose, np.r_[side.w, side.v], rate
