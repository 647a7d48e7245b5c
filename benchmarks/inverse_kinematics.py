"""Inverse kinematics: the share of reachable poses that is solved, and what one costs; others beside, in the same run.

Poses are those of random configurations inside the limits; a pose is solved at 1e-6 m and 1e-6 rad, inside the limits.
No default of the search was chosen on the two arms that are reported.
"""

from __future__ import annotations

import dataclasses
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.table import show
from benchmarks.timing import best

POSES, SINGLES, FEW = 10_000, 200, 200
TOLERANCE = 1e-6
ARMS = {"panda": ("tcp", 200_000), "ur5": ("tool0", None)}
STARTS, STEPS, DAMPING = 10, 100, 1e-6  # of the loop in Python


def run() -> None:
    """Two arms, mechanisms with many tasks or loops, and other libraries."""
    kt.threads(1)
    rows = [_arm(name, *about) for name, about in ARMS.items()]
    header = ["", "solved %", "goal", "solved poses/s", "goal", "us a solve", "goal", "us a single call", "goal",
              "median iterations"]  # fmt: skip
    show(f"Inverse kinematics of {POSES:,} random poses, limits kept, one thread", header, rows)
    header = ["", "solved %", "goal", "us a solve", "median iterations"]
    show("Loops, and several frames at once", header, [_platform(), _humanoid()])
    rows = [row for name, (frame, _) in ARMS.items() for row in _others(name, frame)]
    header = ["", "solved %", "us a solve", "solved poses/s", "median iterations"]
    show(f"The same poses in other libraries, {FEW} of them one after the other", header, rows)


def _arm(name: str, frame: str, goal: int | None) -> list[object]:
    robot: kt.Robot = getattr(kt.robots, name)()
    target = robot.pose(robot.random(POSES, seed=2024), frame)
    found = robot.inverse_kinematics(frame, target)
    seconds = best(lambda: robot.inverse_kinematics(frame, target), 2.0)
    singles = [np.ascontiguousarray(pose) for pose in target[:SINGLES]]
    single = best(lambda: [robot.inverse_kinematics(frame, pose) for pose in singles], 1.0) / SINGLES
    return [
        f"{name} ({robot.nv})", *_share(found), ">= 99.5", f"{found.solved.sum() / seconds:,.0f}",
        f">= {goal:,}" if goal else "", f"{seconds / POSES * 1e6:.2f}", "<= 5", f"{single * 1e6:.1f}", "<= 15",
        f"{np.median(found.iterations):.0f}",
    ]  # fmt: skip


def _share(found: kt.KinematicsSolution) -> list[str]:
    return [f"{100.0 * found.solved.mean():.2f}"]


def _platform() -> list[object]:
    """A Gough-Stewart platform at poses that its legs can reach."""
    chain = kt.ClosedChain(kt.robots.gough_stewart())
    closed = chain.close(np.random.default_rng(0).uniform(-0.15, 0.15, (1000, 6)))
    target = chain.robot.pose(closed.q[closed.closed], "platform")
    return _many("gough_stewart: its platform", lambda: chain.inverse_kinematics("platform", target), len(target))


def _humanoid() -> list[object]:
    """A humanoid with both feet and a hand at given poses."""
    robot, frames = kt.robots.atlas(), ("l_sole", "r_sole", "r_hand_mount")
    solver = kt.InverseKinematics(robot, [kt.tasks.Pose(frame) for frame in frames])
    target = [robot.pose(robot.random(1000, seed=1), frame) for frame in frames]
    return _many(f"atlas ({robot.nv}): two feet and a hand", lambda: solver(*target), 1000)


def _many(name: str, solve: Callable[[], kt.KinematicsSolution], count: int) -> list[object]:
    found = solve()
    return [name, *_share(found), ">= 95", f"{best(solve) / count * 1e6:.1f}", f"{np.median(found.iterations):.0f}"]


# -- others ------------------------------------------------------------------------------------------------------------


