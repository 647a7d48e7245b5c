"""Random planning tasks that have a solution, and a judge of their plans that shares nothing with the planner.

Resting along the straight line from start to goal needs less than the force limits, so a slow motion satisfies them.
Velocities at the end are small enough to be stopped or reached by it. Around a sphere in the way there is a way by one
more configuration, along which the robot can rest too. Settings of the planner are chosen on the robots
of `TRIED` and its seeds, never on those of `REPORTED`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kinetree as kt
from kinetree.plan import Plan, Problem

Array = NDArray[np.float64]
KINDS = ("torque", "all", "gravity", "end velocity", "via", "moving start", "sphere")
SAMPLES = 100_000
CLEARANCE = 0.01  # m, from a sphere in the way
RADIUS = 0.04  # m, of all links


def snake() -> kt.Robot:
    """Twelve joints, their axes across each other in turn."""
    link = [kt.DH(a=0.12, alpha=(-1) ** k * np.pi / 2, mass=0.5, com=(-0.06, 0.0, 0.0), inertia=(2e-4, 8e-4, 8e-4))
            for k in range(12)]  # fmt: skip
    return kt.Robot.from_dh(link, "standard", name="snake")


def planar() -> kt.Robot:
    """Eight joints in a vertical plane."""
    link = kt.DH(a=0.15, mass=0.8, com=(-0.07, 0.0, 0.0), inertia=(3e-4, 2e-3, 2e-3))
    return kt.Robot.from_dh([link] * 8, "standard", gravity=(0.0, -9.81, 0.0), name="planar")


def human_arm() -> kt.Robot:
    """The right arm of the human model from the shoulder on, seven joints, everything else locked."""
    body = kt.robots.human55()
    own = [name for name in body.joint_names if name.startswith(("R_shoulder", "R_elbow", "R_forearm", "R_wrist"))]
    return body.lock({name: 0.0 for name in body.joint_names if name not in own})


REPORTED: dict[str, Callable[[], kt.Robot]] = {
    "Panda": kt.robots.panda, "PUMA 560": kt.robots.puma560, "Stanford": kt.robots.stanford,
    "seven_link": kt.robots.seven_link, "SCARA": kt.robots.scara, "snake": snake, "human arm": human_arm,
}  # fmt: skip
TRIED: dict[str, Callable[[], kt.Robot]] = {
    "UR5": kt.robots.ur5, "UR10": kt.robots.ur10, "iiwa": kt.robots.iiwa14, "RX90": kt.robots.rx90, "planar": planar,
}  # fmt: skip


@cache
def robot_named(name: str) -> kt.Robot:
    return (REPORTED | TRIED)[name]()


def de_boor(knots: Array, points: Array, p: int, s: Array) -> Array:
    """A spline of degree p at s (k,): (k, n)."""
    k = np.clip(np.searchsorted(knots, s, side="right") - 1, p, len(points) - 1)
    d = [points[k - p + j] for j in range(p + 1)]
    for r in range(1, p + 1):
        for j in range(p, r - 1, -1):
            low, high = knots[k - p + j], knots[k + 1 + j - r]
            part = ((s - low) / (high - low))[:, None]
            d[j] = (1.0 - part) * d[j - 1] + part * d[j]
    return d[p]


@dataclass(frozen=True, eq=False)
class PlanTask:
    """A motion in the shortest time, between limits of forces, of velocities and force rates too."""

    robot: kt.Robot
    kind: str
    q: Array  # start and goal
    qd: Array  # velocities there
    limits: dict[str, Array]
    via: Array | None = None
    points: int = 20
    sphere: tuple[Array, float] | None = None  # centre and radius

    def problem(self) -> Problem:
        problem = Problem(self.robot, control_points=self.points)
        problem.start(self.q[0], self.qd[0])
        problem.end(self.q[1], self.qd[1])
        if self.via is not None:
            problem.via(0.5, "position", self.via)
        for name, bound in self.limits.items():
            problem.limit(name, bound)
        problem.minimise("time")
        if self.sphere is not None:
            shapes = kt.plan.link_shapes(self.robot, RADIUS)
            problem.avoid([kt.plan.Sphere(*self.sphere)], shapes=shapes, clearance=CLEARANCE, self_collision=False)
        return problem

    def violation(self, plan: Plan, samples: int = SAMPLES) -> float:
        """The largest of a limit, relative to it; by de Boor's algorithm and the robot's own dynamics."""
        worst, knots, points, p = 0.0, plan.spline.knots, plan.control_points, plan.spline.degree
        s, motion = np.linspace(0.0, 1.0, samples), list[Array]()
        motion.append(de_boor(knots, points, p, s))
        for r in range(1, 4 if "force_rate" in self.limits else 3):
            points = p * np.diff(points, axis=0) / (knots[p + 1 : -1] - knots[1 : -p - 1])[:, None]
            knots, p = knots[1:-1], p - 1
            motion.append(de_boor(knots, points, p, s) / plan.duration**r)
        for name, bound in self.limits.items():
            if name == "force":
                values = self.robot.inverse_dynamics(*motion[:3])
            elif name == "force_rate":
                values = self.robot.force_rates(*motion)
            else:
                values = motion[1]
            worst = max(worst, float((np.abs(values).max(axis=0) / bound).max()) - 1.0)
        if self.sphere is not None:
            worst = max(worst, 1.0 - float(sphere_distances(self.robot, motion[0], *self.sphere).min()) / CLEARANCE)
        off = max(np.abs(motion[0][[0, -1]] - self.q).max(), np.abs(motion[1][[0, -1]] - self.qd).max())
        return max(worst, 0.0 if off <= 1e-6 else float(off))


def sphere_distances(robot: kt.Robot, q: Array, centre: Array, radius: float) -> Array:
    """From a sphere to the nearest link, at configurations (k, nv)."""
    nearest = np.full(len(q), np.inf)
    known: dict[str, Any] = {**kt.plan.link_shapes(robot, RADIUS)}
    for frame, shapes in known.items():
        X = robot.pose(q, frame)
        for shape in shapes if isinstance(shapes, list | tuple) else [shapes]:
            ends = (shape.center,) * 2 if isinstance(shape, kt.plan.Sphere) else (shape.start, shape.end)
            a, b = (X[:, :3, :3] @ np.asarray(end, float) + X[:, :3, 3] for end in ends)
            line = b - a
            share = ((centre - a) * line).sum(axis=1) / np.maximum((line * line).sum(axis=1), 1e-12)
            at = a + np.clip(share, 0.0, 1.0)[:, None] * line
            nearest = np.minimum(nearest, np.linalg.norm(centre - at, axis=1) - radius - shape.radius)
    return nearest


def in_the_way(task: PlanTask, low: Array, high: Array, rng: np.random.Generator) -> PlanTask | None:
    """The task with a sphere that the straight line meets, and that another way does not; None where none was found."""
    robot, tip = task.robot, task.robot.bodies[-1].name
    line = lambda a, b: a + np.linspace(0.0, 1.0, 101)[:, None] * (b - a)  # noqa: E731
    straight = line(*task.q)
    for _ in range(20):
        centre = robot.pose(straight[50], tip)[:3, 3] + 0.05 * rng.normal(size=3)
        radius = float(rng.uniform(0.03, 0.08))
        distances = sphere_distances(robot, straight, centre, radius)
        if min(distances[0], distances[-1]) < 0.05 or distances.min() > 0.0:
            continue
        for _ in range(200):
            via = np.clip(straight[50] + 0.4 * (high - low) * rng.uniform(-1.0, 1.0, robot.nv), low, high)
            other = np.concatenate((line(task.q[0], via), line(via, task.q[1])))
            held = (np.abs(robot.gravity_forces(other)) < 0.95 * task.limits["force"]).all()
            if held and sphere_distances(robot, other, centre, radius).min() > 2.0 * CLEARANCE:
                return replace(task, sphere=(centre, radius))
    return None


def random_task(robot: kt.Robot, kind: str, rng: np.random.Generator) -> PlanTask:
    """A task of a kind, with limits that suit the robot."""
    low, high = np.maximum(robot.lower, -1.5), np.minimum(robot.upper, 1.5)
    prismatic = np.array(
        [body.joint.kind.__class__.__name__ == "Prismatic" for body in robot.bodies if body.joint.kind.nv]
    )
    low, high = np.where(prismatic, np.maximum(low, 0.1), low), np.where(prismatic, np.minimum(high, 0.6), high)
    q = rng.uniform(low, high, (2, robot.nv))
    line = q[0] + np.linspace(0.0, 1.0, 101)[:, None] * (q[1] - q[0])
    held = np.abs(robot.gravity_forces(line)).max(axis=0)
    inertia = np.diagonal(robot.mass_matrix(line), axis1=1, axis2=2).max(axis=0)
    share = rng.uniform(0.70, 0.98, robot.nv) if kind == "gravity" else rng.uniform(0.2, 0.6, robot.nv)
    force = held / share + rng.uniform(2.0, 8.0, robot.nv) * inertia * (held < 1e-3 * inertia)
    force = np.maximum(force, held + 0.3 * inertia if kind == "gravity" else held + 2.0 * inertia)
    limits: dict[str, Array] = {"force": force}
    velocity = rng.uniform(1.0, 3.0, robot.nv) * np.where(prismatic, 0.5, 1.0)
    qd, via = np.zeros((2, robot.nv)), None
    if kind == "all":
        limits |= {"velocity": velocity, "force_rate": force * rng.uniform(8.0, 25.0)}
    if kind in ("end velocity", "moving start"):
        limits["velocity"] = velocity
        which = 1 if kind == "end velocity" else 0
        qd[which] = 0.2 * velocity * rng.uniform(-1.0, 1.0, robot.nv)
    if kind == "via":
        via = q.mean(axis=0) + 0.15 * (high - low) * rng.uniform(-1.0, 1.0, robot.nv)
        via = np.clip(via, low, high)
        legs = np.concatenate([a + np.linspace(0.0, 1.0, 51)[:, None] * (b - a) for a, b in ((q[0], via), (via, q[1]))])
        limits["force"] = np.maximum(force, 1.1 * np.abs(robot.gravity_forces(legs)).max(axis=0) + 0.3 * inertia)
    task = PlanTask(robot, kind, q, qd, limits, via)
    if kind == "sphere":
        return in_the_way(task, low, high, rng) or random_task(robot, kind, rng)
    return task


def tasks(names: Any, count: int, seed: int) -> list[tuple[str, PlanTask]]:
    """So many tasks, robots and kinds in turn."""
    rng, found = np.random.default_rng(seed), []
    names = [*names]
    for k in range(count):
        name, kind = names[k % len(names)], KINDS[(k // len(names)) % len(KINDS)]
        found.append((name, random_task(robot_named(name), kind, rng)))
    return found
