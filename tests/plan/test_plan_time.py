"""Time limits, compiling, and guesses that lead nowhere."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

import kinetree as kt
from kinetree.nlp.solution import Termination
from kinetree.plan import PlanStatus, compiling
from kinetree.runtime.function import Function

ARM = kt.robots.two_link()
TASK = {"q0": [0.0, -2.0], "q1": [1.0, -1.0], "force_limits": 10.0, "control_points": 12}


def fresh(length: float) -> kt.Robot:
    """An arm that nothing has been compiled for in this process."""
    link = kt.DH(a=length, mass=1.0, com=(-0.2, 0.0, 0.0), inertia=(0.001, 0.02, 0.02))
    return kt.Robot.from_dh([link] * 2, "standard", gravity=(0, 0, 0), name=f"arm of {length}")


def test_a_time_limit_counts_the_search_alone(monkeypatch: pytest.MonkeyPatch):
    whole = Function.ufunc

    def slow(self: Function, dtype: object = np.float64) -> np.ufunc:
        time.sleep(0.6)
        return whole(self, dtype)

    monkeypatch.setattr(Function, "ufunc", slow)
    robot = fresh(0.4375)
    first = kt.plan.minimum_time(robot, **TASK, time_limit=1.0)
    assert first.status is PlanStatus.OPTIMAL
    assert first.compile_seconds > 1.0 > first.seconds
    again = kt.plan.minimum_time(robot, **TASK)
    assert again.compile_seconds == 0.0


def test_compiling_can_be_interrupted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compiling, "_compile", lambda *_: time.sleep(2.0))
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    began = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kt.plan.minimum_time(fresh(0.4376), **TASK)
    assert time.perf_counter() - began < 1.9


def test_what_can_not_be_compiled_is_told_where_it_is_asked_for():
    def wrong(robot: object, *motion: object) -> list[object]:
        raise ValueError("no such thing")

    problem = kt.plan.Problem(ARM, control_points=10)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.limit(kt.plan.Custom(wrong, 1, "wrong"), 1.0)
    problem.minimise("time")
    with pytest.raises(ValueError, match="no such thing"):
        problem.solve()


@pytest.mark.parametrize("seed", range(4))
def test_a_guess_that_leads_nowhere_is_dropped(seed: int):
    plain = kt.plan.minimum_time(ARM, **TASK)
    problem = kt.plan.Problem(ARM, control_points=12)
    problem.start(TASK["q0"])
    problem.end(TASK["q1"])
    problem.limit("force", 10.0)
    problem.minimise("time")
    wild = problem.solve(np.random.default_rng(seed).normal(scale=20.0, size=(12, 2)))
    assert wild.status is PlanStatus.OPTIMAL
    assert wild.duration <= 1.2 * plain.duration
    assert wild.iterations <= 600


def test_a_search_that_is_cut_short_says_so():
    told = kt.plan.minimum_time(ARM, **TASK, callback=lambda k, cost, violation: k < 3)
    assert told.termination is Termination.USER_STOP
    assert told.status in (PlanStatus.NOT_FOUND, PlanStatus.FEASIBLE)
    assert told.ok == (told.violation <= 1e-6)
