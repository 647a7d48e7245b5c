"""``python -m benchmarks.gpu``: states per second on this machine's NVIDIA GPU, beside what copying memory takes.

Needs CuPy, and nothing else beside Kinetree; Talos is in a URDF file of example-robot-data, or in the file that
``--talos`` names. The share is that of the rate at which the card copies memory, measured in the same run, for the
bytes that a function reads and writes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import kinetree as kt
from benchmarks import bridges, models
from benchmarks.table import show
from benchmarks.timing import in_new_process
from kinetree.runtime.cuda.driver import driver

BATCH, MEMORY = 1 << 22, 24 << 30  # states, and bytes of all arrays at most
ROW = 0.02  # seconds of calls one after the other, at least
RUNS = 1 << 20  # searches and simulations at once
FUNCTIONS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)  # fmt: skip
# the least shares [%] in float64 and float32
GOALS = {
    "UR5": [(95, 95), (85, 85), (92, 90), (85, 85), (70, 70)],
    "Panda7": [(85, 90), (60, 60), (92, 90), (50, 65), (35, 55)],
    "Talos": [(30, 65), (18, 40), (50, 60), (20, 25), ()],
}
COLD = {  # the most seconds of a first call
    "UR5 inverse_dynamics": 1.0,
    "Panda7 inverse_dynamics_derivatives": 2.0,
    "Talos inverse_dynamics_derivatives": 8.0,
}
FIRST = """
import time
import cupy as cp
from pathlib import Path
import kinetree as kt
robot = kt.Robot.from_json(Path({file!r}).read_text())
q = cp.zeros((64, robot.nv))
cp.cuda.Device().synchronize()
start = time.perf_counter()
robot.{name}(q, q, q)
cp.cuda.Device().synchronize()
print(time.perf_counter() - start)
"""


def robots(talos: str | None) -> dict[str, kt.Robot]:
    """UR5, Panda and, where its file is, Talos."""
    panda = kt.robots.panda()
    found = {"UR5": kt.robots.ur5(), "Panda7": panda.lock(dict.fromkeys(panda.joint_names[7:], 0.0))}
    if talos is not None:
        found["Talos"] = kt.Robot.from_file(talos)
    else:
        try:
            found["Talos"] = models.robot("Talos")
        except (ImportError, FileNotFoundError):
            print("Talos is left out: give --talos FILE", file=sys.stderr)
    return found


def seconds(work: Callable[[], Any], least: int = 5) -> float:
    """The shortest time of a call on the card [s], in rows that are long beside a launch."""
    import cupy as cp

    work()
    shortest, (start, end) = float("inf"), (cp.cuda.Event(), cp.cuda.Event())
    repeats = least
    for _ in range(4):
        start.record()
        for _ in range(repeats):
            work()
        end.record()
        end.synchronize()
        shortest = min(shortest, cp.cuda.get_elapsed_time(start, end) / repeats * 1e-3)
        repeats = max(least, int(ROW / shortest))
    return shortest


def copy_rate() -> float:
    """Bytes that are read and written in a second of copying."""
    import cupy as cp

    a, b = (cp.ones(1 << 28) for _ in range(2))
    return 2 * a.nbytes / seconds(lambda: cp.copyto(b, a))


def throughput(function: Any, kind: str, copied: float, columns: bool = False) -> tuple[float, float]:
    """States per second of a large batch, and the share [%] of the rate of copying."""
    import cupy as cp

    cp.get_default_memory_pool().free_all_blocks()
    sizes = [o.size for o in (*function.operands, *function.results)]
    each = sum(sizes) * cp.dtype(kind).itemsize
    batch = min(BATCH, MEMORY // each // 1024 * 1024)

    def array(shape: tuple[int, ...]) -> Any:
        x = cp.random.standard_normal((*shape, batch) if columns else (batch, *shape), dtype=kind)
        return cp.moveaxis(x, -1, 0) if columns else x

    args, out = [array(o.shape) for o in function.operands], tuple(array(r.shape) for r in function.results)
    time = seconds(lambda: function(*args, out=out if len(out) > 1 else out[0]))
    return batch / time, 100 * batch * each / time / copied


def speed(found: dict[str, kt.Robot]) -> None:
    """The table of throughputs."""
    copied = copy_rate()
    print(f"copying: {copied / 1e12:.2f} TB/s")
    rows = []
    for name, robot in found.items():
        for what, goals in zip(FUNCTIONS, GOALS[name]):
            function, row = robot.function(what), list[str]()
            for kind, columns in (("f8", False), ("f4", False), ("f8", True), ("f4", True)):
                if columns and name == "Talos":
                    row += ["-", "-", ""]
                    continue
                rate, share = throughput(function, kind, copied, columns)
                goal = f">= {goals[kind == 'f4']}" if goals and not columns else ""
                row += [f"{rate / 1e9:.3f}", f"{share:.0f}", goal]
            rows.append([f"{name} {what.replace('_', ' ')}", *row])
            print(*rows[-1], file=sys.stderr, flush=True)
    each = ["G/s", "%", "goal"]
    head = [f"{kind} {x}" if x != "goal" else x for kind in ("f8", "f4", "f8 columns", "f4 columns") for x in each]
    show(f"States per second, batch of {BATCH} or what fits, and the share of copying", ["", *head], rows)


def starts(found: dict[str, kt.Robot]) -> None:
    """The first call in a process: everything compiled, and everything from the cache."""
    rows = []
    for what, goal in COLD.items():
        name, function = what.split()
        if name not in found:
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.json"
            file.write_text(found[name].to_json())
            code = FIRST.format(file=str(file), name=function)
            paths = os.pathsep.join(p for p in sys.path if p)
            first, again = (
                float(in_new_process(code, KINETREE_CACHE_DIR=f"{folder}/cache", PYTHONPATH=paths)) for _ in range(2)
            )
        rows.append([what.replace("_", " "), f"{first:.2f}", f"<= {goal}", f"{again * 1e3:.0f}", "<= 50"])
    show("First call in a process", ["", "compiled s", "goal", "from the cache ms", "goal"], rows)


def launches(robot: kt.Robot) -> None:
    """What a call costs in Python, beside CuPy's own call of a kernel."""
    import cupy as cp

    function, q = robot.function("inverse_dynamics"), cp.zeros((32, robot.nv))
    out = cp.empty_like(q)
    text = 'extern "C" __global__ void none(long long n, double* a, double* b, double* c, double* d) {}'
    kernel = cp.RawKernel(text, "none")

    def each(work: Callable[[], Any]) -> float:
        best = float("inf")
        for _ in range(20):
            cp.cuda.Device().synchronize()
            start = time.perf_counter()
            for _ in range(200):
                work()
            best = min(best, (time.perf_counter() - start) / 200)
        return best * 1e6

    raw = each(lambda: kernel((1,), (32,), (32, q, q, q, out)))
    cases = {
        "function(q, qd, qdd, out=tau)": lambda: function(q, q, q, out=out),
        "function(q, qd, qdd)": lambda: function(q, q, q),
        "robot.inverse_dynamics(q, qd, qdd)": lambda: robot.inverse_dynamics(q, q, q),
    }
    rows = [[name, f"{(t := each(work)):.1f}", f"{t - raw:.1f}", "<= 15"] for name, work in cases.items()]
    head = ["", "us", "more than RawKernel, us", "goal"]
    show(f"A call from Python, 32 states; RawKernel {raw:.1f} us", head, rows)


