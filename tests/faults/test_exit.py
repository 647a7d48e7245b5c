"""The end of the interpreter: large batches in functions that run at exit, code that is still held."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import atexit, sys, threading, time
import numpy as np
import kinetree as kt
from kinetree.scalar import sin

x = np.random.default_rng(0).normal(size=400_000)
f = kt.compile(lambda x: sin(x), signature="()->()")
kt.threads(2)
f(x[:10])

class Late:
    def __del__(self, f=f, x=x, expected=np.sin(x), close=np.allclose, print=print):
        print("late", close(f(x), expected))

def last(name):
    print(name, np.allclose(f(x), np.sin(x)), flush=True)

atexit.register(last, "first registered")
if "pool" in sys.argv:
    f(x)
if "busy" in sys.argv:  # a thread that nobody waits for
    threading.Thread(target=lambda: [f(x) for _ in range(10**6)], daemon=True).start()
    time.sleep(0.05)
atexit.register(last, "last registered")
late = Late()  # goes when the interpreter clears its modules
"""


@pytest.mark.parametrize("case", ["", "pool", "busy"])
def test_large_batches_work_until_the_end(case: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, case], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    late = "" if case == "busy" else "late True\n"  # the thread holds the module
    assert done.stdout == f"last registered True\nfirst registered True\n{late}"
    assert done.stderr == ""
