"""Clusters: a real one of processes on this machine, with `dask.distributed`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, WorkerError
from kinetree.workers import answers, workers_of

distributed = pytest.importorskip("distributed", reason="needs the extra dask: make test-dask")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

ARM = kt.robots.ur5()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options: dict[str, Any] = {
        "n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 50,
        "local_directory": str(tmp_path_factory.mktemp("dask")),
    }  # fmt: skip
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as made:
        yield made


def count_compilations() -> None:
    """In a worker: from now on, how often LLVM makes object code."""
    from kinetree.runtime import native

    if not hasattr(native, "counted"):
        native.counted, made = 0, native.compile_object  # type: ignore[attr-defined]

        def compile_object(*args: Any) -> bytes:
            native.counted += 1  # type: ignore[attr-defined]
            return made(*args)

        native.compile_object = compile_object
    native.counted = 0  # type: ignore[attr-defined]


def compilations() -> int:
    from kinetree.runtime import native

    return native.counted  # type: ignore[attr-defined]


def states(n: int = 40_000, chunk: int = 1000) -> tuple[Any, ...]:
    import dask.array as da

    return tuple(da.random.default_rng(k).normal(size=(n, ARM.nv), chunks=(chunk, ARM.nv)) for k in range(3))


def test_lazy_arrays_on_a_cluster_are_those_of_one_call(client: Any) -> None:
    given = states()
    tau = ARM.inverse_dynamics(*given)
    there = client.compute([*given, tau], sync=True)
    assert np.array_equal(there[3], ARM.inverse_dynamics(*there[:3]))


def test_code_is_made_once_for_all_workers_of_a_machine(client: Any) -> None:
    client.run(count_compilations)
    heavier = ARM.attach(kt.Inertia(1.25, (0.0, 0.0, 0.1)), ARM.bodies[-1].name)
    heavier.inverse_dynamics(*np.zeros((3, 8, ARM.nv)))  # here, into the cache
    heavier.inverse_dynamics(*states()).sum().compute()
    assert client.run(compilations) == dict.fromkeys(client.run(compilations), 0)
    heaviest = ARM.attach(kt.Inertia(2.5, (0.0, 0.0, 0.1)), ARM.bodies[-1].name)  # which this process never calls
    assert heaviest.inverse_dynamics(*states()).shape == (40_000, ARM.nv)
    heaviest.inverse_dynamics(*states()).sum().compute()
    counts = client.run(compilations).values()
    assert max(counts) == 1  # forty chunks; both workers may begin at the same time


def test_functions_of_the_user_are_traced_once_in_a_worker(client: Any) -> None:
    from kinetree.scalar import sin

    made = kt.compile(lambda q: [sin(q[0]) * q[1]], signature="(2)->(1)", name="swing")
    client.run(count_compilations)
    q = states()[0][:, :2]
    there, found = client.compute([q, made(q)], sync=True)
    assert np.array_equal(found, made(there))
    assert max(client.run(compilations).values()) <= 1


def test_simulations_plans_and_fits_run_there(client: Any) -> None:
    arm, executor = kt.robots.two_link(), client.get_executor()
    assert workers_of(executor) == workers_of(client) == 2
    q, qd = np.random.default_rng(0).normal(size=(2, 6, 2))
    for given in (executor, client):
        there = kt.simulate(arm, q, qd, 0.1, lambda t, q, qd: -qd, executor=given)
        assert np.array_equal(there.q, kt.simulate(arm, q, qd, 0.1, lambda t, q, qd: -qd).q)
    task: dict[str, Any] = {"q0": [0, -2], "q1": [1, -1], "force_limits": 10.0, "control_points": 8, "starts": 3}
    here = kt.plan.minimum_time(arm, **task)
    assert np.array_equal(kt.plan.minimum_time(arm, **task, executor=executor).control_points, here.control_points)
    motions = [np.random.default_rng(k).normal(size=(3, 50, 2)) for k in range(3)]
    sets = [kt.identify.Samples(np.arange(50.0), *x, arm.inverse_dynamics(*x)) for x in motions]
    fits = kt.identify.fit_each(arm, sets, include=["inertia"], drop=None, executor=executor)
    assert [len(one.parameters) for one in fits] == [len(fits[0].parameters)] * 3


def test_workers_that_die_and_clusters_that_are_gone_are_sentences(client: Any) -> None:
    with pytest.raises(WorkerError, match=r"motion 1 of 1 failed: a worker died, .*KilledWorker"):
        answers(os._exit, [(3,)], executor=client.get_executor(), what="motion")
    with pytest.raises(WorkerError, match="failed: ZeroDivisionError"):
        answers(divmod, [(1, 0)], executor=client.get_executor())
    executor = client.get_executor()
    executor.shutdown()
    with pytest.raises(InputError, match="one that is not shut down"):
        answers(pow, [(2, 3)], executor=executor)


def test_a_client_that_is_closed_takes_no_work(tmp_path: Path) -> None:
    options: dict[str, Any] = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        executor = client.get_executor()
    q, qd = np.zeros((2, 4, 2))
    with pytest.raises(InputError, match=r"takes no work .* one that is not shut down"):
        kt.simulate(kt.robots.two_link(), q, qd, 0.1, executor=executor)
