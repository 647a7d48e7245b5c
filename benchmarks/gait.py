"""Gait: how long the prediction of a step takes, with functions to compile and without, and what it finds."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from benchmarks.table import show

if TYPE_CHECKING:
    from kinetree.gait import Gait

_COLD = "import kinetree.gait as g; g.predict(progress=False)"
_SEEDS = range(11, 21)  # of other configurations to start from; not those that were looked at when the search was tuned
_SPREAD = 0.05  # rad, of those configurations
_SAME = 0.01  # of the effort: gaits that are so near to that from q = 0 are counted


def run() -> None:
    """Two tables."""
    import numpy as np

    from kinetree.gait import predict

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", _COLD], env={**os.environ, "KINETREE_CACHE_DIR": folder}, check=True)
        cold = time.perf_counter() - began
    predict(progress=False)  # what follows finds its functions
    starts = [np.zeros(36)]
    starts += [np.random.default_rng(seed).normal(size=36) * _SPREAD for seed in _SEEDS]
    gaits = [predict(start=start, progress=False) for start in starts]
    seconds, effort = gaits[0].seconds, gaits[0].effort
    same = sum(abs(gait.effort - effort) <= _SAME * effort for gait in gaits[1:])
    names = ["from q = 0", f"from {len(_SEEDS)} random configurations, {_SPREAD:g} rad: {same} within {_SAME:.0%}"]
    rows = [[name, *_figures(some, goal)] for name, some, goal in zip(names, (gaits[:1], gaits[1:]), ("<= 10 s", ""))]
    header = ["start", "effort", "iterations", "seconds", "goal", "largest vertical force / weight"]
    show("One step at 1.2 m/s, 0.6 m", [*header, "constraints satisfied"], rows)
    row = ["from q = 0", f"{cold:.0f} s", f"{cold - seconds:.0f} s", "<= 20 s"]
    show("The same in an empty cache", ["", "seconds", "of that to compile", "goal"], [row])


def _figures(gaits: list[Gait], goal: str) -> list[object]:
    """From the least to the most of each figure."""
    forces = [gait.ground_forces()["vertical"].max() for gait in gaits]
    return [
        _range([gait.effort for gait in gaits], ".4f"),
        _range([gait.iterations for gait in gaits], ""),
        _range([gait.seconds for gait in gaits], ".1f") + " s",
        goal,
        _range(forces, ".2f"),
        all(gait.ok for gait in gaits),
    ]


def _range(values: list[float], form: str) -> str:
    return " to ".join(dict.fromkeys(f"{x:{form}}" for x in (min(values), max(values))))
