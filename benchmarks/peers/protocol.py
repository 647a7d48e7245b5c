"""What a worker does in the environment of its peer: read a robot and states, compute, time, write JSON.

A worker is a script ``with_<peer>.py URDF STATES RESULT``. It says how the peer is called and hands that to `run`; it
needs NumPy and the peer, not Kinetree. STATES is an npz file with the names of the joints and, row by row, q, qd, qdd
and tau. RESULT has, for each function, the lower quartile, the median and the upper quartile of the time of one state,
alone and in the batch, and the values at the first states.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

INVERSE, FORWARD, MASS = "inverse dynamics", "forward dynamics", "mass matrix"
INVERSE_DERIVATIVES, FORWARD_DERIVATIVES = "inverse dynamics derivatives", "forward dynamics derivatives"
FUNCTIONS = (INVERSE, FORWARD, MASS, INVERSE_DERIVATIVES, FORWARD_DERIVATIVES)
COMPARED = 4  # states whose values are written
LEAST, SECONDS = 9, 0.5  # samples of a time, and for how long they are taken at the least
FEW, LONG = 3, 10.0  # samples that are enough where they take so many seconds
LOOP_SECONDS = 0.5  # a loop over the batch is timed on as many of its states as take this long
SINGLE_CALLS = 20  # in one sample of the time of a single call

Call = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]  # q, qd, and qdd or tau


@dataclass(frozen=True)
class Way:
    """How a peer computes one function: of a single state, and of arrays of states where it can.

    Derivatives are a pair of matrices, with respect to q and to qd. A call may give its results as anything that
    `values` makes arrays of. Without a ``batch``, the single call is repeated.
    """

    single: Call
    batch: Call | None = None
    how: str = "a loop over the states"


def run(functions: Callable[[str, Sequence[str]], tuple[Sequence[str], Mapping[str, Way]]], *packages: str) -> None:
    """The whole of a worker: ``functions(urdf, names)`` gives the joints in the peer's order, and its ways."""
    urdf, states, result = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for everybody
    given = np.load(states)
    names = [str(x) for x in given["names"]]
    joints, ways = functions(urdf, names)
    order = np.array([names.index(str(name)) for name in joints])
    q, qd, qdd, tau = (np.ascontiguousarray(given[key][:, order]) for key in ("q", "qd", "qdd", "tau"))
    found: dict[str, Any] = {"versions": {name: version(name) for name in packages}, "functions": {}}
    for what in FUNCTIONS:
        if what in ways:
            states_of = q, qd, (tau if what.startswith("forward") else qdd)
            try:
                found["functions"][what] = _measured(ways[what], states_of, np.argsort(order))
            except Exception as error:  # the other functions are still wanted
                found["functions"][what] = {"error": f"{type(error).__name__}: {error}"[:200]}
        Path(result).write_text(json.dumps(found), encoding="utf-8")  # what there is, if time runs out


def jitted(function: Any) -> Way:
    """A function of JAX arrays: compiled for a state, and for a batch."""
    import jax

    single, batch, wait = jax.jit(function), jax.jit(jax.vmap(function)), jax.block_until_ready
    return Way(lambda *state: wait(single(*state)), lambda *states: wait(batch(*states)), "vmap and jit")


def _measured(way: Way, states: Sequence[np.ndarray], order: np.ndarray) -> dict[str, Any]:
    """Times [s] and values of one function."""
    call, rows = way.single, [*zip(*states)]
    began = time.perf_counter()
    call(*rows[0])
    first = time.perf_counter() - began

    def loop(some: Sequence[Any]) -> None:
        for q, qd, x in some:
            call(q, qd, x)

    alone = quartiles(lambda: loop(rows[:SINGLE_CALLS]), SINGLE_CALLS)
    count = len(rows)
    if way.batch is None:
        count = int(np.clip(LOOP_SECONDS / LEAST / alone[1], SINGLE_CALLS, count))
        together = quartiles(lambda: loop(rows[:count]), count)
        result = [np.stack(parts) for parts in zip(*(values(call(*row)) for row in rows[:COMPARED]))]
    else:
        batch = way.batch
        began = time.perf_counter()
        result = [np.array(x[:COMPARED]) for x in values(batch(*states))]
        first += time.perf_counter() - began
        together = quartiles(lambda: batch(*states), count)
    listed = [_in_order(x, order).tolist() for x in result]
    return {"single": alone, "batch": together, "first": first, "how": way.how, "values": listed}


def quartiles(work: Callable[[], Any], count: int) -> list[float]:
    """The quartiles of the time of one of ``count`` states [s]."""
    samples: list[float] = []
    while sum(samples) < SECONDS or len(samples) < (LEAST if sum(samples) < LONG else FEW):
        start = time.perf_counter()
        work()
        samples.append(time.perf_counter() - start)
    return [float(x) / count for x in np.quantile(samples, (0.25, 0.5, 0.75))]


def values(result: Any) -> list[np.ndarray]:
    """The arrays of a result, copied: a peer may write the next ones to the same place."""
    return [np.array(x, float) for x in (result if isinstance(result, (tuple, list)) else (result,))]


def _in_order(x: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Rows, and columns of matrices, in the order of the file of states instead of the peer's."""
    x = x[:, order]
    return x[:, :, order] if x.ndim == 3 else x
