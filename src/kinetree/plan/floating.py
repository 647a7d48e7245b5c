"""Floating bases and ball joints: splines of positions and of three numbers for each orientation.

An orientation that is turned by the angle phi about the unit axis e from a reference is described by the modified
Rodrigues parameters s = e tan(phi / 4). Its quaternion is (2 s, 1 - s.s) / (1 + s.s), without an angle function in it.
They are singular a full turn away from the reference, which is the first orientation that the task states: motions
that turn by less than, say, 300 degrees from their start are far from it. Velocities are those of the robot: angular,
then linear, in body axes. Reference: M. D. Shuster, A survey of attitude
representations, Journal of the Astronautical Sciences 41, 1993.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.joints import Free, quaternion
from kinetree.model.mechanism import Mechanism
from kinetree.plan.names import coordinates
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.way import Described
from kinetree.robot import Robot
from kinetree.spatial.vec3 import Vec3

Array = NDArray[np.float64]
_UNIT = 1e-6  # how far the length of a quaternion may be from 1


@dataclass(frozen=True)
class OnCharts:
    """The motion in the robot's own coordinates from that of the charts; reference quaternions are given."""

    def width(self, robot: Mechanism) -> int:
        return robot.nv

    def operand(self, robot: Mechanism) -> str:
        return f"references({4 * len(robot.quaternions)})"

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], given: Any) -> list[list[Any]]:
        q: list[Any] = [0.0] * robot.nq
        rates: list[list[Any]] = [[0.0] * robot.nv for _ in range(3)]
        found = 0
        for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
            if body.joint.mimic:
                continue
            own, kind = [part[vs] for part in parts], body.joint.kind
            if kind.quaternion is None:
                q[qs] = own[0]
            else:
                reference, found = given[4 * found : 4 * found + 4], found + 1
                q[qs], *own[1:] = _free(reference, own) if isinstance(kind, Free) else _ball(reference, own)
            for whole, x in zip(rates, own[1:]):
                whole[vs] = x
        return [q, *rates]


