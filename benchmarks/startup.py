"""How long it takes until the first result: import, trace and compile, load from the disk cache."""

from __future__ import annotations

import tempfile
import time

import numpy as np

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from benchmarks.timing import in_new_process
from kinetree.catalogue import Variant, function_of
from kinetree.runtime import cache
from kinetree.tracing import trace

_FIRST_CALL = """
import time
import llvmlite.binding, numpy as np, kinetree as kt
from benchmarks import models
robot = models.robot({name!r})
from kinetree.runtime import native
native.target()
zero = np.zeros(robot.nv)
start = time.perf_counter()
robot.{function}(zero, zero, zero)
print(time.perf_counter() - start)
"""
_LLVM = """
import kinetree, time
start = time.perf_counter()
from kinetree.runtime import native
native.target()
print(time.perf_counter() - start)
"""
_IMPORT = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import kinetree, sys
end = time.perf_counter()
assert "llvmlite" not in sys.modules
print(middle - start, end - start)
"""
REPEATS = 5


def run() -> None:
    """First calls in new processes, then the growth of compile time with the robot."""
    with tempfile.TemporaryDirectory() as folder:  # the first process writes bytecode, as Python does by default
        _first_calls({"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder})
    _chains()


def _first_calls(bytecode: dict[str, str]) -> None:
    rows = []
    cases = (("UR5", "inverse_dynamics", 0.25), ("Talos", "forward_dynamics", 1.5))
    for name, function, goal in cases:
        code = _FIRST_CALL.format(name=name, function=function)
        cold, warm = [], []
        for _ in range(REPEATS):
            with tempfile.TemporaryDirectory() as folder:
                cold.append(float(in_new_process(code, KINETREE_CACHE_DIR=folder, **bytecode)))
                warm.append(float(in_new_process(code, KINETREE_CACHE_DIR=folder, **bytecode)))
        rows.append(
            [f"{name} {function}", f"{min(cold):.3f} s", f"<= {goal} s", f"{min(warm) * 1e3:.1f} ms", "<= 30 ms"]
        )
    show("The first call in a process, LLVM loaded", ["", "trace + compile", "goal", "from disk cache", "goal"], rows)
    both = [in_new_process(_IMPORT, **bytecode).split() for _ in range(REPEATS)]
    numpy_only, whole = (min(float(pair[k]) for pair in both) for k in (0, 1))
    llvm = min(float(in_new_process(_LLVM, **bytecode)) for _ in range(REPEATS))
    row = [
        "import kinetree",
        f"{whole * 1e3:.0f} ms",
        "<= 150 ms",
        f"{numpy_only * 1e3:.0f} ms",
        f"{llvm * 1e3:.0f} ms",
    ]
    show("Loading", ["", "time", "goal", "of it NumPy", "LLVM, at the first compile"], [row])


def _chains() -> None:
    """Inverse dynamics of ever longer chains: the time per operation stays."""
    rows = []
    kt.threads(2)
    with cache.switched_off():
        kt.robots.puma560().inverse_dynamics(*np.zeros((3, 6)))  # LLVM and what all functions share is there
        for joints in (10, 20, 50, 100, 200, 300):
            robot, zero = models.chain(joints), np.zeros(joints)
            start = time.perf_counter()
            robot.inverse_dynamics(zero, zero, zero)
            elapsed = time.perf_counter() - start
            operations = sum(robot.operations("inverse_dynamics").values())
            rows.append([joints, operations, f"{elapsed:.2f} s", f"{elapsed / operations * 1e6:.0f} us", "<= 45 us"])
    header = ["joints", "operations", "time", "per operation", "goal"]
    show("Trace and compile inverse dynamics of chains", header, rows)


# multiplications and additions in base parameters, of customised symbolic code for a comparable robot
_IN_BASE_PARAMETERS = {"generic 6R": "414 / 347", "puma560": "259 / 240", "seven_link": "297 / 275", "UR5": "262 / 244"}


def operations() -> None:
    """Multiplications and additions of the compiled dynamics, and how many parameters they depend on."""
    rows = []
    for name, (robot, published) in models.counted().items():
        signature = Variant("inverse_dynamics").signature(robot)
        full = trace(function_of("inverse_dynamics"), robot, signature=signature).operations
        rows.append(
            [
                name,
                len(kt.identify.base_parameters(robot, method="closed form")),
                _count(robot, "inverse_dynamics"),
                _IN_BASE_PARAMETERS.get(name, "-"),
                _text(full),
                published,
            ]
        )
    header = [
        "mult / add", "base parameters", "inverse dynamics", "comparable", "with full inertias", "comparable, full"
    ]  # fmt: skip
    show("Operations of the compiled code, sines and cosines apart", header, rows)
    rows = []
    for name, (robot, _) in models.counted().items():
        n = robot.nv
        direct = f"{250 * n - 222} / {220 * n - 198}"  # Brandl, Johanni, Otter (1986)
        names = ("mass_matrix", "forward_dynamics", "forces_and_rates", "inverse_dynamics_derivatives")
        counts = [_count(robot, other) for other in names]
        rows.append([name, *counts[:2], direct, *counts[2:]])
    header = ["mult / add", "mass matrix", "forward dynamics", "250n-222 / 220n-198", "forces and rates", "derivatives"]
    show("Other functions", header, rows)


def _count(robot: kt.Robot, name: str) -> str:
    return _text(robot.operations(name))


def _text(counts: dict[str, int]) -> str:
    multiplications = sum(counts.get(op, 0) for op in ("mul", "div"))
    return f"{multiplications} / {sum(counts.get(op, 0) for op in ('add', 'sub'))}"
