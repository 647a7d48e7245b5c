"""A planned motion as a reference for controllers: the polynomial of each knot interval of its spline, over scalars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.control import Reference, Target
from kinetree.control.piecewise import ORDERS, PiecewisePolynomial
from kinetree.control.validation import number
from kinetree.errors import InputError
from kinetree.plan.coordinates.path import PathCoordinate
from kinetree.plan.plan import Plan
from kinetree.transcribe.bspline import BSpline


@dataclass(frozen=True)
class PathMotion(Reference):
    """A motion along a path: where on the path it is over time, and the path over that, by the chain rule.

    Args:
        progress: along the path, from 0 at its start to 1 at its end: a motion with one coordinate.
        path: the coordinates over the progress, as a motion that takes one second.
    """

    progress: PiecewisePolynomial
    path: PiecewisePolynomial

    @property
    def finish(self) -> Any:
        return self.progress.finish

    @property
    def size(self) -> int:
        return self.path.size

    def at(self, t: Any) -> Target:
        s, s1, s2, s3, s4 = (x[0] for x in self.progress.at(t))
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


def _polynomials(spline: BSpline, points: Any, duration: float, begin: Any) -> PiecewisePolynomial:
    """The pieces of a spline: its derivatives where they begin, over factorials."""
    starts = spline.breakpoints[:-1]
    table, indices = spline.evaluate(starts, spline.degree)
    factorials = np.array([math.factorial(r) for r in range(spline.degree + 1)])
    pieces = np.einsum("kra,kan->knr", table, points[indices]) / factorials
    rows = tuple(tuple(tuple(row) for row in piece) for piece in pieces.tolist())
    return PiecewisePolynomial(duration, tuple(starts.tolist()), rows, begin)
