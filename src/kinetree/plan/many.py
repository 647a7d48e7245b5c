"""Searches from many guesses on all cores: the solver can't run twice in one process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.plan.plan import Plan
from kinetree.plan.solver import interruptions
from kinetree.plan.workers import answers

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem


def search_from_many(problem: Problem, guess: Plan | ArrayLike | None, starts: int, seed: int, **options: Any) -> Plan:
    """The best plan of several guesses: the usual or given one, and random ones that the seed settles."""
    if not isinstance(starts, int) or starts < 1:
        raise InputError(f"the number of guesses is 1 or more, got {starts!r}")
    seeds = [int(x) for x in np.random.SeedSequence(seed).generate_state(starts - 1)]
    plans = [_solved(problem, guess, None, options)]  # also compiles what the workers then find in the cache
    tasks = [(problem, None, k, options) for k in seeds]
    with interruptions() as stopped:
        for task, answer in zip(tasks, answers(_solved, tasks, stopped)):
            if answer is not None:
                plans.append(answer)
            elif not stopped():
                plans.append(_solved(*task))
    best = min(plans, key=lambda plan: (not plan.ok, plan.cost if plan.ok else plan.violation))
    return replace(best, robot=problem.robot, iterations=sum(plan.iterations for plan in plans))


def _solved(problem: Problem, guess: Plan | ArrayLike | None, seed: int | None, options: dict[str, Any]) -> Plan:
    from kinetree.plan.search import search, solve_from

    if seed is None:
        return search(problem, guess, **options)
    return solve_from(problem, np.random.default_rng(seed), **options)
