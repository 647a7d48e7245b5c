"""Interrupts: Ctrl-C in a large batch, signals while a function is compiled, functions that call themselves."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

import kinetree as kt
from kinetree.errors import TraceError

posix = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals on this system")

CTRL_C = """
import os, signal, threading, time
import numpy as np
import kinetree as kt
from kinetree.scalar import sin

inside = False
def handler(number, frame):
    if inside:
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)  # a background shell ignores it
def slow(x):
    for _ in range(60):
        x = sin(x)
    return x
f = kt.compile(slow, signature="()->()")
kt.threads(2)
x = np.ones(1_000_000)
expected = f(x)
threads = threading.active_count()
for delay in (0.001, 0.03):
    out = np.full(x.shape, np.nan)
    def press():
        for _ in range(3):  # some press it more than once
            time.sleep(delay)
            os.kill(os.getpid(), signal.SIGINT)
    hand = threading.Thread(target=press)
    try:
        inside = True
        hand.start()
        f(x, out=out)
        time.sleep(10)
    except KeyboardInterrupt:
        inside = False
    after = out.copy()
    hand.join()
    time.sleep(0.2)
    np.testing.assert_array_equal(out, after)
np.testing.assert_array_equal(f(x), expected)
assert threading.active_count() == threads
print("done")
"""

HANDLER = """
import signal
import numpy as np
import kinetree as kt
from kinetree.errors import CompileError

z, answers = np.zeros(6), []
def handler(number, frame):
    try:
        answers.append(robot.inverse_dynamics(z, z, z))
    except CompileError as error:  # only the first time, in the middle of an import
        assert "in the middle of an import" in str(error) and first
        answers.append(None)
signal.signal(signal.SIGALRM, handler)
for delay in (0.02, 0.005, 0.02, 0.04, 0.06):
    robot, first = kt.robots.stanford().with_gravity((0, 0, -1.0 - delay)), not answers
    signal.setitimer(signal.ITIMER_REAL, delay)
    expected = robot.inverse_dynamics(z, z, z)
    while len(answers) == 0 or answers[-1] is Ellipsis:
        signal.pause()
    if answers[-1] is not None:
        np.testing.assert_array_equal(answers[-1], expected)
    answers.append(Ellipsis)
print("done")
"""


@posix
@pytest.mark.parametrize("script", [CTRL_C, HANDLER], ids=["ctrl_c", "handler"])
def test_nothing_hangs_and_nothing_is_written_afterwards(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_a_function_that_calls_its_compiled_self_is_refused() -> None:
    f = kt.compile(lambda x: f(x), signature="()->()", name="f")
    for _ in range(2):
        with pytest.raises(TraceError, match="f needs its own code while it is traced"):
            f(1.0)
    g = kt.compile(lambda x: x * g(2.0), signature="()->()", name="g")
    with pytest.raises(TraceError, match="call the Python function instead"):
        g(1.0)
