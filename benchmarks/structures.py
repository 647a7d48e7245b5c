"""Closed loops, parallel robots, free bases and motors: states a second, and Pinocchio's constraint dynamics beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from benchmarks.timing import best, best_pair
from kinetree.catalogue import Variant
from kinetree.closed import ClosedChain, ParallelRobot

BATCH = 4096
LOOP = 512  # states of a Pinocchio loop
G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
JOINTS = (10, 30, 100, 300)


def run() -> None:
    """One table for each structure."""
    kt.threads(1)
    header = ["", "Kinetree ns", "states/s", "goal", "Pinocchio loop ns", "ratio"]
    rows = [row for case in _CHAINS for row in _chain(*case)]
    show(f"Closed loops and parallel robots, one state of a batch of {BATCH}, one thread, float64", header, rows)
    header = ["", "ns", "states/s", "goal", "ratio to inverse dynamics", "goal"]
    show("Free bases and motors", header, [*_free_base(), _motors()])
    header = ["joints", "operations", "a joint more", "ns"]
    show("Inverse dynamics of an eel on a free base", header, _eels())


def _rate(seconds: float, count: int = BATCH) -> list[str]:
    return [f"{seconds / count * 1e9:.0f}", f"{count / seconds:,.0f}"]


# the zoo robot, its platform, and the least number of states a second
_CHAINS: tuple[tuple[str, str | None, int | None], ...] = (
    ("five_bar", None, 3_000_000),
    ("gough_stewart", "platform", 300_000),
    ("delta", "platform", None),
    ("planar_3rrr", "platform", None),
)


def _chain(name: str, platform: str | None, goal: int | None) -> list[list[object]]:
    robot: kt.Robot = getattr(kt.robots, name)()
    chain, rng = ClosedChain(robot), np.random.default_rng(0)
    q = chain.close(rng.uniform(-0.1, 0.1, (BATCH, chain.mobility))).check()
    qd, qdd = rng.standard_normal((2, BATCH, chain.mobility))
    goals, empty = [f">= {goal:,}" if goal else ""], ["", ""]
    inverse = chain.function("inverse_dynamics")
    rows: list[list[object]] = [
        [f"{name}: inverse dynamics", *_rate(best(lambda: inverse(q, qd, qdd))), *goals, *empty]
    ]
    if platform is not None:
        parallel = ParallelRobot.of(robot, platform)
        pose, twist = robot.pose(q, platform), rng.standard_normal((BATCH, 6)) * _movable(parallel)
        rest = np.zeros(6)
        from_platform = chain.function("platform_inverse_dynamics", platform=parallel.index)
        rows.append(
            [f"{name}: from the platform's motion", *_rate(best(lambda: from_platform(q, twist, rest))), *goals, *empty]
        )
        whole = best(lambda: parallel.inverse_dynamics(pose, twist, rest))
        rows.append([f"{name}: from its pose, legs closed", *_rate(whole), *goals, *empty])
    tau, full = chain.inverse_dynamics(q, qd, qdd), chain.velocities(q, qd)
    direct = chain.function("forward_dynamics")
    theirs = _constraint_dynamics(robot, q, full)
    fast, slow = best_pair(lambda: direct(q, full, tau, 0.0), theirs)
    ratio = [f"{slow / LOOP * 1e9:.0f}", f"{slow / LOOP / (fast / BATCH):.0f}"]
    rows.append([f"{name}: forward dynamics", *_rate(fast), "", *ratio])
    return rows


def _movable(parallel: ParallelRobot) -> np.ndarray:
    """The directions in which the platform of a robot of the zoo can move."""
    return {6: np.ones(6), 3: np.array([0.0, 0.0, 0.0, 1.0, 1.0, 0.0])}[parallel.mobility]


def _constraint_dynamics(robot: kt.Robot, q: np.ndarray, qd: np.ndarray) -> Callable[[], None]:
    """Pinocchio's forward dynamics of the same tree and loops, pins and balls as points that coincide."""
    import pinocchio
    from tests.oracles.pinocchio_model import PinocchioModel

    model = PinocchioModel(robot)
    constraints = pinocchio.StdVec_RigidConstraintModel()
    for loop in robot.loops:
        ends: list[Any] = []
        for end in (loop.predecessor, loop.successor):
            body = robot.index_of(end.body)
            pose = pinocchio.SE3(np.array([[*row] for row in end.pose.R.matrix]), np.array([*end.pose.p]))
            ends += [model.joint[body], model.place[body] * pose]
        point = pinocchio.ContactType.CONTACT_3D
        constraints.append(pinocchio.RigidConstraintModel(point, model.model, *ends))
    data = pinocchio.StdVec_RigidConstraintData()
    data.extend(constraint.createData() for constraint in constraints)
    pinocchio.initConstraintDynamics(model.model, model.data, constraints, data)
    settings = pinocchio.ProximalSettings(1e-10, 1e-10, 10)
    states = [(model.q(q[k]), model.A(q[k]) @ qd[k], np.zeros(model.model.nv)) for k in range(LOOP)]

    def loop() -> None:
        for state in states:
            pinocchio.constraintDynamics(model.model, model.data, *state, constraints, data, settings)

    return loop


