"""An oracle for closed loops, couplings and rotors: every body free, every joint a set of equations.

Each body of a robot is a free rigid body in world axes with six Newton-Euler equations. Joints of the tree, cut joints,
followers and couplings are constraints with Lagrange multipliers. Nothing is recursive but the kinematics, and nothing
is taken from Kinetree but the description: placements, axes, inertias, loops. Plain NumPy, one state at a time.

    M x = b + C^T lam + T^T f       x: angular acceleration, acceleration of the origin of each body, world axes
    C x = -c                        C: constraints, c: what the velocities alone give
    qdd = T x + t                   T: the rates of the joints, f: the forces along them

A constraint is a product of vectors fixed in the two bodies of a joint, differentiated twice by hand.
Springs, friction, rotor inertias (a force -Ia qdd) and elastic transmissions act along the rates of the joints.
Planar linkages have more constraints than they need: their accelerations are unique, some of their wrenches are not.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from strategies import floating, random_kind, tree

import kinetree as kt
from kinetree.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Rotor,
    Spherical,
    Universal,
)
from kinetree.model.mechanism import WORLD
from kinetree.spatial.rotation import ElementaryRotation

Array = np.ndarray

RANK = 1e-9  # of the largest singular value: constraints below it say again what others say
CLOSED = 1e-12  # m, rad: a loop is closed; rounding of poses of a few metres is a hundredth of it
WELL_POSED = 0.03  # of the largest singular value: the least of random loops, so that rounding grows little
CUT_KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "spherical", "planar", "fixed")
TREE_KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "spherical", "planar")

# -- the description as arrays -----------------------------------------------------------------------------------------


def matrix_of(R: Any) -> Array:
    """The matrix of a constant rotation, from the factors that describe it."""
    product = np.eye(3)
    for factor in R.factors:
        if isinstance(factor, ElementaryRotation):
            i, j = (factor.axis + 1) % 3, (factor.axis + 2) % 3
            turn = np.eye(3)
            turn[i, i] = turn[j, j] = factor.c
            turn[j, i], turn[i, j] = factor.s, -factor.s
        else:
            turn = np.array([[*row] for row in factor.matrix])
        product = product @ turn
    return product


def moments(inertia: Any) -> tuple[float, Array, Array]:
    """Mass, first moments and second moments about the body frame's origin, body axes."""
    second = inertia.second if isinstance(inertia, kt.Moments) else inertia.about_com
    xx, yy, zz, xy, xz, yz = second
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if isinstance(inertia, kt.Moments):
        return inertia.mass, np.array([*inertia.first]), J
    c = np.array([*inertia.com])
    return inertia.mass, inertia.mass * c, J + inertia.mass * (c @ c * np.eye(3) - np.outer(c, c))


def skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turned_about(u: Array, angle: float) -> Array:
    return np.eye(3) + math.sin(angle) * skew(u) + (1 - math.cos(angle)) * skew(u) @ skew(u)


def of_quaternion(e: Array) -> Array:
    v, w = e[:3] / np.linalg.norm(e), e[3] / np.linalg.norm(e)
    return np.eye(3) + 2 * w * skew(v) + 2 * skew(v) @ skew(v)


def product(a: Array, b: Array) -> Array:
    """The product of two quaternions, scalar last."""
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])


def rotation_vector(e: Array) -> Array:
    """The shortest rotation vector of a quaternion."""
    e = -e if e[3] < 0 else e
    length = np.linalg.norm(e[:3])
    return 2 * e[:3] if length == 0 else 2 * math.atan2(length, e[3]) / length * e[:3]


def triad(u: Array) -> tuple[Array, Array]:
    """Two vectors that are a right-handed triad with u."""
    e = np.cross(u, np.eye(3)[np.argmin(np.abs(u))])
    e /= np.linalg.norm(e)
    return e, np.cross(u, e)


def axis_of(kind: Any) -> Array:
    return np.array([*kind.axis])


# -- how a joint moves: in the axes of its predecessor frame -----------------------------------------------------------

X, Y, Z = np.eye(3)
O = np.zeros(3)


