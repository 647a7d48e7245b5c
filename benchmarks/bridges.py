"""Inverse dynamics of the Panda inside other frameworks, as ratios to the bare call with NumPy arrays in the same run.

``python -m benchmarks.bridges jax``, ``torch`` or ``dask`` (`benchmarks.cluster`) in an environment with the extra
(``make bench-jax``, ``make bench-torch``, ``make bench-dask``). Each table is measured in a process of its own, on one
core and on all. glibc is told to keep the memory of large results, as Kinetree does for NumPy: page faults would be
most of what is measured.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import cluster, jax_peers
from benchmarks.jax_peers import is_installed
from benchmarks.table import show
from benchmarks.timing import best, in_new_process

SIZES = (1, 4096, 65536)
STATES = 1 << 22  # on a GPU
MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}


def main() -> int:
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()
    return 0


# -- JAX ---------------------------------------------------------------------------------------------------------------


def jax() -> None:
    """The value in jit, the gradient of a sum of squares, and the value through a callback into Python."""
    for cores, title in ((1, "one core"), (os.cpu_count() or 1, "all cores")):
        code = f"from benchmarks.bridges import measured_jax; measured_jax({cores})"
        times = json.loads(in_new_process(code, **MEMORY).splitlines()[-1])
        rows = []
        for size, (numpy, value, gradient, callback) in zip(SIZES, times):
            first = "<= 7" if size == 1 else ""
            ratio = ("<= 1.15" if cores == 1 else "<= 1") if size == 4096 else ""
            slope = "<= 3.2" if size > 1 else ""
            row = [f"{1e6 * value:.1f}", first, f"{value / numpy:.2f}", ratio, f"{gradient / value:.2f}", slope]
            rows.append([f"{size}", f"{1e6 * numpy:.1f}", *row, f"{callback / value:.1f}"])
        head = ["states", "NumPy us", "jit us", "goal", "of NumPy", "goal", "gradient of jit", "goal"]
        show(f"JAX, Panda inverse dynamics, float64, {title}", [*head, "pure_callback of jit"], rows)
    jax_peers.table()


def measured_jax(cores: int) -> None:
    """Print the times of one process [s]: for each size NumPy, value, gradient, callback."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    kt.threads(1)
    robot = kt.robots.panda()
    bare, f = robot.function("inverse_dynamics"), kt.jax.function(robot, "inverse_dynamics")
    value, gradient = jax.jit(f), jax.jit(jax.grad(lambda *x: jnp.sum(f(*x) ** 2), (0, 1, 2)))

    def by_hand(q: Any, qd: Any, qdd: Any) -> Any:
        shape = jax.ShapeDtypeStruct(qdd.shape, qdd.dtype)
        return jax.pure_callback(lambda *x: bare(*map(np.asarray, x)), shape, q, qd, qdd)

    callback = jax.jit(by_hand)
    times = []
    for size in SIZES:
        states = tuple(np.random.default_rng(0).standard_normal((3, size, robot.nv)))
        arrays = tuple(map(jnp.asarray, states))
        works: list[Callable[[], Any]] = [
            lambda states=states: bare(*states),
            *(lambda g=g, x=arrays: jax.block_until_ready(g(*x)) for g in (value, gradient, callback)),
        ]
        np.testing.assert_array_equal(np.asarray(value(*arrays)), bare(*states))
        rounds = [[best(work, 0.1, 3) for work in works] for _ in range(5)]  # in turns: all meet the same machine
        times.append([min(column) for column in zip(*rounds)])
    print(json.dumps(times))


# -- PyTorch -----------------------------------------------------------------------------------------------------------


def torch() -> None:
    """The value, the registered operation, and the value with the gradient of its sum of squares."""
    for cores, title in ((1, "one core"), (os.cpu_count() or 1, "all cores")):
        code = f"from benchmarks.bridges import measured_torch; measured_torch({cores})"
        times = json.loads(in_new_process(code).splitlines()[-1])
        rows = []
        for size, (numpy, value, operation, gradient, compiled) in zip(SIZES, times):
            ratio, slope = ("<= 1.2", "<= 5") if size == 4096 else ("", "")
            more = [x for t in (value, operation) for x in (f"{1e6 * (t - numpy):.1f}", "<= 12")]
            more = more if size == 1 else [""] * 4
            row = [f"{value / numpy:.2f}", ratio, *more, f"{gradient / value:.2f}", slope]
            rows.append([f"{size}", f"{1e6 * numpy:.1f}", *row, f"{compiled / value:.2f}"])
        head = ["states", "NumPy us", "torch of NumPy", "goal", "overhead us", "goal", "of the operation us", "goal"]
        head += ["with gradient, of torch", "goal", "torch.compile, with gradient, of torch"]
        show(f"PyTorch, Panda inverse dynamics, float64, {title}", head, rows)


