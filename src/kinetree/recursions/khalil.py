"""Khalil's recursions in his own order: forward dynamics, elastic joints, and both models of a robot with a free base.

Reference: [Khalil2010] 3.3.2, (33)-(44); 6.3, (72)-(82); 7.2, (89)-(100); 7.3, (101)-(112). Link j stands on link
i = a(j); everything of it is about its origin in its own axes, and the axis a_j may be any unit vector. A 6-vector of
the paper has the linear part first; here both parts have names. `X.motion_to` is jTi and `X.force_from` its transpose.

Corrected: (15), (101) have jwi in the lower row, as (34) has. (39)-(43), (79)-(81), (110), (112) have jTi before the
acceleration of link i, and its transpose before a wrench. (81) is for rigid joints too. (96) has a plus sign before
beta^c_k and a minus sign before J^c_k zeta_k. (105), (108) add to J*_i and beta*_i, which all links start with, so that
branches meet. Left open in the paper: Ia on an elastic joint, here in (72) as in (36); friction in (82); gravity in
section 7, where (97), (109) give the acceleration less that of free fall. `hybrid_dynamics` does the same for any tree.
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.algorithms.external import Loads
from kinetree.algorithms.passive_forces import passive_forces
from kinetree.model import WORLD, Mechanism
from kinetree.recursions.khalil_links import ArticulatedJoint, accelerated, check, links_afloat, links_of, rates, start
from kinetree.scalar import Vector, is_zero
from kinetree.spatial import Motion


def khalil_forward(
    robot: Mechanism, q: Vector, qd: Vector, tau: Vector, external: Loads = None, base: Base = None
) -> list[Any]:
    """The joint accelerations [rad/s^2, m/s^2] for joint forces, 3.3.2: qdd = A(q)^-1 (Gamma - H(q, qd)).

    Args:
        robot: a tree of revolute and prismatic joints.
        q, qd: positions [rad, m] and velocities of the joints.
        tau: the forces Gamma of the drives [N m, N].
        external: six numbers for each body, the moment and the force on it in world axes about its origin [N m, N].
        base: the prescribed motion of the base, at rest by default.

    Example:
        >>> import kinetree as kt
        >>> from kinetree.recursions.khalil import khalil_forward
        >>> arm = kt.robots.two_link()
        >>> [round(x, 6) for x in khalil_forward(arm, [0.3, -0.5], [1.0, 2.0], [0.4, 0.1])]
        [0.487765, 0.362692]
    """
    check(robot, robot.bodies, q=(q, robot.nq), qd=(qd, robot.nv), tau=(tau, robot.nv))
    base = base or BaseMotion.fixed(robot)
    links = links_of(robot, q, qd, base.angular.w, external)
    left = [t - loss for t, loss in zip(tau, passive_forces(robot, q, qd))]  # (44)
    J_star, beta_star = start(links)
    free: dict[int, ArticulatedJoint] = {}
    for j, link in reversed([*enumerate(links)]):
        free[j] = ArticulatedJoint.of(link, J_star[j], beta_star[j], left[j])
        if (i := robot.parents[j]) != WORLD:
            beta_star[i] = beta_star[i] - link.X.force_from(free[j].alpha)  # (39)
            J_star[i] = J_star[i] + free[j].K.transformed(link.X)  # (40)
    Vd = {WORLD: Motion(base.angular.wd, base.acceleration)}
    qdd: list[Any] = []
    for j, (link, i) in enumerate(zip(links, robot.parents)):
        carried = link.X.motion_to(Vd[i]) + link.gamma
        qdd.append(free[j].acceleration(carried))  # (41)
        Vd[j] = carried + link.a * qdd[j]  # (43)
    return qdd


def khalil_elastic_inverse(
    robot: Mechanism, q: Vector, qd: Vector, qdd_rigid: Vector, external: Loads = None, base: Base = None
) -> tuple[list[Any], list[Any]]:
    """The accelerations of the elastic joints and the forces of the rigid ones, 6.3.

    Args:
        robot: a tree of revolute and prismatic joints; those with a stiffness are elastic, and only their springs and
            their friction act on them.
        q, qd: positions [rad, m] and velocities of all joints.
        qdd_rigid: the accelerations of the rigid joints, in their order [rad/s^2, m/s^2].
        external, base: as for `khalil_forward`.

    Returns:
        qdd and tau of all joints [rad/s^2, m/s^2 and N m, N]; tau is zero on the elastic ones.

    Example:
        >>> import kinetree as kt
        >>> from kinetree.recursions.khalil import khalil_elastic_inverse
        >>> disc, axis = kt.Inertia(1.0, about_com=(0.1, 0.1, 0.2)), kt.joints.Revolute()
        >>> motor = kt.Body("motor", kt.Joint("joint1", axis), disc)
        >>> link = kt.Body("link", kt.Joint("joint2", axis, stiffness=20.0), disc, "motor")
        >>> qdd, tau = khalil_elastic_inverse(kt.Robot((motor, link)), [0.0, 0.1], [0.0, 0.0], [1.0])
        >>> [round(x, 3) for x in qdd], [round(x, 3) for x in tau]
        ([1.0, -11.0], [-1.8, 0.0])
    """
    elastic = {j for j, body in enumerate(robot.bodies) if not all(map(is_zero, body.joint.stiffness))}
    check(robot, robot.bodies, q=(q, robot.nq), qd=(qd, robot.nv), qdd_rigid=(qdd_rigid, robot.nv - len(elastic)))
    base = base or BaseMotion.fixed(robot)
    links, losses = links_of(robot, q, qd, base.angular.w, external), passive_forces(robot, q, qd)
    known = iter(qdd_rigid)
    qdd: list[Any] = [0.0 if j in elastic else next(known) for j in range(robot.nv)]
    J_star, beta_star = start(links)
    K, alpha, free = {}, {}, dict[int, ArticulatedJoint]()
    for j, link in reversed([*enumerate(links)]):
        if j in elastic:
            free[j] = ArticulatedJoint.of(link, J_star[j], beta_star[j], -losses[j])  # -K dq: (69), and friction
            K[j], alpha[j] = free[j].K, free[j].alpha
        else:
            K[j] = J_star[j]  # (75)
            alpha[j] = K[j] @ (link.gamma + link.a * qdd[j]) - beta_star[j]  # (76)
        if (i := robot.parents[j]) != WORLD:
            beta_star[i] = beta_star[i] - link.X.force_from(alpha[j])  # (77)
            J_star[i] = J_star[i] + K[j].transformed(link.X)  # (78)
    Vd = {WORLD: Motion(base.angular.wd, base.acceleration)}
    tau: list[Any] = [0.0] * robot.nv
    for j, (link, i) in enumerate(zip(links, robot.parents)):
        carried = link.X.motion_to(Vd[i])
        if j in elastic:
            qdd[j] = free[j].acceleration(carried + link.gamma)  # (80)
        else:
            f = K[j] @ carried + alpha[j]  # (79)
            tau[j] = link.a.dot(f) + link.Ia * qdd[j] + losses[j]  # (82)
        Vd[j] = carried + link.gamma + link.a * qdd[j]  # (81)
    return qdd, tau


def khalil_free_base_inverse(
    robot: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, external: Loads = None
) -> tuple[list[Any], list[Any]]:
    """The acceleration of a base that nothing holds, and the joint forces, 7.2.

    Args:
        robot: a tree of revolute and prismatic joints on one body that floats; link 0 is that body.
        q, qd: positions and velocities, those of the base first.
        qdd_joints: the accelerations of the joints [rad/s^2, m/s^2].
        external: as for `khalil_forward`.

    Returns:
        The acceleration of the base as it stands in qdd, the rate of the components of its velocity, angular first
        [rad/s^2, m/s^2], and the joint forces [N m, N].

    Example:
        >>> import kinetree as kt
        >>> from kinetree.recursions.khalil import khalil_free_base_inverse
        >>> eel = kt.robots.eel(3)
        >>> acceleration, tau = khalil_free_base_inverse(eel, eel.neutral.tolist(), [0.0] * 9, [1.0, 0.0, 0.0])
        >>> len(acceleration), len(tau)
        (6, 3)
    """
    links = links_afloat(robot, q, qd, qdd_joints, external)
    qdd = [*[0.0] * robot.nbase, *qdd_joints]
    zeta = {j: link.gamma + link.a * qdd[link.v] for j, link in enumerate(links) if j}  # (89)
    J_c, beta_c = start(links)
    for k, link in reversed([*enumerate(links)][1:]):
        j = robot.parents[k]
        beta_c[j] = beta_c[j] + link.X.force_from(beta_c[k] - J_c[k] @ zeta[k])  # (96)
        J_c[j] = J_c[j] + J_c[k].transformed(link.X)  # (95)
    Vd = {0: accelerated(J_c[0], beta_c[0])}  # (97)
    losses, tau = passive_forces(robot, q, qd), []
    for j, link in [*enumerate(links)][1:]:
        Vd[j] = link.X.motion_to(Vd[robot.parents[j]]) + zeta[j]  # (98)
        f = J_c[j] @ Vd[j] - beta_c[j]  # (99)
        tau.append(link.a.dot(f) + losses[link.v] + link.Ia * qdd[link.v])  # (100)
    return rates(robot, links[0], qd, Vd[0]), tau


def khalil_free_base_forward(
    robot: Mechanism, q: Vector, qd: Vector, tau_joints: Vector, external: Loads = None
) -> tuple[list[Any], list[Any]]:
    """The accelerations of a base that nothing holds and of the joints, for joint forces, 7.3.

    Args:
        robot, q, qd, external: as for `khalil_free_base_inverse`.
        tau_joints: the joint forces [N m, N].

    Returns:
        The acceleration of the base as it stands in qdd, and those of the joints [rad/s^2, m/s^2].

    Example:
        >>> import kinetree as kt
        >>> from kinetree.recursions.khalil import khalil_free_base_forward
        >>> eel = kt.robots.eel(3)
        >>> acceleration, qdd = khalil_free_base_forward(eel, eel.neutral.tolist(), [0.0] * 9, [0.0, 0.0, 0.0])
        >>> acceleration, qdd
        ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    """
    links = links_afloat(robot, q, qd, tau_joints, external)
    losses = passive_forces(robot, q, qd)[robot.nbase :]
    left = [0.0, *(t - loss for t, loss in zip(tau_joints, losses))]  # (106)
    J_star, beta_star = start(links)
    free: dict[int, ArticulatedJoint] = {}
    for j, link in reversed([*enumerate(links)][1:]):
        i = robot.parents[j]
        free[j] = ArticulatedJoint.of(link, J_star[j], beta_star[j], left[j])
        J_star[i] = J_star[i] + free[j].K.transformed(link.X)  # (105)
        beta_star[i] = beta_star[i] - link.X.force_from(free[j].alpha)  # (108)
    Vd = {0: accelerated(J_star[0], beta_star[0])}  # (109)
    qdd: list[Any] = []
    for j, link in [*enumerate(links)][1:]:
        carried = link.X.motion_to(Vd[robot.parents[j]]) + link.gamma
        qdd.append(free[j].acceleration(carried))  # (110)
        Vd[j] = carried + link.a * qdd[-1]  # (112)
    return rates(robot, links[0], qd, Vd[0]), qdd
