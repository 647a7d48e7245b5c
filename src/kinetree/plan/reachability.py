"""The fastest motion along a path by reachability analysis: two passes over a grid, no search.

Along a path q(s) forces and accelerations are linear in u = d2s/dt2 and x = (ds/dt)^2, velocities bound x alone:

    lower <= a u + b x + c <= upper,        x <= most.

On a grid u is constant in each interval, so that x changes by 2 (s_(i+1) - s_i) u, and the rows hold at both of its
ends. They say between which linear functions of x the acceleration u is. Eliminating it, each lower one against each
upper one (Fourier and Motzkin), leaves bounds on x: those of a point itself for all points at once, then, from the end
backwards, those from which the next point's are reached. Forwards from the start the largest acceleration is taken that
stays within them: the fastest motion, as every point of it is as fast as any motion can be there.

No two-variable linear program is left to solve, and nothing is searched for. Limits on jerks and rates of forces are
not linear in u and x; they are left to the general solver. Reference: [Pham2018].
"""

from __future__ import annotations

import math
import time
from functools import cache
from typing import NamedTuple

import numpy as np

from kinetree.plan.checks import DURATIONS, check
from kinetree.plan.constraints import ALWAYS, PathConstraint
from kinetree.plan.coordinates import PathCoordinate
from kinetree.plan.coordinates.path import Path
from kinetree.plan.evaluate import evaluate
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.quantity import Coordinate, Derivative
from kinetree.plan.status import PlanStatus
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.constraints import size_of_bounds

_LINEAR = 1e-7  # how far a quantity may be from linear in u and x, relative
_FLAT = 1e-9  # a coefficient of u that is none, relative to the largest
_STILL = 1e-12  # x that is rest, relative to the largest
_OVER = 1.0 + 1e-7  # how much more than it must the motion is slowed down
_TRIES, _LEAST_ROOM = 6, 1e-3  # to slow it down, and what gravity leaves of a limit for that
_PLACES, _FINE = (
    4,
    13,
)  # where rows are evaluated in an interval of the grid, and where their interpolants are looked at
_DEGREE = 3
_min, _max = np.minimum.reduce, np.maximum.reduce  # quicker than methods of short arrays


class Rows(NamedTuple):
    """lower <= a u + b x <= upper at points of a path (points, rows), and x <= most (points,).

    Lower and upper are those of a quantity less what it is at rest.
    """

    a: Array
    b: Array
    lower: Array
    upper: Array
    most: Array
    speeds: Array  # squares of velocities over those of their limits, for x = 1

    def at_grid(self) -> Rows:
        """Of `_within` those at the points of the grid."""
        return Rows(*(np.concatenate((x[::_PLACES], x[-1:])) for x in self))

    def in_intervals(self) -> Rows:
        """Of `_within` those of each interval: (intervals, PLACES, rows)."""
        return Rows(*(x.reshape(-1, _PLACES, *x.shape[1:]) for x in self))


def reachable(problem: Problem, grid: int, options: Options) -> Plan | None:
    """The plan of a problem along a path on so many grid points; None where it is not for this method."""
    began = time.perf_counter()
    check(problem)
    if not isinstance(problem.coordinates, PathCoordinate) or problem.costs or problem.durations != DURATIONS:
        return None
    path = problem.coordinates.path
    s = _grid(path, grid)
    rows = _rows(problem, path, _within(s).ravel())
    x = None if rows is None else _fastest(rows, np.diff(s))
    if rows is None or x is None:
        return None
    slower, violation, worst = _slowed(rows, x, np.diff(s), options.tolerance)
    spline, points, duration = _curve(s, np.sqrt(x) / slower)
    status = PlanStatus.OPTIMAL if violation <= options.tolerance else PlanStatus.VIOLATED_BETWEEN
    return Plan(
        problem.robot, spline, points[:, None], duration, status, problem.time_weight * duration, violation, 0,
        time.perf_counter() - began, _names(problem)[worst], tuple(problem.constraints), problem=problem,
        external=problem.dynamics.external, coordinates=problem.coordinates,
    )  # fmt: skip


def _grid(path: Path, count: int) -> Array:
    """So many points along a path, or a few more; among them its knots, where it is not smooth."""
    s = np.linspace(0.0, 1.0, count)
    inner = path.spline.breakpoints[1:-1]
    s[np.clip(np.rint(inner * (count - 1)).astype(int), 1, count - 2)] = inner
    return np.union1d(s, inner)


