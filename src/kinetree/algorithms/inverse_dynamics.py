"""Joint forces for a motion: tau = ID(q, qd, qdd).

The recursive Newton-Euler method in moving axes with the accelerations of body origins, so that linear velocities are
never needed. Reference: [Khalil2010] section 3.2, (18)-(31), in the corrected form of docs/papers; generalised from
one-axis joints to any joint with velocity S qd.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.algorithms.external import Loads, wrenches_on_bodies
from kinetree.algorithms.links import Link, links
from kinetree.algorithms.passive_forces import passive_forces, reflected_inertias
from kinetree.joints.joint import combine
from kinetree.model import WORLD, Mechanism
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Vector
from kinetree.spatial import AngularMotion, Force, Vec3


def inverse_dynamics(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, external: Loads = None, base: Base = None
) -> list[Any]:
    """tau = M(q) qdd + h(q, qd), springs, friction and rotors included."""
    wrenches = newton_euler(robot, q, qd, qdd, external, base)
    own = zip(passive_forces(robot, q, qd), reflected_inertias(robot), qdd)
    return with_wrenches(robot, q, wrenches, [loss + rotor * x for loss, rotor, x in own])


def with_wrenches(robot: Mechanism, q: Vector, wrenches: Iterable[Force], tau: list[Any]) -> list[Any]:
    """The joint forces tau, and those of the wrenches that the bodies receive through their joints."""
    for body, f, qs, vs in zip(robot.bodies, wrenches, robot.q_slices, robot.v_slices):
        for k, S in zip(range(robot.nv)[vs], body.joint.subspace(q[qs])):
            tau[k] = S.dot(f) + tau[k]  # (31)
    return tau


def newton_euler(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, external: Loads = None, base: Base = None
) -> list[Force]:
    """The wrench that each body receives from its parent, about its own origin in its working frame."""
    X, f = {}, []
    # outwards: the wrenches that move the bodies
    for i, (link, angular, a) in enumerate(moving_links(robot, q, qd, qdd, base)):
        X[i] = link.X
        f.append(link.inertia.newton_euler(angular, a))  # (22), (23)
    for i, wrench in enumerate(wrenches_on_bodies(robot, X, external)):
        f[i] = f[i] - wrench
    # inwards: what a child needs, its parent must give
    for i in reversed(range(robot.nbodies)):
        p = robot.parents[i]
        if p != WORLD:
            f[p] = f[p] + X[i].force_from(f[i])  # (25)
    return f


def moving_links(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, base: Base = None
) -> Iterator[tuple[Link, AngularMotion, Vec3]]:
    """Each link, its angular motion, and the acceleration of its origin less free fall, in its working frame."""
    base = base or BaseMotion.fixed(robot)
    angular, a = {WORLD: base.angular}, {WORLD: base.acceleration}
    slices = zip(robot.bodies, robot.parents, robot.q_slices, robot.v_slices)
    for i, (link, (body, p, qs, vs)) in enumerate(zip(links(robot, q, working_frames(robot)), slices)):
        X, S = link.X, link.S
        R = X.R.T
        vJ = combine(S, qd[vs])
        aJ = combine(S, qdd[vs]) + body.joint.bias(q[qs], qd[vs])
        w = R @ angular[p].w  # (18)
        wd = R @ angular[p].wd + aJ.ang + w.cross(vJ.ang)  # (20)
        a[i] = R @ (a[p] + angular[p] @ X.p) + aJ.lin + (2.0 * w + vJ.ang).cross(vJ.lin)  # (21)
        angular[i] = AngularMotion(w + vJ.ang, wd)  # (19)
        yield link, angular[i], a[i]