def measured_torch(cores: int) -> None:
    """Print the times of one process [s]: for each size NumPy, value, operation, gradient, gradient when compiled."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    import torch

    kt.threads(cores)
    torch.set_num_threads(cores)
    robot = kt.robots.panda()
    bare, f = robot.function("inverse_dynamics"), kt.torch.function(robot, "inverse_dynamics")

    def loss(*x: Any) -> Any:
        return f(*x).square().sum()

    compiled = torch.compile(loss, fullgraph=True, dynamic=False)
    times = []
    for size in SIZES:
        states = [np.ascontiguousarray(x) for x in np.random.default_rng(0).standard_normal((3, size, robot.nv))]
        tensors = [torch.from_numpy(x) for x in states]
        leaves = [x.clone().requires_grad_() for x in tensors]
        works: list[Callable[[], Any]] = [
            lambda states=states: bare(*states),
            lambda x=tensors: f(*x),
            lambda x=tensors: f.operation.op(*x),
            *(lambda g=g, x=leaves: torch.autograd.grad(g(*x), x) for g in (loss, compiled)),
        ]
        np.testing.assert_array_equal(f(*tensors).numpy(), bare(*states))
        rounds = [[best(work, 0.1, 3) for work in works] for _ in range(5)]  # in turns: all meet the same machine
        times.append([min(column) for column in zip(*rounds)])
    print(json.dumps(times))


# -- on a GPU ----------------------------------------------------------------------------------------------------------


def gpu() -> None:
    """Gradients through inverse dynamics of many states on a GPU, as ratios to the bare kernel in the same process."""
    rows = []
    for name in ("torch", "jax"):
        if not is_installed(name):
            rows.append([name, "not installed", "", "", "", ""])
            continue
        code = f"from benchmarks.bridges import measured_gpu_{name}; measured_gpu_{name}()"
        times = json.loads(in_new_process(code, XLA_PYTHON_CLIENT_PREALLOCATE="false").splitlines()[-1])
        for kind, (bare, *others) in times.items():
            value, product, loss = (f"{t / bare:.2f}" for t in others)
            rows.append([f"{name}, {kind}", f"{1e3 * bare:.3f}", value, product, "<= 3.5", loss])
    head = ["", "kernel ms", "value", "value and gradient, weights given", "goal", "gradient of a sum of squares"]
    show(f"On a GPU, Panda7 inverse dynamics of {STATES} states, of the bare kernel", head, rows)


def panda7() -> kt.Robot:
    robot = kt.robots.panda()
    return robot.lock(dict.fromkeys(robot.joint_names[7:], 0.0))


def measured_gpu_torch() -> None:
    """Print the times of one process [s]: the kernel, value, value with a product, gradient of a compiled loss."""
    import torch

    robot, times = panda7(), {}
    bare, f = robot.function("inverse_dynamics"), kt.torch.function(robot, "inverse_dynamics")
    loss = torch.compile(lambda *x: f(*x).square().sum(), fullgraph=True)
    for kind in ("float64", "float32"):
        made = {"dtype": getattr(torch, kind), "device": "cuda"}
        states, w = [torch.randn(STATES, robot.nv, **made) for _ in range(3)], torch.randn(STATES, robot.nv, **made)
        leaves, tau = [x.clone().requires_grad_() for x in states], torch.empty_like(w)
        works = [
            lambda x=states, out=tau: bare(*x, out=out),
            lambda x=states: f(*x),
            lambda x=leaves, w=w: torch.autograd.grad(f(*x), x, w),
            lambda x=leaves: torch.autograd.grad(loss(*x), x),
        ]
        times[kind] = in_turns(works, lambda _: torch.cuda.synchronize())
    print(json.dumps(times))


def measured_gpu_jax() -> None:
    """Print the times of one process [s]: the kernel, value, value with a product, gradient of a loss."""
    import cupy as cp
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    robot, times = panda7(), {}
    bare, f = robot.function("inverse_dynamics"), kt.jax.function(robot, "inverse_dynamics")

    def product(q: Any, qd: Any, qdd: Any, w: Any) -> Any:
        tau, back = jax.vjp(f, q, qd, qdd)
        return tau, back(w)

    both, gradient = jax.jit(product), jax.jit(jax.grad(lambda *x: jnp.sum(f(*x) ** 2), (0, 1, 2)))
    value = jax.jit(f)
    for kind in ("float64", "float32"):
        arrays = [jax.random.normal(jax.random.key(k), (STATES, robot.nv), kind) for k in range(4)]
        views = [cp.from_dlpack(x) for x in arrays]
        tau = cp.empty_like(views[3])
        works = [
            lambda x=views[:3], out=tau: bare(*x, out=out),
            *(lambda g=g, x=arrays[:n]: g(*x) for g, n in ((value, 3), (both, 4), (gradient, 3))),
        ]

        def done(result: Any) -> None:
            cp.cuda.Device().synchronize()
            jax.block_until_ready(result) if not isinstance(result, cp.ndarray) else None

        times[kind] = in_turns(works, done)
    print(json.dumps(times))


def in_turns(works: Sequence[Callable[[], Any]], done: Callable[[Any], Any]) -> list[float]:
    """The shortest times of several kinds of work on a GPU, of ten calls that are put there one after the other."""
    for work in works:
        for _ in range(3):
            done(work())
    shortest = [float("inf")] * len(works)
    for _ in range(12):
        for k, work in enumerate(works):
            start = time.perf_counter()
            for _ in range(9):
                work()
            done(work())
            shortest[k] = min(shortest[k], (time.perf_counter() - start) / 10)
    return shortest


SECTIONS = {"jax": jax, "torch": torch, "dask": cluster.table}

if __name__ == "__main__":
    raise SystemExit(main())
