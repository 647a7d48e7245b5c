"""Forward dynamics by Nasser's two passes: reaction loads and hinge acceleration of a link are found together.

Reference: [Nasser] sections 2.1 to 2.3 and 3. Link i is written in frame i - 1, fixed on link i - 1 at joint i: the
joint frame of the model, for a DH table that of the paper moved along z. The axis z may be any unit vector of it. A
6-vector of the paper is a force over a moment or a linear over an angular part; here both have names, `.lin` and
`.ang`. One line serves both joint types: Z is [0; z] for a rotational link and [z; 0] for a translational one.

Corrected: (2.1.13.2) has a plus sign before its second row. (2.1.3) and the first row of (2.2.4) have f^c_{i+1} - F^E
as (2.1.7.6) has; the second row of (2.2.4) begins with beta*'. Where (2.1.19.4) and (2.1.19.7) have gamma, an actuator
inertia needs gamma - J^a Z Z^T: what reaches link i, the control torque less J^a thdd, is also what acts back on link
i - 1. Left open in the paper: gamma = I - Z Z^T; gravity, here part of the base acceleration; the P*, R and sigma* of a
branch, here its own. Friction and springs are taken off the control torques. `forward_dynamics` takes any tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.algorithms.external import Loads, wrenches_on_bodies
from kinetree.algorithms.hybrid_dynamics import not_determined
from kinetree.algorithms.passive_forces import passive_forces
from kinetree.errors import InputError, ModelError, SingularModelError
from kinetree.joints import Prismatic, Revolute
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector, is_zero
from kinetree.spatial import ArticulatedInertia, Force, Motion, Sym3, Transform, Vec3, skew


def nasser(
    robot: Mechanism, q: Vector, qd: Vector, tau: Vector, external: Loads = None, base: Base = None
) -> list[Any]:
    """The hinge accelerations [rad/s^2, m/s^2] for control torques: qdd = M(q)^-1 (tau - h(q, qd)).

    Args:
        robot: a tree of revolute and prismatic joints.
        q, qd: positions [rad, m] and velocities of the joints.
        tau: control torques and forces [N m, N].
        external: six numbers for each body, the moment and the force on it in world axes about its origin [N m, N].
        base: the prescribed motion of the base, at rest by default.

    Example:
        >>> import kinetree as kt
        >>> from kinetree.recursions.nasser import nasser
        >>> arm = kt.robots.two_link()
        >>> [round(x, 6) for x in nasser(arm, [0.3, -0.5], [1.0, 2.0], [0.4, 0.1])]
        [0.487765, 0.362692]
    """
    _check(robot, q=q, qd=qd, tau=tau)
    base = base or BaseMotion.fixed(robot)
    links = _links(robot, q, qd, Moving(base.angular.w, Motion.zero))
    own = zip(links, tau, passive_forces(robot, q, qd))
    control = [_force(link.Z * (t - loss)) for link, t, loss in own]  # f^c, n^c
    loads = _loads(robot, links, external)
    A_star: dict[int, ArticulatedInertia] = {}
    B_star: dict[int, Force] = {}
    G: dict[int, Inverse] = {}
    # inbound, i = N .. 2
    for i, link in reversed([*enumerate(links)]):
        outer = {k: links[k].X for k, p in enumerate(robot.parents) if p == i}
        A_star[i] = link.A
        B_star[i] = link.B(control[i], sum((X.force_from(control[k]) for k, X in outer.items()), Force.zero), loads[i])
        for k, X in outer.items():
            A_k = G[k].of_inertia(A_star[k]).transformed(X)  # (2.1.14), (2.1.15), (2.1.19.4)
            B_k = X.force_from(G[k].of_force(B_star[k])) + A_k @ links[k].sigma_star  # (2.1.19.6), (2.1.19.7)
            A_star[i] = A_star[i] + A_k  # (2.1.19.3), (2.3.3)
            B_star[i] = B_star[i] + B_k  # (2.1.19.5), (2.3.4)
        G[i] = Inverse.of(A_star[i], link.Z, link.J_a, link.name)  # (2.1.11)
    # outbound, i = 2 .. N: frame i - 1 first, then link i
    accelerations = {WORLD: Motion(base.angular.wd, base.acceleration)}  # q_{1,1}, less the acceleration of free fall
    qdd: list[Any] = []
    for i, (link, p) in enumerate(zip(links, robot.parents)):
        a = link.X.motion_to(accelerations[p] + link.sigma_star)  # q_{i-1,i-1}, (2.1.13)
        F = A_star[i] @ a + B_star[i]  # (2.1.19.2)
        thdd = G[i].hinge(F)  # (2.1.20)
        accelerations[i] = a + link.Z * thdd  # + sigma, (2.1.13.1), (2.2.5)
        qdd.append(thdd)
    return qdd


@dataclass(frozen=True, slots=True)
class Moving:
    """How a link moves, in frame i - 1.

    Args:
        w: the angular velocity w_i of the link.
        c: what the hinge rate adds to accelerations: w_{i-1} x z thd (.ang) or 2 w_{i-1} x z thd (.lin).
    """

    w: Vec3
    c: Motion

    def sigma_star(self, P: Vec3) -> Motion:
        """[w_i x (w_i x P*) + 2 w_{i-1} x z thd'; w_{i-1} x z thd]."""
        return Motion(self.c.ang, self.w.cross(self.w.cross(P)) + self.c.lin)  # (2.1.13.2), (2.2.6)


@dataclass(frozen=True, slots=True)
class NasserLink:
    """Link i in frame i - 1.

    Args:
        name: of the body.
        Z: the column of the hinge acceleration, (2.1.7.2), (2.2.7).
        J_a: the actuator inertia J^a.
        m, r_star, J: mass, centre of mass, inertia about it.
        moving: how it moves.
        X: frame i - 1 in frame i - 2, R_{i-2,i-1} and P*_{i-1}; from there `X.force_from` is P R*, and `X.motion_to` is
            R*^T P^T, (2.1.13.3), (2.1.18).
        sigma_star: that of link i - 1 on the way to frame i - 1.
        arm: the origin of the body frame, to which external loads refer.
    """

    name: str
    Z: Motion
    J_a: Any
    m: Any
    r_star: Vec3
    J: Sym3
    moving: Moving
    X: Transform
    sigma_star: Motion
    arm: Vec3

    @property
    def A(self) -> ArticulatedInertia:
        """A_{i,i-1}."""
        m, r = self.m, self.r_star
        return ArticulatedInertia(self.J + Sym3.of_point(r) * m, skew(r * m), Sym3.diagonal(m, m, m))  # (2.1.7.4)

    def B(self, control: Force, outer: Force, load: Force) -> Force:
        """B_{i,i-1}.

        Args:
            control: f^c_i and n^c_i.
            outer: f^c_{i+1} and n^c_{i+1} + P*_i x f^c_{i+1}, summed over the branches.
            load: F^E and N^E + r* x F^E.
        """
        J, r, w, c = self.J, self.r_star, self.moving.w, self.moving.c
        beta = self.m * (w.cross(w.cross(r)) + c.ang.cross(r) + c.lin)  # (2.1.3.2), (2.2.1)
        beta_star = J @ c.ang + w.cross(J @ w)  # (2.1.6.2), (2.2.2)
        N_t = load.ang - outer.ang + control.ang  # (2.1.5.3)
        first = beta - control.lin + outer.lin - load.lin
        second = beta_star + r.cross(beta) - N_t
        return Force(second, first)  # (2.1.7.6), (2.2.4)


@dataclass(frozen=True, slots=True)
class Inverse:
    """G = L^-1 in closed form, with L = I - Z Z^T - A* Z Z^T - J^a Z Z^T.

    L takes U = [U^R; thdd], in which U^R has nothing along Z, to F = U^R - (A* Z + J^a Z) thdd. Along Z this says
    thdd = -Z^T F / (Z^T A* Z + J^a). The wrench on link i - 1 is U^R - J^a Z thdd = F + A* Z thdd.
    """

    Z: Motion
    J_a: Any
    AZ: Force
    D_inv: Any

    @staticmethod
    def of(A_star: ArticulatedInertia, Z: Motion, J_a: Any, name: str) -> Inverse:
        AZ = A_star @ Z
        try:
            return Inverse(Z, J_a, AZ, 1.0 / (Z.dot(AZ) + J_a))  # (2.1.7.2), (2.1.9), (2.1.19.1)
        except ZeroDivisionError:
            raise SingularModelError(not_determined(f"body {name!r}")) from None

    def hinge(self, F: Force) -> Any:
        """Z^T G F."""
        return -(self.Z.dot(F) * self.D_inv)

    def of_force(self, F: Force) -> Force:
        """(gamma - J^a Z Z^T) G F; without J^a nothing is left along Z, and gamma says so."""
        U = F + self.AZ * self.hinge(F)
        return U - _force(self.Z * self.Z.dot(U)) if is_zero(self.J_a) else U

    def of_inertia(self, A_star: ArticulatedInertia) -> ArticulatedInertia:
        """(gamma - J^a Z Z^T) G A* = A* - A* Z Z^T A* / (Z^T A* Z + J^a), symmetric: gamma may stand on both sides."""
        U = A_star.minus_product(self.AZ * self.D_inv, self.AZ)
        if not is_zero(self.J_a):
            return U
        ang, lin = ((Sym3.diagonal(1.0, 1.0, 1.0) - Sym3.outer(z)).full for z in (self.Z.ang, self.Z.lin))  # gamma
        aa, al, ll = ang.times(U.aa.full).times(ang), ang.times(U.al).times(lin), lin.times(U.ll.full).times(lin)
        return ArticulatedInertia(Sym3.upper(aa), al, Sym3.upper(ll))


def _links(robot: Mechanism, q: Vector, qd: Vector, base: Moving) -> list[NasserLink]:
    """Outwards: places and velocities."""
    moving, motions = {WORLD: base}, {WORLD: Transform.identity}
    links: list[NasserLink] = []
    for i, (body, p) in enumerate(zip(robot.bodies, robot.parents)):
        joint, (Z,) = body.joint, body.joint.subspace(q[i : i + 1])
        X = motions[p] @ joint.placement
        w, rate = X.R.T @ moving[p].w, Z * qd[i]  # w_{i-1}
        moving[i] = Moving(w + rate.ang, Motion(w.cross(rate.ang), 2.0 * w.cross(rate.lin)))  # (A.2.1), (A.2.5)
        motions[i] = joint.motion(q[i : i + 1])
        inertia = body.inertia.moved(motions[i])
        m, r_star, J = inertia.mass, inertia.com, inertia.about_com  # (2.1.5.1)
        own = body.name, Z, joint.reflected_inertia[0]
        links.append(NasserLink(*own, m, r_star, J, moving[i], X, moving[p].sigma_star(X.p), motions[i].p))
    return links


def _loads(robot: Mechanism, links: Sequence[NasserLink], external: Loads) -> Mapping[int, Force]:
    """F^E and N^E + r* x F^E of each link."""
    wrenches = wrenches_on_bodies(robot, {i: link.X for i, link in enumerate(links)}, external)
    about_the_body = wrenches or [Force.zero] * len(links)
    return {i: Force(f.ang + links[i].arm.cross(f.lin), f.lin) for i, f in enumerate(about_the_body)}


def _force(along: Motion) -> Force:
    """A force and a moment along Z."""
    return Force(along.ang, along.lin)


def _check(robot: Mechanism, **given: Vector) -> None:
    for body in robot.bodies:
        if not isinstance(body.joint.kind, Revolute | Prismatic) or body.joint.mimic is not None:
            scope = f"revolute and prismatic joints that mimic no other, not {body.joint.kind!r}"
            remedy = "`robot.merge_fixed()` removes fixed joints, `forward_dynamics` takes all"
            raise ModelError(f"body {body.name!r}: Nasser's recursion is for {scope}; {remedy}")
    for name, values in given.items():
        if len(values) != robot.nv:
            raise InputError(f"{name} has {len(values)} numbers, the robot {robot.nv} joints")
