"""Which of many local optima may be the best: from many guesses along the central path, the shortest on to its end.

The fastest motions under limits of force alone have many local optima: joints fold and swing out to one side or the
other. With a large barrier a problem tells from each guess about how short the motion is that it leads to. The shortest
ones go on while the barrier falls. A barrier that falls too early would leave a solver to creep along the bounds. All
that is done with few control points at first, which is quicker and about as telling. With all of them a motion starts
where the barrier has fallen to: from a larger one the solver would leave the optimum that was found.

Obstacles at rest are left out of that. Motions that touch none stay optima with them; those that do are bent around
them, and what they lead to takes no less time than without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from kinetree.nlp import Interior, Multipliers, Solution, Start, Termination
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.solution import Callback
from kinetree.plan.constraints import ALWAYS
from kinetree.plan.guess import first_guess
from kinetree.plan.guesses import guesses_of, several_guesses, within
from kinetree.plan.obstacles.detour import detour
from kinetree.plan.options import Options
from kinetree.plan.progress import ProgressLine
from kinetree.plan.transcriber import Transcriber
from kinetree.plan.warm import WarmStart
from kinetree.transcribe.basis import Array
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.transcription import Transcription

_ROUGH = ((1e-2, 12), (1e-3, 6))  # few control points: tolerances, ten times the least barrier; how many motions go on
_STAGES = ((1e-3, 4), (1e-4, 3))  # all of them
_BARRIER = 1e-3  # from which motions with few control points go on with all
_ITERATIONS = 100
_INTERVALS, _COLLOCATION = 7, 2  # few control points: knot intervals, and one for each point between; points in each
_DISTINCT, _APART = 1e-3, 0.2  # part of a duration, rad or m: up to which motions are one
_ALIKE = 1e-2  # part of a duration, up to which they may be one
_AGREE, _MOST = 10, 0.6  # guesses that are enough where all lead to the same motion, and later so many of them
_SLOWER = 1.1  # times as long, around an obstacle
_SHARE = 0.3  # of the time limit


class Promising(NamedTuple):
    """Where a search may start, what the solver knew there, and the least cost that it may find there, roughly."""

    x: Array
    warm: WarmStart | None
    least: float


class Explored(NamedTuple):
    """Motions to start from, the shortest first; the iterations that it took, and whether the user stopped it."""

    motions: list[Promising]
    iterations: int
    stopped: bool


def explored(transcriber: Transcriber, options: Options) -> Explored:
    """The most promising motions; none where no guess leads anywhere, or there is no time."""
    asked, callback, count = True, options.callback, 0
    with interruptions() as interrupted:

        def goes_on(iteration: int, cost: float, violation: float) -> bool:
            nonlocal asked, count
            asked = asked and not interrupted() and (callback is None or bool(callback(iteration, cost, violation)))
            count += 1
            return asked

        with ProgressLine(options.progress, goes_on, _SHARE * options.time_limit) as line:
            motions = _most_promising(transcriber, options, line.callback)
        stopped = interrupted() or not asked
    return Explored(motions, count, stopped)


def _most_promising(transcriber: Transcriber, options: Options, callback: Callback) -> list[Promising]:
    refinement = transcriber.refinement(options.collocation, options.margin)
    whole = transcriber.transcription(refinement.s, refinement.margins)
    found = _shortest(whole, _starts(transcriber, whole, options, callback), _STAGES, callback, _never)
    motions = [motion for s in found for motion in _ways(transcriber, whole, refinement.margins, s, options.seed)]
    if any(motion.warm is None for motion in motions):  # the usual guess may lead around in another way
        motions.append(Promising(first_guess(transcriber), None, motions[0].least))
    return sorted(motions, key=lambda motion: motion.least)


def _starts(transcriber: Transcriber, whole: Transcription, options: Options, callback: Callback) -> list[Start]:
    """The shortest motions that the guesses lead to with few control points, and the usual guess."""
    problem, spline = transcriber.problem, transcriber.spline
    between = len({c.s for c in problem.point_constraints if c.s not in ALWAYS})
    size, at = min(spline.size, spline.degree + _INTERVALS + between), spline.greville
    coarse = Transcriber(problem, BSpline.shared(size, spline.degree, None))
    rough = coarse.transcription(coarse.basis.samples(_COLLOCATION))
    guesses = map(Start, several_guesses(coarse, guesses_of(problem, options), options.seed))
    # no multipliers are known: the solver takes those on the central path
    bounds, starts = whole.bounds, list[Start]()
    unknown = Multipliers(*(np.zeros(len(sides.lower)) for sides in (whole.constraint_bounds, bounds, bounds)))
    for solution in _shortest(rough, guesses, _ROUGH, callback, _agree):
        x = coarse.completed(solution.x)
        P = spline.interpolate(at, coarse.spline.curve(x[:-1].reshape(coarse.shape), at, 0)[0])
        starts.append(Start(within(transcriber, P, x[-1]), unknown, _BARRIER))
    return [*starts, Start(first_guess(transcriber))]


def _shortest(
    problem: Transcription, starts: Iterable[Start], stages: Iterable[tuple[float, int]], callback: Callback,
    enough: Callable[[list[float]], bool],
) -> list[Solution]:  # fmt: skip
    """The shortest motions after the last stage that leads anywhere."""
    found = list[Solution]()
    for tolerance, most in stages:
        if not (nearer := _solved(problem, starts, tolerance, callback, enough)[:most]):
            break
        found, enough = nearer, _never
        starts = [Start(s.x, s.multipliers, tolerance / 10.0) for s in found]
    return found


def _ways(
    transcriber: Transcriber, whole: Transcription, margins: Array, solution: Solution, seed: int
) -> Iterator[Promising]:
    """A motion; or two ways around the obstacles that it touches."""
    x, least = transcriber.completed(solution.x), solution.objective
    P = x[:-1].reshape(transcriber.shape)
    if (beside := detour(transcriber, P)) is P:
        yield Promising(x, WarmStart.of(whole, margins, True, solution), least)
        return
    for way in (beside, detour(transcriber, P, np.random.default_rng(seed + 1))):
        yield Promising(within(transcriber, way, _SLOWER * x[-1]), None, least)


def _solved(
    problem: Transcription, starts: Iterable[Start], tolerance: float, callback: Callback,
    enough: Callable[[list[float]], bool],
) -> list[Solution]:  # fmt: skip
    """The solutions for a barrier of a tenth of the tolerance, the shortest first, each once."""
    found, distinct, durations = list[Solution](), list[Solution](), list[float]()
    for start in starts:
        found.append(solution := Interior(tolerance, _ITERATIONS).solve(problem, start, callback))
        durations.append(solution.objective if solution.termination.solved else math.inf)
        if solution.termination is Termination.USER_STOP or enough(durations):
            break
    for solution in sorted((s for s in found if s.termination.solved), key=lambda s: s.objective):
        if not any(_same(solution, other) for other in distinct):
            distinct.append(solution)
    return distinct


def _same(one: Solution, other: Solution) -> bool:
    """Whether two solutions are one motion."""
    alike = abs(one.objective - other.objective) <= _DISTINCT * abs(other.objective)
    return alike and float(np.abs(one.x - other.x).max()) <= _APART


def _agree(durations: list[float]) -> bool:
    """Whether so many guesses led to the shortest motion that others hardly lead to a shorter one."""
    least = min(durations)
    same = sum(duration <= (1.0 + _ALIKE) * least for duration in durations)
    return same >= max(_AGREE, _MOST * len(durations)) and math.isfinite(least)


def _never(durations: list[float]) -> bool:
    return False
