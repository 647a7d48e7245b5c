"""The rates of the joint forces: d tau/dt for a motion known up to its jerk.

The Newton-Euler recursion with its own rate beside it. All rates are those of components in body axes:
in the axes of body i, what is fixed in its parent rotates with -vJ, and a wrench that body i passes to its parent
rotates with +vJ. Reference: [Guarino] (3)-(21) for one-axis joints; here for any joint with constant S.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.external import wrenches_on_bodies
from kinetree.algorithms.inverse_dynamics_derivatives import spread
from kinetree.algorithms.links import links
from kinetree.algorithms.passive_forces import passive_force_derivatives, passive_forces, reflected_inertias
from kinetree.joints.joint import combine
from kinetree.model.composite_joints import split_composite_joints
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Real, dot
from kinetree.spatial.angular_motion import AngularMotion
from kinetree.spatial.motion import Force
from kinetree.spatial.vec3 import Vec3

Loads = Sequence[Sequence[Real]]


def force_rates(robot: Mechanism, *args: Any, **options: Any) -> list[Any]:
    """d tau/dt; arguments as for `forces_and_rates`."""
    return forces_and_rates(robot, *args, **options)[1]


def forces_and_rates(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    qdd: Sequence[Real],
    qddd: Sequence[Real],
    external: Loads | None = None,
    external_rate: Loads | None = None,
    base: BaseMotion | None = None,
) -> tuple[list[Any], list[Any]]:
    """tau and d tau/dt, springs, friction and rotors included; Coulomb friction does not change while a joint moves."""
    robot, places = split_composite_joints(robot)
    loads, rates = (spread(x, places, robot.nbodies) for x in (external, external_rate))
    wrenches = newton_euler_rates(robot, q, qd, qdd, qddd, loads, rates, base)
    rotors, losses = reflected_inertias(robot), passive_forces(robot, q, qd)
    springs, damping = passive_force_derivatives(robot, q)
    tau: list[Any] = [loss + rotor * x for loss, rotor, x in zip(losses, rotors, qdd)]
    taud: list[Any] = [
        rotor * jerk + dot(spring, qd) + dot(viscous, qdd)
        for rotor, jerk, spring, viscous in zip(rotors, qddd, springs, damping)
    ]
    for body, (f, fd), qs, vs in zip(robot.bodies, wrenches, robot.q_slices, robot.v_slices):
        for k, S in zip(range(robot.nv)[vs], body.joint.subspace(q[qs])):
            tau[k], taud[k] = S.dot(f) + tau[k], S.dot(fd) + taud[k]
    return tau, taud


def newton_euler_rates(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    qdd: Sequence[Real],
    qddd: Sequence[Real],
    external: Loads | None = None,
    external_rate: Loads | None = None,
    base: BaseMotion | None = None,
) -> list[tuple[Force, Force]]:
    """The wrench that each body receives from its parent, and the rate of it in body axes, in working frames."""
    base = base or BaseMotion.fixed(robot)
    chain = []
    angular, rate = {WORLD: base.angular}, {WORLD: base.angular.rate(base.jerk.ang)}
    a, ad = {WORLD: base.acceleration}, {WORLD: base.jerk.lin}
    vJ, f, fd, relative = {}, {}, {}, {WORLD: Vec3.zero}
    # outwards: angular motions, accelerations of the origins, wrenches that move the bodies; and the rates of all
    for i, (link, p, vs) in enumerate(zip(links(robot, q, working_frames(robot)), robot.parents, robot.v_slices)):
        chain.append(link)
        X, S = link.X, link.S
        R = X.R.T
        v, aJ, jJ = (combine(S, x[vs]) for x in (qd, qdd, qddd))
        w, wd = R @ angular[p].w, R @ angular[p].wd
        point, point_rate = a[p] + angular[p] @ X.p, ad[p] + rate[p] @ X.p + angular[p] @ (X.R @ v.lin)
        turned, A = wd + w.cross(v.ang), R @ point
        angular[i] = AngularMotion(w + v.ang, turned + aJ.ang)
        wdd = R @ rate[p].wd + jJ.ang + (wd + turned).cross(v.ang) + w.cross(aJ.ang)
        rate[i] = angular[i].rate(wdd)
        a[i] = A + aJ.lin + (2.0 * w + v.ang).cross(v.lin)
        ad[i] = R @ point_rate + A.cross(v.ang) + jJ.lin
        ad[i] = ad[i] + (2.0 * turned + aJ.ang).cross(v.lin) + (2.0 * w + v.ang).cross(aJ.lin)
        f[i] = link.inertia.newton_euler(angular[i], a[i])
        fd[i] = link.inertia.newton_euler(rate[i], ad[i])
        vJ[i], relative[i] = v, R @ relative[p] + v.ang
    X = {i: link.X for i, link in enumerate(chain)}
    for i, load in enumerate(wrenches_on_bodies(robot, X, external)):
        f[i], fd[i] = f[i] - load, fd[i] + _turning(relative[i], load)
    for i, load_rate in enumerate(wrenches_on_bodies(robot, X, external_rate)):
        fd[i] = fd[i] - load_rate
    # inwards: what a child needs, its parent must give
    for i in reversed(range(robot.nbodies)):
        if (p := robot.parents[i]) != WORLD:
            f[p] = f[p] + X[i].force_from(f[i])
            fd[p] = fd[p] + X[i].force_from(fd[i] + vJ[i].cross(f[i]))
    return [(f[i], fd[i]) for i in range(robot.nbodies)]


def _turning(w: Vec3, load: Force) -> Force:
    """The rate, times -1, of a load fixed in space in the axes of a body with angular velocity w."""
    return Force(w.cross(load.ang), w.cross(load.lin))
