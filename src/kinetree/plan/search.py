"""From a task to its best motion: a first guess, the solver, and limits that hold everywhere.

The limits are set at some places in each span of the spline. Where the motion found breaks one in between, the limit
is tightened beside by as much, and the solver goes on from there, until none is broken anywhere on a dense grid. The
first motion need not be exact for that.
"""

from __future__ import annotations

import copy
import math
import time
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.plan import yielding as limits_yield
from kinetree.plan.chain_plan import ChainPlan
from kinetree.plan.conditions import check
from kinetree.plan.conflict import conflict
from kinetree.plan.ends import bounds, first_guess, open_conditions, resampled, started
from kinetree.plan.equations import exact, residual
from kinetree.plan.free_knots import with_free_knots
from kinetree.plan.grid import Grid, carried, largest
from kinetree.plan.methods import solve
from kinetree.plan.path_plan import PathPlan
from kinetree.plan.plan import Plan, PlanStatus
from kinetree.plan.problem import Problem
from kinetree.plan.progress import Line, Tell
from kinetree.plan.solver import Ending, Solution
from kinetree.plan.solver import solve as ipopt
from kinetree.plan.spline import Spline
from kinetree.plan.transcription import Rows, Transcription
from kinetree.plan.way_plan import WayPlan

Array = NDArray[np.float64]
_FEW = 15  # iterations that going on from a near solution takes at the most
_GOOD = (Ending.OPTIMAL, Ending.ACCEPTABLE)
_SLOWER = 1e-4  # the largest violation of a solution that is mended by slowing down
_MUCH_SLOWER = 0.5  # that of a motion where the solver was stopped
_ROUGHLY = 1e-4  # how far the conditions of optimality may be off before limits are tightened
_KEPT = 1e-5  # relative violation of conditions that counts as none
_SAMPLES, _WINDOW = 2000, 41  # of the jerk, and how many are averaged: 2 % of the motion
_FLOOR, _POWER = 0.02, 0.25  # of the density of adapted knots


def search(
    problem: Problem,
    guess: Plan | ArrayLike | None = None,
    *,
    tolerance: float = 1e-6,
    optimality: float = 1e-7,
    places: int = 4,
    margin: float = 2e-7,
    yielding: bool = False,
    iterations: int = 400,
    rounds: int = 8,
    time_limit: float = math.inf,
    tell: Tell | None = None,
    progress: bool | None = None,
    starts: int = 1,
    seed: int = 0,
) -> Plan:
    """The best motion of a problem.

    Args:
        problem: the task.
        guess: a plan to start from, or control points, or a posture.
        tolerance: how far limits may be broken anywhere, relative to themselves.
        optimality: how far the conditions of optimality may be off.
        places: in each span of the splines where limits are set at first.
        margin: of the limits, kept free there at first.
        yielding: whether limits may give on the way, at a price: a method that comes from far away, or finds that no
            motion near keeps all limits, and which of them it helps to loosen. It stays near a guess that is a
            motion.
        iterations: of the solver, at the most, in each round.
        rounds: how often limits are tightened between the places where they are set.
        time_limit: how long it may take [s]; with several guesses, each of them.
        tell: gets iteration, cost and violation; says whether to go on.
        progress: whether a line with the same is shown on the terminal; by default where there is one.
        starts: how many guesses are tried, on all cores; the first is the usual one, the others sway at random.
        seed: of the random guesses.
    """
    check(problem)
    if not time_limit > 0.0:
        raise InputError(f"a time limit is a positive number of seconds, got {time_limit!r}")
    options = Options(tolerance, optimality, places, margin, yielding, iterations, rounds, time_limit)
    if starts != 1:
        from kinetree.plan.many import search_from_many

        return search_from_many(problem, guess, starts, seed, **asdict(options))
    with Line(progress, tell, time_limit) as line:
        motion = hasattr(guess, "points") or np.ndim(guess) == 2  # type: ignore[arg-type]
        return _searched(problem, started(problem, guess), options, line.tell, near=motion)


@dataclass(frozen=True)
class Options:
    """How a search is done: see `search`."""

    tolerance: float
    optimality: float
    places: int
    margin: float
    yielding: bool
    iterations: int
    rounds: int
    time_limit: float


