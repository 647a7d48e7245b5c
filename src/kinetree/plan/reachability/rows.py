"""Limits along a path as rows that are linear in u = d2s/dt2 and x = (ds/dt)^2."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinetree.plan.constraints import ALWAYS, PathConstraint
from kinetree.plan.coordinates.path import Path
from kinetree.plan.evaluate import evaluate
from kinetree.plan.problem import Problem
from kinetree.plan.quantity import Coordinate, Derivative
from kinetree.runtime.arrays import Array

_LINEAR = 1e-7  # how far a quantity may be from linear in u and x, relative


class Rows(NamedTuple):
    """lower <= a u + b x <= upper (..., rows) and speeds x <= 1 (..., nv) at points of a path.

    Lower and upper are those of a quantity less what it is at rest; speeds are squares of velocities over those of
    their limits, for x = 1.
    """

    a: Array
    b: Array
    lower: Array
    upper: Array
    speeds: Array

    def at(self, points: Any) -> Rows:
        """Those of some points."""
        return Rows(*(x[points] for x in self))

    def reshape(self, *shape: int) -> Rows:
        """The same points in another order of rows and columns."""
        return Rows(*(x.reshape(*shape, x.shape[-1]) for x in self))

    @property
    def most(self) -> Array:
        """The largest x for velocities (...)."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / self.speeds.max(axis=-1))


def rows_along(problem: Problem, path: Path, s: Array) -> Rows | None:
    """Those at s (...); None where a constraint is not linear in u and x."""
    q, slope, curvature = path.spline.curve(path.points, s.ravel(), 2)
    speeds, parts = np.zeros_like(slope), list[tuple[Array, ...]]()
    for c in problem.constraints:
        if isinstance(c.quantity, Coordinate) or c.quantity == Derivative(0):
            continue  # forwards, and positions that the path decides
        if c.during != ALWAYS or c.equality.any() or c.quantity.order > 2 or c.quantity.needs_parameters:
            return None
        if c.quantity == Derivative(1):
            limit = np.where(slope > 0.0, c.upper, -c.lower)
            speeds = np.maximum(speeds, (slope / limit) ** 2)
        elif (found := _linear(problem, c, q, slope, curvature)) is not None:
            parts.append(found)
        else:
            return None
    if not parts:
        return None
    found = (np.concatenate(part, axis=1) for part in zip(*parts))
    return Rows(*(x.reshape(*s.shape, -1) for x in (*found, speeds)))


def row_names(problem: Problem) -> list[str]:
    """Of the rows, then of the velocities."""
    skipped, every = (Derivative(0), Derivative(1)), (c.quantity for c in problem.constraints)
    own = [q for q in every if not isinstance(q, Coordinate) and q not in skipped]
    return [f"{name} is at its limit" for q in (*own, Derivative(1)) for name in q.names(problem.robot)]


def _linear(problem: Problem, c: PathConstraint, q: Array, slope: Array, curvature: Array) -> tuple[Array, ...] | None:
    """a, b and the sides less c of a constraint; None where it is not linear."""
    still = np.zeros_like(q)
    states = ((still, still), (still, slope), (slope, curvature), (2.0 * slope, 4.0 * curvature + slope))
    alone, with_u, with_x, both = (evaluate(problem.robot, c.quantity, (q, qd, qdd, still)) for qd, qdd in states)
    a, b = with_u - alone, with_x - alone
    off = np.abs(both - (a + 4.0 * b + alone)).max(initial=0.0)
    if not off <= _LINEAR * max(np.abs(x).max(initial=0.0) for x in (alone, a, b)):
        return None
    return a, b, c.lower - alone, c.upper - alone
