"""A fork while another thread compiles: the child has no lock that nobody releases, and no half-made code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

POOLS = """
import multiprocessing, threading, time, warnings
import numpy as np
import kinetree as kt

warnings.simplefilter("ignore")  # Python warns of every fork beside threads
fork, z = multiprocessing.get_context("fork"), np.zeros(2)
kt.threads(2)
z[0] = 0.3
def mine(k):  # compiled in the child
    return kt.compile(lambda x: x * (k + 2.0), signature="()->()")(2.0)
for k in range(8):
    robot = kt.robots.two_link().with_gravity((0, 0, -1.0 - k))
    def call(_):  # what the other thread compiles
        return robot.gravity_forces(z), robot.inverse_dynamics(z, 0 * z, 0 * z)
    def work():
        robot.gravity_forces(z)
        robot.inverse_dynamics(z, 0 * z, 0 * z)
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.006 * k)
    with fork.Pool(2) as pool:
        for gravity, force in pool.map_async(call, range(2)).get(timeout=30):
            assert np.allclose(force, gravity)
        assert pool.map_async(mine, range(4)).get(timeout=30) == [4.0, 6.0, 8.0, 10.0]
    thread.join()
print("all")
"""

PRECOMPILE = """
import os, threading, warnings
import numpy as np
import kinetree as kt
from kinetree.emit.llvm import module

warnings.simplefilter("ignore")
module.LARGE, module.EACH = 300, 100  # all programs are compiled by several threads
kt.threads(3)
robot, z = kt.robots.puma560(), np.linspace(0.0, 1.0, 6)
thread = threading.Thread(target=robot.precompile)
thread.start()
children = []
for k in range(6):
    child = os.fork()
    if not child:
        other = robot.with_gravity((0.0, 0.0, -1.0 - k))
        right = np.allclose(other.gravity_forces(z), other.inverse_dynamics(z, 0 * z, 0 * z))
        os._exit(0 if right else 1)
    children.append(child)
    thread.join(0.05)
thread.join()
assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 6
print("all")
"""

WAITING = """
import os, sys, threading, warnings
import kinetree as kt
from kinetree.runtime import locks

warnings.simplefilter("ignore")
locks._PATIENCE = 0.2
held, tracing = threading.Lock(), threading.Event()
def waits(x):  # for a lock of the thread that forks
    tracing.set()
    with held:
        return x * 2.0
f = kt.compile(waits, signature="()->()")
held.acquire()
thread = threading.Thread(target=f, args=(1.0,))
thread.start()
tracing.wait()
child = os.fork()
held.release()
if child == 0:
    os._exit(0 if f(3.0) == 6.0 else 1)
thread.join()
assert f(2.0) == 4.0
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

TRACING = """
import os, sys
import kinetree as kt

def forks(x):  # in the middle of its own compilation
    global child
    child = os.fork()
    return x * 2.0
f = kt.compile(forks, signature="()->()")
assert f(1.0) == 2.0 and kt.compile(lambda x: x + 1.0, signature="()->()")(1.0) == 2.0
if child == 0:
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def run(script: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pools_that_are_forked_while_a_thread_compiles_do_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(POOLS, monkeypatch) == "all\n"


def test_forks_while_several_threads_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(PRECOMPILE, monkeypatch) == "all\n"


def test_a_fork_does_not_wait_for_ever_for_a_thread_that_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    run(WAITING, monkeypatch)


def test_a_traced_function_may_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    run(TRACING, monkeypatch)
