"""Floating bases and ball joints: curves of positions and of three parameters for each orientation.

An orientation that is rotated by the angle phi about the unit axis e from a reference is described by the modified
Rodrigues parameters s = e tan(phi / 4). Its quaternion is (2 s, 1 - s.s) / (1 + s.s), without an angle function in it.
They are singular a full turn away from the reference, which is the first orientation that the task states: motions
that rotate by less than, say, 300 degrees from their start are far from it. Velocities are those of the robot: angular,
then linear, in body axes. Reference: M. D. Shuster, A survey of attitude
representations, Journal of the Astronautical Sciences 41, 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.joints import Free, quaternion
from kinetree.model import Mechanism
from kinetree.plan.coordinates.coordinates import Array, PlanCoordinates
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.robot import Robot
from kinetree.spatial import Vec3

_UNIT = 1e-6  # how far the length of a quaternion may be from 1


@dataclass(frozen=True)
class OrientationMap:
    """The motion in the robot's own coordinates from that of the charts; reference quaternions are an operand."""

    def operand(self, robot: Mechanism) -> str:
        return f"references({4 * len(robot.quaternions)})"

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], operand: Any) -> list[list[Any]]:
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
                reference, found = operand[4 * found : 4 * found + 4], found + 1
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
    return [[*quaternion.product(reference, (*v, w))], [*spin], [*spind], [*spindd]]


def _free(reference: Sequence[Any], own: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Position and quaternion, the velocity in body axes, and its first and second rates."""
    (p, pd, pdd, pddd), rotations = (Vec3.of(x[:3]) for x in own), [x[3:] for x in own]
    q, spin, spind, spindd = _ball(reference, rotations)
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


class OrientationCharts(PlanCoordinates):
    """Positions, orientation parameters and joints of a robot with quaternions among its coordinates.

    Args:
        robot: whose they are.
        driven: whether something drives a floating base.
    """

    kind, map, open_loop = "charts", OrientationMap(), True

    def __init__(self, robot: Robot, driven: bool) -> None:
        self.robot, self.driven = robot, driven
        self.references = np.tile([0.0, 0.0, 0.0, 1.0], len(robot.quaternions))
        self._chosen = [False] * len(robot.quaternions)
        self.labels = _labels(robot)
        self.of_velocity = _of_velocity(robot)
        self.base = [k for name in free_base(robot) for k in robot.velocities_of(name)]

    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]:
        return z, self.references

    def quantity(self, wanted: Quantity) -> Quantity:
        return self.linear(0) if wanted == Derivative(0) else wanted

    def at_point(self, degree: int, s: float, lower: Any, upper: Any) -> tuple[Quantity, Any, Any]:
        """Positions in the robot's own coordinates, of which NaN are free; derivatives as its velocities are."""
        if degree == 0:
            if lower is not upper:
                raise InputError("positions of a robot with quaternions at a point are given whole, with value=")
            value = self.charted(lower)
            free = np.isnan(value)
            return self.linear(0), np.where(free, -np.inf, value), np.where(free, np.inf, value)
        low, high = (None if x is None else np.broadcast_to(np.asarray(x, float), self.size) for x in (lower, upper))
        if low is None or high is None or np.any(low) or np.any(high) or degree > 1:
            return Derivative(degree), lower, upper
        # at rest; the velocity of a base that nothing drives follows from all forces, once it has started
        free = np.isin(np.arange(self.size), self.base) & (not self.driven and s > 0.0)
        return self.linear(1), np.where(free, -np.inf, low), np.where(free, np.inf, high)

    def charted(self, q: Any) -> Array:
        """These coordinates (nv) of the robot's own (nq)."""
        given = np.asarray(q, float)
        if given.shape != (self.robot.nq,):
            raise InputError(f"positions of robot {self.robot.name!r} have {self.robot.nq} numbers, got {q!r}")
        found, number = np.zeros(self.size), 0
        for body, qs, vs in zip(self.robot.bodies, self.robot.q_slices, self.robot.v_slices):
            own, first = given[qs], body.joint.kind.quaternion
            if body.joint.mimic:
                continue
            if first is not None:
                own = np.r_[own[:first], self._parameters(own[first:], number, body.joint.name)]
                number += 1
            found[vs] = own
        return found

    def _parameters(self, q: Array, number: int, name: str) -> Array:
        """The parameters of an orientation; the first one that is stated becomes the reference."""
        if np.isnan(q).any():
            return np.full(3, np.nan)
        if not abs(np.linalg.norm(q) - 1.0) <= _UNIT:
            raise InputError(f"the quaternion of joint {name!r} must be of length 1, got {q.tolist()}")
        own = slice(4 * number, 4 * number + 4)
        if not self._chosen[number]:
            self.references[own], self._chosen[number] = q / np.linalg.norm(q), True
        x, y, z, w = self.references[own]
        relative = np.array(quaternion.product((-x, -y, -z, w), q.tolist()), float)
        relative = relative if relative[3] >= 0.0 else -relative
        return relative[:3] / (1.0 + relative[3])

    def resampled(self, plan: Any) -> Callable[[Array], Array] | None:
        if np.array_equal(plan.coordinates.references, self.references):
            return None
        return lambda s: np.array([self.charted(q) for q in plan.motion(s * plan.duration)[0]])

    def rest(self) -> Array:
        return self.charted(self.robot.neutral)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "references": self.references.tolist(), "driven": self.driven}

    @staticmethod
    def from_json(robot: Robot, given: dict[str, Any]) -> OrientationCharts:
        charts = OrientationCharts(robot, bool(given["driven"]))
        references = np.array(given["references"], float)
        if references.shape != charts.references.shape or not np.isfinite(references).all():
            raise InputError(f"{len(robot.quaternions)} reference orientations have four numbers each")
        charts.references[:] = references
        return charts


def free_base(robot: Mechanism) -> tuple[str, ...]:
    """The joint of a floating base; empty where the base is fixed."""
    return tuple(body.joint.name for body in robot.bodies if body.parent is None and isinstance(body.joint.kind, Free))


def _of_velocity(robot: Robot) -> list[int]:
    """For each velocity the coordinate that belongs to it: a free joint has its position first there."""
    found = list(range(robot.nv))
    for body, vs in zip(robot.bodies, robot.v_slices):
        if isinstance(body.joint.kind, Free):
            own = found[vs]
            found[vs] = [*own[3:], *own[:3]]
    return found


def _labels(robot: Robot) -> tuple[str, ...]:
    """A name for each coordinate."""
    names = list(robot.coordinate_names)
    for body, vs in zip(robot.bodies, robot.v_slices):
        name, rotation = body.joint.name, [f"rotation {axis}" for axis in "xyz"]
        if not body.joint.mimic and body.joint.kind.quaternion is not None:
            parts = rotation if body.joint.kind.nv == 3 else [*"xyz", *rotation]
            names[vs] = [f"{name} {part}" for part in parts]
    return tuple(names)
