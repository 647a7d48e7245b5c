"""Random planning tasks of seven robots: how many are solved, how well limits hold, and how good the motions are."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks.plan_tasks import REPORTED, PlanTask, tasks
from benchmarks.table import show
from kinetree.plan import Plan
from kinetree.plan.ends import settle_ends
from kinetree.plan.guess import first_guess
from kinetree.plan.options import Options
from kinetree.plan.search import search_from
from kinetree.plan.transcriber import Transcriber

SEED = 2_024
STARTS, LONGER = 5, 1.02  # a motion that takes so much longer than the best one of some starts is counted
SHOWN = 20  # tasks of each robot in the table; `make test-all` has 286


@dataclass
class Counts:
    """What was found of some tasks."""

    tasks: int = 0
    failed: list[str] = field(default_factory=list)
    longer: list[str] = field(default_factory=list)
    violation: float = 0.0  # the largest, relative to the limit, by an evaluation of its own
    told: float = 0.0  # by how much it is more than a plan says

    def add(self, name: str, task: PlanTask, plan: Plan) -> None:
        self.tasks += 1
        if not plan.ok:
            self.failed.append(f"{name}: {plan.message}")
            return
        found = task.violation(plan)
        self.violation, self.told = max(self.violation, found), max(self.told, found - plan.violation)
        best = best_of_starts(task, plan)
        if plan.duration > LONGER * best:
            self.longer.append(f"{name}: {plan.duration / best:.3f} times the best of {STARTS} starts")


def swept(name: str, each: int) -> Iterator[tuple[str, PlanTask, Plan]]:
    """So many tasks of a robot with their plans."""
    for k, (_, task) in enumerate(tasks([name], each, SEED + [*REPORTED].index(name))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # gravity needs more than the limits at a via point, for example
            yield f"{name} {k}, {task.kind}", task, task.problem().solve(progress=False)


def best_of_starts(task: PlanTask, plan: Plan) -> float:
    """The shortest duration from five starts, of which the plan had the first."""
    problem = task.problem()
    settle_ends(problem)
    transcriber = Transcriber(problem)
    others = [first_guess(transcriber, np.random.default_rng(100 + k)) for k in range(STARTS - 1)]
    plans = [plan, *(search_from(transcriber, x, Options(progress=False), brief=True) for x in others)]
    return min(found.duration for found in plans if found.ok)


def run() -> None:
    """One table, of the first tasks of the sweep in the tests."""
    rows = []
    for name in REPORTED:
        counts = Counts()
        for found in swept(name, SHOWN):
            counts.add(*found)
        rows.append([
            name, f"{counts.tasks - len(counts.failed)} of {counts.tasks}", f"{counts.violation:.1e}",
            f"{len(counts.longer)} of {counts.tasks}",
        ])  # fmt: skip
    header = ["robot", "solved", "largest violation of a limit", f"more than 2 % above the best of {STARTS} starts"]
    show(
        "Random tasks: limits of all kinds, gravity near them, moving ends, via points, a sphere in the way",
        header,
        rows,
    )
