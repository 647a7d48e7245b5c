"""Joint forces of a serial arm in modified DH frames and how fast they change, by Guarino Lo Bianco's recursion.

Reference: [Guarino] section III, (3)-(21): every vector of link i in frame i, rates of vectors as seen from frame 0.
Corrected: (5) and (8) have the third derivatives of theta and d along z, where the second are printed; (17) has f and
not its rate behind the velocity of the next origin, and the unit vector z in it, not its derivative; (18) and (19) are
the forces, (20) and (21) their rates. Left open in the paper: gravity, here the acceleration -g of frame 0; frame
N + 1, here frame N; friction and rotors, here added to (18)-(21). `force_rates` computes the same for any tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError
from kinetree.model import GRAVITY, Inertia
from kinetree.model.dh import DH
from kinetree.scalar import Real, Scalar, Vector, sign
from kinetree.spatial import Rotation, Vec3


@dataclass(frozen=True, slots=True)
class Tip:
    """Force and moment that the last link exerts on its surroundings, in its frame, and their rates: (14)-(17)."""

    f: Vec3 = Vec3.zero
    n: Vec3 = Vec3.zero
    fd: Vec3 = Vec3.zero
    nd: Vec3 = Vec3.zero


_FREE = Tip()


def guarino(
    rows: Sequence[DH], q: Vector, qd: Vector, qdd: Vector, qddd: Vector, tip: Tip = _FREE, gravity: Vec3 = GRAVITY
) -> tuple[list[Any], list[Any]]:
    """tau and d tau/dt; one row of the table for each link."""
    _check(rows)
    steps = [LinkTransform.of(row, *x) for row, x in zip(rows, zip(q, qd, qdd, qddd), strict=True)]
    f, n, fd, nd = tip.f, tip.n, tip.fd, tip.nd
    R, p, d1 = Rotation.identity, Vec3.zero, Vec3.zero  # frame N + 1
    tau, taud = [], []
    # inwards, i = N .. 1: what link i receives from link i - 1
    for k, motion in reversed(list(enumerate(_motions(steps, gravity)))):
        row, w, gamma, iota = rows[k], motion.w, motion.gamma, motion.iota
        body = Inertia(row.mass, row.com, row.inertia)
        m, c, I = body.mass, body.com, body.about_com
        Iw, Igamma = I @ w, I @ gamma
        F = m * motion.acceleration(c)  # (7), (10)
        N = Igamma + w.cross(Iw)  # (11)
        Fd = m * motion.jerk(c)  # (9), (12)
        Nd = w.cross(Igamma) + I @ gamma.cross(w) + I @ iota + gamma.cross(Iw) + w.cross(N)  # (13)
        Rf, Rfd = R @ f, R @ fd
        f = Rf + F  # (14)
        n = R @ n + c.cross(F) + p.cross(Rf) + N  # (15)
        fd = Rfd + Fd  # (16)
        lever = w.cross(p) + R @ d1
        nd = R @ nd + w.cross(c).cross(F) + c.cross(Fd) + lever.cross(Rf) + p.cross(Rfd) + Nd  # (17)
        y, yd = {"revolute": (n, nd), "prismatic": (f, fd)}[row.joint]
        loss, loss_rate = row.damping * qd[k] + row.coulomb * sign(qd[k]), row.damping * qdd[k]
        tau.append(y.dot(_Z) + row.rotor_inertia * qdd[k] + loss)  # (18), (19)
        taud.append((yd + y.cross(w)).dot(_Z) + row.rotor_inertia * qddd[k] + loss_rate)  # (20), (21)
        R, p, d1 = steps[k].R, steps[k].p, steps[k].d[0]
    return tau[::-1], taud[::-1]


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """Angular velocity, acceleration and jerk of a link; linear acceleration and jerk of its origin."""

    w: Vec3
    gamma: Vec3
    iota: Vec3
    a: Vec3
    j: Vec3

    def acceleration(self, p: Vec3) -> Vec3:
        """Of the point p of the link."""
        return self.a + self.gamma.cross(p) + self.w.cross(self.w.cross(p))

    def jerk(self, p: Vec3) -> Vec3:
        """Of the point p of the link."""
        wp, gp = self.w.cross(p), self.gamma.cross(p)
        return self.j + self.iota.cross(p) + 2.0 * self.gamma.cross(wp) + self.w.cross(gp + self.w.cross(wp))


def _motions(steps: Sequence[LinkTransform], gravity: Vec3) -> list[LinkMotion]:
    """Outwards, i = 0 .. N - 1: link i + 1 from link i."""
    link, found = LinkMotion(Vec3.zero, Vec3.zero, Vec3.zero, -gravity, Vec3.zero), []
    for step in steps:
        R, p, (th1, th2, th3), (d1, d2, d3) = step.R.T, step.p, step.theta, step.d
        Rw, Rgamma = R @ link.w, R @ link.gamma
        w = Rw + th1  # (3)
        gamma = Rgamma + Rw.cross(th1) + th2  # (4)
        iota = R @ link.iota + Rgamma.cross(th1) + th3 + Rw.cross(2.0 * th2 + Rw.cross(th1))  # (5)
        a = R @ link.acceleration(p) + 2.0 * w.cross(d1) + d2  # (6)
        j = R @ link.jerk(p) + d3 + Rgamma.cross(3.0 * d1) + Rw.cross(3.0 * d2 + Rw.cross(3.0 * d1))  # (8)
        link = LinkMotion(w, gamma, iota, a, j)
        found.append(link)
    return found


@dataclass(frozen=True, slots=True)
class LinkTransform:
    """From frame i to frame i + 1: orientation, place, and the first three derivatives of theta and of d along z.

    The rotation is Rx(alpha) Rz(theta) of section II, not multiplied out.
    """

    R: Rotation
    p: Vec3
    theta: tuple[Vec3, ...]
    d: tuple[Vec3, ...]

    @staticmethod
    def of(row: DH, q: Real, *rates: Real) -> LinkTransform:
        moving, still = tuple(Vec3(0.0, 0.0, x) for x in rates), (Vec3.zero,) * 3
        turns = row.joint == "revolute"
        theta, d = (row.theta + q, row.d) if turns else (row.theta, row.d + q)
        twist = Rotation.about(0, row.alpha)
        R, p = twist.then(Rotation.about(2, theta)), twist @ Vec3(row.a, 0.0, d)
        return LinkTransform(R, p, moving, still) if turns else LinkTransform(R, p, still, moving)


_Z = Vec3(0.0, 0.0, 1.0)


def _check(rows: Sequence[DH]) -> None:
    for i, row in enumerate(rows, 1):
        tree = [x for x in (row.gamma, row.b) if isinstance(x, Scalar) or x != 0]
        if row.joint not in ("revolute", "prismatic") or tree or row.parent not in (None, i - 1):
            scope = "serial arms of revolute and prismatic joints in modified DH frames"
            remedy = "`force_rates` takes trees and other joints"
            raise ModelError(f"row {i}: Guarino Lo Bianco's recursion is for {scope}; {remedy}")
