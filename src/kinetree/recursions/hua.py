"""Inverse and forward dynamics of an arm with motors on any link, by Hua, Poursina and Sanfilippo's unified bodies.

Reference: [Hua] sections II and III, (2)-(36). Link i and all motors on it are one rigid body, its rotors as if locked;
that they spin adds terms to Euler's equation. Frame i is the joint frame of joint i on link i - 1; quantities of link i
are in frame i + 1, for the last link in that of its tip. z_i may be any unit vector of frame i. theta_k is the angle of
a motor on the joint side, and eta theta_k that of its rotor: the coordinate of an elastic motor, or that of the joint.

Corrected: (20) and (26) have minus signs, because f_{b,n+1} is what the arm exerts. (21) has the moments of the forces,
and the momentum of the rotors under d/dt. (27) and (29) are in frame l_mi + 1. Algorithm 1 takes (9) for rigid and (8)
for elastic joints. Columns of A are for [qd, thd] = 0 and a base at rest. In algorithm 2 tau_q,i = K_k (theta_k - q_i),
as in (28). Assumption A2 lacks Imx = Imy, which `Rotor` demands. Gravity is part of the base acceleration. Friction,
dampers of transmissions, springs of joints and `rotor_inertia` are added.

The forces are those of the engine: at an elastic joint first what acts on the joint besides its spring, zero in the
paper, and in the place of theta_k the tau_i of the paper. `inverse_dynamics` takes trees, other joints, other loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.algorithms.hybrid_dynamics import factorised_from_the_leaves
from kinetree.algorithms.passive_forces import passive_forces, reflected_inertias
from kinetree.errors import InputError, ModelError, check_name
from kinetree.joints import Fixed, Revolute, Rotor
from kinetree.model import WORLD, Body, Mechanism
from kinetree.scalar import Vector
from kinetree.spatial import Force, Rotation, Sym3, Transform, Vec3

Load: TypeAlias = "Vector | None"  # a wrench on the tip, if there is one


def hua_inverse(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, load: Load = None, tip: str | None = None, base: Base = None
) -> list[Any]:
    """The joint forces of a motion, and the torques of elastic motors: algorithm 1 (ReNEAL).

    Args:
        robot: a serial arm of revolute joints on a fixed base, with motors from `with_motors`.
        q, qd, qdd: positions [rad], velocities and accelerations: of the joints, then of the elastic motors.
        load: the wrench on the tip, moment first, in world axes about the tip's origin [N m, N]; none by default.
        tip: frame n + 1, a frame on the last link; that of the link itself by default.
        base: how the base moves.

    Returns:
        nv forces [N m], in the order of ``q``.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.mixed_elastic()
        >>> tau = hua_inverse(arm, [0.1, 0.2, 0.3, 0.35], [0.0] * 4, [0.0] * 4)
        >>> round(tau[3], 12)  # 100 N m/rad
        5.0
    """
    _check(robot, q=q, qd=qd, qdd=qdd)
    arm = Arm.of(robot, q, tip)
    tau = arm.forces(qd, qdd, base or BaseMotion.fixed(robot), load)
    own = zip(tau, passive_forces(robot, q, qd), reflected_inertias(robot), qdd)
    return [t + loss + rotor * x for t, loss, rotor, x in own]  # + K_k (theta_k - q_i) in (29), - in (28)


def hua_forward(
    robot: Mechanism, q: Vector, qd: Vector, tau: Vector, load: Load = None, tip: str | None = None, base: Base = None
) -> list[Any]:
    """The accelerations that forces cause: algorithm 2 (DIRDYN), the mass matrix column by column, then a solution.

    Args:
        robot, q, qd, load, tip, base: as for `hua_inverse`.
        tau: the forces [N m], in the order of ``q``.

    Returns:
        nv accelerations [rad/s^2].

    Example:
        >>> import kinetree as kt
        >>> arm, q = kt.robots.mixed_elastic(), [0.1, 0.2, 0.3, 0.35]
        >>> qdd = hua_forward(arm, q, [0.0] * 4, hua_inverse(arm, q, [0.0] * 4, [1.0, 2.0, 3.0, 4.0]))
        >>> [round(x, 9) for x in qdd]
        [1.0, 2.0, 3.0, 4.0]
    """
    _check(robot, q=q, qd=qd, tau=tau)
    arm, still = Arm.of(robot, q, tip), [0.0] * robot.nv
    zeta = arm.forces(qd, still, base or BaseMotion.fixed(robot), load)  # (32), (33)
    right = [t - loss - z for t, loss, z in zip(tau, passive_forces(robot, q, qd), zeta)]
    A: list[list[Any]] = []  # symmetric, so that columns may stand as rows
    for j, rotor in enumerate(reflected_inertias(robot)):
        unit = [float(k == j) for k in range(robot.nv)]
        A.append(arm.forces(still, unit, BaseMotion()))  # (34), (35)
        A[j][j] = A[j][j] + rotor
    return factorised_from_the_leaves(A, "a link or rotor").solve(right)  # (36)


@dataclass(frozen=True, slots=True)
class Unified:
    """Link i with all motors on it; constants of the link are in frame i + 1.

    Args:
        v: the index of joint i among the velocities.
        z: the axis z_i of the joint, in frame i.
        R: R_{i+1}^i, from frame i + 1 to frame i.
        r: from the origin of frame i - 1 to that of frame i, in frame i.
        m, c, I: mass, centre of mass from the origin of frame i, inertia about it.
        c_next: the centre of mass from the origin of frame i + 1.
    """

    v: int
    z: Vec3
    R: Rotation
    r: Vec3
    m: Any
    c: Vec3
    I: Sym3
    c_next: Vec3


@dataclass(frozen=True, slots=True)
class Rotating:
    """The rotor of a motor.

    Args:
        v: the index of its coordinate among the velocities: that of theta_k, or of the joint that it drives rigidly.
        link: l_m, the number of the link that carries it; 0 for the base.
        eta: the gear ratio.
        I: I_mz, the inertia about the axis.
        z: the axis z_m, in frame l_m + 1.
    """

    v: int
    link: int
    eta: Any
    I: Any
    z: Vec3

    def momentum_rate(self, w: Vec3, qd: Vector, qdd: Vector) -> Vec3:
        """d/dt (eta thd I_mz z_m), in the axes of the link, which turns with w."""
        return (self.z * qdd[self.v] + w.cross(self.z) * qd[self.v]) * (self.eta * self.I)  # (23)


@dataclass(frozen=True, slots=True)
class Arm:
    """Unified bodies 1 .. N and rotors, at one position; R is from frame 1 to the base."""

    nv: int
    R: Rotation
    links: list[Unified]
    motors: list[Rotating]

    @staticmethod
    def of(robot: Mechanism, q: Vector, tip: str | None) -> Arm:
        bodies = [body for body in robot.bodies if not isinstance(body.joint.kind, Rotor)]
        frames = [body.joint.placement for body in bodies] + [_tip(robot, bodies[-1], tip)]
        indices = {body.name: robot.v_slices[i].start for i, body in enumerate(robot.bodies)}
        rotors = [(body, body.joint.kind) for body in robot.bodies if isinstance(body.joint.kind, Rotor)]
        links, motors = [], []
        for body, frame, behind in zip(bodies, frames, frames[1:]):
            R, v = behind.R.T, indices[body.name]  # from the body's own axes to frame i + 1
            locked = (x.inertia.moved(x.joint.placement) for x, _ in rotors if x.parent == body.name)
            whole = sum(locked, body.inertia)  # in the axes of the link
            c, I = R @ whole.com, R.similar_symmetric(whole.about_com)
            (S,), turn = body.joint.subspace([q[v]]), body.joint.motion([q[v]]).R
            link = Unified(v, S.ang, turn.then(behind.R), frame.R.T @ frame.p, whole.mass, c, I, c - R @ behind.p)
            links.append(link)
        numbers = {None: 0, **{body.name: i for i, body in enumerate(bodies, 1)}}
        for rotor, kind in rotors:
            number, axis = numbers[rotor.parent], kind.axis
            z = frames[number].R.T @ (rotor.joint.placement.R @ axis)
            I = axis.dot(rotor.inertia.about_com @ axis)
            motors.append(Rotating(indices[rotor.name], number, kind.gear_ratio * rotor.joint.mimic_multiplier, I, z))
        return Arm(robot.nv, frames[0].R, links, motors)

    def forces(self, qd: Vector, qdd: Vector, base: BaseMotion, load: Load = None) -> list[Any]:
        """ReNEAL but for the springs: the forces on the coordinates of joints and motors."""
        # forward kinematics, i = 1 .. N
        w, wd = [self.R.T @ base.angular.w], [self.R.T @ base.angular.wd]
        Pdd_o, Pdd_c = [self.R.T @ base.acceleration], [Vec3.zero]
        for link in self.links:
            R, z, r, c = link.R.T, link.z, link.r, link.c
            w.append(R @ (w[-1] + z * qd[link.v]))  # (4)
            wd.append(R @ (wd[-1] + z * qdd[link.v] + w[-2].cross(z) * qd[link.v]))  # (5)
            Pdd_o.append(R @ (Pdd_o[-1] + wd[-2].cross(r) + w[-2].cross(w[-2].cross(r))))  # (16)
            Pdd_c.append(Pdd_o[-1] + wd[-1].cross(c) + w[-1].cross(w[-1].cross(c)))  # (17)
        # backward recursion, i = N .. 1
        tau: list[Any] = [0.0] * self.nv
        outer = self._at_the_tip(load)  # R_{i+2}^{i+1} f_{b,i+1} and tau_{b,i+1}, in frame i + 1
        for i, link in reversed([*enumerate(self.links, 1)]):
            f = outer.lin + Pdd_c[i] * link.m  # (19)
            n = outer.ang - f.cross(link.c) + outer.lin.cross(link.c_next)
            n = n + link.I @ wd[i] + w[i].cross(link.I @ w[i])
            for motor in self.motors:
                if motor.link == i:
                    n = n + motor.momentum_rate(w[i], qd, qdd)  # (25)
            outer = Force(link.R @ n, link.R @ f)
            tau[link.v] = tau[link.v] + outer.ang.dot(link.z)  # (28), and in (27)
        # the motors: their accelerations, and what these need
        for motor in self.motors:
            k, eta, z = motor.v, motor.eta, motor.z
            wd_m = wd[motor.link] + (z * qdd[k] + w[motor.link].cross(z) * qd[k]) * eta  # (8), (9)
            tau[k] = tau[k] + wd_m.dot(z) * (eta * motor.I)  # (27), (29)
        return tau

    def _at_the_tip(self, load: Load) -> Force:
        """f_{b,n+1} and tau_{b,n+1}: what the arm exerts at its tip, in frame n + 1."""
        if load is None:
            return Force.zero
        R, wrench = reduce(Rotation.then, (link.R for link in self.links), self.R), Force.of(load)
        return Force(-(R.T @ wrench.ang), -(R.T @ wrench.lin))  # (20), (26)


def _tip(robot: Mechanism, last: Body, tip: str | None) -> Transform:
    if tip is None:
        return Transform.identity
    on_last = [name for name, frame in robot.frames.items() if frame.body == last.name]
    check_name("frame of the last link", tip, on_last)
    return robot.frames[tip].pose


def _check(robot: Mechanism, **given: Vector) -> None:
    for name, values in given.items():
        if len(values) != robot.nv:
            raise InputError(f"{name} has {len(values)} numbers, the robot {robot.nv} coordinates")
    if not any(isinstance(body.joint.kind, Revolute) for body in robot.bodies):
        raise ModelError(f"Hua's recursion needs a revolute joint; {robot.name!r} has none")
    for body, reason in _strangers(robot):
        scope = f"body {body.name!r}: Hua's recursion is for serial arms of revolute joints with rotors on their links"
        raise ModelError(f"{scope}; {reason}; `inverse_dynamics` and `forward_dynamics` take all")


def _strangers(robot: Mechanism) -> Iterator[tuple[Body, str]]:
    """Bodies that the recursion does not know, and why."""
    last = WORLD
    for i, (body, p) in enumerate(zip(robot.bodies, robot.parents)):
        kind = body.joint.kind
        if isinstance(kind, Rotor):
            continue
        if isinstance(kind, Fixed):
            yield body, "it is on a fixed joint, which `robot.merge_fixed()` removes"
        elif not isinstance(kind, Revolute):
            yield body, f"it is on a joint of kind {type(kind).__name__}"
        elif body.joint.mimic:
            yield body, f"its joint mimics {body.joint.mimic.joint!r}"
        elif p != last:
            yield body, "it is on a branch"
        last = i
