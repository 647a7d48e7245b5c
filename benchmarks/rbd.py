"""The robots of rbd-benchmarks: a single call and a batch, beside Pinocchio on the same model.

Reference: Neuman, Koolen, Drean, Miller, Devadas, Benchmarking and workload analysis of robot dynamics algorithms,
IROS 2019, takes an iiwa, HyQ and Atlas, whose numbers `kt.robots` has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pinocchio

import kinetree as kt
from benchmarks.table import show
from benchmarks.timing import best, best_pair

ROBOTS = {"iiwa": kt.robots.iiwa14, "HyQ": kt.robots.hyq, "Atlas": kt.robots.atlas}
FUNCTIONS = {  # and how many arguments, and Pinocchio's
    "inverse_dynamics": (3, pinocchio.rnea),
    "forward_dynamics": (3, pinocchio.aba),
    "mass_matrix": (1, pinocchio.crba),
}
BATCH, CALLS = 4096, 2000
EQUAL = 1e-9  # of the largest number of a result


def run() -> None:
    """First whether both compute the same; then a table of single calls and one of batches."""
    kt.threads(1)
    single, batch = zip(*(rows for name in ROBOTS for rows in _rows(name)))
    header = ["", "Kinetree us", "Pinocchio us", "ratio"]
    show("The robots of rbd-benchmarks, one single call from Python", header, single)
    header = ["", "Kinetree ns", "with out= ns", "Pinocchio loop ns", "ratio"]
    show(f"The robots of rbd-benchmarks, one state of a batch of {BATCH}, one thread, float64", header, batch)


@dataclass(frozen=True)
class Peer:
    """Pinocchio's model of a robot, and where our coordinates and velocities are in its own."""

    model: Any
    data: Any
    q: np.ndarray
    v: np.ndarray

    @staticmethod
    def of(robot: kt.Robot) -> Peer:
        free = [pinocchio.JointModelFreeFlyer(), "base"] if robot.base_joints else []
        model = pinocchio.buildModelFromXML(robot.to_urdf(), *free)
        q, v = np.empty(model.nq, int), np.empty(model.nv, int)
        for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
            joint = model.joints[model.getJointId(body.joint.name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = np.r_[qs]
            v[joint.idx_v : joint.idx_v + joint.nv] = np.roll(np.r_[vs], joint.nv // 2)  # of a free body, linear first
        return Peer(model, model.createData(), q, v)

    def given(self, *args: np.ndarray) -> list[np.ndarray]:
        """Positions, and perhaps velocities and accelerations or forces, in its order."""
        return [np.ascontiguousarray(x[..., at]) for x, at in zip(args, (self.q, self.v, self.v))]


def states(robot: kt.Robot, count: int) -> list[np.ndarray]:
    """Positions, velocities, and accelerations or forces at random."""
    rng = np.random.default_rng(0)
    q, v, a = (rng.standard_normal((count, n)) for n in (robot.nq, robot.nv, robot.nv))
    for _, start in robot.quaternions:
        q[:, start : start + 4] /= np.linalg.norm(q[:, start : start + 4], axis=1, keepdims=True)
    return [q, v, a]


def check(robot: kt.Robot, peer: Peer, count: int = 8) -> None:
    """Raise where the two don't compute the same numbers."""
    for what, (arguments, function) in FUNCTIONS.items():
        args = states(robot, count)[:arguments]
        for k, ours in enumerate(getattr(robot, what)(*args)):
            found = np.array(function(peer.model, peer.data, *(x[k] for x in peer.given(*args))))
            theirs = np.empty_like(ours)
            if theirs.ndim == 1:
                theirs[peer.v] = found
            else:  # the upper triangle is computed
                theirs[np.ix_(peer.v, peer.v)] = np.triu(found) + np.triu(found, 1).T
            if not np.abs(ours - theirs).max() <= EQUAL * np.abs(theirs).max():
                raise AssertionError(f"{robot.name}: {what} differs from Pinocchio's")


def _rows(name: str) -> Iterator[tuple[list[object], list[object]]]:
    robot = ROBOTS[name]()
    peer = Peer.of(robot)
    check(robot, peer)
    for what, (arguments, function) in FUNCTIONS.items():
        args = states(robot, BATCH)[:arguments]
        ours, theirs = getattr(robot, what), partial(function, peer.model, peer.data)
        label = f"{name} ({robot.nv}) {what.replace('_', ' ')}"
        one, same = [x[0] for x in args], peer.given(*(x[0] for x in args))
        a, b = (1e6 / CALLS * t for t in best_pair(_repeated(ours, one), _repeated(theirs, same)))
        fast, slow = best_pair(partial(ours, *args), _loop(theirs, peer.given(*args)))
        into = best(partial(ours, *args, out=ours(*args)))
        batch = [f"{1e9 / BATCH * t:.1f}" for t in (fast, into)], f"{1e9 / BATCH * slow:.0f}", f"{slow / fast:.0f}"
        yield [label, f"{a:.2f}", f"{b:.2f}", f"{b / a:.1f}"], [label, *batch[0], *batch[1:]]


def _repeated(function: Callable[..., Any], args: list[np.ndarray]) -> Callable[[], None]:
    def work() -> None:
        for _ in range(CALLS):
            function(*args)

    return work


def _loop(function: Callable[..., Any], args: list[np.ndarray]) -> Callable[[], None]:
    def work() -> None:
        for row in zip(*args):
            function(*row)

    return work
