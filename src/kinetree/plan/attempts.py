"""From a problem to its best motion: where searches start, and where others start if one leads nowhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from kinetree.nlp import Termination
from kinetree.plan.checks import check
from kinetree.plan.compiling import compile_for
from kinetree.plan.ends import check_rest, settle_ends
from kinetree.plan.explore import explored
from kinetree.plan.guess import first_guess, started
from kinetree.plan.guesses import guesses_of
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.search import BRIEF, better, search_from
from kinetree.plan.status import PlanStatus
from kinetree.plan.transcriber import Transcriber
from kinetree.plan.warm import warm_start
from kinetree.transcribe.basis import Array

_NEARBY = 30  # iterations from a guess that is near its solution
_SEEDS = (1, 2)  # of starts where the usual one leads to no motion


def search(problem: Problem, guess: Plan | ArrayLike | None, options: Options) -> Plan:
    """The best motion of a problem; see `Problem.solve`."""
    settle_ends(problem)
    check(problem)
    if options.starts != 1:
        from kinetree.plan.multistart import multistart

        return multistart(problem, guess, options)
    transcriber = Transcriber(problem)
    compiling = compile_for(transcriber)
    check_rest(transcriber)
    plan = _attempts(transcriber, guess, options)
    return replace(plan, compile_seconds=compiling)


def _attempts(transcriber: Transcriber, guess: Plan | ArrayLike | None, options: Options) -> Plan:
    """From the guess, briefly; where that leads nowhere, from the usual start, and then from others."""
    began = time.perf_counter()
    motion = hasattr(guess, "control_points") or np.ndim(guess) == 2  # type: ignore[arg-type]
    if guess is None and guesses_of(transcriber.problem, options) > 1:
        return _from_the_best_guess(transcriber, options)
    start, warm = started(transcriber, guess), warm_start(transcriber, guess)
    others = _others(transcriber, None if guess is None else start, options)
    brief = guess is not None and bool(others)
    plan = search_from(transcriber, start, options, near=motion, brief=brief, warm=warm)
    for other, brief in others:
        left = options.time_limit - (time.perf_counter() - began)
        settled = plan.ok if guess is None else plan.status is PlanStatus.OPTIMAL and not _astray(transcriber, plan)
        if settled or plan.termination is Termination.USER_STOP or left <= 0.0:
            break
        again = search_from(transcriber, other(), replace(options, time_limit=left), brief=brief)
        plan = better(plan, again, last_word=not brief)
    return replace(plan, seconds=time.perf_counter() - began)


def _from_the_best_guess(transcriber: Transcriber, options: Options) -> Plan:
    """From the most promising of some guesses, and from others that may lead to shorter motions than were found so far.

    As if there were none but the usual one where they lead nowhere.
    """
    began, found = time.perf_counter(), explored(transcriber, options)
    rest = replace(options, guesses=1, callback=_stop if found.stopped else options.callback)
    plan: Plan | None = None

    def in_time() -> Options:
        return replace(rest, time_limit=max(1e-9, options.time_limit - (time.perf_counter() - began)))

    for x, warm, least in found.motions:
        if plan is not None and (plan.termination is Termination.USER_STOP or (plan.ok and plan.cost <= least)):
            break
        again = search_from(transcriber, x, in_time(), brief=warm is None, warm=warm)
        plan = again if plan is None else better(plan, again)
    if plan is None or (plan.status is not PlanStatus.OPTIMAL and plan.termination is not Termination.USER_STOP):
        usual = _attempts(transcriber, None, in_time())
        plan = usual if plan is None else better(plan, usual, last_word=True)
    return replace(plan, iterations=found.iterations + plan.iterations, seconds=time.perf_counter() - began)


def _stop(*_: object) -> bool:
    return False


def _astray(transcriber: Transcriber, plan: Plan) -> bool:
    """Whether a guess from far away led to a motion that takes longer than the usual start."""
    problem = transcriber.problem
    if plan.iterations <= _NEARBY or problem.costs or not problem.point_constraints:
        return False
    return plan.duration > float(first_guess(transcriber)[-1])


def _others(transcriber: Transcriber, given: Array | None, options: Options) -> list[tuple[Callable[[], Array], bool]]:
    """Other starts than the first one, and whether they are tried briefly."""
    if options.elastic or options.iterations < BRIEF or not transcriber.problem.point_constraints:
        return []
    usual: list[tuple[Callable[[], Array], bool]] = []
    if given is not None:
        usual = [(lambda: first_guess(transcriber), True), (lambda: given, False)]
    brief = transcriber.problem.scene is None  # around obstacles it takes longer
    return usual + [(partial(_swaying, transcriber, seed), brief) for seed in _SEEDS]


def _swaying(transcriber: Transcriber, seed: int) -> Array:
    return first_guess(transcriber, np.random.default_rng(seed))
