"""From a start to the best motion nearby.

Constraints are enforced at collocation points, checked everywhere, and tightened where violated, until they hold
everywhere. The first solution need not be exact for that.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinetree.nlp import Fallback, Interior, Ipopt, Multipliers, Solution, Start, Termination
from kinetree.nlp.conflict import conflict
from kinetree.nlp.solution import Callback
from kinetree.plan.elastic_rounds import barriers_of, solve_round
from kinetree.plan.equalities import residual
from kinetree.plan.free_knots import free_knots
from kinetree.plan.guess import resampled
from kinetree.plan.knots import adapted_knots
from kinetree.plan.obstacles.avoidance import Avoidance
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.progress import ProgressLine
from kinetree.plan.status import PlanStatus
from kinetree.plan.transcriber import Transcriber
from kinetree.plan.warm import WarmStart
from kinetree.transcribe.basis import Array
from kinetree.transcribe.refinement import REACHED, carried
from kinetree.transcribe.transcription import Transcription

_TOLERANCE = 1e-7  # of the conditions of optimality; where more is accepted, the barrier still falls so far
_FAR = 1e-6  # a barrier from which on a warm start is not taken for a very near one
_BARRIER = 1e-5  # with which a search among obstacles goes on from its first, rough solution, at the least
_MANY = 100  # iterations among obstacles after which it goes on without second derivatives of distances
_FLAT, _LARGE, _QUICKLY = 1e-4, 1e-2, 60  # barriers of further tries, and iterations of the one from farther away
_FEW = 15  # iterations that a warm start from a near solution takes at the most
_SLOWER = 1e-4  # the largest violation of a solution that is mended by slowing down
_PATIENCE, _SLOWEST = 6, 1e-2  # rounds after which more is mended so, twice as much in each, up to this
_STAGNANT = 0.5  # of the violation of the last round
_JUST_ENOUGH, _AT_ONCE = 0.6, 1.02  # the part of a violation by which a motion is slowed down at first
_MUCH_SLOWER = 0.5  # that of a motion where the solver was stopped
BRIEF = 150  # iterations of the first round from a start that is one of several
_NEARER = 0.3  # of the violation of the round before, or of what is acceptable: what a round may leave at its points
_FAR_BESIDE = 20.0  # violations that are left to a bound beside it where motions need be best but roughly
_UNFINISHED = 1e-3  # the barrier with which a search goes on from a solution that stopped short
_SHORT = (Termination.STALLED, Termination.ITERATION_LIMIT)  # where a motion may be one to go on from
_ROUGHLY = 1e-4  # how far the conditions of optimality may be off before constraints are tightened
_SOME = 150  # iterations of IPOPT among obstacles, where another guess is quicker
_SATISFIED = 1e-5  # relative violation of point constraints that counts as none


def search_from(
    transcriber: Transcriber,
    x: Array,
    options: Options,
    near: bool = False,
    brief: bool = False,
    warm: WarmStart | None = None,
) -> Plan:
    """The best motion from a start, on the knots that the problem asks for; briefly, where there are other starts."""
    began, problem = time.perf_counter(), transcriber.problem
    with ProgressLine(options.progress, options.callback, options.time_limit) as line:
        plan = _Search(transcriber, options, line.callback, brief).run(x, near, warm)
        if problem.knots in ("adapted", "free") and plan.status in (PlanStatus.OPTIMAL, PlanStatus.VIOLATED_BETWEEN):
            adapted = Transcriber(problem, adapted_knots(plan))
            again = _Search(adapted, options, line.callback).run(resampled(adapted, plan), near=True)
            plan = better(plan, again)
        if problem.knots == "free" and plan.status is PlanStatus.OPTIMAL and problem.spline.inner:
            freed, nearly, count = free_knots(problem, plan, options.iterations, line.callback)
            again = _Search(freed, options, line.callback).run(resampled(freed, nearly), near=True)
            plan = better(plan, replace(again, iterations=count + again.iterations))
    return replace(plan, seconds=time.perf_counter() - began)


def better(plan: Plan, again: Plan, last_word: bool = False) -> Plan:
    """The second plan where it is the better one, else the first; with the iterations of both.

    Where neither satisfies all constraints the second may have the last word.
    """
    optimal = again.status is PlanStatus.OPTIMAL and (again.cost <= plan.cost or plan.status is not PlanStatus.OPTIMAL)
    better = again.ok > plan.ok or (optimal and plan.ok) or (last_word and not plan.ok)
    return replace(again if better else plan, iterations=plan.iterations + again.iterations)


class _Found(NamedTuple):
    """What a round found."""

    solution: Solution
    unfinished: bool = False  # whether it stopped short, as a motion to go on from


class _Search:
    """One search on one spline."""

    def __init__(self, transcriber: Transcriber, options: Options, callback: Callback, brief: bool = False) -> None:
        self.transcriber, self.options, self.callback, self.brief = transcriber, options, callback, brief
        self.stretches = _may_slow_down(transcriber)
        self.refinement = transcriber.refinement(options.collocation, options.margin, options.elastic)
        self._s = self.refinement.s
        self._path = transcriber.open_path_constraints(self._s)
        scene = transcriber.problem.scene
        self.avoidance = None if scene is None else Avoidance(scene, transcriber, self._s)
        self._least = -math.inf  # the objective of the last one where it is the best: constraints are but tightened

    def run(self, x: Array, near: bool = False, warm: WarmStart | None = None) -> Plan:
        """The best motion from a start; one that is to be stayed near to, in elastic mode, or goes on with a search."""
        refinement, options, rounds, count, last_violation = self.refinement, self.options, 0, 0, math.inf
        guess, (transcription, start) = x, self._begun(x, None if options.elastic else warm)
        barriers = barriers_of(options, near)
        half_way = len(barriers) - 2 if options.elastic else 0
        while True:
            if options.elastic:
                first, last = (barriers[min(rounds + k, len(barriers) - 1)] for k in (0, 1))
                found = solve_round(self.transcriber, transcription, start, options, (first, last), self.callback)
                best, unfinished = _Found(found)
            else:
                best, unfinished = self._solved(transcription, start, last_violation)
            count, rounds, solved = count + best.iterations, rounds + 1, best.termination.solved
            exact = solved and start.multipliers is not None and not unfinished
            self._least = best.objective if exact else -math.inf
            x = transcription.completed(best.x)
            if self.stretches:
                least = max(_SLOWER, options.optimality)
                slower = min(max(least, _SLOWEST), least * 2.0 ** max(0, rounds - _PATIENCE))
                most = slower if solved else _MUCH_SLOWER
                first = _AT_ONCE if options.optimality > _ROUGHLY else _JUST_ENOUGH
                x = refinement.slower(x, options.tolerance, most, self.transcriber.stretched, first)
            violation = refinement.violation(x)
            if self.avoidance is not None:
                violation = max(violation, self.avoidance.look(x))
            last = rounds >= options.rounds or (self.brief and count > 2 * BRIEF)
            done = rounds > half_way and (violation <= options.tolerance or last)
            rough = best.termination is Termination.ACCEPTABLE and start.multipliers is None
            rough = (rough and self._path is not None and options.optimality < _ROUGHLY) or unfinished
            if not solved or (done and not rough):
                return self._plan(x, best, transcription, violation, count)
            # where margins beside a peak do not lower it a point is added on it
            adding = rounds > 2 and violation > _STAGNANT * last_violation
            refinement.tighten(x, options.tolerance, adding, _FAR_BESIDE if options.optimality > _ROUGHLY else REACHED)
            last_violation = violation
            held, y = (None, best.multipliers.constraints) if self.avoidance is None else self.avoidance.hold(x, best)
            before, transcription = transcription, self._tightened(transcription if held is None else None)
            if self._path is not None:
                y = carried(y, before.blocks[0], transcription.blocks[0])
            y = y if held is None else np.append(y, held)
            known = Multipliers(y, best.multipliers.lower, best.multipliers.upper)
            far = self.avoidance is not None and not self.avoidance.curved
            barrier = None if options.elastic else _UNFINISHED if unfinished else best.barrier
            if self.avoidance is not None and start.multipliers is None and barrier is not None:
                barrier = max(barrier, _BARRIER)
            start = Start(guess) if far else Start(best.x, known, barrier)

    def _begun(self, x: Array, warm: WarmStart | None) -> tuple[Transcription, Start]:
        """The first transcription, and where its solution starts."""
        held = None if self.avoidance is None else self.avoidance.begin(x, warm)
        if warm is not None and self._path is not None and warm.margins.shape[1:] == self.refinement.margins.shape[1:]:
            before = self.refinement.s, self.refinement.margins
            self.refinement.resume(warm.s, warm.margins)
            transcription = self._tightened(None)
            if (start := warm.start(x, transcription, more=held)) is not None:
                return transcription, start
            self.refinement.resume(*before)
        return self._tightened(None), Start(x)

    def _tightened(self, before: Transcription | None) -> Transcription:
        """With the margins of now; where no collocation points have come, only the bounds change."""
        refinement = self.refinement
        if before is None or self._s is not refinement.s:
            if self._s is not refinement.s:
                self._s, self._path = refinement.s, self.transcriber.open_path_constraints(refinement.s)
            near = [] if self.avoidance is None else self.avoidance.blocks
            return self.transcriber.with_path_constraints(self._path, refinement.margins, near)
        return before if self._path is None else before.rebounded(self._path.tightened(refinement.margins))

    def _solved(self, problem: Transcription, start: Start, violation: float) -> _Found:
        """Solve roughly; or from a solution of nearly the same problem, at first as if it were very near.

        ``violation`` is the one that the round before left.
        """
        acceptable, iterations = self.options.optimality, self.options.iterations
        tolerance = min(acceptable, _TOLERANCE)  # a barrier that is too large would keep the motion from its bounds
        ipopt = Ipopt(acceptable, iterations if self.avoidance is None else min(_SOME, iterations))
        most = min(BRIEF, iterations) if self.brief else iterations
        if start.multipliers is None:
            bounds = problem.constraint_bounds
            tightens = self._path is not None and not (bounds.lower == bounds.upper).any()
            first = Interior(tolerance, most, acceptable=max(acceptable, _ROUGHLY if tightens else 0.0))
            if self.avoidance is not None and not self.avoidance.curved:
                first = replace(first, iterations=min(2 * BRIEF, most))
                found = first.solve(problem, start, self.callback)
                unfinished = found.termination in _SHORT and found.violation <= _SATISFIED
                if unfinished or found.termination.solved:
                    return _Found(replace(found, termination=Termination.ACCEPTABLE), unfinished)
            return _Found((first if self.brief else Fallback(first, ipopt)).solve(problem, start, self.callback))
        few = min(_FEW, most) if (start.barrier or 0.0) < _FAR else most if self.avoidance is None else min(_MANY, most)
        first = Interior(tolerance, few, acceptable, acceptable, _NEARER * min(acceptable, violation), self._least)
        near = first.solve(problem, start, self.callback)
        if near.termination.solved or near.termination is Termination.USER_STOP:
            return _Found(near)
        first, farther = replace(first, iterations=most), replace(start, barrier=10.0 * tolerance)
        count = near.iterations
        if self.avoidance is not None:
            for found in self._again(problem, start, first, few == _FEW):
                count += found.iterations
                if found.termination.solved or found.termination is Termination.USER_STOP:
                    return _Found(replace(found, iterations=count))
            farther = replace(start, barrier=_LARGE)
        far = (first if self.brief else Fallback(first, ipopt)).solve(problem, farther, self.callback)
        return _Found(replace(far, iterations=count + far.iterations))

    def _again(self, problem: Transcription, start: Start, solver: Interior, farther: bool) -> Iterator[Solution]:
        """Among obstacles, where other joints than the one that decides may move freely: from farther away, quickly
        from much farther away, and without the second derivatives of distances, which make the matrix indefinite."""
        if farther:
            yield solver.solve(problem, replace(start, barrier=10.0 * solver.tolerance), self.callback)
        yield replace(solver, iterations=_QUICKLY).solve(problem, replace(start, barrier=_LARGE), self.callback)
        if self.avoidance is not None and self.avoidance.curved:
            with self.avoidance.flat():
                yield solver.solve(problem, replace(start, barrier=_FLAT), self.callback)

    def _plan(self, x: Array, best: Solution, transcription: Transcription, violation: float, count: int) -> Plan:
        problem, points = self.transcriber.problem, self.transcriber.point_blocks
        missed = max((float(block.violation(x).max()) for block in points), default=0.0)
        status = _status(best, violation, missed, self.options.tolerance)
        worst = "" if status.ok and not self.options.elastic else self._worst(x, violation, missed)
        avoidance = self.avoidance
        left, message = residual(self.transcriber, x)
        if message and status.ok:
            status, worst = PlanStatus.VIOLATED_BETWEEN, message
        if best.termination is Termination.LOCALLY_INFEASIBLE and self.options.elastic:
            worst += conflict(transcription, best.multipliers)
        return Plan(
            problem.robot, self.transcriber.spline, x[:-1].reshape(self.transcriber.shape).copy(), float(x[-1]), status,
            float(transcription.objective(x)), violation if missed <= _SATISFIED else max(violation, missed), count,
            best.seconds, worst, tuple(problem.constraints), left, best.termination,
            WarmStart.of(transcription, self.refinement.margins, self._path is not None, best,
                         None if avoidance is None else avoidance.held), problem,
            external=problem.dynamics.external, coordinates=problem.coordinates,
        )  # fmt: skip

    def _worst(self, x: Array, violation: float, missed: float) -> str:
        """The largest violation, in words."""
        near = ""
        if self.avoidance is not None and violation > self.options.tolerance:
            near = self.avoidance.worst(violation, x[-1])
        points = self.transcriber.point_blocks if missed > _SATISFIED else []
        return near or max(some.worst(x) for some in (self.refinement, *points))[1]


def _may_slow_down(transcriber: Transcriber) -> bool:
    """Whether a motion may take a little longer: its duration is free, and only positions are set at points."""
    problem, (least, most) = transcriber.problem, transcriber.problem.durations
    still = all(c.quantity.order == 0 for c in transcriber.open_points())
    still = still and (problem.scene is None or not problem.scene.moves)
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
