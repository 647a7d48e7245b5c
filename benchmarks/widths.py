"""What the width of vectors costs and gains: one state of a batch, and a call with a single state.

    python -m benchmarks.widths

Each row is a process of its own, with code for a level of x86-64. 16 bytes with fused multiply-add are what ARM has.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.runtime import cache, native, processor

ROWS = ("x86-64-v2", 16), ("x86-64-v3", 16), ("x86-64-v3", 32), ("x86-64-v4", 64)
CASES = ("ur5", "inverse_dynamics"), ("panda", "inverse_dynamics"), ("panda", "forward_dynamics")
BATCH, CALLS, REPEATS = 4096, 300, 60


def table() -> str:
    """Nanoseconds of CPU time, the best of many repeats."""
    _, triple, _, features = native.target()
    heads = [f"{robot} {function.replace('_', ' ')}" for robot, function in CASES]
    lines = ["| vectors | fused | " + " | ".join(f"{head}: batch | single call" for head in heads) + " |"]
    lines.append("|---" * (2 + 2 * len(CASES)) + "|")
    for level, width in ROWS:
        if own := processor.levels_of(triple, features).get(level):
            environment = {**os.environ, processor.VARIABLE: level}
            command = [sys.executable, __file__, str(width)]
            times = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
            lines.append(
                f"| {width} bytes | {'yes' if processor.has_fma(triple, own) else 'no'} | {' | '.join(times)} |"
            )
    return "\n".join(lines)


def measured(width: int) -> list[str]:
    """The times of this process, with vectors that may be narrower than those of its processor."""
    native.vector_bytes = lambda: width  # type: ignore[assignment]
    found = []
    for name, function in CASES:
        robot = getattr(kt.robots, name)()
        states = np.random.default_rng(0).normal(size=(3, BATCH, robot.nv))
        one = [state[0].copy() for state in states]
        with cache.switched_off():
            for given in (states, one):
                getattr(robot, function)(*given)
        call = getattr(robot, function)  # a direct call by now
        found += [_best(partial(call, *states), 1) / BATCH, _best(partial(call, *one), CALLS)]
    return [f"{1e9 * seconds:.0f}" for seconds in found]


def _best(call: Callable[[], Any], count: int) -> float:
    best = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - begin) / count)
    return best


if __name__ == "__main__":
    print(*measured(int(sys.argv[1])) if len(sys.argv) > 1 else [table()])
