"""The sensitivities of joint forces and internal forces to q, qd and qdd, by Barman's own recursion.

Reference: [Barman] chapter III, (3.3)-(3.95), for the values of `barman`. The thesis prints each equation for three
variables (i, i', i''), two joint types, and i < j and i = j; here the cases are one line each. What tells them apart
are the derivatives of theta, d and their rates (3.1): they are zero for i < j, and one of the six is 1 for i = j. In a
tree, i <= j means that joint i is on the way from the base to link j.

Eight equations are wrong in print and corrected here; a star marks them. docs/algorithms/barman shows both forms.
    (3.13)  a prismatic joint does not stop the angular velocity: w_{j,i'} = R_j^T w_{(j-1),i'}
    (3.18)  R_j^T e_z, not its derivative, which is zero
    (3.40)  w_{j,i'} x Dx_j is missing
    (3.51)  the angular acceleration, not the velocity, in the last line
    (3.52)  the angular acceleration in the first term for i = j
    (3.79), (3.87), (3.91)  loads add nothing for i' and i''; they don't make the sensitivities zero
    (3.83)  a slider changes its lever arms: - F_jd x Dx_{j,j} - F_Gj x Dx_{Gj,j} is missing
    (3.85)  the point r_k is missing in the second term for j = k
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kinetree.model import GRAVITY, WORLD
from kinetree.model.dh import DH
from kinetree.recursions import barman
from kinetree.recursions.barman import BarmanLink, Base, JointForces, LinkPoint, Load, Variables, children_of
from kinetree.scalar import Vector
from kinetree.spatial import Mat3, Vec3

POSITION, VELOCITY, ACCELERATION = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Change:
    """The derivatives of what `BarmanLink` has of the same name; R is that of R_j, zero but for i = j."""

    R: Mat3
    R0: Mat3
    w: Vec3
    wd: Vec3
    end: LinkPoint
    G: LinkPoint
    F_G: Vec3
    tau_G: Vec3  # noqa: N815


Parts = Mapping[int, tuple[Vec3, Vec3, Vec3]]  # F_jd^e, tau_jd^ef and tau_jd^em of one load, for each j


@dataclass(frozen=True, slots=True)
class Known:
    """The values that are differentiated inwards."""

    links: Sequence[BarmanLink]
    F_d: Mapping[int, Vec3]
    F_p: Mapping[int, Vec3]
    tau_p: Mapping[int, Vec3]
    loads: Sequence[tuple[int, Load, Parts]]  # with the link k of each


def joint_force_sensitivities(
    rows: Sequence[DH], q: Vector, qd: Vector, qdd: Vector, loads: Sequence[Load] = (), gravity: Vector | Vec3 = GRAVITY
) -> tuple[list[JointForces], list[JointForces], list[JointForces]]:
    """The derivatives of `joint_forces` with respect to q_i, to qd_i and to qdd_i, for every i; arguments alike."""
    links = barman.motions(rows, q, qd, qdd, gravity)
    loaded = [(k, load, barman.transferred(links, k, load)) for k, load in barman.numbered(loads, rows)]
    known = Known(links, *barman.inertial(links), loaded)

    def derivatives(order: int) -> list[JointForces]:
        return [_sensitivity(known, changes(links, i, order, gravity), i, order) for i in range(len(links))]

    return derivatives(POSITION), derivatives(VELOCITY), derivatives(ACCELERATION)


# -- outwards: steps 2 to 8 ----------------------------------------------------------------------------------------


def changes(links: Sequence[BarmanLink], i: int, order: int, gravity: Vector | Vec3 = GRAVITY) -> dict[int, Change]:
    """How the links from i outwards change with q_i, qd_i or qdd_i; no other does."""
    found: dict[int, Change] = {}
    g = Vec3.of([*gravity])
    for j, link in enumerate(links):
        before = Base() if link.parent == WORLD else links[link.parent]
        if j == i:
            own = [0.0] * 6
            own[link.start + order] = 1.0  # (3.1)
            found[j] = _changed(link, before, _UNCHANGED, Variables(*own), g)
        elif link.parent in found:
            found[j] = _changed(link, before, found[link.parent], Variables(), g)
    return found


def _changed(link: BarmanLink, before: BarmanLink | Base, passed: Change | Base, var: Variables, g: Vec3) -> Change:
    """Link j, from the values and the changes of link j - 1, and the changes of its own joint variables."""
    e, I = link.e, link.I
    R = Mat3(-var.theta * link.R.y, var.theta * link.R.x, Vec3.zero)  # R_{j,i} from (2.10)

    def seen(value: Vec3, change: Vec3) -> Vec3:
        return link.R.T @ change + R.T @ value

    # how it turns
    Dw = var.thetad * e  # (3.6), (3.7)
    jw = seen(before.w, passed.w)  # (3.9), (3.10)
    w = jw + Dw  # (3.12), (3.13)*
    jwd = seen(before.wd, passed.wd)  # (3.15), (3.16)
    Dwd = var.thetadd * e + jw.cross(link.Dw) + link.jw.cross(Dw)  # (3.18)*, (3.19)
    wd = jwd + Dwd  # (3.21), (3.22)
    # how its end and its centre of mass move
    Dx = var.d * e  # (3.3), (3.4)
    jx = seen(before.end.x, passed.end.x)  # (3.24), (3.25)
    jxd = seen(before.end.xd, passed.end.xd)  # (3.33), (3.34)
    jxdd = seen(before.end.xdd, passed.end.xdd)  # (3.48), (3.49)

    def moved(of: LinkPoint) -> LinkPoint:
        Dxd = w.cross(of.Dx) + link.w.cross(Dx) + var.dd * e  # (3.36), (3.37), (3.42), (3.43)
        Dxdd = (
            wd.cross(of.Dx) + link.wd.cross(Dx) + var.ddd * e
            + w.cross(of.Dxd + link.var.dd * e) + link.w.cross(Dxd + var.dd * e)
        )  # (3.51)*, (3.52)*, (3.57), (3.58)  # fmt: skip
        x = jx + Dx  # (3.27), (3.28), (3.30), (3.31)
        xd = jxd + Dxd  # (3.39), (3.40)*, (3.45), (3.46)
        xdd = jxdd + Dxdd  # (3.54), (3.55), (3.60), (3.61)
        return LinkPoint(Dx, Dxd, x, xd, xdd)

    end, G = moved(link.end), moved(link.G)
    # what its motion takes
    R0 = passed.R0.times(link.R) + before.R0.times(R)  # (3.63)
    H = I @ w  # (3.65), (3.66)
    F_G = link.m * (G.xdd - R0.T @ g)  # (3.68)
    tau_G = I @ wd + w.cross(link.H) + link.w.cross(H)  # (3.70), (3.71)
    return Change(R, R0, w, wd, end, G, F_G, tau_G)


_UNCHANGED = Base(R0=Mat3(Vec3.zero, Vec3.zero, Vec3.zero))


# -- inwards: steps 9 and 10 ---------------------------------------------------------------------------------------


def _sensitivity(known: Known, changed: Mapping[int, Change], i: int, order: int) -> JointForces:
    """The derivatives of all joint forces and internal forces with respect to one variable of joint i."""
    links = known.links
    F_p, tau_p = _inertial(known, changed, i)
    for k, load, values in known.loads:
        # the loads of the links that joint i moves; its rates leave what they do as it is: (3.79)*, (3.87)*, (3.91)*
        if order == POSITION and k in changed:
            for j, (F_e, tau_ef, tau_em) in _transferred(links, changed, i, k, load, values).items():
                F_p[j] = F_p[j] - F_e  # (3.79)
                tau_p[j] = tau_p[j] - tau_ef - tau_em  # (3.87), (3.91)
    # R_j^T e_z is constant, so that the last terms of (3.93) and (3.95) are zero
    tau = [(tau_p if link.is_revolute else F_p)[j].dot(link.e) for j, link in enumerate(links)]  # (3.93), (3.95)
    (damping,), (rotor,) = links[i].joint.damping, links[i].joint.rotor_inertia
    tau[i] = tau[i] + (0.0, damping, rotor)[order]
    return JointForces(tau, *([part[j] for j in range(len(links))] for part in (F_p, tau_p)))


def _inertial(known: Known, changed: Mapping[int, Change], i: int) -> tuple[dict[int, Vec3], dict[int, Vec3]]:
    """Steps 9a and 9c: the changes of F_jp and tau_jp without loads."""
    links, F_p, tau_p = known.links, {}, {}
    for j in reversed(range(len(links))):
        link, children = links[j], children_of(links, j)
        F_d = sum((links[k].R @ F_p[k] for k in children), Vec3.zero)  # (3.73), i != j + 1
        tau_d = sum((links[k].R @ tau_p[k] for k in children), Vec3.zero)  # (3.81), i != j + 1
        if i in children:
            F_d = F_d + changed[i].R @ known.F_p[i]  # (3.73), i = j + 1
            tau_d = tau_d + changed[i].R @ known.tau_p[i]  # (3.81), i = j + 1
        F_p[j], tau_p[j] = F_d, tau_d - F_d.cross(link.end.Dx)  # (3.75), (3.83), i > j
        if j in changed:
            F_G, tau_G, Dx = changed[j].F_G, changed[j].tau_G, changed[j].end.Dx
            F_p[j] = F_p[j] + F_G  # (3.75), i <= j
            lever = known.F_d[j].cross(Dx) + link.F_G.cross(Dx)
            tau_p[j] = tau_p[j] + tau_G - F_G.cross(link.G.Dx) - lever  # (3.83)*, i <= j
    return F_p, tau_p


def _transferred(
    links: Sequence[BarmanLink], changed: Mapping[int, Change], i: int, k: int, load: Load, values: Parts
) -> dict[int, tuple[Vec3, Vec3, Vec3]]:
    """Steps 9b, 9d and 9e: the changes of F_jd^e, tau_jd^ef and tau_jd^em for i <= k, from link k down to the base."""
    F_e = changed[k].R0.T @ load.force  # (3.77), j = k
    tau_ef = changed[k].end.Dx.cross(values[k][0]) + (load.point + links[k].end.Dx).cross(F_e)  # (3.85)*, j = k
    tau_em = changed[k].R0.T @ load.moment  # (3.89), j = k
    parts, c = {k: (F_e, tau_ef, tau_em)}, k
    while (j := links[c].parent) != WORLD:
        F_e, tau_ef, tau_em = (links[c].R @ x for x in (F_e, tau_ef, tau_em))  # (3.77), (3.85), (3.89), j < k
        if c == i:
            turned = (changed[c].R @ x for x in values[c])
            F_e, tau_ef, tau_em = (x + y for x, y in zip((F_e, tau_ef, tau_em), turned))  # i = j + 1
        tau_ef = tau_ef + links[j].end.Dx.cross(F_e)  # (3.85), j < k
        if j in changed:
            tau_ef = tau_ef + changed[j].end.Dx.cross(values[j][0])  # (3.85), j < k, i <= j
        parts[j], c = (F_e, tau_ef, tau_em), j
    return parts
