"""Joint forces and internal forces of a standard DH table, by Barman's own recursion in moving coordinates.

Reference: [Barman] chapters II and III, (2.8)-(3.94); the sensitivities are in `barman_sensitivities`. Everything of
link j is in frame j, at its distal end; D stands for the thesis' Delta, and jw, jwd, ... for what frame j - 1 has, seen
in frame j. A revolute and a prismatic joint share every line: the rates of d, respectively theta, are zero.

The value equations are right as printed, but for (3.56), whose last term is the second derivative of d_G, and (3.76),
which has ^0R_k. What the thesis leaves open or says otherwise: z_{j-1} is the axis of joint j, F_jp and tau_jp act on
link j, Dx_j is [a, d sin alpha, d cos alpha], and the centre of mass may be anywhere. Its g is minus the acceleration
of free fall and its external force is that on the environment; here `gravity` is free fall and a load acts on the
link, hence two minus signs. Links may branch: F_jd is the sum over all children. Friction and rotors are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InputError, ModelError, UnknownNameError
from kinetree.model import GRAVITY, WORLD, Inertia, Joint
from kinetree.model.dh import DH, mechanism_from_dh
from kinetree.scalar import Real, Vector
from kinetree.spatial import Mat3, Sym3, Vec3
from kinetree.spatial.rotation import Rotation, cos_sin

# where q, qd and qdd stand among theta, its two rates, d and its two rates
KINDS = {"revolute": 0, "prismatic": 3}


@dataclass(frozen=True, slots=True)
class Load:
    """A force at a point of a link, and a moment; both act on the link.

    Args:
        link: the row, counted from 1, or its name.
        force: ^0F_k^e in world axes [N], three numbers.
        point: r_k, where the force acts, in frame k [m], three numbers.
        moment: ^0tau_k^e in world axes [N m], three numbers.
    """

    link: int | str
    force: Any = Vec3.zero
    point: Any = Vec3.zero
    moment: Any = Vec3.zero

    def __post_init__(self) -> None:
        for name in ("force", "point", "moment"):
            object.__setattr__(self, name, Vec3.of([*getattr(self, name)]))


@dataclass(frozen=True, slots=True)
class JointForces:
    """For each joint j: tau_j or f_j, and the internal force F_jp and torque tau_jp that link j - 1 exerts on link j.

    The vectors are in the axes of frame j, the torque about the origin of frame j - 1. A derivative with respect to one
    variable has the same parts.
    """

    tau: list[Any]
    F_p: list[Vec3]
    tau_p: list[Vec3]


@dataclass(frozen=True, slots=True)
class Variables:
    """theta and d of a joint with their rates, or the derivatives of the six with respect to one variable."""

    theta: Any = 0.0
    thetad: Any = 0.0
    thetadd: Any = 0.0
    d: Any = 0.0
    dd: Any = 0.0
    ddd: Any = 0.0


@dataclass(frozen=True, slots=True)
class LinkPoint:
    """The distal end of a link or its centre of mass G: away from joint j (Dx, and its rate), and from the base."""

    Dx: Vec3
    Dxd: Vec3
    x: Vec3
    xd: Vec3
    xdd: Vec3


@dataclass(frozen=True, slots=True)
class BarmanLink:
    """Link j in motion."""

    parent: int
    joint: Joint
    start: int
    m: Any
    I: Sym3
    var: Variables
    R: Mat3
    R0: Mat3
    e: Vec3
    Dw: Vec3
    jw: Vec3
    w: Vec3
    wd: Vec3
    end: LinkPoint
    G: LinkPoint
    H: Vec3
    F_G: Vec3
    tau_G: Vec3  # noqa: N815

    @property
    def is_revolute(self) -> bool:
        return self.start == KINDS["revolute"]


@dataclass(frozen=True, slots=True)
class Base:
    """Link 0: nothing moves."""

    R0: Mat3 = Rotation.identity.matrix
    w: Vec3 = Vec3.zero
    wd: Vec3 = Vec3.zero
    end: LinkPoint = LinkPoint(*[Vec3.zero] * 5)


def joint_forces(
    rows: Sequence[DH], q: Vector, qd: Vector, qdd: Vector, loads: Sequence[Load] = (), gravity: Vector | Vec3 = GRAVITY
) -> JointForces:
    """Joint forces and internal forces for a motion.

    Args:
        rows: a standard DH table of revolute and prismatic joints; it may branch.
        q, qd, qdd: one number for each row.
        loads: external forces and moments on the links.
        gravity: the acceleration of free fall in world axes [m/s^2].
    """
    links = motions(rows, q, qd, qdd, gravity)
    _, F_p, tau_p = inertial(links)
    for k, load in numbered(loads, rows):
        for j, (F_e, tau_ef, tau_em) in transferred(links, k, load).items():
            F_p[j] = F_p[j] - F_e  # (3.78)
            tau_p[j] = tau_p[j] - tau_ef - tau_em  # (3.86), (3.90)
    tau = []
    for j, link in enumerate(links):
        along = (tau_p if link.is_revolute else F_p)[j].dot(link.e)  # (3.92), (3.94)
        tau.append(along + link.joint.reflected_inertia[0] * qdd[j] + link.joint.passive_forces([q[j]], [qd[j]])[0])
    return JointForces(tau, *([part[j] for j in range(len(links))] for part in (F_p, tau_p)))


def motions(
    rows: Sequence[DH], q: Vector, qd: Vector, qdd: Vector, gravity: Vector | Vec3 = GRAVITY
) -> list[BarmanLink]:
    """Steps 1 to 8, outwards: how each link moves, and the force and torque that this takes."""
    described = mechanism_from_dh(rows, "standard", strict=False)
    for i, row in enumerate(rows, 1):
        if row.joint not in KINDS:
            raise ModelError(f"row {i}: joint {row.joint!r} is not one of {', '.join(map(repr, KINDS))}")
    for name, values in (("q", q), ("qd", qd), ("qdd", qdd)):
        if len(values) != len(rows):
            raise InputError(f"{name} has {len(values)} numbers, the table {len(rows)} rows")
    links: list[BarmanLink] = []
    for row, body, parent, state in zip(rows, described.bodies, described.parents, zip(q, qd, qdd)):
        before = Base() if parent == WORLD else links[parent]
        links.append(_link(row, body.joint, parent, before, state, Vec3.of([*gravity])))
    return links


def _link(row: DH, joint: Joint, parent: int, before: BarmanLink | Base, state: Vector, gravity: Vec3) -> BarmanLink:
    six, start = [row.theta, 0.0, 0.0, row.d, 0.0, 0.0], KINDS[row.joint]
    six[start : start + 3] = [six[start] + state[0], *state[1:]]
    var, inertia = Variables(*six), Inertia(row.mass, row.com, row.inertia)
    R = _rotation(var.theta, row.alpha)
    RT, e, I = R.T, R.z, inertia.about_com  # step 1g: e = R_j^T e_z = [0, sin alpha, cos alpha]
    # how it turns
    Dw = var.thetad * e  # (3.5)
    jw = RT @ before.w  # (3.8)
    w = jw + Dw  # (3.11)
    Dwd = var.thetadd * e + jw.cross(Dw)  # (3.17)
    wd = RT @ before.wd + Dwd  # (3.14), (3.20)

    def moved(Dx: Vec3) -> LinkPoint:
        Dxd = w.cross(Dx) + var.dd * e  # (3.35), (3.41)
        Dxdd = wd.cross(Dx) + w.cross(Dxd) + w.cross(var.dd * e) + var.ddd * e  # (3.50), (3.56)
        x = RT @ before.end.x + Dx  # (3.23), (3.26), (3.29)
        xd = RT @ before.end.xd + Dxd  # (3.32), (3.38), (3.44)
        xdd = RT @ before.end.xdd + Dxdd  # (3.47), (3.53), (3.59)
        return LinkPoint(Dx, Dxd, x, xd, xdd)

    Dx = Vec3(row.a, 0.0, 0.0) + var.d * e  # step 2b
    end, G = moved(Dx), moved(Dx + inertia.com)  # (3.2)
    # what its motion takes
    R0 = before.R0.times(R)  # (3.62)
    H = I @ w  # (3.64)
    F_G = inertia.mass * (G.xdd - R0.T @ gravity)  # (3.67)
    tau_G = I @ wd + w.cross(H)  # (3.69)
    return BarmanLink(parent, joint, start, inertia.mass, I, var, R, R0, e, Dw, jw, w, wd, end, G, H, F_G, tau_G)


def _rotation(theta: Real, alpha: Real) -> Mat3:
    c, s = cos_sin(theta)
    ca, sa = cos_sin(alpha)
    return Mat3(Vec3(c, -ca * s, sa * s), Vec3(s, ca * c, -sa * c), Vec3(0.0, sa, ca))  # (2.10)


def inertial(links: Sequence[BarmanLink]) -> tuple[dict[int, Vec3], dict[int, Vec3], dict[int, Vec3]]:
    """Steps 9a and 9c, inwards without loads: F_jd, F_jp and tau_jp."""
    F_d, F_p, tau_p = {}, {}, {}
    for j in reversed(range(len(links))):
        link, children = links[j], children_of(links, j)
        F_d[j] = sum((links[k].R @ F_p[k] for k in children), Vec3.zero)  # (3.72)
        F_p[j] = F_d[j] + link.F_G  # (3.74)
        tau_d = sum((links[k].R @ tau_p[k] for k in children), Vec3.zero)  # (3.80)
        tau_p[j] = tau_d + link.tau_G - F_d[j].cross(link.end.Dx) - link.F_G.cross(link.G.Dx)  # (3.82)
    return F_d, F_p, tau_p


def children_of(links: Sequence[BarmanLink], j: int) -> list[int]:
    """The links that stand on link j."""
    return [k for k, link in enumerate(links) if link.parent == j]


def transferred(links: Sequence[BarmanLink], k: int, load: Load) -> dict[int, tuple[Vec3, Vec3, Vec3]]:
    """Steps 9b, 9d and 9e: F_jd^e, tau_jd^ef and tau_jd^em of one load on link k, for j from k down to the base."""
    link = links[k]
    F_e = link.R0.T @ load.force  # (3.76), j = k
    tau_ef = (load.point + link.end.Dx).cross(F_e)  # (3.84), j = k
    tau_em = link.R0.T @ load.moment  # (3.88), j = k
    parts = {k: (F_e, tau_ef, tau_em)}
    while (j := link.parent) != WORLD:
        F_e = link.R @ F_e  # (3.76), j < k
        tau_ef = link.R @ tau_ef + links[j].end.Dx.cross(F_e)  # (3.84), j < k
        tau_em = link.R @ tau_em  # (3.88), j < k
        parts[j], link = (F_e, tau_ef, tau_em), links[j]
    return parts


def numbered(loads: Sequence[Load], rows: Sequence[DH]) -> list[tuple[int, Load]]:
    """The loads with the indices of their links, counted from 0."""
    indices = {row.name or f"link{i}": i - 1 for i, row in enumerate(rows, 1)}
    found = []
    for load in loads:
        k = indices.get(load.link, -1) if isinstance(load.link, str) else load.link - 1
        if not 0 <= k < len(rows):
            raise UnknownNameError("link", load.link, [*indices, *map(str, range(1, len(rows) + 1))])
        found.append((k, load))
    return found
