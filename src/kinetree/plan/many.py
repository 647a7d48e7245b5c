"""Searches from many guesses on all cores.

The solver can't run twice in one process. Each worker is a Python process of its own that gets its task through a pipe;
a task that does not fit through one (functions of the user's script) is solved here, one guess after the other.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.plan.plan import Plan
from kinetree.plan.solver import interruptions

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

_CHILD = "from kinetree.plan.many import work; work()"


def search_from_many(problem: Problem, guess: Plan | ArrayLike | None, starts: int, seed: int, **options: Any) -> Plan:
    """The best plan of several guesses: the usual or given one, and random ones that the seed settles."""
    if not isinstance(starts, int) or starts < 1:
        raise InputError(f"the number of guesses is 1 or more, got {starts!r}")
    seeds = [None, *(int(x) for x in np.random.SeedSequence(seed).generate_state(starts - 1))]
    first = _solved(problem, guess, None, options)  # also compiles what the workers then find in the cache
    tasks = [(problem, None, k, options) for k in seeds[1:]]
    plans = [first]
    # Ctrl-C reaches the workers too, which end with what they have
    with interruptions() as stopped, ThreadPoolExecutor(min(len(tasks), os.cpu_count() or 1)) as pool:
        answers = pool.map(lambda task: None if stopped() else _asked(task), tasks)
        for task, answer in zip(tasks, answers):
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


def _asked(task: Any) -> Plan | None:
    """The plan of another process; None where the task can't go there."""
    try:
        packed = pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    ran = subprocess.run([sys.executable, "-c", _CHILD], input=packed, capture_output=True, check=False)
    return pickle.loads(ran.stdout) if ran.returncode == 0 else None


def work() -> None:
    """In a worker: a task from the pipe, its plan back."""
    task = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(_solved(*task)))
