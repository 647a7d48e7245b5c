"""Parallel robots: a platform that several legs carry, with the motion of the platform given.

The legs follow the platform, qd_legs = J_i^-1 J_vi V_p, each by itself; so the joint forces of the legs and the wrench
of the platform come together at the platform, and the Jacobian of the robot takes them to the actuators:

    tau = J_p^T [F_p + sum_i J_vi^T J_i^-T tau_i]                                                    (66)

Platform motions are those of its origin in world axes, angular part first. Reference: [Khalil2010] (59)-(66).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.closed_chain import Drives, Loops, closed_forward_dynamics, shared_out
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.kinematics import world_poses
from kinetree.algorithms.least_squares import LeastSquares
from kinetree.algorithms.loop_closure import closure
from kinetree.algorithms.symmetric import Factorisation
from kinetree.joints.joint import combine
from kinetree.model.mechanism import Mechanism
from kinetree.scalar import Real, minimum
from kinetree.spatial.motion import Motion
from kinetree.spatial.transform import Transform


def platform_motion(
    robot: Mechanism,
    q: Sequence[Real],
    twist: Sequence[Real],
    acceleration: Sequence[Real],
    drives: Drives,
    platform: int,
) -> tuple[list[Any], list[Any], Any]:
    """The velocities and accelerations of all joints."""
    legs, qd, qdd = _legs_in_motion(robot, q, twist, acceleration, platform)
    return qd, qdd, legs.J.margin


def parallel_inverse_dynamics(
    robot: Mechanism,
    q: Sequence[Real],
    twist: Sequence[Real],
    acceleration: Sequence[Real],
    drives: Drives,
    platform: int,
    external: Sequence[Sequence[Real]] | None = None,
) -> tuple[list[Any], Any]:
    """The forces of the actuators."""
    legs, qd, qdd = _legs_in_motion(robot, q, twist, acceleration, platform)
    tau = inverse_dynamics(robot, q, qd, qdd, external)  # tau_i of the legs, and F_p
    if len(legs.free) != len(drives.independent):  # the legs hold the platform in some directions
        loops = Loops(robot, drives, q)
        return shared_out(loops, drives, loops.projected(tau)), minimum(legs.J.margin, loops.J.margin)
    inverse_jacobian = _rows(legs, drives.actuated)  # J_p^-1, (62)
    roots = [w**0.5 for w in drives.weights]
    J = LeastSquares([[x / root for x in row] for row, root in zip(inverse_jacobian, roots)])
    forces = J.solve_transposed(legs.projected(tau))  # (66)
    return [x / root for x, root in zip(forces, roots)], minimum(legs.J.margin, J.margin)


def parallel_forward_dynamics(
    robot: Mechanism,
    q: Sequence[Real],
    twist: Sequence[Real],
    tau: Sequence[Real],
    drives: Drives,
    platform: int,
    external: Sequence[Sequence[Real]] | None = None,
) -> tuple[list[Any], Any]:
    """The acceleration of the platform."""
    legs, qd, _ = _legs_in_motion(robot, q, twist, [0.0] * 6, platform)
    qdd, margin = closed_forward_dynamics(robot, q, qd, tau, 0.0, drives, external)
    own, vs = q[robot.q_slices[platform]], robot.v_slices[platform]
    joint = robot.bodies[platform].joint
    rate = combine(joint.subspace(own), qdd[vs]) + joint.bias(own, qd[vs])
    R, V = _platform_pose(robot, q, platform).R, Motion.of(twist)
    return [*(R @ rate.ang), *(R @ rate.lin + V.ang.cross(V.lin))], minimum(margin, legs.J.margin)


def parallel_jacobian(
    robot: Mechanism, q: Sequence[Real], drives: Drives, platform: int
) -> tuple[list[list[Any]], Any]:
    """J_p: the twist of the platform is J_p qd_a, for the independent actuators."""
    loops = Loops(robot, drives, q)
    own, vs = q[robot.q_slices[platform]], robot.v_slices[platform]
    S, R = robot.bodies[platform].joint.subspace(own), _platform_pose(robot, q, platform).R
    moved = [combine(S, column[vs]) for column in loops.columns()]
    return [list(row) for row in zip(*([*(R @ v.ang), *(R @ v.lin)] for v in moved))], loops.J.margin


def _legs_in_motion(
    robot: Mechanism, q: Sequence[Real], twist: Sequence[Real], acceleration: Sequence[Real], platform: int
) -> tuple[Loops, list[Any], list[Any]]:
    """The loops with the platform as what is independent, and the velocities and accelerations of all joints."""
    places = tuple(range(robot.nv)[robot.v_slices[platform]])
    legs = Loops(robot, Drives(places, places, (1.0,) * len(places)), q)
    own, joint = q[robot.q_slices[platform]], robot.bodies[platform].joint
    R, V, A = _platform_pose(robot, q, platform).R.T, Motion.of(twist), Motion.of(acceleration)
    S = joint.subspace(own)
    squares = Factorisation([[s.ang.dot(t.ang) + s.lin.dot(t.lin) for t in S] for s in S])

    def along(m: Motion) -> list[Any]:
        return squares.solve([s.ang.dot(m.ang) + s.lin.dot(m.lin) for s in S])

    velocity = along(Motion(R @ V.ang, R @ V.lin))
    own_rate = joint.bias(own, velocity)
    rate = Motion(R @ A.ang - own_rate.ang, R @ (A.lin - V.ang.cross(V.lin)) - own_rate.lin)
    qd = legs.velocities(velocity)
    qdd = legs.accelerations(along(rate), [e.bias for e in closure(robot, q, qd)])
    return legs, qd, qdd


def _rows(legs: Loops, places: Sequence[int]) -> list[list[Any]]:
    """How some joints move with the platform: rows of G."""
    columns = legs.columns()
    return [[column[k] for column in columns] for k in places]


def _platform_pose(robot: Mechanism, q: Sequence[Real], platform: int) -> Transform:
    return world_poses(robot, q, platform)[platform]
