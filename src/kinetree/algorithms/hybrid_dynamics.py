"""Hybrid dynamics: at each joint either the acceleration or the force is known, and the other is found.

First the unknown accelerations are set to zero. The difference between the known forces and those of this motion then
accelerates the free joints, by articulated bodies. With all accelerations known this is inverse dynamics; with all
forces known, forward dynamics; with the force on a floating base, inverse dynamics of a floating base ([Khalil2010]
7.2); with the forces of elastic joints, inverse dynamics of elastic joints (6.3). Reference: [Khalil2010] (72)-(82),
corrected, with gamma in the first motion.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads, wrenches_on_bodies
from kinetree.algorithms.inverse_dynamics import inverse_dynamics, moving_links
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.algorithms.passive_forces import passive_forces, reflected_inertias
from kinetree.algorithms.symmetric import Factorisation
from kinetree.errors import SingularModelError
from kinetree.joints.joint import combine
from kinetree.model import WORLD, Mechanism
from kinetree.model.zero_inertia import joints_without_inertia
from kinetree.scalar import Vector, is_zero
from kinetree.spatial import ArticulatedInertia, Motion, RigidInertia

_SHOWN = 20  # names in a message


def hybrid_dynamics(
    robot: Mechanism,
    q: Vector,
    qd: Vector,
    given: Vector,
    known_forces: Collection[str],
    external: Loads = None,
    base: Base = None,
) -> tuple[list[Any], list[Any]]:
    """qdd and tau, from the forces of the joints in ``known_forces`` and the accelerations of the others."""
    wanted = sorted(k for name in known_forces for k in robot.velocities_of(name))
    qdd = [0.0 if k in wanted else x for k, x in enumerate(given)]  # the motion in which no free joint accelerates
    if robot.shares_coordinates:
        return _of_shared_coordinates(robot, q, qd, qdd, given, wanted, external, base)
    parents, slices = robot.parents, robot.v_slices
    rotors, losses = reflected_inertias(robot), passive_forces(robot, q, qd)
    free = {i for i, body in enumerate(robot.bodies) if body.joint.name in known_forces}
    # outwards: that motion, and its wrenches
    X, S, f = {}, {}, {}
    I: dict[int, RigidInertia | ArticulatedInertia] = {}
    for i, (link, angular, a) in enumerate(moving_links(robot, q, qd, qdd, base)):
        X[i], S[i], I[i] = link.X, link.S, link.inertia
        f[i] = link.inertia.newton_euler(angular, a)
    for i, wrench in enumerate(wrenches_on_bodies(robot, X, external)):
        f[i] = f[i] - wrench
    # inwards: articulated inertias and bias forces
    IS, D, u = {}, {}, {}
    for i in reversed(range(robot.nbodies)):
        p, vs = parents[i], slices[i]
        IS[i] = [I[i] @ s for s in S[i]]
        K, pushed = I[i], f[i]
        if i in free:
            H = [[s.dot(column) for column in IS[i]] for s in S[i]]
            for k, rotor in enumerate(rotors[vs]):
                H[k][k] = H[k][k] + rotor
            D[i] = factorised(H, f"body {robot.bodies[i].name!r}")  # (72)
            u[i] = [t - loss - s.dot(f[i]) for t, loss, s in zip(given[vs], losses[vs], S[i])]
            K = ArticulatedInertia.of(K)
            for column, scaled in zip(IS[i], D[i].columns(IS[i])):
                K = K.minus_product(scaled, column)  # (73)
            if all(map(is_zero, rotors[vs])):
                K = K.with_null_space(S[i])
            for column, x in zip(IS[i], D[i].solve(u[i])):
                pushed = pushed + column * x  # (74)
        if p != WORLD:
            I[p] = I[p] + K.transformed(X[i])  # (78)
            f[p] = f[p] + X[i].force_from(pushed)  # (77)
    # outwards: the accelerations of the free joints
    a = {WORLD: Motion.zero}
    tau: list[Any] = [rotor * x + loss for rotor, x, loss in zip(rotors, qdd, losses)]
    for i, p in enumerate(parents):
        vs = slices[i]
        a[i] = X[i].motion_to(a[p])
        if i in free:
            qdd[vs] = D[i].solve([x - a[i].dot(column) for x, column in zip(u[i], IS[i])])  # (80)
            a[i] = a[i] + combine(S[i], qdd[vs])  # (81)
            tau[vs] = given[vs]
        else:
            for k, s, column in zip(range(robot.nv)[vs], S[i], IS[i]):
                tau[k] = tau[k] + (s.dot(f[i]) + a[i].dot(column))  # (79), (82)
    return qdd, tau


def _of_shared_coordinates(
    robot: Mechanism, q: Vector, qd: Vector, qdd: list[Any], given: Vector, free: list[int], external: Loads, base: Base
) -> tuple[list[Any], list[Any]]:
    """The same by the mass matrix, for mimic joints: one coordinate moves several joints there."""
    tau, M = inverse_dynamics(robot, q, qd, qdd, external, base), mass_matrix(robot, q)
    D = factorised_from_the_leaves([[M[i][j] for j in free] for i in free], robot)
    for k, x in zip(free, D.solve([given[k] - tau[k] for k in free])):
        qdd[k] = x
    tau = [given[k] if k in free else t + sum((M[k][j] * qdd[j] for j in free), 0.0) for k, t in enumerate(tau)]
    return qdd, tau


def factorised_from_the_leaves(M: list[list[Any]], body: str | Mechanism) -> Factorisation:
    """The mass matrix in the order that keeps the zeros between branches."""
    return factorised(M, body, range(len(M))[::-1])


def factorised(H: list[list[Any]], body: str | Mechanism, order: Sequence[int] | None = None) -> Factorisation:
    """The factors of the inertia of a body, or of a mechanism; where it is singular, its bodies are named."""
    try:
        return Factorisation(H, order)
    except ZeroDivisionError:
        raise SingularModelError(not_determined(body if isinstance(body, str) else _massless(body))) from None


def _massless(robot: Mechanism) -> str:
    """The bodies that move without any inertia; those that mimic, and those that they mimic, together."""
    light = joints_without_inertia(robot)
    moved = [
        body.name for body in robot.bodies if (body.joint.mimic.joint if body.joint.mimic else body.joint.name) in light
    ]
    if len(moved) == 1:
        return f"body {moved[0]!r}"
    shown = ", ".join(map(repr, moved[:_SHOWN])) + (", ..." if moved[_SHOWN:] else "")
    return f"any of the bodies {shown}" if moved else "a body that mimics or is mimicked"


def not_determined(body: str) -> str:
    """The message of a joint that nothing resists."""
    nothing = f"nothing that {body} carries resists its joint (no mass, inertia or rotor inertia)"
    remedy = "give the body an inertia, or lock the joint"
    return f"forward dynamics: {nothing}, so its acceleration is not determined; {remedy}"
