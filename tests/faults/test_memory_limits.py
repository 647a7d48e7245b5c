"""Too little memory is a MemoryError, and not the end of the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits of Linux")


def run(script: str, *args: object) -> str:
    command = [sys.executable, "-c", script, *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


SCRATCH = """
import ctypes
import numpy as np
import kinetree as kt
from kinetree.emit.llvm import loop
from kinetree.runtime import native

loop.STACK = 0  # all scratch memory comes from the heap
fails = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
native._llvm().add_symbol("PyMem_RawMalloc", ctypes.cast(fails, ctypes.c_void_p).value)
f = kt.compile(lambda x: [x[0] * float(k) for k in range(5)], signature="(1)->(5)")
g = kt.compile(lambda x: ([x[0] + 1.0], [x[0] * float(k) for k in range(5)]), signature="(1)->(1),(5)")
calls = [f, f.direct(), f.ufunc(), g.direct()]
for call in calls:
    for x in (np.ones(1), np.ones((20, 1))):
        try:
            call(x)
        except MemoryError:
            print("MemoryError", end=" ")
"""

ADDRESSES = """
import resource, sys
import numpy as np
import kinetree as kt

z, spare = np.zeros(6), int(sys.argv[1]) << 20
robot = kt.robots.stanford()
if "loaded" in sys.argv:
    robot.gravity_forces(z)
with open("/proc/self/statm") as pages:
    used = int(pages.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + spare, resource.RLIM_INFINITY))
try:
    robot.inverse_dynamics_derivatives(z, z, z)
    print("worked")
except MemoryError as error:
    print(error)
"""

MAPS = """
import mmap
import numpy as np
import kinetree as kt

z, robot = np.zeros(2), kt.robots.two_link()
expected = robot.mass_matrix(z)
with open("/proc/sys/vm/max_map_count") as limit:
    count = int(limit.read())
pages = []
try:
    for _ in range(count // 2):  # every second page is its own map
        area = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        area.madvise(mmap.MADV_DONTDUMP, 0, mmap.PAGESIZE)
        pages.append(area)
except OSError:
    del pages[-100:]  # for everything else in this process, and code that is loaded before maps are counted again
robot.mass_matrix(z)  # what is there goes on
functions = []
try:
    for k in range(100):
        functions.append(kt.compile(lambda x: x * (k + 2.0), signature="()->()"))
        functions[-1](1.0)
except MemoryError as error:
    print(error)
pages.clear()
assert functions[-1](1.0) == k + 2.0 and (robot.mass_matrix(z) == expected).all()
"""


def test_scratch_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    assert run(SCRATCH).split() == ["MemoryError"] * 8


@pytest.mark.parametrize("loaded", ["", "loaded"])
@pytest.mark.parametrize("spare", [1, 4, 12, 20, 28, 40, 80, 160, 190, 200, 208, 220, 268, 300])
@pytest.mark.slow
def test_every_limit_of_the_address_space_lets_it_work_or_is_a_memory_error(
    spare: int, loaded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    answer = run(ADDRESSES, spare, loaded)
    assert answer == "worked\n" or "compiling needs up to" in answer or spare < 20


@pytest.mark.parametrize(
    ("spare", "loaded", "expected"), [(8, "loaded", "needs up to"), (30, "", "needs up to"), (600, "", "worked")]
)
def test_a_limit_of_the_address_space(spare: int, loaded: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    assert expected in run(ADDRESSES, spare, loaded)


def test_memory_maps() -> None:
    with open("/proc/sys/vm/max_map_count") as limit:
        if int(limit.read()) > 1_000_000:
            pytest.skip("too many to use them up")
    assert "hardly any memory maps left" in run(MAPS)