def relative_pose(kind: JointKind, q: Array) -> tuple[Array, Array]:
    """The orientation and the origin of the moving frame."""
    match kind:
        case Revolute():
            return turned_about(axis_of(kind), q[0] + kind.offset), O
        case Rotor():
            return turned_about(axis_of(kind), kind.gear_ratio * q[0]), O
        case Prismatic():
            return np.eye(3), q[0] * axis_of(kind)
        case Helical():
            return turned_about(axis_of(kind), q[0]), kind.pitch * q[0] * axis_of(kind)
        case Cylindrical():
            return turned_about(axis_of(kind), q[0]), q[1] * axis_of(kind)
        case Universal():
            first, second = np.array([*kind.first]), np.array([*kind.second])
            return turned_about(first, q[0]) @ turned_about(second, q[1]), O
        case Spherical():
            return of_quaternion(q), O
        case Planar():
            return turned_about(Z, q[2]), q[0] * X + q[1] * Y
        case Free():
            return of_quaternion(q[3:]), q[:3]
        case Fixed():
            return np.eye(3), O
    raise NotImplementedError(f"no equations for {kind!r}")


def relative_velocity(kind: JointKind, q: Array, qd: Array) -> tuple[Array, Array]:
    """The angular velocity and the velocity of the origin, seen from the predecessor."""
    match kind:
        case Revolute():
            return qd[0] * axis_of(kind), O
        case Rotor():
            return kind.gear_ratio * qd[0] * axis_of(kind), O
        case Prismatic():
            return O, qd[0] * axis_of(kind)
        case Helical():
            return qd[0] * axis_of(kind), kind.pitch * qd[0] * axis_of(kind)
        case Cylindrical():
            return qd[0] * axis_of(kind), qd[1] * axis_of(kind)
        case Universal():
            first, second = np.array([*kind.first]), np.array([*kind.second])
            return qd[0] * first + turned_about(first, q[0]) @ (qd[1] * second), O
        case Spherical():
            return of_quaternion(q) @ qd, O
        case Planar():
            return qd[2] * Z, qd[0] * X + qd[1] * Y
        case Free():
            R = of_quaternion(q[3:])
            return R @ qd[:3], R @ qd[3:]
    return O, O


def stretch(kind: JointKind, q: Array, rest: Array) -> Array:
    """The way of a spring from its rest, one number for each velocity."""
    if isinstance(kind, Spherical | Free):
        i = 0 if isinstance(kind, Spherical) else 3
        conjugate = rest[i:] * [-1, -1, -1, 1]
        turn = rotation_vector(product(conjugate, q[i:]))
        return np.concatenate([turn, of_quaternion(q[i:]).T @ (q[:i] - rest[:i])]) if i else turn
    return q - rest


def displaced(robot: kt.Robot, q: Array, step: Array) -> Array:
    """The coordinates after a displacement along the velocities: step = qd dt."""
    q = np.array(q, float)
    for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
        joint, s = body.joint, step[vs]
        if joint.mimic:
            continue
        part = q[qs]  # a view
        if not isinstance(joint.kind, Spherical | Free):
            part += s
            continue
        if isinstance(joint.kind, Free):
            part[:3] += of_quaternion(part[3:]) @ s[3:]
        half = np.linalg.norm(s[:3]) / 2
        turn = np.array([*(0.5 * np.sinc(half / math.pi) * s[:3]), math.cos(half)])
        part[-4:] = product(part[-4:], turn) / np.linalg.norm(part[-4:])
    return q


# -- rows: linear functions of the accelerations of the two sides of a joint -------------------------------------------


@dataclass(frozen=True)
class Side:
    """A frame fixed in a body (or in the world), its place and its velocity in world axes."""

    body: int
    R: Array
    p: Array
    arm: Array  # from the origin of the body
    w: Array
    v: Array

    def axis(self, u: Array) -> Array:
        return self.R @ u


GROUND = Side(WORLD, np.eye(3), O, O, O, O)


class Row(NamedTuple):
    """One scalar velocity u: on_p . (w, v of the predecessor) + on_s . (w, v of the successor).

    Args:
        on_p, on_s: six numbers each, about the origins of the frames; as forces they are wrenches there.
        bias: what the rate of u has besides the accelerations.
        gap: what u is the rate of, zero where the constraint is met; nothing for rates of joints.
    """

    on_p: Array
    on_s: Array
    bias: Any
    gap: Any = 0.0


