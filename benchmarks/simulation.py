"""Simulation: steps a second of an arm under computed torque, in batches and alone; MuJoCo's steps beside."""

from __future__ import annotations

import time

import mujoco
import numpy as np

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from benchmarks.timing import best

BATCH, DT, SECONDS = 4096, 1e-3, 10.0
SHORT = 0.25  # seconds of a batch that are measured; the rest takes the same time
REPEATS = 5


def run() -> None:
    """One table."""
    kt.threads(1)
    arm = models.robot("UR5")
    reference = kt.control.Sinusoid([0.5] * arm.nv, omega=2.0)
    control = kt.control.ComputedTorque(reference, kp=100.0, kd=20.0)
    rng = np.random.default_rng(0)
    starts, rest = rng.standard_normal((BATCH, arm.nv)), np.zeros(arm.nv)

    def batch() -> None:
        kt.simulate(arm, starts, rest, SHORT, control, dt=DT, every=round(SHORT / DT))

    def alone() -> None:
        kt.simulate(arm, starts[0], rest, SECONDS, control, dt=DT)

    def free() -> None:
        kt.simulate(arm, starts, rest, SHORT, dt=DT, every=round(SHORT / DT))

    steps = BATCH * round(SHORT / DT)
    ours = steps / best(batch, 0.0, REPEATS)
    loose = steps / best(free, 0.0, REPEATS)
    single = best(alone, 0.0, REPEATS)
    theirs = _mujoco(arm)
    header = ["", "steps/s", "goal", "of MuJoCo", "goal"]
    rows = [
        [f"{BATCH} runs, RK4, computed torque inside", f"{ours:,.0f}", ">= 4,000,000", f"{ours / theirs:.0f}", ">= 5"],
        [f"{BATCH} runs, RK4, no forces", f"{loose:,.0f}", "", f"{loose / theirs:.0f}", ""],
        ["MuJoCo, RK4, no forces, no contacts", f"{theirs:,.0f}", "", "1", ""],
    ]
    show("UR5 in steps of 1 ms, one thread", header, rows)
    header = ["", "time", "goal"]
    show("One run of 10,000 steps, all recorded", header, [["computed torque, RK4", f"{single:.3f} s", "<= 0.15 s"]])


def _mujoco(arm: kt.Robot) -> float:
    """Steps a second of the same arm, many in one call."""
    model = models.mujoco_model(arm)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = DT
    data, fastest = mujoco.MjData(model), 0.0
    for _ in range(REPEATS):
        mujoco.mj_resetData(model, data)
        data.qpos[:] = 0.3
        start = time.perf_counter()
        mujoco.mj_step(model, data, nstep=5000)
        fastest = max(fastest, 5000 / (time.perf_counter() - start))
    return fastest
