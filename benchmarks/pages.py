"""``make bench-browser``: pages of robots in Chromium, in real time.

What the page's own scripts, the robot's code in WebAssembly and the layout of the page take of a frame is told apart
from the drawing: without a graphics card, Chromium draws in software (SwiftShader), which takes many times as long.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from chromium import timed  # of tests/browser

import kinetree as kt
from benchmarks import machine, models
from benchmarks.table import show

FRAME = 1000.0 / 60.0  # ms

# each part of a frame [ms]: the robot moves all the time, as when a motion plays or a hand drags it
_FRAMES = """
  const first = performance.now(), { renderer, live } = viewer, { gl } = renderer;
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1], spread = viewer.coordinates;
  const took = (work, count, inner = 10) => {
    const each = [];
    for (let k = 0; k < count; k++) {
      const began = performance.now();
      for (let i = 0; i < inner; i++) work(inner * k + i);
      each.push((performance.now() - began) / inner);
    }
    return Math.min(...each); // the machine may do other work meanwhile
  };
  const sway = (k) => {
    for (const one of spread.slice(0, 6)) one.set(viewer.q, 0.3 * Math.sin(0.02 * k) * (one.upper - one.lower) / 6.3
      + (one.lower + one.upper) / 2);
  };
  for (const key of SHOWN) viewer.show[key] = true;
  const own = took((k) => { if (!live.hasLoops()) sway(k); viewer.state(); viewer.items(); viewer.label();
    viewer.update(); void viewer.figure.offsetWidth; void viewer.labels.offsetWidth; }, 30);
  const draw = [];
  for (let k = 0; k < 8; k++) {
    const began = performance.now();
    viewer.draw();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    draw.push(performance.now() - began);
  }
  viewer.q = Float64Array.from(viewer.data.q);
  const one = took(() => live.accelerations(), 10, 500);
  live.falling = true;
  const fall = live.facts.falls ? took(() => live.step(Float64Array.from(viewer.data.q), 1 / 60), 12) : NaN;
  live.stop();
  const body = viewer.scene.tree.bodies.length - 1, X = viewer.scene.poses(viewer.q)[body];
  let errors = [0];
  const drag = took((k) => {
    const a = 0.05 * k, [x, y, z] = [0.04 * Math.sin(a), 0.04 * Math.sin(1.3 * a), -0.02 * Math.sin(a)];
    const target = [X[3] + x, X[7] + y, X[11] + z];
    viewer.pull({ body, local: [0, 0, 0], target });
    if (live.hasLoops()) errors.push(Math.hypot(...live.arm.functions.loops({ q: viewer.q }).error));
  }, 30);
  return { first, own, draw: median(draw), one, fall, drag, error: Math.max(...errors) };
"""


def robots() -> dict[str, tuple[kt.scene.View, tuple[str, ...]]]:
    """The pages, and what is switched on besides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.errors.ModelWarning)
        folder = models.path("Talos").parents[4]
        talos = kt.Robot.from_urdf(models.path("Talos"), base="floating")
        meshes = kt.Robot.from_urdf(models.path("Talos"), base="floating", packages=[folder])
    return {
        "Panda": (kt.robots.panda().view(), ()),
        "UR5": (kt.robots.ur5().view(), ()),
        "Gough-Stewart": (kt.ClosedChain(kt.robots.gough_stewart()).view(), ()),
        "Talos": (talos.view(), ()),
        "Talos, all that can be shown": (talos.view(), ("names", "axes", "frames", "masses", "inertias", "bearings")),
        "Talos, meshes": (meshes.view(), ()),
    }


def run() -> None:
    """A table of frames, and how long the first picture takes."""
    rows = []
    for name, (view, shown) in robots().items():
        text = view.html()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            script = _FRAMES.replace("SHOWN", repr([*shown]))
            got = timed(Path(folder), text, script, seconds=300)
        rate = f"{FRAME / got['one']:,.0f}" if got["fall"] is not None else ""
        fall = f"{got['fall']:.2f}" if got["fall"] is not None else ""
        error = f"{got['error']:.0e}" if got["error"] else ""
        goal = f"<= {FRAME:.1f}"
        rows.append([
            name, f"{len(text) / 1000:,.0f}", "" if "meshes" in name else "<= 1000", f"{got['first'] / 1000:.2f}",
            f"{got['own']:.2f}", goal, f"{got['drag']:.2f}", goal, error, "<= 1e-9" if error else "",
            fall, goal if fall else "", rate, ">= 20" if rate else "", f"{got['draw']:.0f}",
        ])  # fmt: skip
    header = [
        "", "page kB", "goal", "first picture s", "scripts and layout ms", "goal", "drag ms", "goal", "loop error",
        "goal", "fall of 1/60 s ms", "goal", "forward dynamics a frame", "goal", "frame in software ms",
    ]  # fmt: skip
    show("Pages in Chromium", header, rows)
    header = ["kinetree view zoo:panda", "page written s", "first picture s", "goal"]
    show("From the shell to the first picture, the start of Chromium included", header, _command())


def _command() -> list[list[str]]:
    """A new process, with nothing compiled before but Python's own bytecode, which pip writes, and again."""
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page, environment = Path(folder, "panda.html"), {**os.environ, "KINETREE_CACHE_DIR": f"{folder}/cache"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([sys.executable, "-m", "kinetree", "--version"], env=environment, check=True, stdout=-3)
        for which in ("nothing compiled before", "again"):
            began = time.perf_counter()
            command = [sys.executable, "-m", "kinetree", "view", "zoo:panda", "-o", str(page)]
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
            written = time.perf_counter() - began
            timed(Path(folder), page.read_text(encoding="utf-8"), "return viewer.frames;")
            found.append([which, f"{written:.2f}", f"{time.perf_counter() - began:.2f}", "<= 2"])
    return found


if __name__ == "__main__":
    print(machine.line())
    run()