@dataclass(frozen=True)
class Link:
    """A joint at an instant, between two frames."""

    kind: JointKind
    P: Side
    S: Side

    @cached_property
    def d(self) -> Array:
        return self.S.p - self.P.p

    @cached_property
    def dd(self) -> Array:
        return self.S.v - self.P.v

    @cached_property
    def w(self) -> Array:
        return self.S.w - self.P.w

    def spin(self, a: Array, side: Side) -> Row:
        """The relative angular velocity along an axis that is fixed on one side."""
        a = side.axis(a)
        return Row(np.r_[-a, O], np.r_[a, O], np.cross(side.w, a) @ self.w)

    def slide(self, a: Array) -> Row:
        """The rate of the distance along an axis a that is fixed in the predecessor: d/dt (a . d)."""
        a, w = self.P.axis(a), self.P.w
        ad = np.cross(w, a)
        bias = 2 * ad @ self.dd + np.cross(w, ad) @ self.d
        return Row(np.r_[np.cross(a, self.d), -a], np.r_[O, a], bias, a @ self.d)

    def drift(self, a: Array) -> Row:
        """The velocity of the successor's origin, seen from the predecessor, along an axis fixed in the successor."""
        a, w = self.S.axis(a), self.P.w
        bias = np.cross(self.S.w, a) @ (self.dd - np.cross(w, self.d)) - a @ np.cross(w, self.dd)
        return Row(np.r_[np.cross(a, self.d), -a], np.r_[O, a], bias)

    def angle(self, a: Array, b: Array) -> Row:
        """The rate of the cosine a . b, with a fixed in the predecessor and b in the successor; it stays a . b."""
        cosine = a @ b
        a, b = self.P.axis(a), self.S.axis(b)
        n = np.cross(a, b)
        nd = np.cross(np.cross(self.P.w, a), b) + np.cross(a, np.cross(self.S.w, b))
        return Row(np.r_[n, O], np.r_[-n, O], -nd @ self.w, a @ b - cosine)

    def parallel(self, u: Array) -> list[Row]:
        """The same axis u, fixed on both sides."""
        return [self.angle(e, u) for e in triad(u)]

    def same_axes(self, u: Array) -> list[Row]:
        return [*self.parallel(u), self.angle(*triad(u))]

    def coincide(self) -> list[Row]:
        return [self.slide(e) for e in (X, Y, Z)]

    def along(self, u: Array) -> list[Row]:
        """The origin stays on the axis u."""
        return [self.slide(e) for e in triad(u)]

    def screw(self, u: Array, pitch: float) -> Row:
        """The advance along u less pitch times the angle."""
        advance, spin = self.slide(u), self.spin(u, self.P)
        e, f = triad(u)
        turned = self.S.axis(e)
        gap = advance.gap - pitch * math.atan2(self.P.axis(f) @ turned, self.P.axis(e) @ turned)
        gap = math.remainder(gap, 2 * math.pi * abs(pitch)) if pitch else gap  # whole turns advance too
        on_p, on_s = advance.on_p - pitch * spin.on_p, advance.on_s - pitch * spin.on_s
        return Row(on_p, on_s, advance.bias - pitch * spin.bias, gap)

    def constraints(self) -> list[Row]:
        """What the joint forbids: 6 - nv rows."""
        kind = self.kind
        match kind:
            case Revolute() | Rotor():
                return [*self.coincide(), *self.parallel(axis_of(kind))]
            case Prismatic():
                return [*self.along(axis_of(kind)), *self.same_axes(axis_of(kind))]
            case Helical():
                u = axis_of(kind)
                return [*self.along(u), *self.parallel(u), self.screw(u, kind.pitch)]
            case Cylindrical():
                return [*self.along(axis_of(kind)), *self.parallel(axis_of(kind))]
            case Universal():
                return [*self.coincide(), self.angle(np.array([*kind.first]), np.array([*kind.second]))]
            case Spherical():
                return self.coincide()
            case Planar():
                return [self.slide(Z), *self.parallel(Z)]
            case Fixed():
                return [*self.coincide(), *self.same_axes(Z)]
        return []

    def rates(self) -> list[Row]:
        """What the joint allows: nv rows that measure qd."""
        kind = self.kind
        match kind:
            case Revolute() | Helical():
                return [self.spin(axis_of(kind), self.P)]
            case Rotor():
                return [self.spin(axis_of(kind) / kind.gear_ratio, self.P)]
            case Prismatic():
                return [self.slide(axis_of(kind))]
            case Cylindrical():
                return [self.spin(axis_of(kind), self.P), self.slide(axis_of(kind))]
            case Universal():
                return self._universal_rates(np.array([*kind.first]), np.array([*kind.second]))
            case Spherical():
                return [self.spin(e, self.S) for e in (X, Y, Z)]
            case Planar():
                return [self.slide(X), self.slide(Y), self.spin(Z, self.P)]
            case Free():
                return [*(self.spin(e, self.S) for e in (X, Y, Z)), *(self.drift(e) for e in (X, Y, Z))]
        return []

    def _universal_rates(self, first: Array, second: Array) -> list[Row]:
        """w = first qd0 + second qd1, by the dual vectors of the two axes."""
        axes = np.array([self.P.axis(first), self.S.axis(second)])
        dual = np.linalg.pinv(axes.T)
        qd = dual @ self.w
        turning = qd[0] * np.cross(self.P.w, axes[0]) + qd[1] * np.cross(self.S.w, axes[1])
        return [Row(np.r_[-a, O], np.r_[a, O], -a @ turning) for a in dual]

    def error(self) -> float:
        """How far the two frames are from where the joint lets them be [m, rad]."""
        errors = [abs(row.gap) for row in self.constraints()]
        same: Sequence[Array] = ()
        match self.kind:
            case Revolute() | Rotor() | Helical() | Cylindrical():
                same = (axis_of(self.kind),)
            case Planar():
                same = (Z,)
            case Prismatic() | Fixed():
                same = (X, Y, Z)
        for u in same:  # products of vectors don't see an axis that points backwards
            a, b = self.P.axis(u), self.S.axis(u)
            errors.append(math.atan2(float(np.linalg.norm(np.cross(a, b))), a @ b))
        return max(errors, default=0.0)