def _within(s: Array) -> Array:
    """Where rows are looked at in each interval of a grid: (intervals, PLACES)."""
    return s[:-1, None] + np.diff(s)[:, None] * (np.arange(_PLACES) / (_PLACES - 1.0))


# -- the constraints --------------------------------------------------------------------------------------------------


def _rows(problem: Problem, path: Path, s: Array) -> Rows | None:
    """None where a constraint is not linear in u and x."""
    q, slope, curvature = path.spline.curve(path.points, s, 2)
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
    a, b, lower, upper = (np.concatenate(part, axis=1) for part in zip(*parts))
    with np.errstate(divide="ignore"):
        return Rows(a, b, lower, upper, 1.0 / speeds.max(axis=1), speeds)


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


class SpeedSides(NamedTuple):
    """slope x + low <= u <= slope x + high for each row of each interval (intervals, rows), least <= x <= most."""

    slope: Array
    low: Array
    high: Array
    least: Array
    most: Array


def _sides(rows: Rows, inside: Array, step: Array) -> SpeedSides:
    """Where u may be in each interval, whose rows are those of both its ends: there x is x + 2 step u.

    Inside of it x is bounded too, by speeds (intervals, PLACES - 2).
    """
    a = np.concatenate((rows.a[:-1], rows.a[1:] + 2.0 * step[:, None] * rows.b[1:]), axis=1)
    b, lower, upper = (np.concatenate((x[:-1], x[1:]), axis=1) for x in (rows.b, rows.lower, rows.upper))
    flat = np.abs(a) <= _FLAT * np.abs(a).max()
    with np.errstate(divide="ignore", invalid="ignore"):
        slope, one, other = -b / a, lower / a, upper / a
        low, high = np.where(a > 0.0, one, other), np.where(a > 0.0, other, one)
        # rows without u bound x
        over = np.where(flat & (b > 0.0), upper / b, np.where(flat & (b < 0.0), lower / b, np.inf))
        under = np.where(flat & (b > 0.0), lower / b, np.where(flat & (b < 0.0), upper / b, -np.inf))
    slope, low, high = np.where(flat, 0.0, slope), np.where(flat, -np.inf, low), np.where(flat, np.inf, high)
    share = 2.0 * step[:, None] * (np.arange(1, _PLACES - 1) / (_PLACES - 1.0))
    slope = np.concatenate((slope, -1.0 / share), axis=1)
    low = np.concatenate((low, np.full_like(share, -np.inf)), axis=1)
    high = np.concatenate((high, inside / share), axis=1)
    least, most = np.maximum(0.0, under.max(axis=1)), np.minimum(rows.most[:-1], over.min(axis=1))
    # each lower side against each upper one: (p - q) x <= high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = slope[:, :, None] - slope[:, None, :]
        at = (high[:, None, :] - low[:, :, None]) / difference
        most = np.minimum(most, np.where(difference > 0.0, at, np.inf).min(axis=(1, 2)))
        least = np.maximum(least, np.where(difference < 0.0, at, -np.inf).max(axis=(1, 2)))
    return SpeedSides(slope, low, high, least, most)


def _fastest(rows: Rows, step: Array) -> Array | None:
    """x at each point of the grid; None where no motion goes all the way."""
    sides = _sides(rows.at_grid(), rows.in_intervals().most[:, 1:-1], step)
    most = _controllable(sides, step)
    if most is None:
        return None
    x, here = np.zeros(len(step) + 1), 0.0
    slope, low, high = (2.0 * step[:, None] * side for side in (sides.slope, sides.low, sides.high))
    for i, top in enumerate(most[1:].tolist()):
        side = slope[i] * here
        fastest, slowest = float(_min(side + high[i])), float(_max(side + low[i]))
        x[i + 1] = here = max(min(here + fastest, top), here + slowest, 0.0)
    still = _STILL * x.max()
    if x[-1] > still or x[1:-1].min(initial=np.inf) <= still:
        return None
    x[-1] = 0.0
    return x


