"""How near a motion comes to obstacles, certified between samples: branch and bound over time, pair by pair.

At the middle of an interval of half width h the plane at the nearest points is between the shapes. Its distance from
both ends of a capsule bounds the distance from below, and with a bound A on their accelerations in the interval,

    d(t) >= d + min_i (farther_i - |rate_i| h) - A h^2 / 2.

Intervals whose bound is above what is asked for are done with; the others are split. Speeds and accelerations are
bounded by those of the joints times how far away the shape can be from each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinetree.compile import compiled
from kinetree.model import WORLD
from kinetree.plan.coordinates import PlanCoordinates
from kinetree.plan.obstacles.bodies import BodyShape
from kinetree.plan.obstacles.curves import joint_curves
from kinetree.plan.obstacles.distance import PairRates
from kinetree.plan.obstacles.scene import Scene
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array, Indices
from kinetree.transcribe.bspline import BSpline

if TYPE_CHECKING:
    from kinetree.plan.plan import Plan

_FIRST = 4  # intervals in each knot interval at first
_SPLIT = 4  # parts of an interval that is split
_SHORTEST = 1e-8  # of the duration
CLOSE = 1e-6  # how far the least distance is known [m]


@dataclass(frozen=True)
class Clearance:
    """How near a motion comes to anything that it must not touch.

    Args:
        distance: the least one [m], a bound from below for the whole motion, to the micrometre; below 0 where shapes
            overlap.
        pair: the names of the two shapes.
        time: when [s].
    """

    distance: float
    pair: tuple[str, str]
    time: float

    def __str__(self) -> str:
        return f"{self.pair[0]} comes to {self.distance:.4g} m from {self.pair[1]} at {self.time:.4g} s"


class Found(NamedTuple):
    """Points of a motion: where, which pair, and the distance."""

    s: Array
    pairs: Indices
    distances: Array


class Approach:
    """A motion of a robot in a scene.

    Args:
        scene: obstacles and shapes.
        spline: the space of the motion.
        points: its control points (m, nv).
        duration: [s].
        coordinates: that they are of; the joints by default.
    """

    def __init__(
        self, scene: Scene, spline: BSpline, points: Array, duration: float, coordinates: PlanCoordinates | None = None
    ) -> None:
        self.scene, self.duration = scene, duration
        self.curves = joint_curves(coordinates, spline, points, duration)

    def _piece(self, s: Array) -> Indices:
        ends = self.curves.breakpoints
        return np.clip(np.searchsorted(ends, s, side="right") - 1, 0, len(ends) - 2)

    def motion(self, s: Array) -> list[Array]:
        """Positions and all their derivatives in time at s (k,): (k, nv) each."""
        k = self._piece(s)
        c, t = self.curves.pieces[k], ((s - self.curves.origins[k]) * self.duration)[:, None]
        p = c.shape[1] - 1
        found = []
        for r in range(p + 1):
            value = np.zeros_like(c[:, 0])
            for j in range(p, r - 1, -1):
                value = value * t + math.perm(j, r) * c[:, j]
            found.append(value)
        return found

    @cached_property
    def _rates(self) -> Any:
        return compiled(PairRates(), self.scene.robot)

    @cached_property
    def _reach(self) -> tuple[Array, Array]:
        return reach(self.scene, self.curves.largest)

    @cached_property
    def _speeds(self) -> Array:
        """Bounds on the speeds of the obstacles of all pairs."""
        speeds = np.zeros(len(self.scene.pairs))
        for k, obstacle in self.scene.moves.items():
            speeds[k] = obstacle.speed or 0.0
        return speeds

    @cached_property
    def _jerky(self) -> Array:
        """Those of obstacles whose velocities change."""
        speeds = np.zeros(len(self.scene.pairs))
        for k, obstacle in self.scene.moves.items():
            speeds[k] = (obstacle.speed or 0.0) if callable(obstacle.path) else 0.0
        return speeds

    def _largest_rates(self, z: list[Array], h: Array) -> tuple[Array, Array]:
        """Bounds on velocities and accelerations of the joints in intervals about the samples, half widths [s]."""
        found = []
        for order in (1, 2):
            total = np.zeros_like(z[0])
            for r in range(order, len(z)):
                total += np.abs(z[r]) * (h ** (r - order) / math.factorial(r - order))[:, None]
            found.append(total)
        return found[0], found[1]

    def below(self, target: Array) -> Found:
        """Points where pairs are nearer than their targets (pairs,) [m]; none means that none ever is."""
        return self._searched(target)[0]

    def nearest(self) -> Clearance:
        """The least distance of all pairs."""
        found, _ = self._searched(None)
        k = int(np.argmin(found.distances))
        distance = float(found.distances[k])
        return Clearance(distance - CLOSE, self.scene.pairs[found.pairs[k]].name, float(found.s[k]) * self.duration)

    def _searched(self, target: Array | None) -> tuple[Found, int]:
        scene, T = self.scene, self.duration
        left, width = self.curves.breakpoints[:-1], np.diff(self.curves.breakpoints)
        half = np.repeat(width / (2 * _FIRST), _FIRST)
        s = (left[:, None] + width[:, None] * ((np.arange(_FIRST) + 0.5) / _FIRST)).ravel()
        z = self.motion(s)
        bounds = scene.lower_bounds(z[0], s * T)
        fast = self._largest_rates(z, half * T)[0] @ self._reach[0].T + self._speeds
        bounds -= fast * (half * T)[:, None]
        bounds -= np.repeat(self.curves.off, _FIRST, axis=0) @ self._reach[0].T
        if target is None:  # of a few pairs that may be the nearest, the distance itself
            order = np.argsort(bounds.min(axis=1))[:8]
            pairs = np.argmin(bounds[order], axis=1)
            best = float(scene.distances(z[0][order], pairs, s[order] * T).min())
            kept: list[Found] = []
        else:
            best, kept = math.inf, []
        limit = (best - CLOSE) if target is None else target
        at, pairs = np.nonzero(bounds < limit)
        s, half, count = s[at], half[at], len(at)
        while len(s):
            d, lower = self._bounded(s, half * T, pairs)
            if target is None:
                best = min(best, float(d.min()))
                kept.append(Found(s, pairs, d))
                open_ = lower < best - CLOSE
            else:
                hit = d < target[pairs]
                kept.append(Found(s[hit], pairs[hit], d[hit]))
                open_ = (lower < target[pairs]) & ~hit
            open_ &= half > _SHORTEST
            steps = (np.arange(_SPLIT) - 0.5 * (_SPLIT - 1)) / (0.5 * _SPLIT)
            s = (s[open_, None] + half[open_, None] * steps).ravel()
            half, pairs = np.repeat(half[open_] / _SPLIT, _SPLIT), np.repeat(pairs[open_], _SPLIT)
            count += len(s)
        joined = [np.concatenate(x) for x in zip(*kept)] if kept else [np.zeros(0), np.zeros(0, int), np.zeros(0)]
        return Found(*joined), count

    def _bounded(self, s: Array, h: Array, pairs: Indices) -> tuple[Array, Array]:
        """Distances at the middles, and bounds from below in the intervals."""
        z = self.motion(s)
        operands = self.scene.operands(pairs, s * self.duration)
        d, farther, rates = self._rates(z[0], z[1], operands)
        speed, acceleration = self._largest_rates(z, h)
        c, w = (x[pairs] for x in self._reach)
        A = (c * acceleration).sum(axis=1) + 2.0 * (c * speed).sum(axis=1) * (w * speed).sum(axis=1)
        nearer = (np.maximum(farther, 0.0) - np.abs(rates) * h[:, None]).min(axis=1)
        lower = d + nearer - 0.5 * A * h**2 - 2.0 * self._jerky[pairs] * h
        # a line inside a box has no plane between, but no distance changes faster than points move
        radius = operands[:, 3 * self.scene.robot.nbodies + 6]
        slow = d - ((c * speed).sum(axis=1) + self._speeds[pairs]) * h
        off = (c * self.curves.off[self._piece(s)]).sum(axis=1)
        return d - off, np.where(d + radius > CLOSE, np.maximum(lower, slow), slow) - off


def clearance(plan: Plan) -> Clearance | None:
    """That of a plan; None where it has no scene."""
    if plan.scene is None:
        return None
    return Approach(plan.scene, plan.spline, plan.control_points, plan.duration, plan.coordinates).nearest()


def reach(scene: Scene, largest: Array) -> tuple[Array, Array]:
    """How fast points of the shapes of each pair move at the most, relative to the other, for each coordinate at
    rate 1; and how fast they turn: (pairs, nv) each.

    Args:
        scene: its pairs.
        largest: the largest absolute value of each coordinate in the motion (nv,).
    """
    robot = scene.robot
    kept: _Reaches | None = vars(robot).get("_reaches")
    joints = kept.joints if kept else _joints(robot)
    slides, columns, fixed = joints
    lengths = fixed + slides @ largest
    if kept is None or kept.shapes != scene.shapes or not np.array_equal(kept.lengths, lengths):
        kept = vars(robot)["_reaches"] = _Reaches(joints, scene.shapes, lengths, {})
    known = kept.found
    keys = [(pair.one, pair.body) for pair in scene.pairs]
    place = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    for one, body in place:
        if (one, body) not in known:
            known[one, body] = np.array(_reach(robot, scene.shapes[one], body, lengths, columns))
    both = np.array([known[key] for key in place])[[place[key] for key in keys]]
    return both[:, 0], both[:, 1]


Column = tuple[int, float, float]  # a coordinate, and how fast it turns and moves its body at rate 1


@dataclass(frozen=True, eq=False)
class _Reaches:
    """What a robot keeps for the next scene: the same shapes move as fast there, if coordinates are as large."""

    joints: tuple[Array, list[list[Column]], Array]
    shapes: Any
    lengths: Array
    found: dict[tuple[int, int], Array]  # of a shape, relative to a body


def _joints(robot: Robot) -> tuple[Array, list[list[Column]], Array]:
    """How much farther bodies get from their parents with each coordinate (nbodies, nv); what the joints do; and how
    far bodies are from their parents when these are zero (nbodies,)."""
    slides, fixed, columns = np.zeros((robot.nbodies, robot.nv)), np.zeros(robot.nbodies), list[list[Column]]()
    for i, body in enumerate(robot.bodies):
        neutral = robot.neutral_coordinates[robot.q_slices[i]]
        own = range(robot.nv)[robot.v_slices[i]]
        twists = body.joint.subspace(neutral)
        columns.append([(k, math.hypot(*s.ang), math.hypot(*s.lin)) for k, s in zip(own, twists)])
        for k, _, lin in columns[-1]:
            slides[i, k] += lin
        fixed[i] = math.hypot(*body.joint.pose(neutral).p)
    return slides, columns, fixed


def _reach(
    robot: Robot, shape: BodyShape, other: int, lengths: Array, columns: list[list[Column]]
) -> tuple[Array, Array]:
    """Of one shape relative to another body: (nv,) each."""
    tip = max(math.hypot(*shape.start), math.hypot(*shape.end))
    carried, beside = list(robot.path(shape.body)), [] if other == WORLD else list(robot.path(other))
    common = len([1 for a, b in zip(carried, beside) if a == b])
    c, w = np.zeros((2, robot.nv))
    away = tip
    for i in reversed(carried[common:]):
        _add(c, w, columns[i], away)
        away += float(lengths[i])
    for i in beside[common:]:
        away += float(lengths[i])
        _add(c, w, columns[i], away)
    return c, w


def _add(c: Array, w: Array, columns: list[Column], away: float) -> None:
    for k, ang, lin in columns:
        c[k] += ang * away + lin
        w[k] += ang