# -- a robot at an instant ---------------------------------------------------------------------------------------------


class Response(NamedTuple):
    """What forces do to a robot.

    Args:
        qdd: accelerations of the coordinates (nv).
        wrenches: what the parent exerts on each body through its joint, drive, spring, friction, rotor and gear
            included: moment, force, about the body's origin, in body axes (nbodies, 6).
        loop_wrenches: what the predecessor of each cut joint exerts on the successor's body, about the origin of the
            successor frame, in its axes (loops, 6).
    """

    qdd: Array
    wrenches: Array
    loop_wrenches: Array


class Maximal:
    """The poses and velocities of all bodies of a robot, from its coordinates; loops need not be closed.

    Example:
        >>> robot = kt.robots.four_bar()
        >>> state = Maximal(robot, robot.neutral, project_velocity(robot, robot.neutral, [1.0, 0.0, 0.0]))
        >>> state.loop_error() < CLOSED and state.loop_velocity_error() < CLOSED
        True
        >>> state.forward([0.1, 0.0, 0.0]).qdd.shape
        (3,)
    """

    def __init__(self, robot: kt.Robot, q: Any, qd: Any = None) -> None:
        self.robot = robot
        self.q = np.array(q, float)
        self.qd = np.zeros(robot.nv) if qd is None else np.array(qd, float)
        self._place_bodies()

    def _place_bodies(self) -> None:
        """Own coordinates of each joint, the frame of each body, and all joints between such frames."""
        robot = self.robot
        frames: dict[str | None, Side] = {None: GROUND}
        self.own: list[tuple[Array, Array]] = []
        self.joints: list[Link] = []
        for i, (body, qs, vs) in enumerate(zip(robot.bodies, robot.q_slices, robot.v_slices)):
            joint, q, qd = body.joint, self.q[qs], self.qd[vs]
            if joint.mimic:
                q, qd = joint.mimic.multiplier * q + joint.mimic.offset, joint.mimic.multiplier * qd
            P = fixed(frames[body.parent], joint.placement)
            (R, p), (w, v) = relative_pose(joint.kind, q), relative_velocity(joint.kind, q, qd)
            d = P.R @ p
            S = Side(i, P.R @ R, P.p + d, O, P.w + P.R @ w, P.v + np.cross(P.w, d) + P.R @ v)
            frames[body.name] = S
            self.own.append((q, qd))
            self.joints.append(Link(joint.kind, P, S))
        self.bodies = [frames[body.name] for body in robot.bodies]
        self.loops = [
            Link(x.kind, *(fixed(frames[end.body], end.pose) for end in (x.predecessor, x.successor)))
            for x in robot.loops
        ]
        self.twist = np.concatenate([[], *(np.r_[side.w, side.v] for side in self.bodies)])

    # -- the rates of all joints of the tree, and the constraints -------------------------------------------------

    @cached_property
    def rates(self) -> Rows:
        """Of all joints of the tree, followers included."""
        return self._rows(self.joints, Link.rates)

    @cached_property
    def closing(self) -> Rows:
        """The constraints that the tree leaves out: loops, then couplings."""
        return stacked(self._rows(self.loops, Link.constraints), through(self._couplings, self.rates))

    @cached_property
    def constraints(self) -> Rows:
        """All of them: joints of the tree, loops, followers, couplings."""
        ours = (self._rows(links, Link.constraints) for links in (self.joints, self.loops))
        return stacked(*ours, *(through(gears, self.rates) for gears in (self._followers, self._couplings)))

    def _rows(self, links: list[Link], rows_of: Callable[[Link], list[Row]]) -> Rows:
        """Rows of joints, gathered: coefficients of all bodies' accelerations."""
        flat = [(row, link) for link in links for row in rows_of(link)]
        A, bias, gap = np.zeros((len(flat), 6 * self.robot.nbodies)), np.zeros(len(flat)), np.zeros(len(flat))
        for k, (row, link) in enumerate(flat):
            bias[k], gap[k] = row.bias, row.gap
            for side, on in ((link.P, row.on_p), (link.S, row.on_s)):
                if side.body == WORLD:
                    continue
                # a frame of the body moves with v + w x arm, and is accelerated by a + wd x arm + w x (w x arm)
                at = 6 * side.body
                A[k, at : at + 6] += np.r_[on[:3] + np.cross(side.arm, on[3:]), on[3:]]
                bias[k] += on[3:] @ np.cross(side.w, np.cross(side.w, side.arm))
        return Rows(A, bias, gap)

    def _slices(self, links: list[Link], count: Callable[[Link], int]) -> list[slice]:
        counts = [count(link) for link in links]
        return [slice(end - n, end) for n, end in zip(counts, np.cumsum(counts))]

    @cached_property
    def rate_slices(self) -> list[slice]:
        """Where the rates of each joint stand, followers included."""
        return self._slices(self.joints, lambda link: link.kind.nv)

    def _gears(self, relations: list[tuple[int, int | None, float, float, float]]) -> Gears:
        """Relations between rates: rate[one] - slope rate[other] = 0, with the curvature and the gap in position."""
        G = np.zeros((len(relations), len(self.rates.bias)))
        bias, gap = np.zeros(len(relations)), np.zeros(len(relations))
        for k, (one, other, slope, curvature, gap[k]) in enumerate(relations):
            G[k, self.rate_slices[one]] = 1.0
            if other is not None:
                G[k, self.rate_slices[other]] -= slope
                bias[k] = -curvature * self.own[other][1][0] ** 2
        return Gears(G, bias, gap)

    @cached_property
    def _followers(self) -> Gears:
        joints = [body.joint for body in self.robot.bodies]
        index = {joint.name: i for i, joint in enumerate(joints)}
        pairs = ((i, x.mimic) for i, x in enumerate(joints) if x.mimic)
        return self._gears([(i, index[mimic.joint], mimic.multiplier, 0.0, 0.0) for i, mimic in pairs])

    @cached_property
    def _couplings(self) -> Gears:
        index = {body.joint.name: i for i, body in enumerate(self.robot.bodies)}
        found: list[tuple[int, int | None, float, float, float]] = []
        for x in self.robot.couplings:
            leader = None if x.leader is None else index[x.leader]
            polynomial = np.polynomial.Polynomial(x.coefficients)
            at = 0.0 if leader is None else self.own[leader][0][0]
            gap = self.own[index[x.joint]][0][0] - polynomial(at)
            found.append((index[x.joint], leader, polynomial.deriv()(at), polynomial.deriv(2)(at), gap))
        return self._gears(found)

    # -- closure ---------------------------------------------------------------------------------------------------

    def loop_error(self) -> float:
        """How far loops and couplings are from closed, the worst of them [m, rad]."""
        return float(max([0.0, *(link.error() for link in self.loops), *np.abs(self.closing.gap)]))

    def loop_velocity_error(self) -> float:
        """How fast loops and couplings open, the worst of them [m/s, rad/s]."""
        return float(np.abs(self.closing.A @ self.twist).max(initial=0.0))

    def constraint_jacobian(self) -> Array:
        """The rates of the gaps of loops and couplings for each velocity, (m, nv); exact."""
        return self.closing.A @ self.body_jacobian

    @cached_property
    def body_jacobian(self) -> Array:
        """The velocities of all bodies for each velocity, (6 nbodies, nv); they are linear."""
        columns = [Maximal(self.robot, self.q, e).twist for e in np.eye(self.robot.nv)]
        return np.array(columns).T.reshape(6 * self.robot.nbodies, self.robot.nv)

    def cut_velocities(self) -> list[Array]:
        """The velocities qd of the cut joints."""
        rows = self._rows(self.loops, Link.rates).A @ self.twist
        return [rows[own] for own in self._slices(self.loops, lambda link: link.kind.nv)]

    @property
    def overconstrained(self) -> int:
        """How many constraints say again what others say; the wrenches are unique where there are none."""
        values = np.linalg.svd(self.constraints.A, compute_uv=False)
        return len(self.constraints.bias) - int((values > RANK * values.max(initial=0.0)).sum())

    # -- energy ----------------------------------------------------------------------------------------------------

    def kinetic_energy(self) -> float:
        M, _ = self._bodies()
        qd, rotors = self.rates.A @ self.twist, self._joint_numbers("rotor_inertia")
        return float(0.5 * self.twist @ M @ self.twist + 0.5 * rotors @ qd**2)

    def potential_energy(self) -> float:
        """Of gravity, springs and elastic transmissions."""
        V, g = 0.0, np.array([*self.robot.gravity])
        for body, side in zip(self.robot.bodies, self.bodies):
            m, first, _ = moments(body.inertia)
            V -= g @ (m * side.p + side.R @ first)
        for spring, motor, joint in self._transmissions():
            V += 0.5 * spring.stiffness * float(self.own[motor][0][0] - self.own[joint][0][0]) ** 2
        return float(V + 0.5 * self._joint_numbers("stiffness") @ self._stretches() ** 2)

    # -- dynamics --------------------------------------------------------------------------------------------------

    def _bodies(self) -> tuple[Array, Array]:
        """The inertia of each body, and gravity less what its spin needs, in world axes about its origin."""
        size, g = 6 * self.robot.nbodies, np.array([*self.robot.gravity])
        M, b = np.zeros((size, size)), np.zeros(size)
        for i, (body, side) in enumerate(zip(self.robot.bodies, self.bodies)):
            m, first, second = moments(body.inertia)
            h, J, w, at = side.R @ first, side.R @ second @ side.R.T, side.w, slice(6 * i, 6 * i + 6)
            M[at, at] = np.block([[J, skew(h)], [-skew(h), m * np.eye(3)]])
            b[at] = np.r_[np.cross(h, g) - np.cross(w, J @ w), m * g - np.cross(w, np.cross(w, h))]
        return M, b

    def _joint_numbers(self, name: str) -> Array:
        """A number for each rate of the joints of the tree."""
        return np.array([x for body in self.robot.bodies for x in getattr(body.joint, name)])

    def _stretches(self) -> Array:
        pairs = ((body.joint, q) for body, (q, _) in zip(self.robot.bodies, self.own))
        return np.concatenate([[], *(stretch(joint.kind, q, np.array(joint.rest)) for joint, q in pairs)])

    def _forces(self, tau: Array) -> Array:
        """The forces along the rates of all joints: drives, springs, friction, elastic transmissions."""
        driven = np.zeros(len(self.rates.bias))
        for body, own, vs in zip(self.robot.bodies, self.rate_slices, self.robot.v_slices):
            driven[own] = 0.0 if body.joint.mimic else tau[vs]
        qd = np.concatenate([[], *(qd for _, qd in self.own)])
        friction = self._joint_numbers("damping") * qd + self._joint_numbers("coulomb") * np.sign(qd)
        f = driven - friction - self._joint_numbers("stiffness") * self._stretches()
        for spring, motor, joint in self._transmissions():
            (x, v), (y, u) = self.own[motor], self.own[joint]
            force = spring.stiffness * (x - y) + spring.damping * (v - u)
            f[self.rate_slices[motor]] -= force
            f[self.rate_slices[joint]] += force
        return f

    def _transmissions(self) -> list[tuple[kt.Transmission, int, int]]:
        """Each with the motor's joint and the driven one."""
        joints = [body.joint for body in self.robot.bodies]
        index = {joint.name: i for i, joint in enumerate(joints)}
        return [(x.transmission, i, index[x.transmission.joint]) for i, x in enumerate(joints) if x.transmission]

    def forward(self, tau: Any, external: Any = None) -> Response:
        """Accelerations and wrenches for joint forces (nv) and loads (nbodies, 6) in world axes at the origins."""
        M, b = self._bodies()
        b = b if external is None else b + np.ravel(external)
        T, t, C, c = self.rates.A, self.rates.bias, self.constraints.A, self.constraints.bias
        f, rotors = self._forces(np.asarray(tau, float)), self._joint_numbers("rotor_inertia")
        M, b = M + (T.T * rotors) @ T, b + T.T @ (f - rotors * t)
        x, lam = solved(M, b, C, c)
        qdd = T @ x + t
        ends = np.cumsum([len(link.constraints()) for link in (*self.joints, *self.loops)])
        parts = np.split(lam, ends)
        f = f - rotors * qdd + np.concatenate([self._followers.G, self._couplings.G]).T @ parts.pop()
        wrenches = [
            self._wrench(link, [*link.constraints(), *link.rates()], np.r_[part, f[own]])
            for link, part, own in zip(self.joints, parts, self.rate_slices)
        ]
        cuts = [self._wrench(link, link.constraints(), part) for link, part in zip(self.loops, parts[len(wrenches) :])]
        accelerations = np.zeros(self.robot.nv)
        for body, own, vs in zip(self.robot.bodies, self.rate_slices, self.robot.v_slices):
            if not body.joint.mimic:
                accelerations[vs] = qdd[own]
        return Response(accelerations, np.reshape(wrenches, (-1, 6)), np.reshape(cuts, (-1, 6)))

    def _wrench(self, link: Link, rows: list[Row], forces: Array) -> Array:
        wrench = sum((force * row.on_s for force, row in zip(forces, rows)), np.zeros(6))
        return np.r_[link.S.R.T @ wrench[:3], link.S.R.T @ wrench[3:]]


