"""Gait: how long the prediction of a step takes, how far it converges, and how near to people it comes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.table import show

if TYPE_CHECKING:
    from kinetree.gait import Gait

_COLD = "import kinetree.gait as g; g.predict(progress=False)"
_NEW_BODY = "import kinetree.gait as g; g.predict(walker=g.Walker(stature=1.8, mass=80.0), progress=False)"
_SEEDS = range(100, 120)  # of configurations to start from
_SPREAD = 0.2  # rad, of these
_SAME, _FAR = 1.01, 1.05  # of the least effort
_POINTS = (8, 10, 12, 14, 16, 18)
_ANGLES = ("hip", "knee", "ankle")
_SPEEDS = (0.6, 0.8, 1.0, 1.2, 1.4, 1.5, 1.6, 1.8)


def run() -> None:
    """Five tables."""
    from kinetree.gait import Walker, predict

    with tempfile.TemporaryDirectory() as folder:
        cold, body = (_seconds(code, folder) for code in (_COLD, _NEW_BODY))
    gait = predict(progress=False)  # what follows finds its functions
    warm = predict(progress=False)
    weak = predict(walker=Walker(strength={"L_knee": 0.3}), symmetric=False, progress=False)
    published = predict(formulation="thesis", progress=False)
    rows = [
        ["a step, functions compiled", f"{warm.seconds:.1f} s", "<= 5 s", warm.iterations, warm.ok],
        ["the same in an empty cache, a process of its own", f"{cold:.1f} s", "<= 12 s", "", True],
        ["another body after that", f"{body:.1f} s", "<= 12 s", "", True],
        ["a stride with a weak knee", f"{weak.seconds:.1f} s", "<= 20 s", weak.iterations, weak.ok],
        ["a step, formulation of the thesis", f"{published.seconds:.1f} s", "", published.iterations, published.ok],
    ]
    show("A step at 1.2 m/s", ["", "time", "goal", "iterations", "constraints satisfied"], rows)
    _show_convergence(gait, predict)
    _show_speeds(predict)


def _seconds(code: str, folder: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "KINETREE_CACHE_DIR": folder}, check=True)
    return time.perf_counter() - began


def _show_convergence(gait: Gait, predict: Callable[..., Gait]) -> None:
    import numpy as np

    size = gait.step.walker.robot.nv
    starts = (_SPREAD * np.random.default_rng(seed).standard_normal(size) for seed in _SEEDS)
    efforts = [predict(start=start, progress=False).effort for start in starts]
    best = min(gait.effort, *efforts)
    near = sum(x <= _SAME * best for x in efforts), sum(x > _FAR * best for x in efforts)
    row = [
        len(efforts),
        f"{near[0]} (>= 18)",
        f"{near[1]} (0)",
        f"{gait.effort:.5f}",
        f"{best:.5f}",
        f"{max(efforts):.5f}",
    ]
    show(f"Starts of {_SPREAD:g} rad", ["starts", "within 1 %", "above 5 %", "from q = 0", "least", "most"], [row])
    meshes = [predict(control_points=n, progress=False) for n in _POINTS]
    rows = [[n, f"{g.effort:.5f}", g.iterations, f"{g.seconds:.1f} s", g.ok] for n, g in zip(_POINTS, meshes)]
    show("Control points", ["points", "effort", "iterations", "time", "constraints satisfied"], rows)


def _show_speeds(predict: Callable[..., Gait]) -> None:
    from kinetree.gait import Walker

    rows = []
    for sex in ("male", "female"):
        for speed in (0.8, 1.2, 1.5):
            gait = predict(speed, walker=Walker(sex=sex), progress=False)
            found = gait.realism()
            value = {x.name: x.value for x in found.measures}
            fits = [
                f"{value[f'correlation of {j} angle']:.3f}, {value[f'RMS error of {j} angle']:.1f}" for j in _ANGLES
            ]
            peaks = ", ".join(f"{value[f'{which} vertical peak']:.2f}" for which in ("first", "second"))
            rise = f"{value['centre of mass sideways']:.0f}, {value['centre of mass up and down']:.1f}"
            met = f"{sum(x.met for x in found.measures)} of {len(found.measures)}"
            arms = f"{value['shoulder swing']:.0f}"
            rows.append(
                [sex, speed, *fits, peaks, rise, arms, met, f"{gait.effort:.3f}", f"{gait.seconds:.1f} s", gait.ok]
            )
    header = ["sex", "speed [m/s]", *(f"{j}, r and RMS [deg]" for j in _ANGLES), "vertical peaks [BW]",
              "centre of mass, sideways and up [mm]", "shoulder swing [deg]", "in their bands", "effort",
              "time"]  # fmt: skip
    show("Speeds and sexes", [*header, "constraints satisfied"], rows)
    gaits = [predict(speed, progress=False) for speed in _SPEEDS]
    rows = [
        [v, f"{g.effort:.3f}", f"{g.cost_of_transport:.2f}", f"{_of_joints(g):.2f}", g.ok]
        for v, g in zip(_SPEEDS, gaits)
    ]
    header = ["speed [m/s]", "effort", "of muscles [J/kg/m]", "of joint work and 1.6 W/kg", "constraints satisfied"]
    show("Cost of transport", header, rows)


def _of_joints(gait: Gait) -> float:
    """The cost of transport from the work of all joints, at efficiencies of 0.25 and 1.2, and of standing."""
    plus, minus = gait.states().work()
    return plus / 0.25 - minus / 1.2 + 1.6 / gait.step.speed
