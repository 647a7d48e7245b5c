"""Inverse dynamics of the Panda inside other frameworks, as ratios to the bare call with NumPy arrays in the same run.

``python -m benchmarks.bridges jax`` in an environment with the extra (``make bench-jax``). Each table is measured in a
process of its own, on one core and on all.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.table import show
from benchmarks.timing import best, in_new_process

SIZES = (1, 4096, 65536)


def main() -> int:
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()
    return 0


# -- JAX ---------------------------------------------------------------------------------------------------------------


def jax() -> None:
    """The value in jit, the gradient of a sum of squares, and the value through a callback into Python."""
    for cores, title in ((1, "one core"), (os.cpu_count() or 1, "all cores")):
        code = f"from benchmarks.bridges import measured_jax; measured_jax({cores})"
        times = json.loads(in_new_process(code).splitlines()[-1])
        rows = []
        for size, (numpy, value, gradient, callback) in zip(SIZES, times):
            first = "<= 7" if size == 1 else ""
            ratio = ("<= 1.15" if cores == 1 else "<= 1") if size == 4096 else ""
            slope = "<= 3.2" if size > 1 else ""
            row = [f"{1e6 * value:.1f}", first, f"{value / numpy:.2f}", ratio, f"{gradient / value:.2f}", slope]
            rows.append([f"{size}", f"{1e6 * numpy:.1f}", *row, f"{callback / value:.1f}"])
        head = ["states", "NumPy us", "jit us", "goal", "of NumPy", "goal", "gradient of jit", "goal"]
        show(f"JAX, Panda inverse dynamics, float64, {title}", [*head, "pure_callback of jit"], rows)


def measured_jax(cores: int) -> None:
    """Print the times of one process [s]: for each size NumPy, value, gradient, callback."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    kt.threads(1)
    robot = kt.robots.panda()
    bare, f = robot.function("inverse_dynamics"), kt.jax.function(robot, "inverse_dynamics")
    value, gradient = jax.jit(f), jax.jit(jax.grad(lambda *x: jnp.sum(f(*x) ** 2), (0, 1, 2)))

    def by_hand(q: Any, qd: Any, qdd: Any) -> Any:
        shape = jax.ShapeDtypeStruct(qdd.shape, qdd.dtype)
        return jax.pure_callback(lambda *x: bare(*map(np.asarray, x)), shape, q, qd, qdd)

    callback = jax.jit(by_hand)
    times = []
    for size in SIZES:
        states = tuple(np.random.default_rng(0).standard_normal((3, size, robot.nv)))
        arrays = tuple(map(jnp.asarray, states))
        works: list[Callable[[], Any]] = [
            lambda states=states: bare(*states),
            *(lambda g=g, x=arrays: jax.block_until_ready(g(*x)) for g in (value, gradient, callback)),
        ]
        np.testing.assert_array_equal(np.asarray(value(*arrays)), bare(*states))
        rounds = [[best(work, 0.1, 3) for work in works] for _ in range(5)]  # in turns: all meet the same machine
        times.append([min(column) for column in zip(*rounds)])
    print(json.dumps(times))


SECTIONS = {"jax": jax}

if __name__ == "__main__":
    raise SystemExit(main())