class Rows(NamedTuple):
    """A x + bias is the rate of A (velocities of all bodies), itself the rate of the gap."""

    A: Array
    bias: Array
    gap: Array


class Gears(NamedTuple):
    """Relations between the rates of joints: G rates = 0, G d/dt rates + bias = 0."""

    G: Array
    bias: Array
    gap: Array


def through(gears: Gears, rates: Rows) -> Rows:
    return Rows(gears.G @ rates.A, gears.G @ rates.bias + gears.bias, gears.gap)


def stacked(*parts: Rows) -> Rows:
    return Rows(*(np.concatenate(columns) for columns in zip(*parts)))


def fixed(side: Side, pose: kt.Transform) -> Side:
    """A frame fixed in the body of another one."""
    arm = side.R @ np.array([*pose.p])
    return Side(
        side.body, side.R @ matrix_of(pose.R), side.p + arm, side.arm + arm, side.w, side.v + np.cross(side.w, arm)
    )


def solved(M: Array, b: Array, C: Array, c: Array) -> tuple[Array, Array]:
    """x and lam of M x = b + C^T lam, C x = -c; the rank of C decides what is free, the smallest lam is taken."""
    U, s, Vt = np.linalg.svd(C)
    r = int((s > RANK * s.max(initial=0.0)).sum())
    U, s, V, N = U[:, :r], s[:r], Vt[:r].T, Vt[r:].T
    x = -V @ (U.T @ c / s)
    x = x + N @ np.linalg.solve(N.T @ M @ N, N.T @ (b - M @ x))
    return x, U @ (V.T @ (M @ x - b) / s)