def _ball(reference: Sequence[Any], own: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Quaternion, angular velocity in body axes, and its first and second rates."""
    (v, vd, vdd, vddd), (w, wd, wdd, wddd) = _quaternion(own)
    spin = 2.0 * (w * vd - wd * v - v.cross(vd))
    spind = 2.0 * (w * vdd - wdd * v - v.cross(vdd))
    spindd = 2.0 * (wd * vdd - wdd * vd - vd.cross(vdd) + w * vddd - wddd * v - v.cross(vddd))
    return [_product(reference, (*v, w)), [*spin], [*spind], [*spindd]]


def _free(reference: Sequence[Any], own: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Position and quaternion, the velocity in body axes, and its first and second rates."""
    (p, pd, pdd, pddd), turns = (Vec3.of(x[:3]) for x in own), [x[3:] for x in own]
    q, spin, spind, spindd = _ball(reference, turns)
    R = quaternion.rotation(q).T
    v, a, j = R @ pd, R @ pdd, R @ pddd
    w, wd = Vec3.of(spin), Vec3.of(spind)
    vd = a - w.cross(v)
    vdd = j - w.cross(a) - wd.cross(v) - w.cross(vd)
    return [[*p, *q], [*spin, *v], [*spind, *vd], [*spindd, *vdd]]


def _quaternion(own: Sequence[Sequence[Any]]) -> tuple[list[Vec3], list[Any]]:
    """Vector and scalar part of a quaternion from its parameters, each with three derivatives in time.

    With n = 1 / (1 + s.s) they are 2 n s and 2 n - 1.
    """
    s, sd, sdd, sddd = (Vec3.of(x) for x in own)
    n = 1.0 / (1.0 + s.dot(s))
    m = 2.0 * s.dot(sd)
    md = 2.0 * (sd.dot(sd) + s.dot(sdd))
    mdd = 2.0 * (3.0 * sd.dot(sdd) + s.dot(sddd))
    nd = -(n * n) * m
    ndd = -2.0 * n * nd * m - n * n * md
    nddd = -2.0 * (nd * nd * m + n * ndd * m + 2.0 * n * nd * md) - n * n * mdd
    vector = [
        2.0 * (n * s),
        2.0 * (nd * s + n * sd),
        2.0 * (ndd * s + 2.0 * (nd * sd) + n * sdd),
        2.0 * (nddd * s + 3.0 * (ndd * sd) + 3.0 * (nd * sdd) + n * sddd),
    ]
    return vector, [2.0 * n - 1.0, 2.0 * nd, 2.0 * ndd, 2.0 * nddd]


def _product(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Of two quaternions (x, y, z, w)."""
    u, v = Vec3.of(a[:3]), Vec3.of(b[:3])
    return [*(a[3] * v + b[3] * u + u.cross(v)), a[3] * b[3] - u.dot(v)]


class Charts:
    """Positions, orientations and joints of a robot with quaternions, as coordinates of its motions.

    Args:
        robot: whose they are.
        driven: whether something drives a floating base.
    """

    mapping, lift = OnCharts(), 0

    def __init__(self, robot: Robot, driven: bool) -> None:
        self.robot, self.width, self.driven = robot, robot.nv, driven
        self.references = np.tile([0.0, 0.0, 0.0, 1.0], len(robot.quaternions))
        self._chosen = [False] * len(robot.quaternions)
        self.labels = _labels(robot)
        self.beside = _beside(robot)
        self.base = [k for name in free_base(robot) for k in robot.velocities_of(name)]

    def given(self, z: Array, before: Array | None) -> tuple[Array, Array]:
        return z, self.references

    def linear(self, degree: int) -> Quantity:
        return Described(degree, self.labels)

    def quantity(self, wanted: Quantity) -> Quantity:
        return self.linear(0) if wanted == Derivative(0) else wanted

    def stated(self, degree: int, place: float, lower: Any, upper: Any) -> tuple[Quantity, Any, Any]:
        """Positions in the robot's own coordinates, of which NaN are open; derivatives as its velocities are."""
        if degree == 0:
            if lower is not upper:
                raise InputError("positions of a robot with quaternions at a place are given whole, with value=")
            value = self.charted(lower)
            free = np.isnan(value)
            return self.linear(0), np.where(free, -np.inf, value), np.where(free, np.inf, value)
        low, high = (None if x is None else np.broadcast_to(np.asarray(x, float), self.width) for x in (lower, upper))
        if low is None or high is None or np.any(low) or np.any(high) or degree > 1:
            return Derivative(degree), lower, upper
        # at rest; the velocity of a base that nothing drives follows from all forces, once it has started
        open_ones = np.isin(np.arange(self.width), self.base) & (not self.driven and place > 0.0)
        return self.linear(1), np.where(open_ones, -np.inf, low), np.where(open_ones, np.inf, high)

    def charted(self, q: Any) -> Array:
        """The numbers that a spline describes (nv), of coordinates (nq)."""
        given = np.asarray(q, float)
        if given.shape != (self.robot.nq,):
            raise InputError(f"positions of robot {self.robot.name!r} have {self.robot.nq} numbers, got {q!r}")
        found, number = np.zeros(self.width), 0
        for body, qs, vs in zip(self.robot.bodies, self.robot.q_slices, self.robot.v_slices):
            kind = body.joint.kind
            if body.joint.mimic:
                continue
            if kind.quaternion is None:
                found[vs] = given[qs]
                continue
            own = given[qs]
            found[vs] = np.r_[own[: kind.quaternion], self._turn(own[kind.quaternion :], number, body.joint.name)]
            number += 1
        return found

    def _turn(self, q: Array, number: int, name: str) -> Array:
        """The parameters of an orientation; the first one that is stated becomes the reference."""
        if np.isnan(q).any():
            return np.full(3, np.nan)
        if not abs(np.linalg.norm(q) - 1.0) <= _UNIT:
            raise InputError(f"the quaternion of joint {name!r} must be of length 1, got {q.tolist()}")
        own = slice(4 * number, 4 * number + 4)
        if not self._chosen[number]:
            self.references[own], self._chosen[number] = q / np.linalg.norm(q), True
        x, y, z, w = self.references[own]
        relative = np.array(_product((-x, -y, -z, w), q.tolist()), float)
        relative = relative if relative[3] >= 0.0 else -relative
        return relative[:3] / (1.0 + relative[3])

    def same(self, plan: Any) -> bool:
        """Whether a plan is in these coordinates; references may differ."""
        return np.array_equal(plan.coordinates.references, self.references)

    def of_motion(self, motion: Sequence[Array]) -> Array:
        """The numbers that a spline describes, for a motion (k, nq)."""
        return np.array([self.charted(q) for q in motion[0]])

    def rest(self) -> Array:
        return self.charted(self.robot.neutral)


def free_base(robot: Mechanism) -> tuple[str, ...]:
    """The joint of a floating base, in a list; an empty one where the base is held."""
    return tuple(body.joint.name for body in robot.bodies if body.parent is None and isinstance(body.joint.kind, Free))


def _beside(robot: Robot) -> list[int]:
    """For each velocity the number that a spline describes beside it: a free joint has its position first there."""
    places = list(range(robot.nv))
    for body, vs in zip(robot.bodies, robot.v_slices):
        if isinstance(body.joint.kind, Free):
            own = places[vs]
            places[vs] = [*own[3:], *own[:3]]
    return places


def _labels(robot: Robot) -> tuple[str, ...]:
    """A name for each number that a spline describes."""
    names = coordinates(robot)
    for body, vs in zip(robot.bodies, robot.v_slices):
        name, turns = body.joint.name, [f"turn {axis}" for axis in "xyz"]
        if not body.joint.mimic and body.joint.kind.quaternion is not None:
            parts = turns if body.joint.kind.nv == 3 else [*"xyz", *turns]
            names[vs] = [f"{name} {part}" for part in parts]
    return tuple(names)
