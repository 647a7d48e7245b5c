"""Parallel robots: a platform that several legs carry, with the motion of the platform given.

Where the platform has as many degrees of freedom as its joint, the joint velocities of each leg
follow from the platform alone. The joint forces of the legs and the wrench of the platform are projected on the
actuators by the Jacobian of the robot:

    V_p = J_p qd_a                                                                                   (60)
    qd_i = J_i^-1 J_vi V_p                                                                           (62)
    tau = J_p^T [F_p + sum_i J_vi^T J_i^-T tau_i]                                                    (66)

Where the legs also constrain the platform, as those of a delta robot keep it from rotating, the velocities and
accelerations of the actuators are found first, by least squares for the given motion of the platform:

    tau = J_p^T F_p + sum_i (d qd_i / d qd_a)^T tau_i                                                (59)

Motions of the platform are those of its origin in world axes, angular part first.
Reference: [Khalil2010] (59)-(66), with J_p for the J_r that (62) prints.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.closed_chain import Actuation, LoadDistribution, Loops, closed_forward_dynamics
from kinetree.algorithms.external import Loads
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.kinematics import world_poses
from kinetree.algorithms.least_squares import LeastSquares
from kinetree.algorithms.loop_closure import closure
from kinetree.algorithms.symmetric import Factorisation
from kinetree.joints.joint import combine
from kinetree.model import Mechanism
from kinetree.scalar import Vector, minimum
from kinetree.spatial import Motion


def parallel_inverse_dynamics(
    robot: Mechanism,
    q: Vector,
    twist: Vector,
    acceleration: Vector,
    actuation: Actuation,
    platform: int,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[Any], Any]:
    """The forces of the actuators."""
    legs = Legs(robot, q, actuation, platform)
    qd, qdd = legs.motion(twist, acceleration)
    tau = legs.loops.projected(inverse_dynamics(robot, q, qd, qdd, external, base))  # tau_i of the legs, and F_p
    if not legs.led_by_platform:
        return legs.loops.actuator_forces(actuation, tau), legs.margin  # (59)
    actuators = LoadDistribution(legs.loops, actuation)  # by J_p^-1, of weighted forces
    return actuators.forces(tau), minimum(legs.margin, actuators.J.margin)  # (66)


def parallel_forward_dynamics(
    robot: Mechanism,
    q: Vector,
    twist: Vector,
    tau: Vector,
    actuation: Actuation,
    platform: int,
    external: Loads = None,
    base: Base = None,
) -> tuple[list[Any], Any]:
    """The acceleration of the platform."""
    legs = Legs(robot, q, actuation, platform)
    qd = legs.velocities(twist)
    qdd, margin = closed_forward_dynamics(robot, q, qd, tau, 0.0, actuation, external, base)
    return legs.platform.acceleration(qd, qdd), minimum(margin, legs.margin)


def parallel_jacobian(robot: Mechanism, q: Vector, actuation: Actuation, platform: int) -> tuple[list[list[Any]], Any]:
    """J_p: the twist of the platform is J_p qd_a, for the independent actuators."""
    loops, moved = Loops(robot, actuation, q), Platform(robot, q, platform)
    columns = [moved.twist(column) for column in loops.columns()]
    return [list(row) for row in zip(*columns)], loops.J.margin  # (60)


def platform_motion(
    robot: Mechanism, q: Vector, twist: Vector, acceleration: Vector, actuation: Actuation, platform: int
) -> tuple[list[Any], list[Any], Any]:
    """The velocities and accelerations of all joints."""
    legs = Legs(robot, q, actuation, platform)
    return *legs.motion(twist, acceleration), legs.margin


def possible_motion(
    robot: Mechanism, q: Vector, twist: Vector, acceleration: Vector, actuation: Actuation, platform: int
) -> tuple[list[Any], list[Any]]:
    """The twist and the acceleration that the legs allow, nearest to the given ones."""
    legs = Legs(robot, q, actuation, platform)
    qd, qdd = legs.motion(twist, acceleration)
    return legs.platform.twist(qd), legs.platform.acceleration(qd, qdd)


class Platform:
    """The platform at one configuration: the velocities of its joint, and its motion in world axes."""

    def __init__(self, robot: Mechanism, q: Vector, platform: int) -> None:
        self.joint, self.q = robot.bodies[platform].joint, q[robot.q_slices[platform]]
        self.indices = tuple(range(robot.nv)[robot.v_slices[platform]])
        self.R, self.S = world_poses(robot, q, platform)[platform].R, self.joint.subspace(self.q)

    def twist(self, qd: Vector) -> list[Any]:
        """Of its origin in world axes, from the velocities of all joints."""
        v = combine(self.S, self.own(qd))
        return [*(self.R @ v.ang), *(self.R @ v.lin)]

    def acceleration(self, qd: Vector, qdd: Vector) -> list[Any]:
        """The rate of the twist."""
        v = combine(self.S, self.own(qd))
        rate = combine(self.S, self.own(qdd)) + self.joint.bias(self.q, self.own(qd))
        return [*(self.R @ rate.ang), *(self.R @ (rate.lin + v.ang.cross(v.lin)))]

    def velocities(self, twist: Vector) -> list[Any]:
        """Those of its joint for a twist."""
        return self._along(self._in_body(twist))

    def accelerations(self, velocities: Vector, acceleration: Vector) -> list[Any]:
        """Those of its joint for the rate of the twist."""
        A, v = self._in_body(acceleration), combine(self.S, velocities)
        bias = self.joint.bias(self.q, velocities)
        return self._along(Motion(A.ang - bias.ang, A.lin - v.ang.cross(v.lin) - bias.lin))

    def own(self, x: Vector) -> list[Any]:
        """What belongs to its joint."""
        return [x[k] for k in self.indices]

    def _in_body(self, motion: Vector) -> Motion:
        m, R = Motion.of(motion), self.R.T
        return Motion(R @ m.ang, R @ m.lin)

    def _along(self, m: Motion) -> list[Any]:
        """The velocities of the joint for a motion, or for the nearest that the joint allows."""
        squares = [[s.ang.dot(t.ang) + s.lin.dot(t.lin) for t in self.S] for s in self.S]
        return Factorisation(squares).solve([s.ang.dot(m.ang) + s.lin.dot(m.lin) for s in self.S])


class Legs:
    """The velocities of all joints from those of the platform, at one configuration."""

    def __init__(self, robot: Mechanism, q: Vector, actuation: Actuation, platform: int) -> None:
        self.robot, self.q, self.platform = robot, q, Platform(robot, q, platform)
        indices = self.platform.indices
        self.led_by_platform = len(indices) == len(actuation.independent)
        own = Actuation(indices, indices, (1.0,) * len(indices))
        self.loops = Loops(robot, own if self.led_by_platform else actuation, q)

    @cached_property
    def J(self) -> LeastSquares:
        """How the platform's joint follows the actuators."""
        return LeastSquares([*zip(*map(self.platform.own, self.loops.columns()))])

    @property
    def margin(self) -> Any:
        """How far from singular: see `LeastSquares`."""
        return self.loops.J.margin if self.led_by_platform else minimum(self.loops.J.margin, self.J.margin)

    def velocities(self, twist: Vector) -> list[Any]:
        """qd of all joints."""
        own = self.platform.velocities(twist)
        return self.loops.velocities(own if self.led_by_platform else self.J.solve(own))  # (62)

    def accelerations(self, own: Vector, bias: Vector) -> list[Any]:
        """qdd of all joints, from those of the platform's joint and the bias of the loops."""
        if not self.led_by_platform:
            still = self.loops.accelerations([0.0] * len(self.loops.free), bias)
            own = self.J.solve([x - y for x, y in zip(own, self.platform.own(still))])
        return self.loops.accelerations(own, bias)

    def motion(self, twist: Vector, acceleration: Vector) -> tuple[list[Any], list[Any]]:
        """qd and qdd of all joints."""
        qd = self.velocities(twist)
        own = self.platform.accelerations(self.platform.own(qd), acceleration)
        return qd, self.accelerations(own, [e.bias for e in closure(self.robot, self.q, qd)])
