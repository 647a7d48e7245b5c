"""Derivatives of motions and wrenches with respect to one joint: the terms of all analytic derivatives.

A small change of the position of joint j along S_j = (a, l) changes the velocities in its subtree, in axes that move
along, by Psid_j and the accelerations by Psidd_j; a small change of its velocity adds S_j to the velocities and
Psid_j + Sd_j to the accelerations:

    Psid  = v x S           = (w x a,  u x a + w x l)
    Psidd = A x S + v x Psid = (U a,    U l + A x a + 2 u x (w x a))
    Psid + Sd               = (v + v_j) x S

with w, u, U = [wd] + [w][w] and the acceleration A of the parent, at the joint's origin. The wrench that moves the
subtree then changes by I Psidd + C Psid and I (Psid + Sd) + C S, with its composite inertia I and its Coriolis matrix
C. Reference: [Singh2022], in classical accelerations; the twelve numbers of C are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.algorithms.external import Loads, wrenches_on_bodies
from kinetree.algorithms.links import Link, links
from kinetree.joints.joint import combine
from kinetree.model import WORLD, Mechanism
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Vector
from kinetree.spatial import AngularMotion, Force, Motion, RigidInertia, Transform, Vec3
from kinetree.spatial.coriolis import Coriolis
from kinetree.spatial.load import SpaceFixedLoad


@dataclass(frozen=True, slots=True)
class Subtree:
    """The subtree of a joint: composite inertia, Coriolis matrix, the wrench of its motion, and its loads."""

    inertia: RigidInertia
    coriolis: Coriolis
    wrench: Force
    load: SpaceFixedLoad

    def __add__(self, other: Subtree) -> Subtree:
        I, C = self.inertia + other.inertia, self.coriolis + other.coriolis
        return Subtree(I, C, self.wrench + other.wrench, self.load + other.load)

    def transformed(self, X: Transform) -> Subtree:
        """The same in frame A, from frame B and X_AB."""
        I, C = self.inertia.transformed(X), self.coriolis.transformed(X)
        return Subtree(I, C, X.force_from(self.wrench), self.load.transformed(X))


@dataclass(frozen=True, slots=True)
class Differential:
    """A link, the changes of the motion of its subtree with its joint, and the subtree."""

    link: Link
    psid: list[Motion]
    psidd: list[Motion]
    rate: list[Motion]
    subtree: Subtree

    @property
    def columns(self) -> zip[tuple[Motion, Motion, Motion, Motion]]:
        """S, Psid, Psidd and Psid + Sd, column by column."""
        return zip(self.link.S, self.psid, self.psidd, self.rate)

    def of_acceleration(self) -> list[Force]:
        """The derivative of the subtree's wrench with respect to the joint's acceleration."""
        return [self.subtree.inertia @ s for s in self.link.S]

    def of_velocity(self) -> list[Force]:
        """The derivative of the subtree's wrench with respect to the joint's velocity."""
        C, I = self.subtree.coriolis, self.subtree.inertia
        return [C @ s.ang + I @ rate for s, rate in zip(self.link.S, self.rate)]

    def of_position(self) -> list[Force]:
        """The derivative of the subtree's wrench with respect to the joint's position, in axes of the parent."""
        C, I, f, load = self.subtree.coriolis, self.subtree.inertia, self.subtree.wrench, self.subtree.load
        changes = zip(self.link.S, self.psid, self.psidd)
        return [C @ psid.ang + I @ psidd + s.cross(f) - load.moved(s) for s, psid, psidd in changes]


def differentials(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, external: Loads = None, base: Base = None
) -> list[Differential]:
    """The differential of every link, for a mechanism whose joints have a constant S."""
    base = base or BaseMotion.fixed(robot)
    chain = []
    # any inertial frame will do: the one that the base is at rest in
    angular, accelerations, velocities = {WORLD: base.angular}, {WORLD: base.acceleration}, {WORLD: Vec3.zero}
    psid, psidd, rate, subtree = {}, {}, {}, {}
    # outwards
    for i, (link, p, vs) in enumerate(zip(links(robot, q, working_frames(robot)), robot.parents, robot.v_slices)):
        chain.append(link)
        R, S = link.X.R.T, link.S
        vJ, aJ = combine(S, qd[vs]), combine(S, qdd[vs])
        before = AngularMotion(R @ angular[p].w, R @ angular[p].wd)
        w = before.w
        u = R @ (velocities[p] + angular[p].w.cross(link.X.p))
        A = R @ (accelerations[p] + angular[p] @ link.X.p)
        angular[i] = AngularMotion(w + vJ.ang, before.wd + aJ.ang + w.cross(vJ.ang))
        velocities[i] = u + vJ.lin
        accelerations[i] = A + aJ.lin + (2.0 * w + vJ.ang).cross(vJ.lin)
        psid[i] = [Motion(w.cross(s.ang), u.cross(s.ang) + w.cross(s.lin)) for s in S]
        both = zip(S, psid[i])
        psidd[i] = [Motion(before @ s.ang, before @ s.lin + A.cross(s.ang) + 2.0 * u.cross(d.ang)) for s, d in both]
        rate[i] = _rates(S, psid[i], angular[i].w, velocities[i])
        wrench = link.inertia.newton_euler(angular[i], accelerations[i])
        coriolis = Coriolis.of(link.inertia, angular[i].w, velocities[i])
        subtree[i] = Subtree(link.inertia, coriolis, wrench, SpaceFixedLoad.none)
    X = {i: link.X for i, link in enumerate(chain)}
    for i, wrench in enumerate(wrenches_on_bodies(robot, X, external)):
        subtree[i] = subtree[i] + Subtree(RigidInertia.zero, _AT_REST, Force.zero, SpaceFixedLoad.at_origin(wrench))
    # inwards
    for i in reversed(range(robot.nbodies)):
        if (p := robot.parents[i]) != WORLD:
            subtree[p] = subtree[p] + subtree[i].transformed(chain[i].X)
    return [Differential(link, psid[i], psidd[i], rate[i], subtree[i]) for i, link in enumerate(chain)]


def _rates(S: Sequence[Motion], psid: Sequence[Motion], w: Vec3, u: Vec3) -> list[Motion]:
    """Psid + Sd; a single column is not changed by its own motion, so that both are the same."""
    if len(S) == 1:
        return [2.0 * psid[0]]
    return [d + Motion(w.cross(s.ang), u.cross(s.ang) + w.cross(s.lin)) for s, d in zip(S, psid)]


_AT_REST = Coriolis.of(RigidInertia.zero, Vec3.zero, Vec3.zero)
