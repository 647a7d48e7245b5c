"""The call that one writes: what results of its own cost, over arrays that are there already."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from benchmarks.timing import best_in_turns

BATCHES = (64, 512, 4096, 65536)
FUNCTIONS = {  # and how many arguments
    "inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1,
    "inverse_dynamics_derivatives": 3, "forward_dynamics_derivatives": 3,
}  # fmt: skip
MOST = 1 << 30  # bytes of results
ROUNDS = 4  # of the three ways: noise on the bus to the memory meets all of them


def run() -> None:
    """For each function and batch: with out=; and how much longer without, if results are dropped or rebound."""
    kt.threads(1)
    header = ["", "batch", "with out= ns", "dropped", "goal", "rebound", "goal"]
    rows = [row for name in models.FILES for function in FUNCTIONS for row in _rows(name, function)]
    show("Results of a call without out=, as a multiple of the time with it", header, rows)


def _rows(name: str, what: str) -> Iterator[list[object]]:
    robot, rng = models.robot(name), np.random.default_rng(0)
    function = getattr(robot, what)
    for batch in BATCHES:
        args = [rng.standard_normal((batch, robot.nv)) for _ in range(FUNCTIONS[what])]
        results = function(*args)
        if sum(r.nbytes for r in (results if isinstance(results, tuple) else (results,))) > MOST:
            continue
        natural, kept = partial(function, *args), [results]
        ways = partial(natural, out=results), natural, partial(_rebind, natural, kept)
        given, dropped, rebound = best_in_turns(*ways, rounds=ROUNDS, least=1)
        ratios = f"{dropped / given:.2f}", "<= 1.15", f"{rebound / given:.2f}", "<= 1.5"
        yield [f"{name} ({robot.nv}) {what.replace('_', ' ')}", batch, f"{given / batch * 1e9:.0f}", *ratios]


def _rebind(natural: Any, kept: list[Any]) -> None:
    """The result before is dropped only when the new one is there."""
    kept[0] = natural()
