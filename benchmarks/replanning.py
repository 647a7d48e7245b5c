"""Planning again for a robot that moves, and many tasks in one call."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.table import show

TASKS, SEED = 200, 11  # of each robot
MOVED, PASSED = 0.05, 0.6  # rad, of each joint of the goal; the latest part of the motion after which it moves
MANY = 2000
POINTS = 16
PUMA = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])  # N m
MIDDLE = {"panda": np.array([0.0, -0.3, 0.0, -1.8, 0.0, 1.8, 0.5])}


def run() -> None:
    """Two tables."""
    kt.threads(1)
    rows = []
    for name in ("ur5", "puma560", "panda"):
        robot, limits = limited(name)
        starts, goals = ends(robot, name, limits["force_limits"], TASKS)
        random, seconds, ok = np.random.default_rng(SEED), [], 0
        for q0, q1 in zip(starts, goals):
            plan = kt.plan.minimum_time(robot, q0=q0, q1=q1, control_points=POINTS, **limits)
            plan = plan.replan(t=0.02 * plan.duration)  # the first time that it moves
            t, moved = random.uniform(0.0, PASSED) * plan.duration, q1 + random.uniform(-MOVED, MOVED, robot.nv)
            began = time.perf_counter()
            found = plan.replan(t=t, goal=moved)
            seconds.append(time.perf_counter() - began)
            ok += found.ok
        median, most = np.quantile(seconds, (0.5, 0.99)) * 1e3
        rows.append([name, f"{ok} of {TASKS}", f"{median:.2f} ms", "<= 3 ms", f"{most:.1f} ms", "<= 10 ms"])
    show("Planning again: the target moves, torque and velocity limits, 16 control points",
         ["robot", "found", "median", "goal", "99 %", "goal"], rows)  # fmt: skip
    robot, limits = limited("ur5")
    starts, goals = ends(robot, "ur5", limits["force_limits"], MANY)
    kt.plan.many(robot, q0=starts[:2], q1=goals[:2], control_points=POINTS, **limits)
    began = time.process_time()
    plans = [kt.plan.many(robot, q0=starts[k : k + 32], q1=goals[k : k + 32], control_points=POINTS, **limits)
             for k in range(0, MANY // 8, 32)]  # fmt: skip
    rate = sum(map(len, plans)) / (time.process_time() - began)
    row = ["ur5", f"{sum(int(part.ok.sum()) for part in plans)} of {sum(map(len, plans))}", f"{rate:.0f}", ">= 150"]
    show("Many tasks in one call, on one core", ["robot", "found", "plans a second", "goal"], [row])


def limited(name: str) -> tuple[kt.Robot, dict[str, Any]]:
    """An arm and its limits of force and velocity."""
    robot = getattr(kt.robots, name)()
    if name == "puma560":
        return robot, {"force_limits": PUMA, "velocity_limits": np.full(6, 3.0)}
    own = [body.joint.limits for body in robot.bodies if body.joint.kind.nv]
    return robot, {
        "force_limits": np.array([x.effort for x in own]), "velocity_limits": np.array([x.velocity for x in own])
    }  # fmt: skip


def ends(robot: kt.Robot, name: str, effort: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Random starts and goals at which the arm can rest."""
    random, middle, found = np.random.default_rng(SEED), MIDDLE.get(name, np.zeros(robot.nv)), list[np.ndarray]()
    while len(found) < 2 * count:
        q = middle + random.uniform(-0.8, 0.8, robot.nv)
        if (np.abs(robot.gravity_forces(q)) < 0.8 * effort).all():
            found.append(q)
    return np.array(found[::2]), np.array(found[1::2])