def _others(name: str, frame: str) -> Iterator[list[object]]:
    robot: kt.Robot = getattr(kt.robots, name)()
    target = robot.pose(robot.random(FEW, seed=2024), frame)
    solvers = {"Kinetree, one by one": _kinetree, "Pinocchio, damped least squares in Python": _pinocchio}
    for library, make in (*solvers.items(), ("ikpy", _ikpy)):
        try:
            solve = make(robot, frame)
        except ImportError:
            continue  # not in this environment
        start = time.perf_counter()
        results = [solve(pose) for pose in target]
        seconds = time.perf_counter() - start
        q = np.array([result[0] for result in results])
        solved = _is_reached(robot, frame, target, q)
        steps = [result[1] for result in results]
        median = f"{np.median(steps):.0f}" if all(steps) else ""
        yield [f"{name}: {library}", f"{100.0 * solved.mean():.1f}", f"{seconds / FEW * 1e6:,.0f}",
               f"{solved.sum() / seconds:,.0f}", median]  # fmt: skip


def _is_reached(robot: kt.Robot, frame: str, target: np.ndarray, q: np.ndarray) -> np.ndarray:
    pose = robot.pose(q, frame)
    distance = np.linalg.norm((pose - target)[:, :3, 3], axis=-1)
    angle = np.linalg.norm((pose - target)[:, :3, :3], axis=(-2, -1)) / np.sqrt(2.0)
    inside = ((q >= robot.lower - 1e-9) & (q <= robot.upper + 1e-9)).all(axis=-1)
    return (distance <= 1.01 * TOLERANCE) & (angle <= 1.01 * TOLERANCE) & inside


Solver = Callable[[np.ndarray], tuple[Any, Any]]


def _kinetree(robot: kt.Robot, frame: str) -> Solver:
    def solve(pose: np.ndarray) -> tuple[Any, Any]:
        found = robot.inverse_kinematics(frame, pose)
        return found.q, found.iterations

    solve(robot.pose(robot.random(seed=0), frame))
    return solve


def _pinocchio(robot: kt.Robot, frame: str) -> Solver:
    """The loop of Pinocchio's documentation, with limits, and random starts where it does not end."""
    import pinocchio as pin

    model = pin.buildModelFromXML(robot.to_urdf())
    data, number = model.createData(), model.getFrameId(frame)
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    rng = np.random.default_rng(0)

    def solve(pose: np.ndarray) -> tuple[Any, Any]:
        wanted, q, count = pin.SE3(pose), 0.5 * (low + high), 0
        for _ in range(STARTS):
            for _ in range(STEPS):
                pin.framesForwardKinematics(model, data, q)
                there = data.oMf[number].actInv(wanted)
                error = pin.log(there).vector
                if np.linalg.norm(error[:3]) < TOLERANCE and np.linalg.norm(error[3:]) < TOLERANCE:
                    return q, count + 1
                J = -pin.Jlog6(there.inverse()) @ pin.computeFrameJacobian(model, data, q, number)
                step = -J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), error)
                q, count = np.clip(pin.integrate(model, q, step), low, high), count + 1
            q = rng.uniform(low, high)
        return q, count

    return solve


def _ikpy(robot: kt.Robot, frame: str) -> Solver:
    """ikpy minimises the error by the general methods of SciPy, here with its default."""
    from ikpy.chain import Chain

    alone = dataclasses.replace(robot, named_frames={frame: robot.frames[frame]})  # the end of its chain
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fixed links are left out of the mask below
        path = Path(folder) / "robot.urdf"
        path.write_text(alone.to_urdf(), encoding="utf-8")
        chain = Chain.from_urdf_file(str(path), base_elements=["world"])
    active = [link.name in robot.joint_names for link in chain.links]
    chain = Chain(chain.links, active_links_mask=active)
    middle = np.where(active, [np.mean(link.bounds) if abs(link.bounds[0]) < 10 else 0.0 for link in chain.links], 0.0)

    def solve(pose: np.ndarray) -> tuple[Any, Any]:
        found = chain.inverse_kinematics_frame(pose, orientation_mode="all", initial_position=middle)
        return np.array(found)[active], None

    return solve
