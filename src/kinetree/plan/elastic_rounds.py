"""The rounds of a search in elastic mode: from which barrier to which, and how each is solved."""

from __future__ import annotations

from dataclasses import replace

from kinetree.nlp import Elastic, Multipliers, Solution, Start
from kinetree.nlp.elastic import FAR, NEAR, WEIGHT
from kinetree.nlp.elimination import Eliminated
from kinetree.nlp.solution import Callback
from kinetree.plan.options import Options
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.transcription import Transcription

_NEAR_WEIGHT = 100.0  # of the penalty where a motion that is nearly feasible is known


def barriers_of(options: Options, near: bool) -> tuple[float, ...]:
    """Where a search begins, and where it is after each round.

    From far away points are added half-way down: the constraints that will be active are known there.
    """
    if options.barrier is not None:
        return options.barrier, options.optimality
    return NEAR if near else FAR, NEAR, options.optimality


def solve_round(
    transcriber: Transcriber,
    problem: Transcription,
    start: Start,
    options: Options,
    barriers: tuple[float, float],
    callback: Callback,
) -> Solution:
    """Solve from one barrier to another.

    Where the first barrier of the search is given, steps are corrected, and control points that follow from others by
    periodicity are no variables.
    """
    first, last = barriers
    solver = Elastic(last, max(options.tolerance, last), first, options.iterations)
    if options.barrier is None:
        return solver.solve(problem, start, callback)
    solver = replace(solver, weight=WEIGHT if first >= FAR else _NEAR_WEIGHT, corrects=True)
    if transcriber.periodic_elimination is None:
        return solver.solve(problem, start, callback)
    smaller = Eliminated(problem, transcriber.periodic_elimination)
    y = start.multipliers
    known = None if y is None else Multipliers(y.constraints[: smaller.count], y.lower, y.upper)
    best = solver.solve(smaller, replace(start, multipliers=known), callback)
    return replace(best, x=smaller.completed(best.x), multipliers=smaller.all_multipliers(best.multipliers))
