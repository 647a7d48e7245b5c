"""Which of many local optima may be the best: coarse problems from many guesses.

The fastest motions under limits of force alone have many local optima: the distal joints fold and swing out to one side
or the other. From guesses that bend these joints at random, a problem with few control points and a large barrier tells
roughly how short the motion is that they lead to. The best ones go on with all control points while the barrier falls,
and the one that is left is where the search starts. A barrier that falls too early would leave a solver to creep along
the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinetree.joints import Prismatic
from kinetree.nlp import Interior, Solution, Start, Termination
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.solution import Callback
from kinetree.plan.constraints import position_limits
from kinetree.plan.coordinates import JointCoordinates
from kinetree.plan.guess import first_guess
from kinetree.plan.obstacles.detour import SampledCurves
from kinetree.plan.options import Options
from kinetree.plan.progress import ProgressLine
from kinetree.plan.transcriber import Transcriber
from kinetree.plan.warm import WarmStart
from kinetree.transcribe.basis import Array
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.transcription import Transcription

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

GUESSES = 20  # by default, at the most
_INTERVALS, _COLLOCATION, _COARSE = 7, 2, 1e-2  # of coarse problems: knot intervals, points in each, tolerance
_STAGES = ((1e-2, 8), (1e-3, 3), (1e-4, 1))  # tolerances, ten times the least barrier, and how many motions go on
_ITERATIONS = 100
_BENT, _PUSHED = 1.0, 0.2  # rad, m, how far guesses bend joints
_PER_JOINT = 0.5  # of that, from joint to joint further out
_DISTINCT, _ALIKE = 1e-3, 1e-2  # parts of a duration: from which on motions are two, up to which they may be one
_AGREE = 4  # guesses that are enough where all lead to the same motion, and later half of them
_SHARE = 0.3  # of the time limit


class Promising(NamedTuple):
    """Where a search starts, the iterations that it took to find, and whether the user stopped that."""

    x: Array
    warm: WarmStart | None
    iterations: int
    stopped: bool = False


def guesses_of(problem: Problem, options: Options) -> int:
    """How many guesses are tried: one where only one can be, or where other optima are rare."""
    orders = {c.quantity.order for c in problem.constraints}
    least, most = problem.durations
    short = problem.time_weight > 0.0 and not problem.costs and least < most and problem.periodic_order is None
    exact = any(c.equality.any() for c in problem.constraints)
    several = problem.coordinates.size > 1 and isinstance(problem.coordinates, JointCoordinates)
    moves = problem.scene is not None and problem.scene.moves
    if not (short and several and orders) or exact or moves or options.elastic:
        return 1
    return options.guesses or (GUESSES if max(orders) > 1 and 1 not in orders else 1)


def explored(transcriber: Transcriber, options: Options) -> Promising:
    """The most promising of some guesses; the usual one where none leads anywhere, or there is no time for more."""
    asked, callback, count = True, options.callback, 0

    def goes_on(iteration: int, cost: float, violation: float) -> bool:
        nonlocal asked, count
        asked, count = asked and (callback is None or bool(callback(iteration, cost, violation))), count + 1
        return asked

    limit = _SHARE * options.time_limit
    with ProgressLine(options.progress, goes_on, limit) as line, interruptions() as interrupted:
        found = _most_promising(transcriber, options, line.callback)
        stopped = interrupted() or not asked
    x, warm = found or (first_guess(transcriber), None)
    return Promising(x, warm, count, stopped)


def _most_promising(transcriber: Transcriber, options: Options, callback: Callback) -> tuple[Array, WarmStart] | None:
    spline, n = transcriber.spline, transcriber.shape[1]
    size = min(spline.size, spline.degree + _INTERVALS)
    coarse = Transcriber(transcriber.problem, BSpline.shared(size, spline.degree, None))
    rough = coarse.transcription(coarse.basis.samples(_COLLOCATION))
    guesses = _guesses(coarse, guesses_of(coarse.problem, options), options.seed)
    if (found := _solved(rough, [Start(x) for x in guesses], _COARSE, callback, _agree)) is None:
        return None
    starts, at = [Start(first_guess(transcriber))], spline.greville
    for solution in _clear(coarse, found):
        x = coarse.completed(solution.x)
        P = spline.interpolate(at, coarse.spline.curve(x[:-1].reshape(-1, n), at, 0)[0])
        starts.append(Start(_within(transcriber, P, x[-1])))
    refinement = transcriber.refinement(options.collocation, options.margin)
    whole = transcriber.transcription(refinement.s, refinement.margins)
    for tolerance, most in _STAGES:
        if (found := _solved(whole, starts[:most], tolerance, callback)) is None:
            return None
        found = _clear(transcriber, found)
        starts = [Start(s.x, s.multipliers, tolerance / 10.0) for s in found]
    warm = WarmStart.of(whole, refinement.margins, True, found[0]) if found else None
    return None if warm is None else (transcriber.completed(found[0].x), warm)


def _guesses(transcriber: Transcriber, count: int, seed: int) -> list[Array]:
    """The usual one, and others that bend joints to a side, those further out more."""
    usual, random, n = first_guess(transcriber), np.random.default_rng(seed), transcriber.shape[1]
    P, at = usual[:-1].reshape(-1, n), transcriber.spline.greville
    far = _reaches(transcriber.problem) * np.minimum(1.0, _PER_JOINT * np.arange(n))
    bends = random.normal(size=(count - 1, 1, n)) * far
    lower, upper = position_limits(transcriber.problem.constraints, n)
    bent = np.clip(P + np.sin(np.pi * at)[:, None] ** 2 * bends, np.minimum(lower, P), np.maximum(upper, P))
    return [usual, *(_within(transcriber, points, usual[-1]) for points in bent)]


def _reaches(problem: Problem) -> Array:
    """How far each coordinate is bent [rad, m]."""
    kinds = [body.joint.kind for body in problem.robot.bodies if body.joint.kind.nv]
    if len(kinds) != problem.coordinates.size:  # joints of several coordinates, or mimics
        return np.full(problem.coordinates.size, _BENT)
    return np.array([_PUSHED if isinstance(kind, Prismatic) else _BENT for kind in kinds])


def _within(transcriber: Transcriber, P: Array, duration: float) -> Array:
    """Variables with the ends where the problem wants them."""
    bounds = transcriber.bounds
    return transcriber.completed(np.clip(np.append(P, duration), bounds.lower, bounds.upper))


def _solved(
    problem: Transcription, starts: Sequence[Start], tolerance: float, callback: Callback,
    enough: Callable[[list[float]], bool] = lambda durations: False,
) -> list[Solution] | None:  # fmt: skip
    """The solutions for a barrier of a tenth of the tolerance, the shortest first, each once; None where stopped."""
    found, distinct, durations = list[Solution](), list[Solution](), list[float]()
    for start in starts:
        found.append(solution := Interior(tolerance, _ITERATIONS).solve(problem, start, callback))
        if solution.termination is Termination.USER_STOP:
            return None
        durations.append(solution.objective if solution.termination.solved else math.inf)
        if enough(durations):
            break
    for solution in sorted((s for s in found if s.termination.solved), key=lambda s: s.objective):
        if not distinct or solution.objective > (1.0 + _DISTINCT) * distinct[-1].objective:
            distinct.append(solution)
    return distinct


def _clear(transcriber: Transcriber, found: list[Solution]) -> list[Solution]:
    """Those that touch no obstacle: these are optima with obstacles too."""
    scene, shape = transcriber.problem.scene, transcriber.shape
    if scene is None or not found:
        return found
    points = np.array([transcriber.completed(s.x)[:-1].reshape(shape) for s in found])
    return [s for s, overlap in zip(found, SampledCurves(scene, transcriber).overlaps(points)) if not overlap]


def _agree(durations: list[float]) -> bool:
    """Whether so many guesses led to the shortest motion that others hardly lead to a shorter one."""
    least = min(durations)
    same = sum(duration <= (1.0 + _ALIKE) * least for duration in durations)
    return same >= max(_AGREE, 0.5 * len(durations)) and math.isfinite(least)
