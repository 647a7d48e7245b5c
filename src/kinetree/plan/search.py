"""From a problem to its best motion.

Constraints are enforced at collocation points, checked everywhere, and tightened where violated, until they hold
everywhere. The first solution need not be exact for that.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinetree.nlp import Elastic, Fallback, Interior, Ipopt, Multipliers, Solution, Start, Termination
from kinetree.nlp.conflict import conflict
from kinetree.nlp.elastic import FAR, NEAR
from kinetree.nlp.solution import Callback
from kinetree.plan.checks import check
from kinetree.plan.ends import check_rest, settle_ends
from kinetree.plan.equalities import residual
from kinetree.plan.free_knots import free_knots
from kinetree.plan.guess import resampled, started
from kinetree.plan.knots import adapted_knots
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.progress import ProgressLine
from kinetree.plan.status import PlanStatus
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.basis import Array
from kinetree.transcribe.refinement import carried
from kinetree.transcribe.transcription import Transcription

_FEW = 15  # iterations that a warm start from a near solution takes at the most
_SLOWER = 1e-4  # the largest violation of a solution that is mended by slowing down
_PATIENCE, _SLOWEST = 6, 1e-2  # rounds after which more is mended so, twice as much in each, up to this
_STAGNANT = 0.5  # of the violation of the last round
_MUCH_SLOWER = 0.5  # that of a motion where the solver was stopped
_ROUGHLY = 1e-4  # how far the conditions of optimality may be off before constraints are tightened
_SATISFIED = 1e-5  # relative violation of point constraints that counts as none


def search(problem: Problem, guess: Plan | ArrayLike | None, options: Options) -> Plan:
    """The best motion of a problem; see `Problem.solve`."""
    settle_ends(problem)
    check(problem)
    if options.starts != 1:
        from kinetree.plan.multistart import multistart

        return multistart(problem, guess, options)
    motion = hasattr(guess, "control_points") or np.ndim(guess) == 2  # type: ignore[arg-type]
    transcriber = Transcriber(problem)
    check_rest(transcriber)
    return search_from(transcriber, started(transcriber, guess), options, near=motion)


def search_from(transcriber: Transcriber, x: Array, options: Options, near: bool = False) -> Plan:
    """The best motion from a start, on the knots that the problem asks for."""
    began, problem = time.perf_counter(), transcriber.problem
    with ProgressLine(options.progress, options.callback, options.time_limit) as line:
        plan = _Search(transcriber, options, line.callback).run(x, near)
        if problem.knots in ("adapted", "free") and plan.status in (PlanStatus.OPTIMAL, PlanStatus.VIOLATED_BETWEEN):
            adapted = Transcriber(problem, adapted_knots(plan))
            again = _Search(adapted, options, line.callback).run(resampled(adapted, plan), near=True)
            plan = _better(plan, again)
        if problem.knots == "free" and plan.status is PlanStatus.OPTIMAL and problem.spline.inner:
            freed, nearly, count = free_knots(problem, plan, options.iterations, line.callback)
            again = _Search(freed, options, line.callback).run(resampled(freed, nearly), near=True)
            plan = _better(plan, replace(again, iterations=count + again.iterations))
    return replace(plan, seconds=time.perf_counter() - began)


def _better(plan: Plan, again: Plan) -> Plan:
    """The second plan where it is the better one, else the first; with the iterations of both."""
    better = again.status is PlanStatus.OPTIMAL and (again.cost <= plan.cost or not plan.ok)
    return replace(again if better else plan, iterations=plan.iterations + again.iterations)


class _Search:
    """One search on one spline."""

    def __init__(self, transcriber: Transcriber, options: Options, callback: Callback) -> None:
        self.transcriber, self.options, self.callback = transcriber, options, callback
        self.stretches = _may_slow_down(transcriber)
        self.refinement = transcriber.refinement(options.collocation, options.margin, options.elastic)
        self._s = self.refinement.s
        self._path = transcriber.open_path_constraints(self._s)

    def run(self, x: Array, near: bool = False) -> Plan:
        """The best motion from a start; one that is to be stayed near to, in elastic mode."""
        refinement, options, rounds, count, last_violation = self.refinement, self.options, 0, 0, math.inf
        transcription = self.transcriber.with_path_constraints(self._path, refinement.margins)
        start = Start(x)
        # in elastic mode points are added half-way down: the constraints that will be active are known there
        barriers = (NEAR if near else FAR, NEAR, *2 * (options.optimality,))
        half_way = 1 if options.elastic else 0
        while True:
            if options.elastic:
                first, last = barriers[min(rounds, 2)], barriers[min(rounds + 1, 3)]
                solver = Elastic(last, max(options.tolerance, last), first, options.iterations)
                best = solver.solve(transcription, start, self.callback)
            else:
                best = self._solved(transcription, start)
            count, rounds, x, solved = count + best.iterations, rounds + 1, best.x, best.termination.solved
            if self.stretches:
                slower = min(_SLOWEST, _SLOWER * 2.0 ** max(0, rounds - _PATIENCE))
                x = refinement.slower(x, options.tolerance, slower if solved else _MUCH_SLOWER)
            violation = refinement.violation(x)
            done = rounds > half_way and (violation <= options.tolerance or rounds >= options.rounds)
            rough = best.termination is Termination.ACCEPTABLE and start.multipliers is None
            if not solved or (done and not rough):
                return self._plan(x, best, transcription, violation, count)
            # where margins beside a peak do not lower it a point is added on it
            refinement.tighten(x, options.tolerance, adding=rounds > 2 and violation > _STAGNANT * last_violation)
            last_violation = violation
            before, transcription = transcription, self._tightened(transcription)
            y = carried(best.multipliers.constraints, before.blocks[0], transcription.blocks[0])
            start = Start(best.x, Multipliers(y, best.multipliers.lower, best.multipliers.upper))

    def _tightened(self, before: Transcription) -> Transcription:
        """With the margins of now; where no collocation points have come, only the bounds change."""
        refinement = self.refinement
        if self._s is not refinement.s:
            self._s, self._path = refinement.s, self.transcriber.open_path_constraints(refinement.s)
            return self.transcriber.with_path_constraints(self._path, refinement.margins)
        return before if self._path is None else before.rebounded(self._path.tightened(refinement.margins))

    def _solved(self, problem: Transcription, start: Start) -> Solution:
        """Solve roughly; or from a solution of nearly the same problem, at first as if it were very near."""
        tolerance, iterations = self.options.optimality, self.options.iterations
        ipopt = Ipopt(tolerance, iterations)
        if start.multipliers is None:
            bounds = problem.constraint_bounds
            tightens = self._path is not None and not (bounds.lower == bounds.upper).any()
            first = Interior(tolerance, iterations, acceptable=_ROUGHLY if tightens else 0.0)
            return Fallback(first, ipopt).solve(problem, start, self.callback)
        near = Interior(tolerance, min(_FEW, iterations)).solve(problem, start, self.callback)
        if near.termination.solved or near.termination is Termination.USER_STOP:
            return near
        farther = replace(start, barrier=10.0 * tolerance)
        far = Fallback(Interior(tolerance, iterations), ipopt).solve(problem, farther, self.callback)
        return replace(far, iterations=near.iterations + far.iterations)

    def _plan(self, x: Array, best: Solution, transcription: Transcription, violation: float, count: int) -> Plan:
        problem, points = self.transcriber.problem, self.transcriber.point_blocks
        missed = max((float(block.violation(x).max()) for block in points), default=0.0)
        status = _status(best, violation, missed, self.options.tolerance)
        named = [self.refinement, *points] if missed > _SATISFIED else [self.refinement]
        worst = max(some.worst(x) for some in named)[1]
        left, message = residual(self.transcriber, x)
        if message and status is PlanStatus.OPTIMAL:
            status, worst = PlanStatus.VIOLATED_BETWEEN, message
        if best.termination is Termination.LOCALLY_INFEASIBLE and self.options.elastic:
            worst += conflict(transcription, best.multipliers)
        return Plan(
            problem.robot, self.transcriber.spline, x[:-1].reshape(self.transcriber.shape).copy(), float(x[-1]), status,
            float(transcription.objective(x)), violation if missed <= _SATISFIED else max(violation, missed), count,
            best.seconds, worst, tuple(problem.constraints), problem.dynamics.external, left,
            problem.coordinates, best.termination,
        )  # fmt: skip


def _may_slow_down(transcriber: Transcriber) -> bool:
    """Whether a motion may take a little longer: its duration is free, and only positions are set at points."""
    problem, (least, most) = transcriber.problem, transcriber.problem.durations
    still = all(c.quantity.order == 0 for c in transcriber.open_points())
    return still and least < most and not any(c.equality.any() for c in problem.constraints)


def _status(best: Solution, violation: float, missed: float, tolerance: float) -> PlanStatus:
    satisfied = violation <= tolerance and missed <= _SATISFIED
    if best.termination.solved and missed <= _SATISFIED:
        return PlanStatus.OPTIMAL if satisfied else PlanStatus.VIOLATED_BETWEEN
    if satisfied:
        return PlanStatus.FEASIBLE
    if not np.isfinite(best.x).all() or math.isnan(best.objective):
        return PlanStatus.FAILED
    return PlanStatus.INFEASIBLE if best.termination is Termination.LOCALLY_INFEASIBLE else PlanStatus.NOT_FOUND
