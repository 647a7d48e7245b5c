"""Random tasks by the hundred, judged by an evaluation of their own on 10^5 samples and more.

The robots and seeds here are not those that settings were chosen on; see `benchmarks.plan_tasks`.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from benchmarks.plan_tasks import KINDS, REPORTED, PlanTask, random_task, robot_named, tasks

from kinetree.plan import Plan
from kinetree.plan.guess import first_guess
from kinetree.plan.options import Options
from kinetree.plan.search import search_from
from kinetree.plan.transcriber import Transcriber

TOLERANCE = 1e-6
EACH = 286  # tasks of each robot: 2,002 in all
STARTS, EVERY = 5, 5  # every fifth task is solved from five starts
SEED = 2_024


def best_of_starts(task: PlanTask, plan: Plan) -> float:
    """The shortest duration from five starts, of which the plan had the first."""
    transcriber = Transcriber(task.problem())
    others = [first_guess(transcriber, np.random.default_rng(100 + k)) for k in range(STARTS - 1)]
    plans = [plan, *(search_from(transcriber, x, Options(), brief=True) for x in others)]
    return min(found.duration for found in plans if found.ok)


@pytest.mark.parametrize("seed", range(3))
def test_no_sample_of_a_million_is_outside_near_gravitys_limit(seed: int):
    """What the plan says of its violation is what is found."""
    task = random_task(robot_named("SCARA" if seed % 2 else "Stanford"), "gravity", np.random.default_rng(900 + seed))
    plan = task.problem().solve()
    assert plan.ok
    found = task.violation(plan, 1_000_000)
    assert found <= TOLERANCE
    assert found <= plan.violation + 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTED)
def test_nearly_all_random_tasks_are_solved_and_within_their_limits(name: str):
    failed, longer, compared = [], [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k, (_, task) in enumerate(tasks([name], EACH, SEED + [*REPORTED].index(name))):
            plan = task.problem().solve()
            if not plan.ok:
                failed.append((k, task.kind, plan.message))
                continue
            found = task.violation(plan)
            assert found <= min(TOLERANCE, plan.violation + 1e-9), (k, task.kind, found)
            if k % EVERY == 0:
                compared += 1
                longer += [(k, task.kind)] if plan.duration > 1.02 * best_of_starts(task, plan) else []
    print(
        f"{name}: {EACH - len(failed)} of {EACH} solved, {len(longer)} of {compared} above the best of {STARTS} starts"
    )
    assert len(failed) <= 1, failed
    assert len(longer) <= 0.05 * compared, longer


def test_tasks_are_of_all_kinds_and_robots():
    some = tasks(REPORTED, len(REPORTED) * len(KINDS), 0)
    assert {(name, task.kind) for name, task in some} == {(name, kind) for name in REPORTED for kind in KINDS}
