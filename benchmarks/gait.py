"""Gait: how long the prediction of a step takes, with functions to compile and without, and what it finds."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.table import show

_COLD = "import kinetree.gait as g; g.predict(progress=False)"
_STARTS = 3  # other postures to start from
_SPREAD = 0.05  # rad, of those postures


def run() -> None:
    """One table."""
    import numpy as np

    from kinetree.gait import predict

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", _COLD], env={**os.environ, "KINETREE_CACHE_DIR": folder}, check=True)
        cold = time.perf_counter() - began
    predict(progress=False)  # what follows finds its functions
    random = np.random.default_rng(0)
    rows, seconds = [], []
    for k in range(1 + _STARTS):
        began = time.perf_counter()
        gait = predict(start=random.normal(size=36) * _SPREAD * (k > 0), progress=False)
        seconds.append(took := time.perf_counter() - began)
        vertical = gait.ground_forces()["vertical"]
        name = "from q = 0" if k == 0 else f"from a random posture, {_SPREAD:g} rad"
        rows.append([name, f"{gait.effort:.4f}", gait.iterations, f"{took:.1f} s", f"{vertical.max():.2f}", gait.ok])
    title = (
        f"One step at 1.2 m/s, 0.6 m (goal: 10 s; [Barman]: 34.10 s); in an empty cache {cold:.0f} s, "
        f"of that {cold - seconds[0]:.0f} s to compile (goal: 20 s)"
    )
    show(title, ["start", "effort", "iterations", "seconds", "largest vertical force / weight", "limits kept"], rows)