# -- the manifold ------------------------------------------------------------------------------------------------------


def project_velocity(robot: kt.Robot, q: Any, qd: Any) -> Array:
    """The nearest velocity that keeps loops and couplings closed."""
    J, qd = Maximal(robot, q).constraint_jacobian(), np.asarray(qd, float)
    return qd - np.linalg.lstsq(J, J @ qd, rcond=RANK)[0] if len(J) else qd


def close(robot: kt.Robot, q: Any, free: Sequence[int] | None = None) -> Array:
    """Coordinates near q that close loops and couplings, by Gauss-Newton steps.

    Args:
        robot: with loops or couplings.
        q: near enough.
        free: indices of the velocities that may be used; all by default.
    """
    q, own = np.array(q, float), [*range(robot.nv)] if free is None else [*free]
    state = Maximal(robot, q)
    for _ in range(50):
        if state.loop_error() < CLOSED:
            return q
        step = np.zeros(robot.nv)
        step[own] = np.linalg.lstsq(state.constraint_jacobian()[:, own], -state.closing.gap, rcond=RANK)[0]
        q = displaced(robot, q, step / max(1.0, float(np.abs(step).max()) / 0.5))
        state = Maximal(robot, q)
    raise AssertionError(f"the loops of {robot.name} do not close from here: {state.loop_error():.1e} is left")


