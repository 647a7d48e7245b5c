"""Exported code: what it takes to write it, how fast a call is, and that it allocates nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import kinetree as kt
from benchmarks import models
from benchmarks.table import show
from kinetree.export import Code

# a chain of calls that depend on each other, so that none is left out; the best of many rounds
_TIMER = """\
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "{name}.h"

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}}

int main(void)
{{
    double q[{n}] = {{0}}, qd[{n}] = {{0}}, qdd[{n}] = {{0}}, tau[{n}];
    double best = 1e300, sines = 1e300, sum = 0.0;
    int round, k, i;
    for (round = 0; round < 200; ++round) {{
        double start = now();
        for (k = 0; k < 1000; ++k) {{
            for (i = 0; i < {n}; ++i) {{
                q[i] = 0.1 * i + 1e-3 * k;
                qd[i] = 0.5 - 0.1 * i;
                qdd[i] = 0.3 * i - 1e-3 * k;
            }}
            {name}(q, qd, qdd, tau);
            sum += tau[0];
        }}
        if ((now() - start) / 1000 < best)
            best = (now() - start) / 1000;
        start = now();
        for (k = 0; k < 1000; ++k)
            for (i = 0; i < {sines}; ++i)
                sum += sin(0.1 * i + 1e-3 * k) * cos(0.1 * i + 1e-3 * k);
        if ((now() - start) / 1000 < sines)
            sines = (now() - start) / 1000;
    }}
    printf("%.17g %.17g %.17g\\n", best, sines, sum);
    return 0;
}}
"""


# the model of a gravity-compensation node, as C or as an object of ours; malloc and its like are counted
_NODE = """\
#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "{name}.h"

static long allocations = 0;
void *__real_malloc(size_t);
void *__wrap_malloc(size_t n) {{ ++allocations; return __real_malloc(n); }}

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}}

int main(void)
{{
    double q[{n}] = {{0}}, g[{n}] = {{0}}, best = 1e300, sum = 0.0;
    long before;
    int round, k, i;
    printf("\\n");
    before = allocations;
    for (round = 0; round < 200; ++round) {{
        const double start = now();
        for (k = 0; k < 1000; ++k) {{
            for (i = 0; i < {n}; ++i)
                q[i] = 0.1 * i + 1e-3 * k + 1e-9 * g[0] * (k > 0);
            {name}(q, g);
            sum += g[{n} - 1];
        }}
        if ((now() - start) / 1000 < best)
            best = (now() - start) / 1000;
    }}
    printf("%.17g %ld %.17g\\n", best, allocations - before, sum);
    return 0;
}}
"""


def run() -> None:
    """The time of one call in C, that of gravity compensation, then the time to write the code."""
    _calls()
    _gravity_compensation()
    _writing()


def _calls() -> None:
    if shutil.which("gcc") is None:
        print("\nExported C: gcc is not installed")
        return
    rows = []
    for name, goal in (("UR5", "<= 150 ns"), ("Panda", "")):
        robot = models.robot(name)
        code = kt.export.code(robot, "inverse_dynamics")
        sines = len(re.findall(r"= sin\(", code.source))
        whole, apart = timed(code, robot.nv, sines)
        rows.append([name, f"{whole:.0f} ns", goal, f"{apart:.0f} ns", sines])
    header = ["gcc -O2 -std=c99", "one call", "goal", "of it sines and cosines, about", "angles"]
    show("Exported C: inverse dynamics, a single state", header, rows)


def timed(code: Code, n: int, sines: int) -> tuple[float, float]:
    """The time of a call, and of as many sines and cosines [ns]."""
    with tempfile.TemporaryDirectory() as folder:
        code.write(folder)
        Path(folder, "timer.c").write_text(_TIMER.format(name=code.name, n=n, sines=sines), encoding="utf-8")
        command = ["gcc", "-std=c99", "-O2", f"{code.name}.c", "timer.c", "-lm", "-o", "timer"]
        subprocess.run(command, cwd=folder, check=True)
        best = subprocess.run([str(Path(folder, "timer"))], capture_output=True, text=True, check=True).stdout.split()
    return float(best[0]), float(best[1])


def _gravity_compensation() -> None:
    """What the node of a ROS 2 package calls, and the same as an object of LLVM's."""
    if shutil.which("gcc") is None:
        return
    rows = []
    for name in ("UR5", "Panda"):
        robot = models.robot(name)
        package = kt.export.ros2(robot, name="arm")
        model = {Path(file).name: text for file, text in package.files.items() if "gravity_vector." in file}
        ours = kt.export.object_file(robot, "gravity_forces", "x86_64-unknown-linux-gnu", name="weight", test=False)
        codes = {
            "C of the package, gcc -O2": (Code("arm_gravity_vector", "c", model), "c"),
            "object of LLVM, x86-64-v3": (ours, "o"),
        }
        for kind, (code, suffix) in codes.items():
            best, allocations = node_call(code, robot.nv, suffix)
            rows.append([f"{name}: {kind}", f"{best:.0f} ns", "<= 200 ns", allocations])
    show("Gravity compensation: one call of the model", ["", "one call", "goal", "allocations"], rows)


def node_call(code: Code, n: int, suffix: str) -> tuple[float, int]:
    """The time of a call [ns], and how often it allocates."""
    with tempfile.TemporaryDirectory() as folder:
        code.write(folder)
        Path(folder, "node.c").write_text(_NODE.format(name=code.name, n=n), encoding="utf-8")
        flags = ["-std=c99", "-O2", "-Wl,--wrap=malloc"]
        command = ["gcc", *flags, f"{code.name}.{suffix}", "node.c", "-lm", "-o", "node"]
        subprocess.run(command, cwd=folder, check=True)
        said = subprocess.run([str(Path(folder, "node"))], capture_output=True, text=True, check=True).stdout.split()
    return float(said[0]), int(said[1])


def _writing() -> None:
    rows = []
    cases = (
        ("UR5", models.robot("UR5"), "inverse_dynamics", ""),
        ("human55", kt.robots.human55(), "inverse_dynamics_derivatives", "<= 10 s"),
    )
    for name, robot, algorithm, goal in cases:
        start = time.perf_counter()
        code = kt.export.code(robot, algorithm)
        elapsed = time.perf_counter() - start
        lines = code.source.count("\n")
        rows.append([f"{name} {algorithm}", f"{elapsed:.2f} s", goal, lines])
    show("Writing C, self-test included", ["", "time", "goal", "lines"], rows)