def _free_base() -> list[list[object]]:
    robot = models.floating(_robots() / G1)
    rng = np.random.default_rng(0)
    q = np.tile(robot.neutral, (BATCH, 1))
    q[:, 7:] = rng.standard_normal((BATCH, robot.nq - 7))
    qd, qdd = rng.standard_normal((2, BATCH, robot.nv))
    joints = np.ascontiguousarray(qdd[:, 6:])
    inverse, free = robot.function("inverse_dynamics"), robot.function("free_base_inverse_dynamics")
    plain, base = best_pair(lambda: inverse(q, qd, qdd), lambda: free(q, qd, joints))
    direct = best(lambda: robot.function("forward_dynamics")(q, qd, qdd))
    return [
        [f"G1 ({robot.nv}): inverse dynamics", *_rate(plain), "", "", ""],
        [f"G1 ({robot.nv}): inverse dynamics, free base", *_rate(base), "", f"{base / plain:.2f}", "<= 1.6"],
        [f"G1 ({robot.nv}): forward dynamics", *_rate(direct), "", f"{direct / plain:.2f}", ""],
    ]


def _robots() -> Path:
    return models.path("UR5").parents[2]


def _motors() -> list[object]:
    robot = kt.robots.mixed_elastic()
    q, qd, tau = np.random.default_rng(0).standard_normal((3, BATCH, robot.nv))
    direct = robot.function("forward_dynamics")
    return [
        "mixed elastic arm (3 + 1): forward dynamics",
        *_rate(best(lambda: direct(q, qd, tau))),
        ">= 5,000,000",
        "",
        "",
    ]


def _eels() -> Sequence[Sequence[object]]:
    rows: list[list[object]] = []
    variant = Variant("free_base_inverse_dynamics")
    before: tuple[int, int] | None = None
    for n in JOINTS:
        robot = kt.robots.eel(n)
        count = sum(kt.trace(variant, robot).operations.values())
        slope = "" if before is None else f"{(count - before[1]) / (n - before[0]):.1f}"
        before = n, count
        function, rng = robot.function("free_base_inverse_dynamics"), np.random.default_rng(0)
        q = np.tile(robot.neutral, (BATCH // 4, 1))
        q[:, 7:] = rng.standard_normal((BATCH // 4, n))
        qd, qdd = rng.standard_normal((BATCH // 4, robot.nv)), rng.standard_normal((BATCH // 4, n))
        seconds = best(lambda: function(q, qd, qdd))  # noqa: B023
        rows.append([n, count, slope, f"{seconds / (BATCH // 4) * 1e9:.0f}"])
    return rows
