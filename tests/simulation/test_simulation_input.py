"""What simulate refuses, and how runs end that don't go well: with what was given, when, and where."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree import status
from kinetree.errors import InputError, SimulationError, SimulationWarning, UnknownNameError
from kinetree.simulation import Event, Options, Outcome
from kinetree.traceable import cache_key

SOURCES = Path(kt.__file__).parents[1]
MOMENT = 1e-8  # s: positions are cubic between two steps of 10 ms


@cache
def robot() -> kt.Robot:
    return kt.robots.two_link()


def run(*args: Any, **options: Any) -> kt.Motion:
    start = {"q0": [0.1, 0.2], "qd0": [1.0, 0.0], "duration": 0.1, "dt": 0.01, **options}
    return kt.simulate(robot(), start.pop("q0"), start.pop("qd0"), start.pop("duration"), *args, **start)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duration": -1.0}, "duration must be a positive number"),
        ({"duration": float("nan")}, "duration must be a positive number"),
        ({"duration": "1"}, "duration must be a positive number"),
        ({"dt": 0.0}, "dt must be a positive number"),
        ({"dt": 0.2}, "longer than the duration"),
        ({"q0": [0.1]}, "q0 must have 2 numbers"),
        ({"qd0": [0.1, 0.2, 0.3]}, "qd0 must have 2 numbers"),
        ({"q0": [0.1, float("nan")]}, "not finite"),
        ({"q0": ["a", "b"]}, "real numbers"),
        ({"q0": np.zeros((3, 2)), "qd0": np.zeros((4, 2))}, r"don't broadcast: q0 \(3,\), qd0 \(4,\)"),
        ({"external": np.zeros((3, 6))}, "external must be"),
        ({"external": np.full((2, 6), np.inf)}, "not finite"),
        ({"every": 0}, "every is a number of steps"),
        ({"every": True}, "every is a number of steps"),
        ({"sample": 0.015}, "multiple of the step"),
        ({"sample": -0.01}, "sample must be a positive"),
        ({"noise": (0.1, 0.1, 0.1)}, "noise is a pair"),
        ({"noise": (-0.1, 0.1)}, "not below 0"),
        ({"controller": 3}, "controller is a"),
        ({"tolerance": 0.0}, "tolerance is a number"),
        ({"stabilisation": -1.0}, "stabilisation is a rate"),
        ({"base_motion": 3}, "no function"),
        ({"base_motion": lambda t: ([0.0] * 6, [0.0] * 3)}, r"\[6, 3\]"),
        ({"base_motion": lambda t: 1 / 0}, "ZeroDivisionError"),
        ({"events": [3]}, "events are"),
        ({"q0": np.zeros((10**7, 2)), "duration": 100.0}, r"GB; give every="),
    ],
    ids=lambda x: ", ".join(x) if isinstance(x, dict) else "",
)
def test_bad_input_is_refused_before_any_work(options, message):
    with pytest.raises(InputError, match=message):
        run(**{"noise": None, **options}, **({"controller": lambda t, q, qd: q} if "noise" in options else {}))


def test_names_that_do_not_exist_are_listed():
    with pytest.raises(UnknownNameError, match=r"rk45.*did you mean 'rk4'.*implicit_midpoint"):
        run(method="rk45")
    with pytest.raises(UnknownNameError, match="wrenches"):
        run(record=("q", "wrench"))
    with pytest.raises(UnknownNameError, match="payload"):
        run(payload=3.0)
    with pytest.raises(InputError, match="Robot or a ClosedChain"):
        kt.simulate("robot", [0.0], [0.0], 1.0)  # type: ignore[arg-type]


def test_options_of_an_object_are_those_of_keywords_which_come_first():
    accurate = Options(method="adaptive", dt=0.02, record="q")
    arguments = (robot(), [0.1, 0.2], [0.0, 0.0], 0.1)
    motion = kt.simulate(*arguments, options=accurate)
    assert motion.t.shape == (6,)
    assert motion.tau is None
    assert np.array_equal(motion.q, kt.simulate(*arguments, method="adaptive", dt=0.02).q)
    assert kt.simulate(*arguments, options=accurate, dt=0.05).t.shape == (3,)
    with pytest.raises(InputError, match="options are a"):
        kt.simulate(*arguments, options={"dt": 0.01})  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'method'"):
        run(methd="rk4")


def test_a_quaternion_of_another_length_is_refused():
    body = kt.Robot((kt.Body("ball", kt.Joint("free", kt.joints.Free()), kt.Inertia(1.0, about_com=(1.0,) * 3)),))
    with pytest.raises(InputError, match="not of length one"):
        kt.simulate(body, [0.0] * 6 + [2.0], [0.0] * 6, 1.0)


# -- controllers ------------------------------------------------------------------------------------------------------


def test_a_controller_that_raises_is_reported_with_the_time():
    def broken(t: float, q: Any, qd: Any) -> Any:
        return [0.0, 0.0] if t < 0.045 else [0.0, {}["lost"]]

    with pytest.raises(SimulationError, match=r"KeyError at 0\.05 s: 'lost'") as caught:
        run(broken)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_controller_that_gives_no_number_ends_its_run_alone():
    def broken(t: float, q: Any, qd: Any) -> Any:
        assert np.isfinite(q).all()  # runs that have ended are not shown with their NaN
        tau = np.zeros_like(q)
        tau[(q[:, 0] > 5.0) & (t > 0.045)] = np.nan
        return tau

    with pytest.warns(SimulationWarning, match=r"1 of 3 runs failed; run 1 has a controller .* at 0\.05 s"):
        motion = run(broken, q0=[[0.0, 0.0], [6.0, 0.0], [0.1, 0.0]])
    assert motion.status.tolist() == [Outcome.DONE, Outcome.CONTROLLER, Outcome.DONE]
    assert motion.reason[1].endswith("at 0.05 s")
    assert np.isfinite(motion.q[[0, 2]]).all()
    assert np.isfinite(motion.q[1, :6]).all()
    assert np.isnan(motion.q[1, 6:]).all()
    with pytest.raises(SimulationError, match="run 1 has a controller"):
        motion.check()
    law = kt.control.Law(lambda robot, t, q, qd: [kt.scalar.sqrt(0.055 - t), 0.0])
    with pytest.warns(SimulationWarning, match=r"the run has a controller .* at 0\.06 s"):
        native = run(law, method="semi_implicit")
    assert native.status == Outcome.CONTROLLER
    assert native.reason[0].endswith("at 0.06 s")


@pytest.mark.parametrize("forces", [[0.0], [0.0] * 3, 0.0])
def test_forces_of_another_number_are_refused(forces):
    with pytest.raises(SimulationError, match="must give 2 forces"):
        run(lambda t, q, qd: forces)
    with pytest.raises(SimulationError, match="Law must give 2 forces"):
        run(kt.control.Law(lambda robot, t, q, qd: forces))
    with pytest.raises(SimulationError, match="don't fit the runs"):
        run(lambda t, q, qd: np.zeros((3, 2)), q0=np.zeros((2, 2)))


def test_code_is_kept_for_controllers_that_say_all_of_what_they_are():
    gains = np.array([1.0, 2.0])
    assert cache_key(kt.control.Hold((1.0, 2.0))) != cache_key(kt.control.Hold((1.0, 2.0 + 1e-15)))
    assert cache_key(gains) != cache_key(gains + 1e-12)  # the repr of an array shows eight digits
    assert cache_key((robot(),)) != cache_key((robot().with_gravity((0, 0, -1)),))  # that of a robot, its name
    for part in (lambda t: t, (lambda t: t,), {1.0}, kt.control.Law(lambda robot, t, q, qd: qd)):
        assert cache_key(part) is None


# -- ends -------------------------------------------------------------------------------------------------------------


def test_a_diverging_run_names_time_and_joint_and_leaves_the_others():
    law = kt.control.Law(lambda robot, t, q, qd: [0.0, 100.0 * qd[1] * qd[1] * qd[1]])
    with pytest.warns(SimulationWarning, match=r"1 of 2 runs failed; run 1 diverged.* at 0\.02 s") as said:
        motion = run(law, qd0=[[0.0, 0.0], [0.0, 9.0]], duration=0.3)
    assert len(said) == 1
    assert motion.status.tolist() == [Outcome.DONE, Outcome.DIVERGED]
    assert "'joint2'" in motion.reason[1]
    assert f"at {motion.end[1]:.6g} s" in motion.reason[1]
    assert np.isfinite(motion.q[0]).all()
    assert np.isnan(motion.q[1, -1]).all()


def test_adaptive_steps_end_a_run_that_no_step_solves_and_leave_the_others():
    law = kt.control.Law(lambda robot, t, q, qd: [0.0, qd[1] * qd[1] * qd[1]])
    with pytest.warns(SimulationWarning, match=r"run 1 diverged.* at 0\.05 s"):
        motion = run(law, qd0=[[0.0, 0.0], [0.0, 9.0]], duration=0.3, method="adaptive", dt=0.05)
    assert motion.status.tolist() == [Outcome.DONE, Outcome.DIVERGED]
    assert np.isfinite(motion.q[0]).all()


def falling() -> kt.Robot:
    slide = kt.Joint("slide", kt.joints.Prismatic((0, 0, 1)), limits=kt.Limits(0.0, 2.0))
    return kt.Robot((kt.Body("mass", slide, kt.Inertia(1.0, about_com=(1.0,) * 3)),))


def test_events_are_found_between_the_steps():
    seen = Event(lambda t, q, qd: q[:, 0] - 0.5, "half way", stops=False)
    up = Event(lambda t, q, qd: q[:, 0] - 0.5, "half way up", stops=False, direction=1)
    motion = kt.simulate(falling(), [[1.0], [1.5]], [0.0], 1.0, dt=0.01, events=[seen, up], stop_at_limits=True).check()
    assert motion.status.tolist() == [Outcome.STOPPED] * 2
    assert np.abs(motion.end - np.sqrt(2 * np.array([1.0, 1.5]) / 9.81)).max() < MOMENT
    assert "slide at its lower limit" in motion.reason[0]
    assert [(e.name, e.row) for e in motion.events if e.row == (0,)] == [
        ("half way", (0,)),
        ("slide at its lower limit", (0,)),
    ]
    first = next(e for e in motion.events if e.row == (0,))
    assert abs(first.t - np.sqrt(1.0 / 9.81)) < MOMENT
    assert abs(first.q[0] - 0.5) < MOMENT
    assert abs(first.qd[0] + 9.81 * first.t) < MOMENT
    assert np.isnan(motion.q[0, -1]).all()
    with pytest.raises(InputError, match="beyond a limit: slide at its upper limit"):
        kt.simulate(falling(), [2.5], [0.0], 1.0, stop_at_limits=True)
    with pytest.raises(InputError, match="must give 1 numbers"):
        kt.simulate(falling(), [1.0], [0.0], 1.0, events=[Event(lambda t, q, qd: q)])


INTERRUPTED = """
import kinetree as kt, sys
def brake(t, q, qd):
    if 0.01 <= t < 0.011:
        print("running", flush=True)
    return -qd
motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 1e5, brake, every=5, progress=False)
print("ends", motion.reason[0], len(motion), motion.q.shape, abs(motion.q).max() < 10)
"""


def heed_ctrl_c() -> None:
    """A process that was started in the background ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT goes to the whole console")
def test_ctrl_c_returns_what_there_is():
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [
        sys.executable,
        "-W",
        "error",
        "-c",
        f"import signal\nsignal.signal(2, signal.default_int_handler)\n{INTERRUPTED}",
    ]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen(command, env=environment, preexec_fn=heed_ctrl_c, **pipes) as process:
        assert process.stdout is not None
        while "running" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    ends = out.splitlines()[-1]
    assert ends.startswith("ends was interrupted: at ")
    assert ends.endswith("True")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stops", [False, True])
def test_a_bar_is_drawn_on_a_terminal_and_gone_at_the_end(monkeypatch, stops):
    quiet, shown = io.StringIO(), Terminal()
    monkeypatch.setattr(status, "PATIENCE", 0.0)
    monkeypatch.setattr(status, "_EVERY", 0.0)
    for stream in (quiet, shown):
        monkeypatch.setattr(sys, "stderr", stream)
        event = Event(lambda t, q, qd: np.full(len(q), t - 0.8), "late")
        run(duration=1.0, dt=5e-3, events=[event] if stops else [])
    assert quiet.getvalue() == ""
    assert shown.getvalue().startswith("\r\033[K[")
    assert shown.getvalue().endswith("\r\033[K")
    assert ("100 %" in shown.getvalue()) != stops
    monkeypatch.setattr(sys, "stderr", shown)
    before = shown.getvalue()
    run(progress=False)
    assert shown.getvalue() == before
