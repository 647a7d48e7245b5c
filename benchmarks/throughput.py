"""States per second on one thread, against Pinocchio called in a Python loop."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pinocchio

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from benchmarks.timing import best, best_pair

BATCH = 4096
# the least ratio that each function must reach
GOALS = {
    "inverse dynamics": {"UR5": 45, "Panda": 28, "Talos": 22},
    "forward dynamics": {"UR5": 60, "Panda": 45, "Talos": 35},
    "mass matrix": {"UR5": 50, "Panda": 35, "Talos": 14},
}


def run() -> None:
    """Throughput, one thread; then single calls; then two threads."""
    kt.threads(1)
    rows = [row for name in models.FILES for row in _robot(name)]
    peers = "Pinocchio loop ns", "ratio", "goal", "Pinocchio batch ns", "MuJoCo ns"
    header = ["", "Kinetree ns", "with out= ns", *peers, "float32, out= ns"]
    show(f"One state of a batch of {BATCH}, one thread, float64, row-major", header, rows)
    _writing()
    _single_call()
    _two_threads()


def _robot(name: str) -> list[list[object]]:
    robot, model = models.robot(name), models.pinocchio_model(name)
    data, rng = model.createData(), np.random.default_rng(0)
    q, v, a = (rng.standard_normal((BATCH, robot.nv)) for _ in range(3))
    tau, M = np.empty_like(q), np.empty((BATCH, robot.nv, robot.nv))
    states = range(BATCH)

    def rnea() -> None:
        for k in states:
            pinocchio.rnea(model, data, q[k], v[k], a[k])

    def aba() -> None:
        for k in states:
            pinocchio.aba(model, data, q[k], v[k], a[k])

    def crba() -> None:
        for k in states:
            pinocchio.crba(model, data, q[k])

    cases: dict[str, tuple[tuple[np.ndarray, ...], np.ndarray, Any, Any, Any]] = {
        "inverse dynamics": (
            (q, v, a), tau, rnea, _in_parallel("rneaInParallel", model, q, v, a), _mujoco_inverse(robot, q, v, a)
        ),
        "forward dynamics": ((q, v, a), tau, aba, _in_parallel("abaInParallel", model, q, v, a), None),
        "mass matrix": ((q,), M, crba, None, None),
    }  # fmt: skip
    rows: list[list[object]] = []
    for what, (args, out, theirs, batch, mujoco) in cases.items():
        function = getattr(robot, what.replace(" ", "_"))
        single, out_single = [x.astype(np.float32) for x in args], np.empty_like(out, np.float32)
        fast, slow = best_pair(partial(function, *args), theirs)
        into = best(partial(function, *args, out=out))
        others = [f"{best(f) / BATCH * 1e9:.0f}" if f else "-" for f in (batch, mujoco)]
        into_single = best(partial(function, *single, out=out_single))
        times = f"{fast / BATCH * 1e9:.1f}", f"{into / BATCH * 1e9:.1f}", f"{slow / BATCH * 1e9:.0f}"
        goal = f">= {GOALS[what][name]}"
        row = [*times, f"{slow / fast:.0f}", goal, *others, f"{into_single / BATCH * 1e9:.1f}"]
        rows.append([f"{name} ({robot.nv}) {what}", *row])
    return rows


def _writing() -> None:
    """What memory alone costs: the mass matrices of a batch of Talos are 34 MB."""
    M, row = np.empty((BATCH, 1024)), np.ones(1024)
    times = [best(work) / BATCH * 1e9 for work in (lambda: M.fill(1.0), lambda: np.copyto(M, row))]
    header = ["", "M.fill(1.0)", "np.copyto(M, row)"]
    show("Writing 32 x 32 numbers for each state, nothing computed", header, [["ns", *(f"{t:.0f}" for t in times)]])


def _in_parallel(name: str, model: Any, *arrays: np.ndarray) -> Any:
    """Pinocchio's own batch call with one thread."""
    pool_type, function = getattr(pinocchio, "ModelPool", None), getattr(pinocchio, name, None)
    if pool_type is None or function is None:
        return None
    pool = pool_type(model, 1)
    columns = [np.asfortranarray(x.T) for x in arrays]
    result = np.empty_like(columns[0], order="F")
    return lambda: function(1, pool, *columns, result)


def _mujoco_inverse(robot: kt.Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Any:
    import mujoco

    model = models.mujoco_model(robot)
    data = mujoco.MjData(model)

    def work() -> None:
        for k in range(len(q)):
            data.qpos[:], data.qvel[:], data.qacc[:] = q[k], v[k], a[k]
            mujoco.mj_inverse(model, data)

    return work


def _single_call() -> None:
    robot, model = models.robot("UR5"), models.pinocchio_model("UR5")
    data, rng = model.createData(), np.random.default_rng(1)
    q, v, a = (rng.standard_normal(robot.nv) for _ in range(3))
    function = robot.function("inverse_dynamics")
    ufunc = function.ufunc()
    calls = range(2000)

    def method() -> None:
        for _ in calls:
            robot.inverse_dynamics(q, v, a)

    def through_ufunc() -> None:
        for _ in calls:
            ufunc(q, v, a)

    def rnea() -> None:
        for _ in calls:
            pinocchio.rnea(model, data, q, v, a)

    ours, theirs = best_pair(method, rnea)
    bare, _ = best_pair(through_ufunc, rnea)
    us = [f"{t / len(calls) * 1e6:.2f} us" for t in (ours, bare, theirs)]
    header = ["", "robot.inverse_dynamics", "its NumPy ufunc", "pin.rnea"]
    show("One single call from Python, UR5 inverse dynamics", header, [["UR5", *us]])


def _two_threads() -> None:
    robot, rng = models.robot("UR5"), np.random.default_rng(2)
    q, v, a = (rng.standard_normal((1_000_000, robot.nv)) for _ in range(3))
    tau = np.empty_like(q)
    times = []
    for count in (1, 2):
        kt.threads(count)
        times.append(best(lambda: robot.inverse_dynamics(q, v, a, out=tau), 2.0))
    kt.threads(1)
    header = ["", "1 thread", "2 threads", "ratio", "goal"]
    row = ["UR5 inverse dynamics", *(f"{t * 1e3:.1f} ms" for t in times), f"{times[0] / times[1]:.2f}", ">= 1.7"]
    show("A million states", header, [row])
