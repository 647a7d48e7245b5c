"""Accelerations for joint forces: qdd = FD(q, qd, tau), the direct dynamic model.

Articulated bodies: inwards, each body takes over what its children leave of their inertia; outwards, accelerations
follow. Reference: [Khalil2010] section 3.3, (33)-(44), corrected; also [RBDA] Table 7.1, p. 132.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.bias_forces import bias_forces
from kinetree.algorithms.external import wrenches_on_bodies
from kinetree.algorithms.links import links
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.algorithms.root import Root
from kinetree.algorithms.symmetric import Factorisation
from kinetree.errors import SingularModelError
from kinetree.joints.joint import combine
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.scalar import Real
from kinetree.spatial.inertia import ArticulatedInertia
from kinetree.spatial.motion import Motion
from kinetree.spatial.spin import Spin
from kinetree.spatial.vec3 import Vec3


def forward_dynamics(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    tau: Sequence[Real],
    external: Sequence[Sequence[Real]] | None = None,
    base: Root | None = None,
) -> list[Any]:
    """qdd = M(q)^-1 (tau - h(q, qd))."""
    if robot.shares_coordinates:
        return _of_shared_coordinates(robot, q, qd, tau, external, base)
    root = base or Root.still(robot)
    spins: dict[int, Spin] = {WORLD: Spin(root.spin.w, Vec3.zero)}
    X, S, c, I, b = {}, {}, {}, {}, {}
    # outwards: velocities, and the accelerations and wrenches that they alone cause
    slices = zip(robot.bodies, robot.parents, robot.q_slices, robot.v_slices)
    for i, (link, (body, p, qs, vs)) in enumerate(zip(links(robot, q), slices)):
        X[i], S[i] = link.X, link.S
        R = X[i].R.T
        vJ, cJ = combine(S[i], qd[vs]), body.joint.bias(q[qs], qd[vs])
        w = R @ spins[p].w
        c[i] = Motion(
            cJ.ang + w.cross(vJ.ang),
            cJ.lin + R @ (spins[p] @ X[i].p) + (2.0 * w + vJ.ang).cross(vJ.lin),
        )  # (34)
        spins[i] = Spin(w + vJ.ang, Vec3.zero)
        rigid = link.inertia
        I[i] = ArticulatedInertia.rigid(rigid)
        b[i] = rigid.newton_euler(spins[i], Vec3.zero)  # (35), with the other sign
    for i, wrench in enumerate(wrenches_on_bodies(robot, X, external)):
        b[i] = b[i] - wrench
    # inwards: what remains of a body when its joint gives way
    IS, D, u = {}, {}, {}
    for i in reversed(range(robot.nbodies)):
        joint, p, qs, vs = robot.bodies[i].joint, robot.parents[i], robot.q_slices[i], robot.v_slices[i]
        IS[i] = [I[i] @ s for s in S[i]]
        H = [[s.dot(column) for column in IS[i]] for s in S[i]]
        for k, rotor in enumerate(joint.reflected_inertia):
            H[k][k] = H[k][k] + rotor
        D[i] = _factorised(H, f"body {robot.bodies[i].name!r}")  # (36)
        losses = joint.resistance(q[qs], qd[vs])
        u[i] = [t - loss - s.dot(b[i]) for t, loss, s in zip(tau[vs], losses, S[i])]
        if p != WORLD:
            K, pushed = I[i], b[i]
            for column, scaled in zip(IS[i], D[i].columns(IS[i])):
                K = K.minus_product(scaled, column)  # (37)
            for column, x in zip(IS[i], D[i].solve(u[i])):
                pushed = pushed + column * x
            pushed = pushed + K @ c[i]  # (38)
            I[p] = I[p] + K.seen_through(X[i])  # (40)
            b[p] = b[p] + X[i].force_from(pushed)  # (39)
    # outwards: accelerations
    a = {WORLD: Motion(root.spin.wd, root.acceleration)}
    qdd: list[Any] = []
    for i, p in enumerate(robot.parents):
        a[i] = X[i].motion_to(a[p]) + c[i]
        qddi = D[i].solve([x - a[i].dot(column) for x, column in zip(u[i], IS[i])])  # (41)
        a[i] = a[i] + combine(S[i], qddi)  # (43)
        qdd += qddi
    return qdd


def _of_shared_coordinates(
    robot: Mechanism, q: Sequence[Real], qd: Sequence[Real], tau: Sequence[Real], external: Any, base: Root | None
) -> list[Any]:
    """The same by the mass matrix: where one coordinate moves several joints, no joint gives way alone."""
    M, h = mass_matrix(robot, q), bias_forces(robot, q, qd, external, base)
    D = factorised_from_the_leaves(M, "a body that mimics or is mimicked")
    return D.solve([t - b for t, b in zip(tau, h)])


def factorised_from_the_leaves(M: list[list[Any]], body: str) -> Factorisation:
    """The mass matrix in the order that keeps the zeros between branches."""
    return _factorised(M, body, range(len(M))[::-1])


def _factorised(H: list[list[Any]], body: str, order: Sequence[int] | None = None) -> Factorisation:
    try:
        return Factorisation(H, order)
    except ZeroDivisionError:
        raise SingularModelError(
            f"direct dynamics: nothing that {body} carries resists its joint (no mass, inertia or rotor "
            "inertia), so its acceleration is not determined; give the body an inertia, or lock the joint"
        ) from None