def _searched(problem: Problem, x: Array, options: Options, tell: Tell, near: bool = False) -> Plan:
    began = time.perf_counter()
    plan = _Search(problem, options, tell).run(x, near)
    if problem.knots in ("adapted", "free") and plan.status in (PlanStatus.OPTIMAL, PlanStatus.BETWEEN):
        adapted = copy.copy(problem)
        adapted.spline = adapted_knots(plan)
        again = _Search(adapted, options, tell).run(resampled(adapted, plan), near=True)
        plan = _better(plan, again)
    if problem.knots == "free" and plan.status is PlanStatus.OPTIMAL and problem.spline.inner:
        freed, nearly, count = with_free_knots(problem, plan, options.iterations, tell)
        again = _Search(freed, options, tell).run(resampled(freed, nearly), near=True)
        plan = _better(plan, replace(again, iterations=count + again.iterations))
    return replace(plan, seconds=time.perf_counter() - began)


def _better(plan: Plan, again: Plan) -> Plan:
    """The second plan where it is the better one, else the first; with the iterations of both."""
    better = again.status is PlanStatus.OPTIMAL and (again.cost <= plan.cost or not plan.ok)
    return replace(again if better else plan, iterations=plan.iterations + again.iterations)


class _Search:
    """One search on one spline."""

    def __init__(self, problem: Problem, options: Options, tell: Tell) -> None:
        self.problem, self.options, self.tell = problem, options, tell
        self.bounds = bounds(problem)
        self.stretches = _may_slow_down(problem)
        self.grid = Grid(problem, options.places, options.margin, options.yielding)
        self._at, self._limits = self.grid.places, None

    def run(self, x: Array, near: bool = False) -> Plan:
        """The best motion from a start; one that is to be stayed near to, if limits may give."""
        grid, options, multipliers, rounds, count = self.grid, self.options, None, 0, 0
        transcribed = self._transcribed()
        # places are added half-way down: the limits that will be reached are known there
        path = (limits_yield.NEAR if near else limits_yield.FAR, limits_yield.NEAR, *2 * (options.optimality,))
        half_way = 1 if options.yielding else 0
        while True:
            if options.yielding:
                first, last = path[min(rounds, 2)], path[min(rounds + 1, 3)]
                best = self._yielding(transcribed, x, multipliers, first, last)
            else:
                best = self._solved(transcribed, x, multipliers)
            count, rounds, x = count + best.iterations, rounds + 1, best.x
            if self.stretches:
                x = grid.slower(x, options.tolerance, _SLOWER if best.ending in _GOOD else _MUCH_SLOWER)
            broken = grid.broken(x)
            done = rounds > half_way and (broken <= options.tolerance or rounds >= options.rounds)
            if best.ending not in _GOOD or (done and not best.is_rough):
                return self._plan(x, best, transcribed, broken, count)
            grid.tighten(x, options.tolerance)
            before, transcribed = transcribed, self._transcribed(transcribed)
            of_rows, of_lower, of_upper = best.multipliers
            x, multipliers = best.x, (carried(of_rows, before.rows[0], transcribed.rows[0]), of_lower, of_upper)

    def _transcribed(self, before: Transcription | None = None) -> Transcription:
        """With the limits as they are set now; where no places have come, that before with other limits."""
        problem, places, inwards = self.problem, self.grid.places, self.grid.inwards
        if before is None or self._at is not places:
            conditions = None if before is None else self._conditions(before)
            self._at, self._limits = places, problem.open_limits(places)
            return problem.transcribed(self._limits, inwards, conditions)
        return before if self._limits is None else before.limited(self._limits.moved_inwards(inwards))

    def _conditions(self, transcribed: Transcription) -> list[Rows]:
        return transcribed.rows if self._limits is None else transcribed.rows[1:]

    def _yielding(self, problem: Transcription, x: Array, multipliers: Any, first: float, last: float) -> Solution:
        """With limits that give at a price, from one barrier to another."""
        options = self.options
        return limits_yield.solve(
            problem,
            x,
            *self.bounds,
            tolerance=last,
            kept=max(options.tolerance, last),
            barrier=first,
            multipliers=multipliers,
            iterations=options.iterations,
            tell=self.tell,
        )

    def _solved(self, problem: Transcription, x: Array, multipliers: tuple[Array, Array, Array] | None) -> Solution:
        """Solve roughly, or go on from a solution of nearly the same problem: at first as if it were very near."""
        told = {"tolerance": self.options.optimality, "tell": self.tell}
        if multipliers is None:
            tightens = self.grid.dense is not None and not (problem.lower == problem.upper).any()
            enough = _ROUGHLY if tightens else 0.0
            found = solve(problem, x, *self.bounds, iterations=self.options.iterations, enough=enough, **told)
            return self._not_astray(problem, x, found)
        few = min(_FEW, self.options.iterations)
        near = solve(problem, x, *self.bounds, iterations=few, multipliers=multipliers, **told)
        if near.ending in (*_GOOD, Ending.INTERRUPTED):
            return near
        told |= {"multipliers": multipliers, "nearness": 10.0 * self.options.optimality}
        far = solve(problem, x, *self.bounds, iterations=self.options.iterations, **told)
        return replace(far, iterations=near.iterations + far.iterations)

    def _not_astray(self, problem: Transcription, x: Array, found: Solution) -> Solution:
        """A solution that costs more than the start, which kept all limits, is looked for once more with IPOPT."""
        astray = found.ending in _GOOD and problem.violation(x) <= _KEPT and found.objective > problem.objective(x)
        if not astray or find_spec("ipyopt") is None:
            return found
        again = ipopt(problem, x, *self.bounds, iterations=self.options.iterations, tell=self.tell)
        better = again if again.ending in _GOOD and again.objective < found.objective else found
        return replace(better, iterations=found.iterations + again.iterations)

    def _plan(self, x: Array, best: Solution, transcribed: Transcription, broken: float, count: int) -> Plan:
        problem, conditions = self.problem, self._conditions(transcribed)
        missed = max((float(rows.excess(x).max()) for rows in conditions), default=0.0)
        status = _status(best, broken, missed, self.options.tolerance)
        cost = transcribed.objective(x)
        violation = broken if missed <= _KEPT else max(broken, missed)
        make = ChainPlan.of if problem.closed else PathPlan.of if problem.path else Plan.of
        make = WayPlan.of if problem.coordinates and not problem.closed else make
        plan = make(problem, x, status, cost, violation, count, best.seconds)
        dense = [] if self.grid.dense is None else [self.grid.dense]
        worst = largest([*dense, *conditions] if missed > _KEPT else dense, x)
        left, rough = residual(problem, x)
        if rough and plan.status is PlanStatus.OPTIMAL:
            plan, worst = replace(plan, status=PlanStatus.BETWEEN), rough
        if status is PlanStatus.INFEASIBLE and self.options.yielding:
            worst += conflict(transcribed, best.multipliers[0])
        return replace(plan, worst=worst, residual=left)


