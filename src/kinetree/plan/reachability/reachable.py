"""From a problem along a path to its plan."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from kinetree.plan.checks import DURATIONS, check
from kinetree.plan.coordinates import PathCoordinate
from kinetree.plan.coordinates.path import Path
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.reachability.passes import fastest, speed_sides
from kinetree.plan.reachability.rows import Rows, row_names, rows_along
from kinetree.plan.reachability.slowing import PLACES, Checked, Slowed
from kinetree.plan.status import PlanStatus
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline

_PIECES = 400  # of a path at the least, in each of which rows are nearly cubic polynomials
_DEGREE = 3
_ROUNDS, _OVER = 6, 1.1  # in which margins grow where rows are violated inside of intervals, and by how much more
_CLOSE = 3e-4  # a violation that slowing down costs as good as nothing for


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
    found = None if rows is None else _fastest(rows, places, options.tolerance)
    if found is None:
        return None
    x, (factor, violation, worst) = found
    spline, points, duration = _curve(s, np.sqrt(x) / factor)
    status = PlanStatus.OPTIMAL if violation <= options.tolerance else PlanStatus.VIOLATED_BETWEEN
    return Plan(
        problem.robot, spline, points[:, None], duration, status, problem.time_weight * duration, violation, 0,
        time.perf_counter() - began, row_names(problem)[worst], tuple(problem.constraints), problem=problem,
        external=problem.dynamics.external, coordinates=problem.coordinates,
    )  # fmt: skip


def _fastest(rows: Rows, s: Array, tolerance: float) -> tuple[Array, Slowed] | None:
    """x at the points of the grid, and how much slower the motion must be than with these: hardly at all where rows
    that are violated inside of intervals have margins there."""
    sides, step = speed_sides(rows, s), s[:, -1] - s[:, 0]
    checked, margins, found = Checked(rows.reshape(-1, len(PLACES))), np.zeros(rows.a[:, 0].shape), list[_Candidate]()
    close = False
    for _ in range(_ROUNDS):
        if (x := fastest(sides, step)) is None:
            break
        found.append(_candidate(x, s))
        excess = checked.excess(*found[-1][1:])
        if close := bool(excess.max(initial=0.0) < _CLOSE):
            break
        absolute = (excess * checked.size.max(axis=1)).reshape(len(s), -1, excess.shape[-1]).max(axis=1)
        tight = absolute.any(axis=1)
        margins[tight] += _OVER * absolute[tight]
        for own, part in zip(sides, speed_sides(rows.at(tight), s[tight], margins[tight])):
            own[tight] = part
    few = found[-1:] if close else found[:1] + found[1:][-1:]  # margins may have led nowhere
    each = [(x, checked.slowed(u, within, tolerance)) for x, u, within in few]
    return min(each, key=lambda y: y[1].factor * _time(y[0], s), default=None)


def _candidate(x: Array, s: Array) -> _Candidate:
    u = (np.diff(x) / (s[:, -1] - s[:, 0]))[:, None] / 2.0 + np.zeros_like(s)
    within = x[:-1, None] + 2.0 * u * (s - s[:, :1])
    return _Candidate(x, u.reshape(-1, len(PLACES)), within.reshape(-1, len(PLACES)))


class _Candidate(NamedTuple):
    """x at the points of the grid; u and x at places of its pieces."""

    x: Array
    u: Array
    within: Array


def _time(x: Array, s: Array) -> float:
    speed = np.sqrt(x)
    return float((2.0 * (s[:, -1] - s[:, 0]) / (speed[:-1] + speed[1:])).sum())


def _grid(path: Path, count: int) -> Array:
    """So many points along a path, or a few more; among them its knots, where it is not smooth."""
    s = np.linspace(0.0, 1.0, count)
    inner = path.spline.breakpoints[1:-1]
    s[np.clip(np.rint(inner * (count - 1)).astype(int), 1, count - 2)] = inner
    return np.union1d(s, inner)


def _places(s: Array) -> Array:
    """Where rows are looked at in each interval of a grid (intervals, 5 pieces): its ends, and five in each piece."""
    pieces = -(-_PIECES // (len(s) - 1))
    share = (np.arange(pieces)[:, None] + PLACES).ravel() / pieces
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
