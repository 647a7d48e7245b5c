"""The rates of the joint forces: d tau/dt for a motion known up to its jerk.

The Newton-Euler recursion with its own rate beside it. All rates are those of components in body axes:
in the axes of body i, what is fixed in its parent rotates with -vJ, and a wrench that body i passes to its parent
rotates with +vJ. Reference: [Guarino] (3)-(21) for one-axis joints; here for any joint with constant S.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.algorithms.external import Loads, wrenches_on_bodies
from kinetree.algorithms.inverse_dynamics import with_wrenches
from kinetree.algorithms.inverse_dynamics_derivatives import spread
from kinetree.algorithms.links import links
from kinetree.algorithms.passive_forces import passive_force_derivatives, passive_forces, reflected_inertias
from kinetree.joints.joint import combine
from kinetree.model import WORLD, Mechanism
from kinetree.model.composite_joints import split_composite_joints
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Vector, dot
from kinetree.spatial import AngularMotion, Force, Vec3


def force_rates(robot: Mechanism, *args: Any, **options: Any) -> list[Any]:
    """d tau/dt; arguments as for `forces_and_rates`."""
    return forces_and_rates(robot, *args, **options)[1]


def forces_and_rates(
    robot: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    qddd: Vector,
    external: Loads = None,
    external_rate: Loads = None,
    base: Base = None,
) -> tuple[list[Any], list[Any]]:
    """tau and d tau/dt, springs, friction and rotors included; Coulomb friction does not change while a joint moves."""
    robot, indices = split_composite_joints(robot)
    loads = [spread(x, indices, robot.nbodies) for x in (external, external_rate)]
    f, fd = newton_euler_rates(robot, q, qd, qdd, qddd, loads, base or BaseMotion.fixed(robot))
    rotors, losses = reflected_inertias(robot), passive_forces(robot, q, qd)
    springs, damping = passive_force_derivatives(robot, q)
    tau: list[Any] = [loss + rotor * x for loss, rotor, x in zip(losses, rotors, qdd)]
    own = zip(rotors, qddd, springs, damping)
    taud: list[Any] = [rotor * jerk + dot(spring, qd) + dot(viscous, qdd) for rotor, jerk, spring, viscous in own]
    return with_wrenches(robot, q, f, tau), with_wrenches(robot, q, fd, taud)


def newton_euler_rates(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, loads: Sequence[Loads], base: BaseMotion
) -> tuple[list[Force], list[Force]]:
    """The wrench that each body receives from its parent, and the rate of it in body axes, in working frames."""
    external, external_rate = loads
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
        turning = Force(relative[i].cross(load.ang), relative[i].cross(load.lin))  # in body axes it rotates backwards
        f[i], fd[i] = f[i] - load, fd[i] + turning
    for i, load_rate in enumerate(wrenches_on_bodies(robot, X, external_rate)):
        fd[i] = fd[i] - load_rate
    # inwards: what a child needs, its parent must give
    for i in reversed(range(robot.nbodies)):
        if (p := robot.parents[i]) != WORLD:
            f[p] = f[p] + X[i].force_from(f[i])
            fd[p] = fd[p] + X[i].force_from(fd[i] + vJ[i].cross(f[i]))
    bodies = range(robot.nbodies)
    return [f[i] for i in bodies], [fd[i] for i in bodies]
