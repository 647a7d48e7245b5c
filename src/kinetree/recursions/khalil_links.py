"""What Khalil's recursions share: the first forward computation, articulated joints, the acceleration of link 0.

Reference: [Khalil2010] (13)-(19), (33)-(38), (97); see `khalil`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.external import Loads, wrenches_on_bodies
from kinetree.algorithms.hybrid_dynamics import not_determined
from kinetree.algorithms.symmetric import Factorisation
from kinetree.errors import InputError, ModelError, SingularModelError
from kinetree.joints import Free, Prismatic, Revolute
from kinetree.model import WORLD, Body, Mechanism
from kinetree.scalar import Vector, is_zero
from kinetree.spatial import ArticulatedInertia, Force, Motion, RigidInertia, Transform, Vec3

Inertia = RigidInertia | ArticulatedInertia


@dataclass(frozen=True, slots=True)
class KhalilLink:
    """Link j after the first forward computation.

    Args:
        body: its description.
        v: where its joint stands in qd.
        X: frame j in frame i.
        w: its angular velocity.
        a: the column of the joint, (16); no motion for link 0.
        gamma, beta: how it accelerates, and what acts on it, where neither base nor joints accelerate.
    """

    body: Body
    v: int
    X: Transform
    w: Vec3
    a: Motion
    gamma: Motion
    beta: Force

    @property
    def Ia(self) -> Any:
        """The inertia of the drive."""
        return self.body.joint.reflected_inertia[0]


def links_of(robot: Mechanism, q: Vector, qd: Vector, w0: Vec3, external: Loads) -> list[KhalilLink]:
    """The first forward computation, on a base that turns with w0."""
    slices = [*zip(robot.q_slices, robot.v_slices)]
    X = {j: body.joint.pose(q[qs]) for j, (body, (qs, _)) in enumerate(zip(robot.bodies, slices))}  # (17)
    loads = wrenches_on_bodies(robot, X, external) or [Force.zero] * robot.nbodies  # -f_e
    w, links = {WORLD: w0}, list[KhalilLink]()
    for j, (body, i, (qs, vs), load) in enumerate(zip(robot.bodies, robot.parents, slices, loads)):
        if isinstance(body.joint.kind, Free):  # link 0
            a, gamma = Motion.zero, Motion.zero
            w[j] = Vec3.of(qd[vs][:3])
        else:
            (a,) = body.joint.subspace(q[qs])  # (16)
            R, rate = X[j].R.T, a * qd[vs][0]
            jwi = R @ w[i]  # (18)
            lin = R @ w[i].cross(w[i].cross(X[j].p)) + 2.0 * jwi.cross(rate.lin)
            gamma = Motion(jwi.cross(rate.ang), lin)  # (34), (101)
            w[j] = jwi + rate.ang  # (19)
        MS, J = body.inertia.rigid.ms, body.inertia.rigid.J
        beta = load - Force(w[j].cross(J @ w[j]), w[j].cross(w[j].cross(MS)))  # (33), (35), (90), (102)
        links.append(KhalilLink(body, vs.start, X[j], w[j], a, gamma, beta))
    return links


def start(links: Sequence[KhalilLink]) -> tuple[dict[int, Inertia], dict[int, Force]]:
    """Every link alone: J and beta, to which those of its subtree are added."""
    J: dict[int, Inertia] = {j: link.body.inertia.rigid for j, link in enumerate(links)}
    return J, {j: link.beta for j, link in enumerate(links)}


@dataclass(frozen=True, slots=True)
class ArticulatedJoint:
    """A joint whose force is known: its articulated inertia and bias wrench for link i, and its acceleration.

    Args:
        Ja, H_inv: J* a and 1 / H.
        pull: tau + a^T beta*, the force on the joint where nothing accelerates.
        K, alpha: the wrench from link i is K jTi Vd_i + alpha.
    """

    Ja: Force
    H_inv: Any
    pull: Any
    K: ArticulatedInertia
    alpha: Force

    @staticmethod
    def of(link: KhalilLink, J: Inertia, beta: Force, tau: Any) -> ArticulatedJoint:
        """From J*, beta* and the force tau on the joint, without friction."""
        Ja = J @ link.a
        H = link.a.dot(Ja) + link.Ia  # (36), (72), (103)
        try:
            H_inv = 1.0 / H
        except ZeroDivisionError:
            raise SingularModelError(not_determined(f"body {link.body.name!r}")) from None
        K = ArticulatedInertia.of(J).minus_product(Ja * H_inv, Ja)  # (37), (73), (104)
        pull = tau + link.a.dot(beta)
        alpha = K @ link.gamma + Ja * (H_inv * pull) - beta  # (38), (74), (107)
        return ArticulatedJoint(Ja, H_inv, pull, K, alpha)

    def acceleration(self, carried: Motion) -> Any:
        """Of the joint, where its link is carried along with jTi Vd_i + gamma."""
        return self.H_inv * (self.pull - carried.dot(self.Ja))  # (41), (80), (110)


# -- a base that nothing holds -----------------------------------------------------------------------------------------


def links_afloat(robot: Mechanism, q: Vector, qd: Vector, given: Vector, external: Loads) -> list[KhalilLink]:
    """The links, link 0 first, of a robot that section 7 is for."""
    roots = [body for body, p in zip(robot.bodies, robot.parents) if p == WORLD]
    if len(roots) != 1 or not isinstance(roots[0].joint.kind, Free):
        raise ModelError(f"robot {robot.name!r}: section 7 of Khalil is for robots on one body that floats")
    joint = roots[0].joint
    if not all(map(is_zero, (*joint.stiffness, *joint.damping, *joint.coulomb, *joint.rotor_inertia))):
        raise ModelError(f"joint {joint.name!r}: nothing may hold the base, no spring, friction or rotor inertia")
    check(robot, robot.bodies[1:], q=(q, robot.nq), qd=(qd, robot.nv), given=(given, robot.nv - robot.nbase))
    return links_of(robot, q, qd, Vec3.zero, external)


def accelerated(J: Inertia, beta: Force) -> Motion:
    """J^-1 beta: the acceleration of link 0, less that of free fall."""
    units = Free().subspace(())
    rows = [[unit.dot(column) for column in (J @ other for other in units)] for unit in units]
    return Motion.of(Factorisation(rows).solve([*beta.ang, *beta.lin]))


def rates(robot: Mechanism, base: KhalilLink, qd: Vector, Vd: Motion) -> list[Any]:
    """The rates of the components of the base's velocity: gravity added, and what the turning axes explain left out."""
    lin = Vd.lin + base.X.R.T @ robot.gravity - base.w.cross(Vec3.of(qd[3:6]))
    return [*Vd.ang, *lin]


# -- what is refused ---------------------------------------------------------------------------------------------------


def check(robot: Mechanism, bodies: Sequence[Body], **given: tuple[Vector, int]) -> None:
    """Refuse other joints than those of the paper, and lists of numbers that don't fit the robot."""
    for body in bodies:
        joint = body.joint
        if not isinstance(joint.kind, Revolute | Prismatic) or joint.mimic or joint.transmission:
            scope = f"revolute and prismatic joints that mimic no other, not {joint.kind!r}"
            remedy = "`robot.merge_fixed()` removes fixed joints, `hybrid_dynamics` takes all"
            raise ModelError(f"body {body.name!r}: Khalil's recursions are for {scope}; {remedy}")
    for name, (values, size) in given.items():
        if len(values) != size:
            raise InputError(f"{name} has {len(values)} numbers, robot {robot.name!r} needs {size}")
