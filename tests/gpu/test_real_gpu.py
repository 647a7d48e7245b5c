"""The real thing, where there is a card: `make test-gpu`. Results are those of the CPU, in the caller's library."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.runtime.cuda.driver import driver

pytestmark = pytest.mark.gpu
cp: Any = pytest.importorskip("cupy")
BATCH = 1000
RNG = np.random.default_rng(5)
# rounding of other orders of sums, relative to the largest number of a result
TOLERANCE = {"d": 1e-11, "f": 2e-3}
PLAIN = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces", "gravity_forces", "coriolis_matrix",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "joint_wrenches", "joint_wrench_derivatives",
    "kinetic_energy", "potential_energy", "center_of_mass", "momentum", "centroidal_momentum_matrix", "force_rates",
    "regressor", "integrate", "rates",
)  # fmt: skip


def states(robot: kt.Robot, function: Any, kind: str, batch: tuple[int, ...] = (BATCH,)) -> list[np.ndarray]:
    """Random arguments."""
    args = [RNG.standard_normal((*batch, *o.shape)).astype(kind) for o in function.operands]
    if function.operands[0].name == "q":
        args[0] = robot.random(int(np.prod(batch)), seed=RNG).reshape(*batch, robot.nq).astype(kind)
    return args


def compare(found: Any, expected: Any) -> None:
    pairs = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
    for f, e in pairs:
        f = f.get() if hasattr(f, "get") else f.cpu().numpy()
        assert f.shape == e.shape
        assert f.dtype == e.dtype
        np.testing.assert_allclose(
            f, e, rtol=0, atol=TOLERANCE[e.dtype.char] * max(1.0, float(np.abs(e).max(initial=0.0)))
        )


@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("robot", ["ur5", "panda", "hyq"])
def test_the_functions_of_robots_are_those_of_the_cpu(robot: str, kind: str) -> None:
    made = getattr(kt.robots, robot)()
    for name in PLAIN if robot != "hyq" else ("inverse_dynamics", "forward_dynamics", "mass_matrix", "integrate"):
        function = made.function(name)
        args = states(made, function, kind)
        compare(function(*map(cp.asarray, args)), function(*args))


@pytest.mark.parametrize("kind", ["d", "f"])
def test_every_layout_gives_the_same_numbers(kind: str) -> None:
    robot = kt.robots.ur5()
    function = robot.function("inverse_dynamics_derivatives")
    args = states(robot, function, kind)
    expected = function(*args)
    columns = [cp.asarray(np.asfortranarray(a)) for a in args]
    compare(function(*columns), expected)
    backwards = function(*(cp.asarray(a[::-1].copy())[::-1] for a in args))
    compare(backwards, expected)
    wide = cp.asarray(np.concatenate(args, axis=1))  # one array of all: rows with gaps
    compare(function(wide[:, :6], wide[:, 6:12], wide[:, 12:]), expected)
    into = tuple(cp.moveaxis(cp.empty((6, 6, BATCH), kind), -1, 0) for _ in range(3))
    compare(function(*map(cp.asarray, args), out=into), expected)


def test_leading_dimensions_broadcast() -> None:
    robot = kt.robots.ur5()
    q, qd, qdd = RNG.standard_normal((7, 1, 6)), RNG.standard_normal((50, 6)), RNG.standard_normal(6)
    compare(robot.inverse_dynamics(*map(cp.asarray, (q, qd, qdd))), robot.inverse_dynamics(q, qd, qdd))
    q, qd = RNG.standard_normal((40, 1, 6)), RNG.standard_normal((1, 33, 6))
    compare(robot.inverse_dynamics(*map(cp.asarray, (q, qd, qdd))), robot.inverse_dynamics(q, qd, qdd))


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 127, 129, 100_003])
def test_any_number_of_states(count: int) -> None:
    robot = kt.robots.panda()
    for name in ("inverse_dynamics", "mass_matrix"):
        function = robot.function(name)
        args = states(robot, function, "d", (count,))
        memory = cp.full((count + 2) * function.results[0].size, cp.nan)
        inside = memory[function.results[0].size : -function.results[0].size]
        out = inside.reshape(count, *function.results[0].shape)
        compare(function(*map(cp.asarray, args), out=out), function(*args) if count else out.get())
        size = function.results[0].size
        assert bool(cp.isnan(memory[:size]).all() & cp.isnan(memory[-size:]).all()), "written outside"


def test_loads_moving_bases_and_parameters() -> None:
    payload = kt.parameter("payload", 1.5)
    rows = [kt.DH(alpha=1.0, a=0.3, mass=2.0, com=(0.1, 0, 0)), kt.DH(a=0.2, mass=payload, com=(0.1, 0.2, 0))]
    arm = kt.Robot.from_dh(rows)
    q, qd, qdd = (RNG.standard_normal((BATCH, 2)) for _ in range(3))
    loads, mass = RNG.standard_normal((BATCH, 2, 6)), RNG.uniform(1.0, 2.0, BATCH)
    on = [cp.asarray(x) for x in (q, qd, qdd)]
    compare(arm.inverse_dynamics(*on), arm.inverse_dynamics(q, qd, qdd))
    compare(arm.inverse_dynamics(*on, payload=3.0), arm.inverse_dynamics(q, qd, qdd, payload=3.0))
    compare(arm.inverse_dynamics(*on, payload=cp.asarray(mass)), arm.inverse_dynamics(q, qd, qdd, payload=mass))
    compare(arm.inverse_dynamics(*on, external=cp.asarray(loads)), arm.inverse_dynamics(q, qd, qdd, external=loads))
    twist = RNG.standard_normal(6)
    found = arm.inverse_dynamics(*on, base_velocity=cp.asarray(twist))
    compare(found, arm.inverse_dynamics(q, qd, qdd, base_velocity=twist))


def test_work_follows_the_stream_of_the_caller() -> None:
    robot = kt.robots.ur5()
    args = states(robot, robot.function("forward_dynamics"), "d", (200_000,))
    expected = robot.forward_dynamics(*args)
    with cp.cuda.Stream(non_blocking=True):
        late = [cp.zeros(a.shape) for a in args]
        slow = cp.ones((4000, 4000))
        for _ in range(20):
            slow = slow @ slow * 1e-4
        for a, b in zip(late, args):
            a.set(b)
        found = robot.forward_dynamics(*late)
        compare(found, expected)


def test_the_context_of_the_caller_stays() -> None:
    robot, q = kt.robots.ur5(), cp.zeros((4, 6))
    before = cp.cuda.driver.ctxGetCurrent()
    robot.inverse_dynamics(q, q, q)
    assert cp.cuda.driver.ctxGetCurrent() == before
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(robot.inverse_dynamics(q, q, q)))
    thread.start()
    thread.join()
    compare(found[0], robot.inverse_dynamics(*(np.zeros((4, 6)),) * 3))


def test_tensors_of_torch() -> None:
    torch = pytest.importorskip("torch")
    robot = kt.robots.panda()
    for kind in ("d", "f"):
        function = robot.function("inverse_dynamics_derivatives")
        args = states(robot, function, kind)
        on = [torch.from_numpy(a).cuda() for a in args]
        found = robot.inverse_dynamics_derivatives(*on)
        assert all(isinstance(x, torch.Tensor) and x.is_cuda for x in found)
        compare(found, function(*args))
        with torch.cuda.stream(torch.cuda.Stream()):
            compare(robot.inverse_dynamics_derivatives(*on), function(*args))
    on[0].requires_grad_()
    with pytest.raises(InputError, match="detach"):
        robot.inverse_dynamics_derivatives(*on)
    with torch.no_grad():
        robot.inverse_dynamics_derivatives(*on)
    with pytest.raises(InputError, match="not computed with"):
        robot.inverse_dynamics(*(x.detach().bfloat16() for x in on))


def test_a_graph_of_torch_captures_calls() -> None:
    torch = pytest.importorskip("torch")
    robot = kt.robots.ur5()
    q, qd, qdd, tau = (torch.rand(BATCH, 6, dtype=torch.float64, device="cuda") for _ in range(4))
    robot.inverse_dynamics(q, qd, qdd, out=tau)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        robot.inverse_dynamics(q, qd, qdd, out=tau)
    q.copy_(torch.rand_like(q))
    graph.replay()
    compare(tau, robot.inverse_dynamics(q.cpu().numpy(), qd.cpu().numpy(), qdd.cpu().numpy()))


def test_arrays_of_numba() -> None:
    cuda = pytest.importorskip("numba.cuda")
    robot = kt.robots.ur5()
    args = states(robot, robot.function("inverse_dynamics"), "d")
    found = robot.inverse_dynamics(*map(cuda.to_device, args))
    np.testing.assert_allclose(found.copy_to_host(), robot.inverse_dynamics(*args), rtol=1e-9, atol=1e-9)


def test_bad_input_is_refused() -> None:
    robot, q = kt.robots.ur5(), cp.zeros((4, 6))
    with pytest.raises(InputError, match="qd is on the host"):
        robot.inverse_dynamics(q, np.zeros((4, 6)), q)
    odd = cp.ndarray((4, 6), "d", cp.zeros(4 * 48 + 4, cp.uint8).data + 4)
    with pytest.raises(InputError, match="begins or strides between numbers"):
        robot.inverse_dynamics(odd, q, q)
    with pytest.raises(cp.cuda.memory.OutOfMemoryError):
        robot.inverse_dynamics(*(cp.broadcast_to(q[0], (10**11, 6)),) * 3)
    compare(robot.inverse_dynamics(q, q, q), robot.inverse_dynamics(*(np.zeros((4, 6)),) * 3))


def test_a_billion_states() -> None:
    double = kt.compile(lambda x: 2.0 * x, signature="()->()")
    if cp.cuda.runtime.memGetInfo()[0] < 12 << 30:
        pytest.skip("the card has less than 12 GiB of free memory")
    x = cp.arange(10**9, dtype="f")
    y = double(x)
    assert y.shape == (10**9,)
    assert bool((y == 2 * x).all())


WITHOUT_LLVM = """
import sys, time
sys.modules["llvmlite"] = None
import cupy as cp
import kinetree as kt
robot, q = kt.robots.ur5(), cp.ones((4, 6))
cp.cuda.Device().synchronize()
start = time.perf_counter()
tau = robot.inverse_dynamics(q, q, q)
cp.cuda.Device().synchronize()
print(time.perf_counter() - start, float(tau.sum()))
"""


def test_the_next_process_compiles_nothing_and_needs_no_llvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(tmp_path))
    kt.robots.ur5().precompile("inverse_dynamics", target="cuda", capability="9.0")
    before = {*tmp_path.iterdir()}
    capability = driver().device(0).capability
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    runs = [
        subprocess.run([sys.executable, "-c", WITHOUT_LLVM], env=environment, capture_output=True, text=True)
        for _ in range(2 if capability[0] == 9 else 0)
    ]
    for run in runs:
        assert run.returncode == 0, run.stderr
        expected = kt.robots.ur5().inverse_dynamics(*(np.ones((4, 6)),) * 3).sum()
        assert float(run.stdout.split()[1]) == pytest.approx(expected)
    if runs:
        print("first call from PTX, from machine code [s]:", *(run.stdout.split()[0] for run in runs))
        assert len({*tmp_path.iterdir()} - before) == 1  # the driver's code, once
