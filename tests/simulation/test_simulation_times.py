"""Simulations that start at a time of their own: controllers, base motions, events, records and files count from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.scalar import cos, sin
from kinetree.simulation import Event

SAME = 1e-11  # rad, rad/s: the times of the steps differ by rounding
STATE: Any = ([0.3, -0.4], [1.0, 0.5])


def resumed(robot: Any, whole: Any, k: int, *args: Any, **options: Any) -> Any:
    """The rest of a motion, from its record k on."""
    t, start = float(whole.t[k]), (whole.q[k], whole.qd[k])
    return kt.simulate(robot, *start, float(whole.t[-1]) - t, *args, start_time=t, **options)


LAW = kt.control.Law(lambda robot, t, q, qd: [3.0 * sin(5.0 * t) - qd[0], t * cos(t) - qd[1]])


@pytest.mark.parametrize(
    ("controller", "options"),
    [
        (LAW, {"dt": 1e-2}),
        (LAW, {"dt": 1e-2, "sample": 0.05}),
        (lambda t, q, qd: np.array([3.0 * math.sin(5.0 * t), t]) - qd, {"dt": 1e-2, "method": "semi_implicit"}),
        (LAW, {"dt": 1e-2, "method": "implicit_midpoint"}),
    ],
)
def test_a_run_resumed_in_its_middle_goes_on_as_before(controller, options):
    robot = kt.robots.two_link()
    whole = kt.simulate(robot, *STATE, 1.0, controller, **options).check()
    rest = resumed(robot, whole, 40, controller, **options).check()
    assert rest.t[0] == whole.t[40]
    assert np.abs(rest.t - whole.t[40:]).max() < 1e-15
    for name in ("q", "qd", "qdd", "tau"):
        assert np.abs(getattr(rest, name) - getattr(whole, name)[40:]).max() < SAME
    assert rest.end == pytest.approx(1.0)
    again = kt.simulate(robot, whole.q[40], whole.qd[40], 0.6, controller, **options)
    assert np.abs(again.q - rest.q).max() > 1e-3  # from zero on it is another motion


def test_a_base_that_moves_with_time_is_where_it_was():
    robot = kt.robots.two_link()

    def shaken(t: Any) -> Any:
        return [0.0] * 3 + [cos(4.0 * t), 0.0, 0.0], [0.0] * 3 + [-4.0 * sin(4.0 * t), 0.0, 0.0]

    options: dict[str, Any] = {"dt": 1e-2, "base_motion": shaken, "record": ("q", "qd", "wrenches")}
    whole = kt.simulate(robot, *STATE, 1.0, **options)
    rest = resumed(robot, whole, 30, **options)
    assert np.abs(rest.q - whole.q[30:]).max() < SAME
    assert np.abs(rest.wrenches - whole.wrenches[30:]).max() < 100 * SAME

    def late(t: float) -> Any:
        return shaken(t) if t >= 2.0 else 1 / 0

    with pytest.raises(InputError, match=r"at 1 s it raises ZeroDivisionError"):
        kt.simulation.Options(base_motion=late, start_time=1.0)
    kt.simulation.Options(base_motion=late, start_time=2.0)


def test_events_ends_reports_and_files_have_the_times_of_the_run(tmp_path):
    robot = kt.robots.two_link()
    clock = Event(lambda t, q, qd: np.full(len(q), t - 7.205), "clock", stops=False)
    stop = Event(lambda t, q, qd: np.full(len(q), t - 7.4031), "stop")
    motion = kt.simulate(robot, *STATE, 1.0, events=[clock, stop], start_time=7.0, dt=1e-2)
    assert [event.t for event in motion.events] == pytest.approx([7.205, 7.4031])
    assert motion.reason[0].endswith("'stop' at 7.4031 s")
    assert motion.end == pytest.approx(7.4031)
    assert (motion.t[0], motion.t[-1]) == pytest.approx((7.0, 7.4))
    loaded = kt.Motion.load(motion.save(tmp_path / "motion.npz"))
    assert (loaded.t == motion.t).all()
    assert loaded.events == motion.events
    assert motion.to_csv(tmp_path / "motion.csv").read_text().splitlines()[1].startswith("7.0,")
    assert "simulated time" in (page := motion.report(tmp_path / "motion.html").read_text())
    assert "7 to 7.4 s" in page
    assert motion.resample([7.1, 7.2]).q.shape == (2, 2)
    with pytest.raises(InputError, match=r"within 7 and 7\.4 s"):
        motion.resample([0.1, 0.2])


@pytest.mark.parametrize("start_time", [math.nan, math.inf, "1", None, 1j])
def test_a_start_time_is_a_finite_number(start_time):
    with pytest.raises(InputError, match="start_time must be a finite number of seconds"):
        kt.simulate(kt.robots.two_link(), *STATE, 1.0, start_time=start_time)


def test_time_may_start_before_zero_and_far_from_it():
    robot = kt.robots.two_link()
    for start in (-2.5, 1e6):
        motion = kt.simulate(robot, *STATE, 0.1, start_time=start, dt=1e-2, method="adaptive").check()
        assert motion.t[0] == start
        assert np.abs(motion.q - kt.simulate(robot, *STATE, 0.1, dt=1e-2, method="adaptive").q).max() < 1e-8