# -- random mechanisms with loops --------------------------------------------------------------------------------------


def random_coordinates(kind: JointKind, rng: np.random.Generator) -> Array:
    q = rng.normal(size=kind.nq)
    if isinstance(kind, Spherical | Free):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def random_loops(
    seed: int,
    loops: int = 1,
    kinds: Sequence[str] = CUT_KINDS,
    *,
    mobility: int = 2,
    tree_kinds: Sequence[str] = TREE_KINDS,
    **options: bool,
) -> tuple[kt.Robot, Array]:
    """A random tree with cut joints, and coordinates at which they close.

    No constraint of the loops says again what others say, so that all wrenches are unique.

    Args:
        seed: the same seed gives the same robot.
        loops: how many.
        kinds: of the cut joints, drawn from these.
        mobility: the degrees of freedom that are left, at least.
        tree_kinds: of the joints of the tree.
        **options: of `strategies.tree`: friction, on_free_base, springs, mimics.

    Example:
        >>> robot, q = random_loops(1, 2, ["spherical", "universal"])
        >>> len(robot.loops), Maximal(robot, q).loop_error() < CLOSED
        (2, True)
    """
    rng = np.random.default_rng(seed)
    cuts = [random_kind(str(rng.choice(kinds)), rng) for _ in range(loops)]
    needed = mobility + sum(6 - kind.nv for kind in cuts)
    for joints in range(3, 3 + 6 * needed):
        robot = tree(int(rng.integers(10**6)), joints, tree_kinds, **options)
        if robot.nv < needed:
            continue
        q = np.zeros(robot.nq)
        for body, qs in zip(robot.bodies, robot.q_slices):
            if not body.joint.mimic:
                q[qs] = random_coordinates(body.joint.kind, rng)
        closed = _with_loops(Maximal(robot, q), cuts, rng)
        if closed is not None:
            return dataclasses.replace(closed, name=f"random_loops({seed}, {loops})"), q
    raise AssertionError(f"no loops of {kinds} that leave {mobility} degrees of freedom found")


