"""Planning among obstacles: a Panda with 3 kg in its hand under its torque limits, and plans for a world that moved.

First plans are made twice: as exact as `Problem.solve` makes them, and to a thousandth of the duration, as for many
tasks at once; optimisers on graphics cards stop after a fixed number of iterations.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.table import show
from kinetree.plan import Box, Capsule, Plan, Problem, Sphere

TASKS, REPLANS, OBSTACLES = 40, 5, 20
SEED = 2026
CUROBO = "42 ms mean (cuRobo v2, published: torque limits, 3 kg, RTX 6000 Ada)"
ROUGHLY = 1e-3  # optimality of a plan that is made quickly
CLEARANCE = 0.005  # m
MOVED = 0.005  # m, how far obstacles move before a plan is made again
Obstacle = Sphere | Box | Capsule


def run() -> None:
    """Two tables."""
    kt.threads(1)
    rows = []
    for name, robot in (
        ("Panda with 3 kg", kt.robots.panda().attach(kt.Inertia(3.0), "tcp")),
        ("PUMA 560", kt.robots.puma560()),
    ):
        exact, rough, again, longer, solved, near = _figures(robot)
        times = [f"{np.mean(x):.1f} / {np.median(x):.1f} / {np.percentile(x, 90):.1f} ms" for x in (rough, exact)]
        rows.append([
            name, f"{solved} of {2 * len(exact)}", *times, f"{100 * np.mean(longer):.3f} %",
            f"{np.median(again):.1f} ms", f"{np.percentile(again, 99):.1f} ms", f"{1e3 * near:.3f} mm",
        ])  # fmt: skip
    header = ["robot", "solved", f"to {ROUGHLY:g}: mean / median / 90 %", "exact: mean / median / 90 %", "longer",
              "moved: median", "99 %", "least clearance less the asked"]  # fmt: skip
    show(f"{OBSTACLES} obstacles and self-collision, torque and velocity limits, 16 points", header, rows)
    show("To compare with", ["figure"], [[CUROBO]])


def _figures(robot: kt.Robot) -> tuple[list[float], list[float], list[float], list[float], int, float]:
    """Times of exact, rough and further plans [ms], how much longer the motions of rough ones are, how many plans
    succeeded, and the least spare clearance [m]."""
    exact, rough, again, longer, solved, near = list[float](), list[float](), list[float](), list[float](), 0, np.inf
    random = np.random.default_rng(SEED)
    tasks = _tasks(robot, random)
    next(tasks)[0].solve()  # compiles
    for _ in range(TASKS):
        problem, obstacles = next(tasks)
        roughly, seconds = _timed(problem, optimality=ROUGHLY)
        rough.append(1e3 * seconds)
        plan, seconds = _timed(problem)
        exact.append(1e3 * seconds)
        for found in (plan, roughly):
            if found.ok and found.clearance is not None:
                solved, near = solved + 1, min(near, found.clearance.distance - CLEARANCE)
        if not plan.ok:
            continue
        longer.append(roughly.duration / plan.duration - 1.0)
        for _ in range(REPLANS):
            moved = [_moved(x, random.normal(size=3) * MOVED) for x in obstacles]
            began = time.perf_counter()
            plan.replan(t=0.0, obstacles=moved)
            again.append(1e3 * (time.perf_counter() - began))
    return exact, rough, again, longer, solved, near


def _timed(problem: Problem, **options: float) -> tuple[Plan, float]:
    began = time.perf_counter()
    plan = problem.solve(progress=False, time_limit=10.0, **options)
    return plan, time.perf_counter() - began


def _tasks(robot: kt.Robot, random: np.random.Generator) -> Iterator[tuple[Problem, list[Obstacle]]]:
    """From rest to rest, with a sphere where the hand would be half-way, and other obstacles around."""
    lower, upper = np.maximum(robot.lower, -2.0), np.minimum(robot.upper, 2.0)
    shapes, tip = kt.plan.link_shapes(robot, 0.05), robot.bodies[-1].name
    effort = np.asarray(robot.effort_limits, float)
    gravity = np.abs(robot.gravity_forces(random.uniform(lower, upper, (1000, robot.nq)))).max(axis=0)
    bound = np.where(np.isfinite(effort), effort, 2.0 * gravity + 5.0)
    while True:
        q0 = random.uniform(lower, upper)
        q1 = np.clip(q0 + random.uniform(-1.2, 1.2, robot.nq), lower, upper)
        middle = robot.pose(0.5 * (q0 + q1), tip)[:3, 3]
        obstacles: list[Obstacle] = [Sphere(middle + random.normal(size=3) * 0.05, 0.06)]
        obstacles += [_obstacle(random) for _ in range(OBSTACLES - 1)]
        problem = Problem(robot, control_points=16)
        problem.start(q0)
        problem.end(q1)
        problem.limit("force", bound)
        problem.limit("velocity", 2.5)
        problem.minimise("time")
        problem.avoid(obstacles, shapes=shapes, clearance=CLEARANCE)
        scene = problem.scene
        if scene is not None and min(scene.nearest(q)[0] for q in (q0, q1)) > CLEARANCE + 4.0 * MOVED:
            yield problem, obstacles


def _obstacle(random: np.random.Generator) -> Obstacle:
    """Somewhere in reach, but not in the base."""
    angle, away = random.uniform(-np.pi, np.pi), random.uniform(0.3, 0.9)
    c = np.array([away * np.cos(angle), away * np.sin(angle), random.uniform(-0.2, 1.0)])
    kind = random.random()
    if kind < 0.4:
        return Sphere(c, random.uniform(0.03, 0.08))
    if kind < 0.7:
        return Box(c, random.uniform(0.05, 0.15, 3))
    return Capsule(c, c + random.normal(size=3) * 0.1, 0.03)


def _moved(x: Any, by: Any) -> Obstacle:
    if isinstance(x, Capsule):
        return Capsule(np.add(x.start, by), np.add(x.end, by), x.radius, name=x.name)
    center = np.add(x.center, by)
    return Sphere(center, x.radius, name=x.name) if isinstance(x, Sphere) else Box(center, x.size, name=x.name)
