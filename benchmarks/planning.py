"""Planning: how long a solve takes, random tasks, CasADi's graph of the same equations, toppra along paths."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import models, plan_tasks
from benchmarks.table import show
from kinetree.nlp import Interior, Solution, Start
from kinetree.plan import Path, Plan, Problem
from kinetree.plan.guess import first_guess
from kinetree.plan.transcriber import Transcriber

REPEATS, SECONDS = 7, 0.5  # of each solve, at the least
PAIRS, PATHS, WAYPOINTS, REACH = 64, 20, 10, 1.2  # how far points of paths are from zero [rad, m]
ON_PATHS = ("panda", "puma560", "stanford", "seven_link")  # settings were chosen on ur5, ur10 and iiwa14
SWEPT = 30  # random tasks of each robot
DENSE = 10_000  # points on which limits are looked at
FACTOR = 5.0  # that CasADi's time should be longer by


@dataclass(frozen=True)
class Task:
    """A motion from rest to rest in the shortest time."""

    robot: kt.Robot
    q0: Any
    q1: Any
    limits: dict[str, Any]
    points: int

    def plan(self) -> Plan:
        named = {f"{name}_limits": bound for name, bound in self.limits.items()}
        return kt.plan.minimum_time(self.robot, q0=self.q0, q1=self.q1, control_points=self.points, **named)

    def problem(self) -> Problem:
        """The same, not yet solved."""
        problem = Problem(self.robot, control_points=self.points)
        problem.start(self.q0)
        problem.end(self.q1)
        for name, bound in self.limits.items():
            problem.limit(name, bound)
        problem.minimise("time")
        return problem

    def violation(self, plan: Plan) -> float:
        """The largest on a dense grid, relative to the limit."""
        t = np.linspace(0.0, plan.duration, DENSE)
        return max(0.0, *(float(np.abs(plan.values(k, t) / by).max()) - 1.0 for k, by in self.limits.items()))


def run() -> None:
    """Five tables."""
    kt.threads(1)
    tasks = _tasks()
    plans = {name: _timed(task.plan) for name, task in tasks.items()}
    _solves(tasks, plans)
    _pairs(tasks["UR5, 20 points, torque, torque rate, velocity"])
    _sweep()
    _casadi(tasks, plans)
    _toppra()


def _tasks() -> dict[str, Task]:
    """The limits of the arms are those of their files; torques may go from one limit to the other in 0.1 s."""
    two = Task(kt.robots.two_link(), [0.0, -2.0], [1.0, -1.0], {"force": 10.0}, 30)
    ends = {
        "UR5": ([0.0, -1.0, 1.0, 0.0, 0.0, 0.0], [1.5, -1.5, 0.5, 1.0, 1.0, 1.0]),
        "Panda": ([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0], [1.2, 0.3, -0.6, -1.2, 0.5, 2.2, 0.8]),
    }
    tasks = {"2R, 30 points, torque": two}
    for name, (q0, q1) in ends.items():
        robot = models.robot(name)
        if name == "Panda":
            robot = robot.lock(dict.fromkeys(robot.joint_names[7:], 0.02))
        own = [body.joint.limits for body in robot.bodies if body.joint.kind.nv]
        effort, speed = np.array([x.effort for x in own]), np.array([x.velocity for x in own])
        limits = {"force": effort, "force_rate": 20.0 * effort, "velocity": speed}
        tasks[f"{name}, 20 points, torque, torque rate, velocity"] = Task(robot, q0, q1, limits, 20)
    return tasks


def _timed(solve: Callable[[], Any]) -> tuple[Any, float]:
    """What is found, and the shortest time of several [s]; everything is compiled before."""
    found, times = solve(), []
    while len(times) < REPEATS or sum(times) < SECONDS:
        began = time.perf_counter()
        found = solve()
        times.append(time.perf_counter() - began)
    return found, min(times)


def _solves(tasks: dict[str, Task], plans: dict[str, tuple[Plan, float]]) -> None:
    rows = []
    for (name, task), goal in zip(tasks.items(), (0.05, 0.4, 0.6)):
        plan, seconds = plans[name]
        rows.append([
            name, f"{plan.duration:.5f} s", plan.status.name.lower(), f"{task.violation(plan):.0e}", plan.iterations,
            f"{seconds * 1e3:.0f} ms", f"<= {goal * 1e3:.0f} ms",
        ])  # fmt: skip
    header = ["", "motion", "status", "violation", "iterations", "solve", "goal"]
    show("The shortest motion, functions compiled", header, rows)


def _pairs(task: Task) -> None:
    """Random tasks of the arm, within half a turn of its joints."""
    rng = np.random.default_rng(0)
    statuses, times, durations = Counter(), [], []
    for _ in range(PAIRS):
        q0, q1 = rng.uniform(-np.pi / 2, np.pi / 2, (2, task.robot.nv))
        plan = Task(task.robot, q0, q1, task.limits, task.points).plan()
        statuses[plan.status.name.lower()] += 1
        times.append(plan.seconds)
        durations.append(plan.duration)
    summary = ", ".join(f"{count} {name}" for name, count in statuses.items())
    row = [
        summary, f"{np.median(times) * 1e3:.0f} ms", f"{max(times) * 1e3:.0f} ms", f"{sum(times):.1f} s",
        f"{min(durations):.2f} to {max(durations):.2f} s",
    ]  # fmt: skip
    show(f"{PAIRS} random tasks of the UR5", ["status", "median solve", "longest", "all", "motions"], [row])


def _sweep() -> None:
    """Random tasks of several robots, judged on 100,000 samples; tests/plan/test_plan_sweep.py has 2,002 of them."""
    rows = []
    for k, name in enumerate(plan_tasks.REPORTED):
        solved, times, found = 0, [], 0.0
        for _, task in plan_tasks.tasks([name], SWEPT, 500 + k):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plan = task.problem().solve()
            times.append(plan.seconds)
            if plan.ok:
                solved, found = solved + 1, max(found, task.violation(plan))
        rows.append([
            name, f"{solved} of {SWEPT}", f"{found:.0e}", "<= 1e-06", f"{np.median(times) * 1e3:.0f} ms",
            f"{max(times) * 1e3:.0f} ms",
        ])  # fmt: skip
    header = ["robot", "solved", "over limits", "goal", "median solve", "longest"]
    show(f"Random tasks: {', '.join(plan_tasks.KINDS)}", header, rows)


def _casadi(tasks: dict[str, Task], plans: dict[str, tuple[Plan, float]]) -> None:
    """The same problems as users of CasADi write them: one round, at the collocation points of our first one.

    Beside it our search from one guess, whose constraints hold between these too, and our solver in the first round.
    """
    try:
        from benchmarks.casadi_plan import CasadiPlan
    except ImportError:
        print("\nwithout CasADi: pip install -e .[bench]")
        return
    rows = []
    for name, task in [*tasks.items()][:2]:
        plan, _ = plans[name]
        _, ours = _timed(lambda task=task: task.problem().solve(guesses=1))
        _, alone = _timed(_first_round(task))
        for expand in (False, True):
            theirs = CasadiPlan(task.robot, task.q0, task.q1, task.limits, task.points, expand)
            (duration, iterations, good), seconds = _timed(
                lambda theirs=theirs, plan=plan: theirs.solve(2 * plan.duration)
            )
            rows.append([
                f"{name.partition(',')[0]}, {'scalar' if expand else 'mapped'} expressions",
                f"{duration:.5f} s" if good else "failed", iterations, f"{theirs.building:.2f} s",
                f"{seconds * 1e3:.0f} ms", f"{ours * 1e3:.1f} ms", f"{seconds / ours:.1f}", f">= {FACTOR:.0f}",
                f"{alone * 1e3:.1f} ms", f"{seconds / alone:.1f}",
            ])  # fmt: skip
    header = ["", "motion", "iterations", "CasADi builds", "CasADi solves"]
    header += ["Kinetree, all rounds from one guess", "times", "goal", "Kinetree, first round", "times"]
    show("The same equations as a CasADi graph with its IPOPT, exact Hessian, one round", header, rows)


def _first_round(task: Task) -> Callable[[], Solution]:
    """Our solver on the constraints at the collocation points of the first round, from our first guess."""
    transcriber = Transcriber(task.problem())
    transcription = transcriber.transcription(transcriber.refinement().s)
    start = Start(first_guess(transcriber))
    return lambda: Interior().solve(transcription, start)


def _toppra() -> None:
    """Times along random paths under torque and acceleration limits, beside those of toppra."""
    try:
        from benchmarks.toppra_path import GRID, shortest
    except ImportError:
        print("\nwithout toppra: pip install -e .[bench]")
        return
    rows = []
    for name in ON_PATHS:
        robot, rng = getattr(kt.robots, name)(), np.random.default_rng(1)
        at_rest = robot.gravity_forces(rng.uniform(-REACH, REACH, (1000, robot.nq)))
        effort = 2.0 * np.abs(at_rest).max(axis=0) + 10.0
        acceleration = np.full(robot.nv, 15.0)  # rad/s^2, m/s^2
        ratios, violations, found, ours, theirs = [], [], [], [], []
        for _ in range(PATHS + 1):
            path = Path.through(rng.uniform(-REACH, REACH, (WAYPOINTS, robot.nv)))
            limits = {"force_limits": effort, "acceleration_limits": acceleration, "grid": GRID}
            plan = kt.plan.time_optimal_path(robot, path=path, **limits)
            duration, seconds = shortest(robot, path, effort, acceleration)
            t = np.linspace(0.0, plan.duration, DENSE)
            ratios.append(plan.duration / duration - 1.0)
            parts = np.abs(plan.forces(t) / effort), np.abs(plan.motion(t)[2] / acceleration)
            violations.append(max(0.0, np.max(parts) - 1.0) if plan.ok else 0.0)
            found.append((plan.ok, np.isfinite(duration)))
            ours.append(plan.seconds)
            theirs.append(seconds)
        own, other = np.sum(found[1:], axis=0)
        rows.append([
            name, f"{own}, {other} of {PATHS}", f"{np.nanmin(ratios[1:]):+.3%} to {np.nanmax(ratios[1:]):+.3%}",
            "within 0.1 %", f"{max(violations):.0e}",
            f"{np.median(ours[1:]) * 1e3:.0f} ms", f"{np.median(theirs[1:]) * 1e3:.0f} ms",
        ])  # fmt: skip
    header = ["robot", "found by each", "final time against toppra", "goal", "over limits", "median solve", "toppra's"]
    title = f"{PATHS} random paths through {WAYPOINTS} points, torque and acceleration limits, {GRID} grid points"
    show(title, header, rows)
