"""Hua, Poursina and Sanfilippo's controller with two Lyapunov loops, for mixed rigid and elastic joints: its equations.

Reference: [Hua] section IV, (37)-(52). The joints track the reference by the torques tau_qc of (39). Rigid joints get
them from their motors; at an elastic joint they determine the desired motor angle theta_d, which (49) tracks.

The paper does not say where qdd, thetadd and the derivatives of theta_d come from. Here qdd is that of (40) and thetadd
that of (50), which hold in closed loop: no acceleration is measured, and no algebraic loop is left. theta_d is a
function of the time and the state, and differentiating its graph along the motion gives its exact derivatives.
C(q, qd) is that of the Christoffel symbols, so that Mdot - 2 C is skew-symmetric. Friction is compensated too.

Where a rotor is carried and rotated by an elastic joint, S thetadd of (39) is part of theta_d. The derivatives of that
would need those of the motor torques: the law is no function of the state then. There, and for dampers of the springs,
theta_d is computed with the motion that the motors have on the reference. S (thetadd - thetadd_ref) is neglected, which
vanishes with the errors, up to second order in S / K.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.hybrid_dynamics import factorised_from_the_leaves
from kinetree.algorithms.inverse_dynamics import inverse_dynamics, newton_euler, with_wrenches
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.control.reference import Reference
from kinetree.control.validation import spread
from kinetree.errors import InputError, ModelError
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism
from kinetree.model.motors import without_transmissions
from kinetree.scalar import Vector

GAINS = ("kp", "kd", "motor_kp", "motor_kd")  # K_P, K_D, K_Ptheta, K_Dtheta


class LinkSide(NamedTuple):
    """The side of the links: errors, reference acceleration, feedback, desired motor angles, acceleration."""

    e: list[Any]
    ed: list[Any]
    sigma: list[Any]
    qdd_r: list[Any]
    feedback: list[Any]
    theta_d: list[Any]
    e_theta: list[Any]
    qdd: list[Any]


class MotorSide(NamedTuple):
    """The side of the elastic motors: error, reference acceleration, acceleration."""

    sigma: list[Any]
    thetadd_r: list[Any]
    thetadd: list[Any]


@dataclass(frozen=True)
class ElasticLoops:
    """The equations for one robot; lists go over its joints without motors, or over its elastic motors."""

    gains: Mapping[str, list[Any]]
    reference: Reference
    robot: Mechanism  # its elastic transmissions cut
    joints: list[int]
    motor: list[int]
    elastic: list[int]  # the joints behind springs, as indices into ``joints``
    K: list[Any]
    D: list[Any]

    @staticmethod
    def of(robot: Mechanism, reference: Reference, given: Mapping[str, Any]) -> ElasticLoops:
        """For a robot, with gains that are numbers or one for each joint or motor."""
        _check(robot)
        springs, motor = [x for x, _, _ in robot.transmissions], [m.v for _, m, _ in robot.transmissions]
        joints = [k for k in range(robot.nv) if k not in motor]
        elastic = [joints.index(joint.v) for _, _, joint in robot.transmissions]
        sizes = dict(zip(GAINS, (len(joints), len(joints), len(motor), len(motor))))
        gains = {name: [*spread(given[name], n, name)] for name, n in sizes.items()}
        gains["Lambda"] = [p / d for p, d in zip(gains["kp"], gains["kd"])]  # (37)
        gains["Lambda_theta"] = [p / d for p, d in zip(gains["motor_kp"], gains["motor_kd"])]  # (46)
        stiffness, damping = [x.stiffness for x in springs], [x.damping for x in springs]
        return ElasticLoops(gains, reference, without_transmissions(robot), joints, motor, elastic, stiffness, damping)

    # -- the law ---------------------------------------------------------------------------------------------------

    def links(self, t: Any, q: Vector, qd: Vector, thetad: Vector, thetadd: Vector) -> LinkSide:
        """The outer loop, for the velocities and accelerations of the motors that theta_d depends on."""
        target, Lambda, K_D = self.reference.at(t), self.gains["Lambda"], self.gains["kd"]
        if len(target.q) != len(self.joints):
            raise InputError(f"the reference has {len(target.q)} coordinates, the robot {len(self.joints)} joints")
        e = [a - q[k] for a, k in zip(target.q, self.joints)]
        ed = [a - qd[k] for a, k in zip(target.qd, self.joints)]
        qdd_r = [a + x * b for a, x, b in zip(target.qdd, Lambda, ed)]
        sigma = [a + x * b for a, x, b in zip(ed, Lambda, e)]  # (38)
        feedback = [a + x * b for a, x, b in zip(self.coriolis(q, qd, sigma), K_D, sigma)]
        # the desired motor angles
        moving = self.all_coordinates([qd[k] for k in self.joints], thetad)
        tau = inverse_dynamics(self.robot, q, moving, self.all_coordinates(qdd_r, thetadd))
        theta_d = []
        for i, K, D, rate in zip(self.elastic, self.K, self.D, thetad):
            k = self.joints[i]
            tau_qc = tau[k] + feedback[i] - D * (rate - qd[k])  # (39)
            theta_d.append(tau_qc / K + q[k])  # (43)
        e_theta = [a - q[k] for a, k in zip(theta_d, self.motor)]  # (44)
        # the acceleration that follows
        right = [-x for x in feedback]
        for i, K, x in zip(self.elastic, self.K, e_theta):
            right[i] = right[i] + K * x
        M = factorised_from_the_leaves(self.inertia(q), "a link")
        sigmad = M.solve(right)  # (40)
        qdd = [a - x for a, x in zip(qdd_r, sigmad)]
        return LinkSide(e, ed, sigma, qdd_r, feedback, theta_d, e_theta, qdd)

    def motors(self, q: Vector, qd: Vector, links: LinkSide, thetad_d: Vector, thetadd_d: Vector) -> MotorSide:
        """The inner loop, from the derivatives of the desired motor angles."""
        sigma, thetadd_r, thetadd = [], [], []
        B, Lambda, K_D = self.rotors(q), self.gains["Lambda_theta"], self.gains["motor_kd"]
        for n, (i, k) in enumerate(zip(self.elastic, self.motor)):
            e, ed = links.e_theta[n], thetad_d[n] - qd[k]
            sigma.append(ed + Lambda[n] * e + links.sigma[i])  # (47)
            thetadd_r.append(thetadd_d[n] + Lambda[n] * ed + links.qdd_r[i] - links.qdd[i])  # (45), its rate
            thetadd.append(thetadd_r[n] + (K_D[n] * sigma[n] + self.K[n] * e) / B[n])  # (50)
        return MotorSide(sigma, thetadd_r, thetadd)

    def forces(self, q: Vector, qd: Vector, links: LinkSide, motors: MotorSide) -> list[Any]:
        """The forces of the motors: (39) at rigid joints, (49) behind elastic ones."""
        tau: list[Any] = [0.0] * self.robot.nv
        rigid = inverse_dynamics(self.robot, q, qd, self.all_coordinates(links.qdd_r, motors.thetadd))
        for i, k in enumerate(self.joints):
            if i not in self.elastic:
                tau[k] = rigid[k] + links.feedback[i]  # (39)
        behind = inverse_dynamics(self.robot, q, qd, self.all_coordinates(links.qdd, motors.thetadd_r))
        for n, (i, k) in enumerate(zip(self.elastic, self.motor)):
            joint = self.joints[i]
            spring = self.K[n] * (links.theta_d[n] - q[joint]) + self.D[n] * (qd[k] - qd[joint])
            tau[k] = behind[k] + spring + self.gains["motor_kd"][n] * motors.sigma[n]  # (49)
        return tau

    def with_exact_derivatives(self, t: Node, q: list[Node], qd: list[Node]) -> tuple[LinkSide, MotorSide, list[Any]]:
        """Both sides and the forces, with exact derivatives; t, q and qd are inputs of a graph."""
        links = self.links(t, q, qd, *self.motor_reference(t))
        state, motion = [t, *q, *qd], [1.0, *qd, *self.all_coordinates(links.qdd, [0.0] * len(self.motor))]
        thetad_d = pushforward(links.theta_d, state, motion)  # no motor velocity is in theta_d or in qdd
        thetadd_d = pushforward(thetad_d, state, motion)
        motors = self.motors(q, qd, links, thetad_d, thetadd_d)
        return links, motors, self.forces(q, qd, links, motors)

    def motor_reference(self, t: Node) -> tuple[list[Any], list[Any]]:
        """The velocities and accelerations of the elastic motors on the reference motion."""
        target = self.reference.at(t)
        # as if the springs were rigid
        q, qd, qdd = (self.all_coordinates(x, [x[i] for i in self.elastic]) for x in target[:3])
        tau = inverse_dynamics(self.robot, q, qd, qdd)
        theta = [target.q[i] + tau[self.joints[i]] / K for i, K in zip(self.elastic, self.K)]
        thetad = pushforward(theta, [t], [1.0])
        return thetad, pushforward(thetad, [t], [1.0])

    def lyapunov(self, q: Vector, links: LinkSide, motors: MotorSide) -> tuple[Any, Any]:
        K_D, Lambda, K_Dtheta = (self.gains[x] for x in ("kd", "Lambda", "motor_kd"))
        V = 0.5 * _sum(x * m * y for x, row in zip(links.sigma, self.inertia(q)) for m, y in zip(row, links.sigma))
        V = V + _sum(x * d * e * e for x, d, e in zip(Lambda, K_D, links.e))  # (41)
        V = V + 0.5 * _sum(b * x * x for b, x in zip(self.rotors(q), motors.sigma))
        V = V + 0.5 * _sum(K * e * e for K, e in zip(self.K, links.e_theta))  # (51)
        lost = _sum(d * (x * x + (y * e) * (y * e)) for d, x, y, e in zip(K_D, links.ed, Lambda, links.e))
        lost = lost + _sum(d * x * x for d, x in zip(K_Dtheta, motors.sigma))
        lost = lost + _sum(K * y * e * e for K, y, e in zip(self.K, self.gains["Lambda_theta"], links.e_theta))  # (52)
        return V, -lost

    # -- the parts of the equations of motion ----------------------------------------------------------------------

    def all_coordinates(self, joints: Vector, motors: Vector) -> list[Any]:
        """One list over all coordinates."""
        values: list[Any] = [0.0] * self.robot.nv
        for k, x in zip([*self.joints, *self.motor], [*joints, *motors]):
            values[k] = x
        return values

    def inertia(self, q: Vector) -> list[list[Any]]:
        """M(q), of the joints alone."""
        A = mass_matrix(self.robot, q)
        return [[A[i][j] for j in self.joints] for i in self.joints]

    def rotors(self, q: Vector) -> list[Any]:
        """The diagonal of B."""
        A = mass_matrix(self.robot, q)
        return [A[k][k] for k in self.motor]

    def coriolis(self, q: Vector, qd: Vector, x: Vector) -> list[Any]:
        """C(q, qd) x of the joints alone, by polarisation: (C(q, qd + x)(qd + x) - C(q, qd - x)(qd - x)) / 4."""
        v = [qd[k] for k in self.joints]
        plus, minus = (self.centrifugal(q, [a + s * b for a, b in zip(v, x)]) for s in (1.0, -1.0))
        return [0.25 * (a - b) for a, b in zip(plus, minus)]

    def centrifugal(self, q: Vector, v: Vector) -> list[Any]:
        """C(q, v) v, the motors at rest and without friction and gravity."""
        still, qd = [0.0] * self.robot.nv, self.all_coordinates(v, [0.0] * len(self.motor))
        wrenches = newton_euler(self.robot, q, qd, still, None, BaseMotion())
        tau = with_wrenches(self.robot, q, wrenches, [*still])
        return [tau[k] for k in self.joints]


def _sum(values: Any) -> Any:
    return sum(values, 0.0)


def _check(robot: Mechanism) -> None:
    if robot.loops or robot.couplings:
        raise ModelError(f"robot {robot.name!r} has closed loops, and ElasticTracking is for trees only")
    springs = {spring.joint for spring, _, _ in robot.transmissions}
    for joint in (body.joint for body in robot.bodies):
        if joint.kind.nq != joint.kind.nv:
            raise ModelError(
                f"joint {joint.name!r}: ElasticTracking is for joints without quaternions; {joint.kind!r} has one"
            )
        if joint.kind.nv and not joint.mimic and not joint.actuated and joint.name not in springs:
            raise ModelError(f"joint {joint.name!r} has no motor, and ElasticTracking needs one at every joint")
