"""Inverse dynamics of a thousand million states of a UR5 through Dask, on two worker processes.

The bare throughput is that of the same blocks in two processes without Dask, at the same time, each in a loop of
Python. The memory is the most that the workers and the process of the caller have had, together. ``make bench-dask``,
or for fewer states ``python -m benchmarks.cluster 1e8``.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from functools import cache, partial
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.table import show

STATES = 10**9
BLOCK = 2**21
WORKERS = 2


@cache
def held() -> np.ndarray:
    """The states of a block, made once in each process."""
    return np.random.default_rng(0).uniform(-3.0, 3.0, size=(3, BLOCK, 6))


def states_of(kind: str, which: int, block_id: tuple[int, int]) -> np.ndarray:
    """q, qd or qdd of a block: those in memory, or random numbers."""
    if kind == "memory":
        return held()[which]
    return np.random.default_rng((which, block_id[0])).uniform(-3.0, 3.0, size=(BLOCK, 6))


def farthest(x: np.ndarray, axis: Any, keepdims: bool = False) -> np.ndarray:
    """The largest magnitudes along an axis."""
    return np.maximum(x.max(axis, keepdims=keepdims), -x.min(axis, keepdims=keepdims))


def in_a_loop(kind: str, blocks: range) -> tuple[float, np.ndarray]:
    """In a process of its own: how long some blocks take [s], and the largest forces of their states."""
    kt.threads(1)
    function = kt.robots.ur5().function("inverse_dynamics")
    function(*held())
    most, began = np.zeros(6), time.perf_counter()
    for k in blocks:
        tau = function(*(states_of(kind, which, (k, 0)) for which in range(3)))
        most = np.maximum(most, farthest(tau, 0))
    return time.perf_counter() - began, most


def bare(kind: str, blocks: int) -> tuple[float, np.ndarray]:
    """States a second of all processes together, and the largest forces."""
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        parts = [range(k, blocks, WORKERS) for k in range(WORKERS)]
        seconds, most = zip(*pool.starmap(in_a_loop, [(kind, part) for part in parts], chunksize=1))
    return blocks * BLOCK / max(seconds), np.max(most, axis=0)


def largest(kind: str, blocks: int) -> Any:
    """The largest forces of the states of all blocks, as a lazy array."""
    import dask.array as da

    made = {"chunks": ((BLOCK,) * blocks, (6,)), "dtype": float, "meta": np.zeros((0, 6))}
    states = [da.map_blocks(partial(states_of, kind, which), **made) for which in range(3)]
    tau = kt.robots.ur5().inverse_dynamics(*states)
    return da.reduction(tau, farthest, farthest, axis=0, dtype=float, meta=np.zeros(0))


def lazily(kind: str, blocks: int, known: np.ndarray) -> tuple[float, float]:
    """States a second through Dask, and the memory at the most [GiB]."""
    from distributed import Client, LocalCluster

    options: dict[str, Any] = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        client.run(ready)
        client.compute(largest(kind, 2 * WORKERS), sync=True)  # imports, and code from the cache
        began = time.perf_counter()
        found = client.compute(largest(kind, blocks), sync=True)
        seconds = time.perf_counter() - began
        memory = sum(client.run(peak).values()) + peak()
    np.testing.assert_array_equal(found, known)
    return blocks * BLOCK / seconds, memory


def ready() -> None:
    """In a worker: the states of a block are there, and one thread computes."""
    kt.threads(1)
    held()


def peak() -> float:
    """The most memory that this process has had [GiB]."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)


def table(count: float = STATES) -> None:
    """Both kinds of states."""
    blocks = max(WORKERS, round(count / BLOCK))
    rows = []
    kt.robots.ur5().function("inverse_dynamics")(*held()[:, :8])  # into the cache
    for kind, title in (("memory", "in memory"), ("random", "random numbers, made on the way")):
        plain, known = bare(kind, blocks)
        found, memory = lazily(kind, blocks, known)
        row = [
            f"{plain / 1e6:.1f}",
            f"{found / 1e6:.1f}",
            f"{100 * found / plain:.0f}",
            ">= 85",
            f"{memory:.2f}",
            "<= 4",
        ]
        rows.append([title, *row])
    head = ["states", "bare, million/s", "Dask, million/s", "Dask of bare %", "goal", "memory GiB", "goal"]
    show(f"Dask, UR5 inverse dynamics of {blocks * BLOCK:,} states on {WORKERS} workers, float64", head, rows)


if __name__ == "__main__":
    table(float(sys.argv[1]) if sys.argv[1:] else STATES)
