"""A planned motion as a reference for controllers: the polynomial of each span of the spline, over scalars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.control import Reference, Target
from kinetree.control.given import number
from kinetree.control.point_to_point import ORDERS, derivative, horner, part_passed
from kinetree.errors import InputError
from kinetree.plan.coordinates.path import PathCoordinate
from kinetree.plan.plan import Plan
from kinetree.scalar import select
from kinetree.transcribe.bspline import BSpline


@dataclass(frozen=True)
class PlannedMotion(Reference):
    """The motion of a plan; it rests at its ends before and after.

    Args:
        duration: of the motion [s].
        starts: where each piece begins, as parts of the duration.
        pieces: for each piece and each coordinate the coefficients of its polynomial, the constant first.
        begin: when it starts [s].
    """

    duration: float
    starts: tuple[float, ...]
    pieces: tuple[tuple[tuple[float, ...], ...], ...]
    begin: Any = 0.0

    @property
    def finish(self) -> Any:
        return self.begin + self.duration

    @property
    def size(self) -> int:
        return len(self.pieces[0])

    def at(self, t: Any) -> Target:
        s, within = part_passed(t, self.begin, self.duration)
        x = s - _chosen(s, self.starts, self.starts)
        target = Target(*([] for _ in range(ORDERS)))
        for j in range(self.size):
            coefficients = [_chosen(s, self.starts, row) for row in zip(*(piece[j] for piece in self.pieces))]
            factor = 1.0
            for order, values in enumerate(target):
                value = horner(coefficients, x) * factor
                values.append(value if order == 0 else select(within, value, 0.0))
                coefficients, factor = derivative(coefficients), factor / self.duration
        return target


@dataclass(frozen=True)
class PathMotion(Reference):
    """A motion along a path: where on the path it is over time, and the path over that, by the chain rule.

    Args:
        place: from 0, the start of the path, to 1, its end: a motion with one coordinate.
        path: the coordinates over the place, as a motion that takes one second.
    """

    place: PlannedMotion
    path: PlannedMotion

    @property
    def finish(self) -> Any:
        return self.place.finish

    @property
    def size(self) -> int:
        return self.path.size

    def at(self, t: Any) -> Target:
        s, s1, s2, s3, s4 = (x[0] for x in self.place.at(t))
        target = Target(*([] for _ in range(ORDERS)))
        for q, f1, f2, f3, f4 in zip(*self.path.at(s)):
            target.q.append(q)
            target.qd.append(f1 * s1)
            target.qdd.append(f1 * s2 + f2 * s1 * s1)
            target.qddd.append(f1 * s3 + 3.0 * f2 * s1 * s2 + f3 * s1 * s1 * s1)
            target.qdddd.append(
                f1 * s4 + f2 * (3.0 * s2 * s2 + 4.0 * s1 * s3) + 6.0 * f3 * s1 * s1 * s2 + f4 * s1 * s1 * s1 * s1
            )
        return target


def planned_motion(plan: Plan, begin: Any = 0.0) -> Reference:
    """The motion of a plan as a reference."""
    if plan.robot.quaternions:
        raise InputError("references have no orientations; follow the plan with your own law, from plan.motion(t)")
    own = _polynomials(plan.spline, plan.control_points, plan.duration, number(begin, "begin"))
    if not isinstance(plan.coordinates, PathCoordinate):
        return own
    path = plan.coordinates.path
    return PathMotion(own, _polynomials(path.spline, path.points, 1.0, 0.0))


def _polynomials(spline: BSpline, points: Any, duration: float, begin: Any) -> PlannedMotion:
    """The pieces of a spline: its derivatives where they begin, over factorials."""
    starts = spline.breakpoints[:-1]
    table, indices = spline.evaluate(starts, spline.degree)
    factorials = np.array([math.factorial(r) for r in range(spline.degree + 1)])
    pieces = np.einsum("kra,kan->knr", table, points[indices]) / factorials
    rows = tuple(tuple(tuple(row) for row in piece) for piece in pieces.tolist())
    return PlannedMotion(duration, tuple(starts.tolist()), rows, begin)


def _chosen(s: Any, starts: Sequence[float], values: Sequence[Any]) -> Any:
    """The value of the piece that s is in, by halving."""
    if len({*values}) == 1:
        return values[0]
    half = len(values) // 2
    right, left = (_chosen(s, starts[part], values[part]) for part in (slice(half, None), slice(half)))
    return select(s >= starts[half], right, left)