def _controllable(sides: SpeedSides, step: Array) -> Array | None:
    """The largest x at each point of the grid from which the end is reached at rest; None where there is none.

    u <= (top - x) / (2 step) against the lower sides, u >= (bottom - x) / (2 step) against the upper ones.
    """
    inverse = 1.0 / (2.0 * step[:, None])
    slope = sides.slope + inverse
    rising = slope > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        by, below, above = inverse / slope, -sides.low / slope, -sides.high / slope
    least, most = sides.least.tolist(), sides.most.tolist()
    # x <= top by + below where that side rises, x >= where it falls; of bottom and above the other way round
    below_top, above_bottom = np.where(rising, below, np.inf), np.where(rising, above, -np.inf)
    above_top, below_bottom = np.where(rising, -np.inf, below), np.where(rising, np.inf, above)
    found, top, bottom, falls = np.zeros(len(step) + 1), 0.0, 0.0, not rising.all()
    for i in range(len(step) - 1, -1, -1):
        up, down = top * by[i], bottom * by[i]
        top, bottom = min(most[i], _min(up + below_top[i])), max(least[i], _max(down + above_bottom[i]))
        if falls:
            top, bottom = min(top, _min(down + below_bottom[i])), max(bottom, _max(up + above_top[i]))
        if not bottom <= top:
            return None
        found[i] = top
    return found if bottom <= 0.0 else None


# -- between the points of the grid -----------------------------------------------------------------------------------


def _slowed(rows: Rows, x: Array, step: Array, tolerance: float) -> tuple[float, float, int]:
    """How much slower the motion must be to satisfy the rows everywhere, how far they then are violated, and the row.

    In an interval rows are nearly cubic polynomials: the interpolants through their values are looked at.
    """
    of, u = rows.in_intervals(), np.diff(x) / (2.0 * step)
    share = np.arange(_PLACES) / (_PLACES - 1.0)
    here = x[:-1, None] + np.diff(x)[:, None] * share
    values = of.a * u[:, None, None] + of.b * here[:, :, None]
    scale = size_of_bounds(rows.lower, rows.upper).reshape(of.a.shape)
    between = _interpolation()
    squares = np.matmul(between, of.speeds * here[:, :, None])
    fastest = math.sqrt(float((squares.max(axis=1) + _bend(squares)).max()))
    lower, upper = (np.matmul(between, side / scale) for side in (of.lower, of.upper))
    found, slower = np.matmul(between, values / scale), 1.0
    bend = _bend(found)
    violation, worst = math.inf, 0
    for _ in range(_TRIES):
        outside = np.maximum(lower - found / slower**2, found / slower**2 - upper)
        peaks = outside.max(axis=1) + bend
        worst = int(peaks.max(axis=0).argmax())
        violation = max(float(peaks.max()), fastest / slower - 1.0, 0.0)
        if violation <= 0.5 * tolerance:
            break
        # what is not of gravity falls with the square of the speed
        room = np.minimum(np.abs(lower), np.abs(upper)).min(axis=1)
        needed = np.where(peaks > 0.0, 1.0 + peaks / np.maximum(room, _LEAST_ROOM), 1.0).max()
        slower *= max(math.sqrt(needed), fastest / slower) * _OVER
    return slower, violation, worst


def _bend(values: Array) -> Array:
    """How far peaks are above samples (intervals, FINE, rows) at the most."""
    return np.abs(np.diff(values, 2, axis=1)).max(axis=1) / 8.0


@cache
def _interpolation() -> Array:
    """From the values of a cubic polynomial in an interval to those on a finer grid."""
    share, fine = np.arange(_PLACES) / (_PLACES - 1.0), np.linspace(0.0, 1.0, _FINE)
    return np.vander(fine, _PLACES) @ np.linalg.inv(np.vander(share))


def _names(problem: Problem) -> list[str]:
    """Of the rows."""
    skipped, every = (Derivative(0), Derivative(1)), (c.quantity for c in problem.constraints)
    own = [q for q in every if not isinstance(q, Coordinate) and q not in skipped]
    return [f"{name} is at its limit" for q in own for name in q.names(problem.robot)]


# -- the motion -------------------------------------------------------------------------------------------------------


def _curve(s: Array, speed: Array) -> tuple[BSpline, Array, float]:
    """The path parameter over time: a cubic spline with double knots, where accelerations jump."""
    step = 2.0 * np.diff(s) / (speed[:-1] + speed[1:])
    t = np.r_[0.0, np.cumsum(step)]
    third = step / 3.0
    inner = np.stack((s[:-1] + third * speed[:-1], s[1:] - third * speed[1:]), axis=1).ravel()
    points = np.r_[0.0, inner, 1.0]
    knots = np.repeat(t[1:-1] / t[-1], 2)
    return BSpline(len(points), _DEGREE, tuple(knots.tolist()), smooth=1), points, float(t[-1])
