"""Batches in the blocks of an executor: what comes out is what one call gives, bit for bit."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, SimulationError, SimulationWarning, WorkerError
from kinetree.simulation import Event, Outcome

ARRAYS = ("t", "q", "qd", "qdd", "tau", "wrenches", "status", "end")


@cache
def arm() -> kt.Robot:
    return kt.robots.two_link()


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as made:
        yield made


def starts(*shape: int) -> tuple[Any, Any]:
    return tuple(np.random.default_rng(0).normal(size=(2, *shape, 2)))


def same(a: kt.Motion, b: kt.Motion) -> None:
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None)
        assert x is None or np.array_equal(x, y, equal_nan=True), name
    assert a.reason == b.reason
    assert sorted((e.t, e.row, e.name) for e in a.events) == [(e.t, e.row, e.name) for e in b.events]
    assert (a.joints, a.positions, a.forces, a.quaternions) == (b.joints, b.positions, b.forces, b.quaternions)
    assert a.parameters.keys() == b.parameters.keys()
    assert all(np.array_equal(a.parameters[name], b.parameters[name]) for name in a.parameters)
    assert b.robot is not None
    assert b.robot.name == arm().name


@pytest.mark.parametrize("shape", [(), (1,), (2,), (5,), (2, 3), (0,)], ids=str)
def test_blocks_are_put_together_in_order(shape: tuple[int, ...], pool: Executor) -> None:
    q, qd = starts(*shape)
    every: dict[str, Any] = {"dt": 0.01, "record": ("q", "qd", "qdd", "tau", "wrenches"), "method": "semi_implicit"}
    law = kt.control.PD(kt.control.Hold([0.5, 0.2]), 4.0, 1.0)
    same(kt.simulate(arm(), q, qd, 0.1, law, **every), kt.simulate(arm(), q, qd, 0.1, law, **every, executor=pool))


def test_what_differs_from_run_to_run_goes_with_it(pool: Executor) -> None:
    q, qd = starts(2, 3)
    heavy = replace(
        arm(),
        bodies=(
            arm().bodies[0],
            replace(arm().bodies[1], inertia=kt.Inertia(kt.parameter("m"), about_com=(0.1, 0.1, 0.1))),
        ),
    )
    given: dict[str, Any] = {"m": np.array([1.0, 2.0, 3.0]), "external": np.ones((2, 1, 2, 6)), "dt": 0.01}
    same(kt.simulate(heavy, q, qd, 0.1, **given), kt.simulate(heavy, q, qd, 0.1, **given, executor=pool, blocks=4))


def test_runs_that_end_early_and_events_keep_their_place(pool: Executor) -> None:
    q, qd = np.zeros((4, 2)), np.array([[1.0, 0.0], [9.0, 0.0], [9.0, 1.0], [0.5, 0.0]])
    there = Event(lambda t, q, qd: q[:, 0] - 0.3, "there")
    past = Event(lambda t, q, qd: q[:, 0] - 0.1, "past", stops=False)
    given: dict[str, Any] = {"events": [there, past], "dt": 0.01}
    whole = kt.simulate(arm(), q, qd, 0.2, **given)
    assert {Outcome.STOPPED, Outcome.DONE} == {*whole.status.tolist()}
    for blocks in (2, 4):  # of one of these all runs end early
        same(whole, kt.simulate(arm(), q, qd, 0.2, **given, executor=pool, blocks=blocks))


def test_closed_chains_are_split_too(pool: Executor) -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    q = chain.close(np.linspace(-1.0, 1.0, 5)[:, None]).check()
    qd = chain.velocities(q, np.full((5, 1), 4.0))
    a, b = (kt.simulate(chain, q, qd, 0.1, dt=0.01, executor=executor).check() for executor in (None, pool))
    assert all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("q", "qd", "qdd", "tau"))


def test_noise_is_another_in_each_block_and_the_same_with_the_same_seed(pool: Executor) -> None:
    law = kt.control.PD(kt.control.Hold([0.5, 0.2]), 4.0, 1.0)
    given: dict[str, Any] = {"noise": (0.1, 0.1), "seed": 3, "dt": 0.01, "executor": pool, "blocks": 2}
    one, again = (kt.simulate(arm(), np.zeros((4, 2)), [0.0, 0.0], 0.1, law, **given) for _ in range(2))
    assert np.array_equal(one.q, again.q)
    assert len(np.unique(one.q[:, -1, 0])) == 4


def test_runs_that_fail_are_warned_of_once(pool: Executor) -> None:
    law = kt.control.Law(lambda robot, t, q, qd: [0.0, 100.0 * qd[1] * qd[1] * qd[1]])
    qd = np.array([[0.0, 0.0], [0.0, 9.0], [0.0, 9.0]])
    with pytest.warns(SimulationWarning, match=r"2 of 3 runs failed; run 1 diverged") as said:
        motion = kt.simulate(arm(), [0.1, 0.2], qd, 0.3, law, dt=0.01, executor=pool)
    assert len(said) == 1
    assert motion.status.tolist() == [Outcome.DONE, Outcome.DIVERGED, Outcome.DIVERGED]


def test_an_error_in_a_block_says_which(pool: Executor) -> None:
    def fails(t: Any, q: Any, qd: Any) -> Any:
        return -qd if q[0, 0] < 3.0 else 1 / 0

    with pytest.raises(
        WorkerError, match=r"block of runs 3 of 3 failed: SimulationError: the controller .* ZeroDiv"
    ) as e:
        kt.simulate(arm(), np.arange(6.0)[:, None] * [1.0, 0.0], [0.0, 0.0], 0.1, fails, dt=0.01, executor=pool)
    assert e.value.index == 2
    assert isinstance(e.value.__cause__, SimulationError)


class Interrupted(Executor):
    """Does the first task; then Ctrl-C comes."""

    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not hasattr(self, "first"):
            self.first = future
            future.set_result(function(*args, **keywords))
        return future


def test_ctrl_c_keeps_the_blocks_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import nullcontext

    from kinetree.simulation import blocks

    looks = iter([False, True, True, True])
    monkeypatch.setattr(blocks, "interruptions", lambda: nullcontext(lambda: next(looks)))
    q, qd = starts(6)
    motion = kt.simulate(arm(), q, qd, 0.1, dt=0.01, executor=Interrupted(), blocks=3)
    assert motion.status.tolist() == [Outcome.DONE] * 2 + [Outcome.INTERRUPTED] * 4
    assert np.array_equal(motion.q[:2], kt.simulate(arm(), q[:2], qd[:2], 0.1, dt=0.01).q)
    assert np.isnan(motion.q[2:]).all()
    looks = iter([True] * 4)
    assert kt.simulate(arm(), q, qd, 0.1, dt=0.01, executor=Stalled()).q.shape == (6, 0, 2)


class Stalled(Executor):
    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        return Future()


def test_processes_give_the_same() -> None:
    q, qd = starts(5)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        same(kt.simulate(arm(), q, qd, 0.1), kt.simulate(arm(), q, qd, 0.1, executor=pool))


def test_what_is_no_executor_is_refused() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    q, qd = starts(5)
    with pytest.raises(InputError, match=r"executor= is one of concurrent\.futures"):
        kt.simulate(arm(), q, qd, 0.1, executor=2)
    with pytest.raises(InputError, match="one that is not shut down"):
        kt.simulate(arm(), q, qd, 0.1, executor=pool)
    for wrong in (0, 1.5, True, "two"):
        with pytest.raises(InputError, match="blocks is a number of blocks of runs, 1 or more; got"):
            kt.simulate(arm(), q, qd, 0.1, blocks=wrong)
