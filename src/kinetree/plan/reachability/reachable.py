"""From a problem along a path to its plan."""

from __future__ import annotations

import time

import numpy as np

from kinetree.plan.checks import DURATIONS, check
from kinetree.plan.coordinates import PathCoordinate
from kinetree.plan.coordinates.path import Path
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.reachability.passes import fastest
from kinetree.plan.reachability.rows import row_names, rows_along
from kinetree.plan.reachability.slowing import slowed
from kinetree.plan.status import PlanStatus
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline

_PIECES = 999  # of a path at the least, in each of which rows are nearly cubic polynomials
_DEGREE = 3


def reachable(problem: Problem, grid: int, options: Options) -> Plan | None:
    """The plan of a problem along a path on so many grid points; None where it is not for this method."""
    began = time.perf_counter()
    check(problem)
    if not isinstance(problem.coordinates, PathCoordinate) or problem.costs or problem.durations != DURATIONS:
        return None
    path = problem.coordinates.path
    s = _grid(path, grid)
    places = _places(s)
    rows = rows_along(problem, path, places)
    x = None if rows is None else fastest(rows, places)
    if rows is None or x is None:
        return None
    u = (np.diff(x) / np.diff(s))[:, None] / 2.0 + np.zeros_like(places)
    within = x[:-1, None] + 2.0 * u * (places - s[:-1, None])
    factor, violation, worst = slowed(rows.reshape(-1, 4), u.reshape(-1, 4), within.reshape(-1, 4), options.tolerance)
    spline, points, duration = _curve(s, np.sqrt(x) / factor)
    status = PlanStatus.OPTIMAL if violation <= options.tolerance else PlanStatus.VIOLATED_BETWEEN
    return Plan(
        problem.robot, spline, points[:, None], duration, status, problem.time_weight * duration, violation, 0,
        time.perf_counter() - began, row_names(problem)[worst], tuple(problem.constraints), problem=problem,
        external=problem.dynamics.external, coordinates=problem.coordinates,
    )  # fmt: skip


def _grid(path: Path, count: int) -> Array:
    """So many points along a path, or a few more; among them its knots, where it is not smooth."""
    s = np.linspace(0.0, 1.0, count)
    inner = path.spline.breakpoints[1:-1]
    s[np.clip(np.rint(inner * (count - 1)).astype(int), 1, count - 2)] = inner
    return np.union1d(s, inner)


def _places(s: Array) -> Array:
    """Where rows are looked at in each interval of a grid (intervals, 4 pieces): its ends, and four in each piece."""
    pieces = -(-_PIECES // (len(s) - 1))
    share = (np.arange(pieces)[:, None] + np.linspace(0.0, 1.0, 4)).ravel() / pieces
    return s[:-1, None] + np.diff(s)[:, None] * share


def _curve(s: Array, speed: Array) -> tuple[BSpline, Array, float]:
    """The path parameter over time: a cubic spline with double knots, where accelerations jump."""
    step = 2.0 * np.diff(s) / (speed[:-1] + speed[1:])
    t = np.r_[0.0, np.cumsum(step)]
    third = step / 3.0
    inner = np.stack((s[:-1] + third * speed[:-1], s[1:] - third * speed[1:]), axis=1).ravel()
    points = np.r_[0.0, inner, 1.0]
    knots = np.repeat(t[1:-1] / t[-1], 2)
    return BSpline(len(points), _DEGREE, tuple(knots.tolist()), smooth=1), points, float(t[-1])