def iterations(found: dict[str, kt.Robot]) -> None:
    """Whole searches and whole simulations on the card."""
    import cupy as cp

    rows = [inverse_kinematics(found["Panda7"])]
    stewart = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
    home = cp.asarray(stewart.robot.pose(stewart.chain.neutral, "platform"))
    poses = cp.repeat(home[None], RUNS, axis=0)
    poses[:, :3, 3] += cp.random.uniform(-0.05, 0.05, (RUNS, 3))
    twist = cp.random.standard_normal((RUNS, 6))
    time = seconds(lambda: stewart.inverse_dynamics(poses, twist, twist), 1)
    rows.append(["Gough-Stewart inverse dynamics from poses, M/s", f"{RUNS / time / 1e6:.1f}", ">= 100", "", ""])
    q = stewart.close(poses).q
    time = seconds(lambda: stewart.inverse_dynamics(None, twist, twist, q=q), 1)
    rows.append(["the same from closed configurations, M/s", f"{RUNS / time / 1e6:.1f}", ">= 100", "", ""])
    arm, rates = found["UR5"], list[str]()
    controller = kt.control.ComputedTorque(kt.control.Hold([0.3] * arm.nv), 100.0, 20.0)
    for kind, goal in (("f8", 1.0), ("f4", 2.0)):
        start = cp.random.standard_normal((RUNS, arm.nv), dtype=kind)
        options = {"dt": 1e-3, "every": 500, "record": ("q",), "progress": False}
        time = seconds(lambda start=start: kt.simulate(arm, start, 0 * start, 0.5, controller, **options), 1)  # noqa: B023
        rates += [f"{RUNS * 500 / time / 1e9:.2f}", f">= {goal:g}"]
    rows.append(["UR5 under computed torque, RK4, G steps/s", *rates])
    show(f"Iterations on the card, {RUNS} at once", ["", "f8", "goal", "f4", "goal"], rows)


def inverse_kinematics(panda: kt.Robot) -> list[str]:
    """Solved poses per second; limits on, 1e-6 m and rad."""
    import cupy as cp

    solver = kt.InverseKinematics(panda, kt.tasks.Pose("tcp"))
    poses = panda.pose(cp.asarray(panda.random(RUNS, seed=0)), "tcp")
    solved = float(solver(poses).solved.mean())
    time = seconds(lambda: solver(poses), 1)
    name = f"Panda7 inverse kinematics, {100 * solved:.2f} % solved, M/s"
    return [name, f"{solved * RUNS / time / 1e6:.1f}", ">= 10", "", ""]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all tables, or those that are named."""
    sections: dict[str, Callable[[dict[str, kt.Robot]], None]] = {
        "launches": lambda found: launches(found["UR5"]),
        "starts": starts,
        "iterations": iterations,
        "bridges": lambda _: bridges.gpu(),
        "speed": speed,
    }
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(sections))
    parser.add_argument("--talos", metavar="FILE", help="a model file of Talos")
    given = parser.parse_args(arguments)
    for name in given.sections:
        if name not in sections:
            parser.error(f"there is no section {name!r}; choose from {', '.join(sections)}")
    try:
        device = driver().device(0)
    except kt.errors.DeviceError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{device.name}, CUDA {'.'.join(map(str, driver().version))}")
    found = robots(given.talos)
    for name in given.sections or sections:
        sections[name](found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
