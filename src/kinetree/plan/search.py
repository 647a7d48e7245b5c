"""From a task to its best motion: a first guess, the solver, and limits that hold everywhere.

The limits are set at some places in each span of the spline. Where the motion found breaks one in between, the limit
is tightened beside by as much, and the solver goes on from there, until none is broken anywhere on a dense grid.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.plan.block import Block
from kinetree.plan.plan import Plan, PlanStatus
from kinetree.plan.problem import Problem
from kinetree.plan.solver import Ending, Solution, solve
from kinetree.plan.transcription import Rows, Transcription, rows_of

Array = NDArray[np.float64]
_FEW = 15  # iterations that go on from a near solution takes at the most
_PER_SPAN = 4  # places of limits in each span
_OVER = 1.1  # limits are tightened by so much of what they were broken by
_DENSE = 48  # places in each span where limits are looked at in the end
_SLOWER = 1e-4  # the largest violation that is mended by slowing down
_MARGIN = 2e-7  # of the limits, kept free
_GROWTH = 1.25  # between two guesses of the duration


def search(
    problem: Problem,
    guess: Plan | None = None,
    *,
    tolerance: float = 1e-6,
    iterations: int = 400,
    rounds: int = 8,
    tell: Any = None,
) -> Plan:
    """The best motion of a problem.

    Args:
        problem: the task.
        guess: a plan to start from.
        tolerance: how far limits may be broken anywhere, relative to themselves.
        iterations: of the solver, at the most, in each round.
        rounds: how often places are added.
        tell: gets iteration, cost and violation; says whether to go on.
    """
    if not problem.costs and not problem.time_weight:
        raise InputError('nothing is to be minimised: say problem.minimise("time"), or another cost')
    began = time.perf_counter()
    lower, upper = problem.bounds()
    x = first_guess(problem) if guess is None else guess.unknowns(problem)
    grid = Grid(problem)
    count, multipliers = 0, None
    for _ in range(max(1, rounds)):
        transcribed = problem.transcription(grid.places, grid.inwards)
        if multipliers is None:
            best = solve(transcribed, x, lower, upper, iterations=iterations, tell=tell)
        else:
            best = _on(transcribed, x, lower, upper, multipliers, iterations, tell)
        count += best.iterations
        x = best.x
        if best.ending in (Ending.OPTIMAL, Ending.ACCEPTABLE) and _may_slow_down(problem):
            x = grid.slower(x, tolerance)
        broken = grid.tighten(x, tolerance)
        if best.ending not in (Ending.OPTIMAL, Ending.ACCEPTABLE) or broken <= tolerance:
            break
        x, multipliers = best.x, best.multipliers
    status = _status(best, broken, tolerance)
    cost = transcribed.objective(x)
    return Plan.of(problem, x, status, cost, broken, count, time.perf_counter() - began)


def _on(
    problem: Transcription,
    x: Array,
    lower: Array,
    upper: Array,
    multipliers: tuple[Array, Array, Array],
    iterations: int,
    tell: Any,
) -> Solution:
    """On from a solution of nearly the same problem: at first as if it were very near."""
    near = solve(problem, x, lower, upper, iterations=_FEW, multipliers=multipliers, tell=tell)
    if near.ending is not Ending.LIMIT:
        return near
    far = solve(problem, x, lower, upper, iterations=iterations, multipliers=multipliers, nearness=1e-6, tell=tell)
    return replace(far, iterations=near.iterations + far.iterations)


class Grid:
    """Where limits are set, and by how much they are moved inwards there so that they hold everywhere."""

    def __init__(self, problem: Problem) -> None:
        self.places = problem.spline.even(_PER_SPAN)
        self.dense = _dense_rows(problem)
        rows = 0 if self.dense is None else self.dense.lower.shape[1]
        self.inwards = np.full((len(self.places), rows), _MARGIN)

    def slower(self, x: Array, tolerance: float) -> Array:
        """The motion stretched in time by a few parts in 10^5, if that is enough to keep all limits."""
        if self.dense is None:
            return x
        for part in (0.6, 1.2, 2.5):
            broken = float(_excess(self.dense, x).max())
            if not 0.5 * tolerance < broken < _SLOWER:
                return x
            stretched = x.copy()
            stretched[-1] *= 1.0 + part * broken
            if float(_excess(self.dense, stretched).max()) <= 0.5 * tolerance:
                return stretched
        return x

    def tighten(self, x: Array, tolerance: float) -> float:
        """Look for broken limits between the places, tighten them beside; gives the largest violation."""
        if self.dense is None:
            return 0.0
        excess = _excess(self.dense, x)
        at = self.dense.block.places
        left = np.clip(np.searchsorted(self.places, at, side="right") - 1, 0, len(self.places) - 2)
        worst = np.zeros_like(self.inwards)
        np.maximum.at(worst, left, excess)
        np.maximum.at(worst, left + 1, excess)
        self.inwards += np.where(worst > 0.3 * tolerance, _OVER * worst, 0.0)
        return max(0.0, float(excess.max()))


def _may_slow_down(problem: Problem) -> bool:
    """Whether a motion may take a little longer: its duration is free, and nothing but positions is set at places."""
    still = all(c.quantity.order == 0 or problem.is_fixed(c) for c in problem.conditions)
    return still and problem.times[1] > problem.times[0]


def _status(best: Solution, broken: float, tolerance: float) -> PlanStatus:
    if best.ending in (Ending.OPTIMAL, Ending.ACCEPTABLE):
        return PlanStatus.OPTIMAL if broken <= tolerance else PlanStatus.BETWEEN
    if best.ending is Ending.INFEASIBLE:
        return PlanStatus.INFEASIBLE
    feasible = broken <= tolerance and best.violation <= 1e-5
    if best.ending is Ending.INTERRUPTED:
        return PlanStatus.INTERRUPTED if feasible else PlanStatus.INTERRUPTED_EARLY
    return PlanStatus.STOPPED if feasible else PlanStatus.FAILED


def _dense_rows(problem: Problem) -> Rows | None:
    if not problem.limits:
        return None
    block = Block(problem.robot, problem.spline, [x.quantity for x in problem.limits], problem.spline.even(_DENSE))
    return rows_of(block, [(x.lower, x.upper) for x in problem.limits])


def _excess(rows: Rows, x: Array) -> Array:
    """How far each row is outside its limits, relative to these; negative inside (k, rows)."""
    values = rows.block.values(x)
    return np.maximum(rows.lower - values, values - rows.upper) / rows.scale


def first_guess(problem: Problem) -> Array:
    """A straight way from the start to the end, and the shortest of some durations that keeps the limits on it."""
    one, other = problem.end_positions()
    m, p = problem.spline.points, problem.spline.degree
    # control points at the averages of their knots make a straight line; the ends stand still
    at = np.array([problem.spline.knots[k + 1 : k + p + 1].mean() for k in range(m)])
    smooth = at**3 * (10.0 - 15.0 * at + 6.0 * at**2)
    P = one + smooth[:, None] * (other - one)
    lower, upper = problem.bounds()
    low, high = problem.times
    rows = _dense_rows(problem)
    duration = low
    while True:
        x = np.clip(np.r_[P.ravel(), min(max(duration, low), high)], lower, upper)
        if rows is None or duration >= high or _excess(rows, x).max() <= 0.0 or duration > 100.0:
            break
        duration = max(duration, 0.02) * _GROWTH
    x[-1] = min(high, max(low, 1.0 if rows is None else duration))
    return x