def _with_loops(state: Maximal, cuts: Sequence[JointKind], rng: np.random.Generator) -> kt.Robot | None:
    """The robot with cut joints between bodies where each adds new constraints only, if such are soon found."""
    robot, J = state.robot, state.body_jacobian
    for kind in cuts:
        for _ in range(20):
            tried = dataclasses.replace(robot, loops=(*robot.loops, _closing(state, len(robot.loops), kind, rng)))
            rows = Maximal(tried, state.q).closing.A @ J
            values = np.linalg.svd(rows, compute_uv=False)
            if len(rows) == 0 or (len(values) == len(rows) and values[-1] > WELL_POSED * values[0]):
                robot = tried
                break
        else:
            return None
    return robot


def _closing(state: Maximal, k: int, kind: JointKind, rng: np.random.Generator) -> kt.Loop:
    """A cut joint between two bodies (or the world) that is closed here."""
    names: list[str | None] = [None, *(body.name for body in state.robot.bodies)]
    one, other = sorted(rng.choice(len(names), 2, replace=False))  # the world, if at all, comes first
    X_pred = _random_pose(rng)
    P = fixed(state.bodies[one - 1] if one else GROUND, X_pred)
    R, p = relative_pose(kind, random_coordinates(kind, rng))
    B = state.bodies[other - 1]
    X_succ = pose_of(B.R.T @ P.R @ R, B.R.T @ (P.p + P.R @ p - B.p))
    return kt.Loop(f"loop{k + 1}", kind, kt.Frame(names[one], X_pred), kt.Frame(names[other], X_succ))


def _random_pose(rng: np.random.Generator) -> kt.Transform:
    return pose_of(of_quaternion(rng.normal(size=4)), rng.uniform(-0.5, 0.5, 3))


def pose_of(R: Array, p: Array) -> kt.Transform:
    """Arrays as the description has them."""
    return kt.Transform(R.tolist(), p.tolist())  # type: ignore[arg-type]


def mounted(robot: kt.Robot) -> kt.Robot:
    """The robot on a free body, its loops too, instead of the world."""
    loops = []
    for loop in robot.loops:
        ends = {name: getattr(loop, name) for name in ("predecessor", "successor")}
        loops.append(
            dataclasses.replace(loop, **{n: dataclasses.replace(f, body=f.body or "base") for n, f in ends.items()})
        )
    return dataclasses.replace(floating(robot), loops=tuple(loops))
