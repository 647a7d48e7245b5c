"""Searches from several guesses, on all cores or in an executor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kinetree.nlp.interrupt import interruptions
from kinetree.plan.attempts import search
from kinetree.plan.guess import first_guess
from kinetree.plan.many_tasks import best_of
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.search import search_from
from kinetree.plan.transcriber import Transcriber
from kinetree.workers import answers

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem


def multistart(problem: Problem, guess: Plan | ArrayLike | None, options: Options) -> Plan:
    """The best plan of several guesses: the usual or given one, and random ones that the seed determines."""
    seeds = [int(x) for x in np.random.SeedSequence(options.seed).generate_state(options.starts - 1)]
    one = replace(options, starts=1, executor=None)
    plans = [search(problem, guess, one)]  # also compiles what the workers then find in the cache
    tasks = [(problem, seed, replace(one, callback=None, progress=False)) for seed in seeds]
    with interruptions() as stopped:
        found = answers(_from_random, tasks, stopped, executor=options.executor, what="start")
    plans += [plan for plan in found if plan is not None]
    return replace(best_of(plans), robot=problem.robot, problem=problem)


def _from_random(problem: Problem, seed: int, options: Options) -> Plan:
    transcriber = Transcriber(problem)
    return search_from(transcriber, first_guess(transcriber, np.random.default_rng(seed)), options)