def _may_slow_down(problem: Problem) -> bool:
    """Whether a motion may take a little longer: its duration is free, and nothing but positions is set at places."""
    still = all(c.quantity.order == 0 for c in open_conditions(problem))
    still = still and not any(exact(limit).any() for limit in problem.limits)
    return still and problem.times[1] > problem.times[0]


def _status(best: Solution, broken: float, missed: float, tolerance: float) -> PlanStatus:
    kept = broken <= tolerance and missed <= _KEPT
    if best.ending is Ending.INTERRUPTED:
        return PlanStatus.INTERRUPTED if kept else PlanStatus.INTERRUPTED_EARLY
    if best.ending in _GOOD and missed <= _KEPT:
        return PlanStatus.OPTIMAL if kept else PlanStatus.BETWEEN
    if kept:
        return PlanStatus.STOPPED
    return PlanStatus.INFEASIBLE if np.isfinite(best.x).all() else PlanStatus.FAILED


def adapted_knots(plan: Plan) -> Spline:
    """A spline like that of a plan with its knots where the jerk is large."""
    spline = plan.spline
    s = np.linspace(0.0, 1.0, _SAMPLES)
    jerk = np.abs(spline.derivatives(plan.points, s, 3)[3])
    jerk = (jerk / np.fmax(jerk.max(axis=0), 1e-300)).max(axis=1)
    wide = np.pad(jerk, _WINDOW // 2, mode="edge")
    smooth = np.convolve(wide, np.full(_WINDOW, 1.0 / _WINDOW), mode="valid")
    density = (smooth / smooth.max() + _FLOOR) ** _POWER
    passed = np.r_[0.0, np.cumsum(0.5 * (density[1:] + density[:-1]))]
    spans = spline.points - spline.degree
    inner = np.interp(np.linspace(0.0, 1.0, spans + 1)[1:-1], passed / passed[-1], s)
    return Spline(spline.points, spline.degree, tuple(inner.tolist()))


def solve_from(problem: Problem, random: Any, **options: Any) -> Plan:
    """The best motion from a random guess, for searches from many."""
    with Line(False, None, options["time_limit"]) as line:
        return _searched(problem, first_guess(problem, random), Options(**options), line.tell)
