"""How strong must the motors of a UR5 be? Ask a thousand million random states, on a cluster, in bounded memory.

The states are a lazy array of Dask: workers make, use and forget them block by block, so that 144 GB of states and
48 GB of torques need about 1 GB of memory. Here the cluster is two processes of this machine; `Client("address")` is
one of many machines. Needs the extra: pip install "kinetree[dask]". All of them: --states 1e9.

Takes about 15 s.
"""

import argparse
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import kinetree as kt

MARGIN = 1.25  # of the motors


def memory() -> float:
    """The most memory that this process has had [GB]."""
    import resource
    import sys

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)


def main(states: int, workers: int, block: int) -> None:
    arm = kt.robots.ur5()
    # nothing of this is computed yet; one array of random numbers, so that a worker has all three of a block
    numbers = da.random.default_rng(0).uniform(-1.0, 1.0, size=(states, 3, arm.nv), chunks=(block, 3, arm.nv))
    q, qd, qdd = np.pi * numbers[:, 0], numbers[:, 1], 2.0 * numbers[:, 2]
    tau = arm.inverse_dynamics(q, qd, qdd)
    largest = da.maximum(tau.max(axis=0), -tau.min(axis=0))
    size = (3 * q.nbytes + tau.nbytes) / 1e9
    print(f"{states:,} states in {q.numblocks[0]} blocks: {size:.1f} GB of numbers")

    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        client.run(kt.threads, 1)  # a worker for each core already
        began = time.perf_counter()
        found = client.compute(largest, sync=True)
        seconds = time.perf_counter() - began
        most = sum(client.run(memory).values())
    print(f"{states / seconds / 1e6:.1f} million states per second, at the most {most:.2f} GB in {workers} workers")

    for joint, torque in zip(arm.joint_names, found):
        print(f"{joint:20} {torque:7.2f} N m at the most, a motor of {MARGIN * torque:.0f} N m")

    # a block by hand is what the cluster computes
    one, there = (x[:block].compute() for x in (q, tau))
    assert np.array_equal(there, arm.inverse_dynamics(one, *(x[:block].compute() for x in (qd, qdd))))
    assert (found >= np.abs(there).max(axis=0)).all()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=float, default=4e6, help="how many; 1e9 for all")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--block", type=float, default=5e5, help="states in memory at once, in each worker")
    given = parser.parse_args()
    print("Takes about 15 s.", flush=True)
    main(int(given.states), given.workers, int(given.block))
