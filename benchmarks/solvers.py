"""Which solver for motions? Ours, IPOPT from two packages, and Uno, on the same problems.

``OMP_NUM_THREADS=1 python -m benchmarks.solvers``; it is no part of ``make bench``. All get the first round of the same
transcription: the same variables, collocation points, first guess and exact derivatives, and a tolerance of 1e-7.
CasADi has its own graph of the same equations instead, with limits on one side of the knots only. Times are those of
the processor, the least of several; functions are compiled before. Needs ``pip install ipyopt unopy casadi``; what is
missing is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.planning import Task, _tasks
from benchmarks.table import show
from kinetree.nlp import Interior, Ipopt, Solver, Start
from kinetree.nlp.problem import violation as violation_of
from kinetree.plan import Problem
from kinetree.plan.guess import first_guess
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.transcription import Transcription

REPEATS = 5
TOLERANCE, MOST = 1e-7, 400
PAIRS = 32
KEPT, SAME = 1e-6, 1e-4  # relative: a violation that counts as none, and costs that count as the same
Found = tuple[float, float, int, str]  # cost, violation, iterations, how it ended


def main() -> None:
    kt.threads(1)
    tasks = _tasks()
    for name, task in [*tasks.items()][:2]:
        _one(name, task)
    _random_tasks([*tasks.values()][1])


def _one(name: str, task: Task) -> None:
    program, start, rows = *_first_round(task.problem()), []
    for label, solve in _solvers().items():
        found, seconds = _timed(lambda solve=solve: solve(program, start))
        cost, violation, iterations, ending = found
        rows.append([label, f"{cost:.6f} s", f"{violation:.0e}", iterations, f"{seconds * 1e3:.0f} ms", ending])
    rows += _casadi(task, float(start[-1]))
    size = f"{len(program.bounds.lower)} variables, {len(program.constraint_bounds.lower)} constraints"
    show(f"{name}: {size}", ["solver", "motion", "violation", "iterations", "processor", "ended"], rows)


def _first_round(problem: Problem) -> tuple[Transcription, Any]:
    transcriber = Transcriber(problem)
    return transcriber.transcription(transcriber.refinement().s), first_guess(transcriber)


def _random_tasks(task: Task) -> None:
    """How many of some random tasks of the arm each one solves, and in which time."""
    rng, tasks = np.random.default_rng(0), []
    for _ in range(PAIRS):
        q0, q1 = rng.uniform(-np.pi / 2, np.pi / 2, (2, task.robot.nv))
        tasks.append(Task(task.robot, q0, q1, task.limits, task.points).problem())
    rows, best = [], np.full(PAIRS, np.inf)
    costs: dict[str, list[float]] = {}
    for label, solve in _solvers().items():
        if "filterSQP" in label:  # takes seconds for each
            continue
        good, began, costs[label] = 0, time.process_time(), []
        for problem in tasks:
            cost, violation, _, ending = solve(*_first_round(problem))
            solved = violation <= KEPT and ("converged" in ending or "kkt" in ending)
            good += solved
            costs[label].append(cost if solved else np.inf)
        rows.append([label, f"{good} of {PAIRS}", f"{time.process_time() - began:.1f} s"])
        best = np.minimum(best, costs[label])
    for row in rows:
        near = int((np.array(costs[str(row[0])]) <= best * (1.0 + SAME)).sum())
        row.append(f"{near} of {PAIRS}")
    show(f"{PAIRS} random tasks of the UR5", ["solver", "solved", "processor, all", "within 1e-4 of the best"], rows)


def _solvers() -> dict[str, Callable[[Transcription, Any], Found]]:
    """Those that are installed."""
    found: dict[str, Callable[[Transcription, Any], Found]] = {"Kinetree's own": _with(Interior(TOLERANCE, MOST))}
    for package, more in (
        ("ipyopt", {"IPOPT, ipyopt": _with(Ipopt(TOLERANCE, MOST))}),
        ("unopy", {"Uno as IPOPT, unopy": _uno("ipopt"), "Uno as filterSQP, unopy": _uno("filtersqp")}),
    ):
        try:
            __import__(package)
            found |= more
        except ImportError:
            print(f"without {package}: pip install {package}")
    return found


def _with(solver: Solver) -> Callable[[Transcription, Any], Found]:
    def run(program: Transcription, start: Any) -> Found:
        best = solver.solve(program, Start(start))
        return best.objective, best.violation, best.iterations, best.termination.name.lower()

    return run


def _uno(preset: str) -> Callable[[Transcription, Any], Found]:
    """Uno with one of its ready-made combinations; it gets only the free variables, as the others do."""

    def run(program: Transcription, start: Any) -> Found:
        import unopy

        view, constraints = _Free(program, start), program.constraint_bounds
        model = unopy.Model(unopy.PROBLEM_NONLINEAR, view.size, view.lower, view.upper, unopy.ZERO_BASED_INDEXING)
        model.set_objective(unopy.MINIMIZE, lambda x: program.objective(view.whole(x)), view.gradient)
        rows, columns = program.jacobian_structure()
        model.set_constraints(
            len(constraints.lower), view.values, constraints.lower, constraints.upper, len(rows), rows, columns,
            view.jacobian,
        )  # fmt: skip
        model.set_lagrangian_sign_convention(unopy.MULTIPLIER_POSITIVE)
        rows, columns = np.tril_indices(view.size)
        model.set_lagrangian_hessian(len(rows), unopy.LOWER_TRIANGLE, rows, columns, view.hessian)
        model.set_initial_primal_iterate(view.start)
        uno = unopy.UnoSolver()
        uno.set_preset(preset)
        uno.set_option("logger", "SILENT")
        uno.set_option("print_solution", False)
        uno.set_option("primal_tolerance", 1e-8)
        uno.set_option("dual_tolerance", TOLERANCE)
        uno.set_option("max_iterations", MOST)
        result = uno.optimize(model)
        x = view.whole(np.asarray(result.primal_solution))
        ending = f"{result.optimization_status}, {result.solution_status}".replace("OptimizationStatus.", "")
        ending = ending.replace("SolutionStatus.", "").lower().replace("_", " ")
        return program.objective(x), violation_of(program, x), int(result.number_iterations), ending

    return run


class _Free:
    """A program in its free variables."""

    def __init__(self, program: Transcription, start: Any) -> None:
        bounds = program.bounds
        self.program, self.free, self.fixed = program, bounds.free, np.clip(start, bounds.lower, bounds.upper)
        self.size, self.start = len(self.free), self.fixed[self.free]
        self.lower, self.upper = bounds.lower[self.free], bounds.upper[self.free]
        self.zero = np.zeros(len(program.constraint_bounds.lower))

    def whole(self, x: Any) -> Any:
        full = self.fixed.copy()
        full[self.free] = x
        return full

    def gradient(self, x: Any, out: Any) -> None:
        out[:] = self.program.linearise(self.whole(x), self.zero, self.zero).gradient

    def values(self, x: Any, out: Any) -> None:
        out[:] = self.program.constraints(self.whole(x))

    def jacobian(self, x: Any, out: Any) -> None:
        out[:] = self.program.linearise(self.whole(x), self.zero, self.zero).jacobian.values()

    def hessian(self, x: Any, factor: float, multipliers: Any, out: Any) -> None:
        matrix = self.program.linearise(self.whole(x), np.asarray(multipliers), self.zero, factor).matrix
        dense = matrix if self.program.skyline is None else self.program.skyline.unpacked(matrix)
        out[:] = dense[np.tril_indices(self.size)]


def _casadi(task: Task, duration: float) -> list[list[Any]]:
    try:
        from benchmarks.casadi_plan import CasadiPlan
    except ImportError:
        print("without casadi: pip install casadi")
        return []
    rows = []
    for expand in (False, True):
        theirs = CasadiPlan(task.robot, task.q0, task.q1, task.limits, task.points, expand)
        (cost, iterations, good), seconds = _timed(lambda theirs=theirs: theirs.solve(duration))
        label = f"IPOPT, CasADi's graph, {'scalar' if expand else 'mapped'}"
        ending = "optimal" if good else "failed"
        rows.append([label, f"{cost:.6f} s", "", iterations, f"{seconds * 1e3:.0f} ms", ending])
    return rows


def _timed(solve: Callable[[], Any]) -> tuple[Any, float]:
    """What is found, and the least time of the processor of several runs [s]."""
    found, least = solve(), np.inf
    for _ in range(REPEATS):
        began = time.process_time()
        found = solve()
        least = min(least, time.process_time() - began)
    return found, float(least)


if __name__ == "__main__":
    main()
