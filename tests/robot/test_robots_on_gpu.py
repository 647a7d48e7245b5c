"""The methods of robots with arrays on a (fake) GPU: nothing of them comes to the host, and results are the CPU's."""

from __future__ import annotations

import sys
from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import CuPyArray, FakeDriver

import kinetree as kt
from kinetree.catalogue import CATALOGUE, FRAMED, PARTICULAR
from kinetree.errors import InputError
from kinetree.runtime.cuda import arrays, code, driver as driver_module

RNG = np.random.default_rng(3)
BATCH = 3


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", fake_gpu.kernels)
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    monkeypatch.setitem(sys.modules, "cupy", fake_gpu.cupy())
    fake = FakeDriver()
    monkeypatch.setattr(driver_module, "_found", [fake])
    arrays._UPLOADED.clear()
    code._unused.clear()
    return fake


def there(x: Any) -> Any:
    return CuPyArray(np.asarray(x, float))


def same(found: Any, expected: Any) -> None:
    for f, e in zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]:
        assert type(f) is CuPyArray
        np.testing.assert_allclose(f.on_device, e, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in CATALOGUE if n not in (*FRAMED, *PARTICULAR) and hasattr(kt.Robot, n)])
def test_every_method_runs_there(name: str, gpu: FakeDriver) -> None:
    robot = kt.robots.eel(1)
    function = robot.function(name)
    args = [RNG.standard_normal((BATCH, *o.shape)) for o in function.operands]
    for k, o in enumerate(function.operands):
        if o.shape == (robot.nq,):
            args[k] = robot.random(BATCH, seed=k)
    method = getattr(robot, name)
    same(method(*map(there, args)), method(*args))
    assert gpu.launches


def test_frames_loads_and_moving_bases() -> None:
    arm = kt.robots.two_link()
    q, qd, qdd = (RNG.standard_normal((BATCH, 2)) for _ in range(3))
    same(arm.pose(there(q), "dh2"), arm.pose(q, "dh2"))
    same(arm.jacobian(there(q), "dh2"), arm.jacobian(q, "dh2"))
    loads, twist = RNG.standard_normal((BATCH, 2, 6)), RNG.standard_normal(6)
    given = there(q), there(qd), there(qdd)
    same(arm.inverse_dynamics(*given, external=there(loads)), arm.inverse_dynamics(q, qd, qdd, external=loads))
    expected = arm.inverse_dynamics(q, qd, qdd, base_velocity=twist)
    same(arm.inverse_dynamics(*given, base_velocity=there(twist)), expected)
    same(arm.kinetic_energy(*given[:2], base_velocity=there(twist)), arm.kinetic_energy(q, qd, base_velocity=twist))
    same(arm.momentum(*given[:2]), arm.momentum(q, qd))
    same(arm.hybrid_dynamics(*given, known_forces=["joint2"]), arm.hybrid_dynamics(q, qd, qdd, known_forces=["joint2"]))
    same(arm.integrate(there(q), there(qd), 0.5), arm.integrate(q, qd, 0.5))
    with pytest.raises(InputError, match="external is on the host"):
        arm.inverse_dynamics(*given, external=loads)


def test_the_direct_call_of_the_cpu_hands_over() -> None:
    arm = kt.robots.two_link()
    q = RNG.standard_normal(2)
    for _ in range(2):
        expected = arm.inverse_dynamics(q, q, q)
    same(arm.inverse_dynamics(there(q), there(q), there(q)), expected)


def parametric(count: int) -> kt.Robot:
    """An arm with named masses."""
    rows = [kt.DH(alpha=0.1 * k, a=0.1, mass=kt.parameter(f"m{k}", 1.0 + k), com=(0.1, 0, 0)) for k in range(count)]
    return kt.Robot.from_dh(rows)


@pytest.mark.parametrize("count", [2, 34])
def test_named_parameters_are_numbers_of_the_host_or_arrays(count: int) -> None:
    arm = parametric(count)
    q, mass = RNG.standard_normal((BATCH, count)), RNG.uniform(1.0, 2.0, BATCH)
    same(arm.gravity_forces(there(q)), arm.gravity_forces(q))
    same(arm.gravity_forces(there(q), m1=3.0), arm.gravity_forces(q, m1=3.0))
    same(arm.gravity_forces(there(q), m0=there(mass), m1=3), arm.gravity_forces(q, m0=mass, m1=3))
    with pytest.raises(InputError, match="host"):
        arm.gravity_forces(there(q), m0=mass)


def test_parameter_derivatives_run_there() -> None:
    arm = parametric(2)
    q = RNG.standard_normal((BATCH, 2))
    found = arm.parameter_derivatives("gravity_forces", there(q), wrt="m0")
    same(found, arm.parameter_derivatives("gravity_forces", q, wrt="m0"))


def test_massless_bodies_give_no_wait() -> None:
    """The warning of the CPU would wait for the results."""
    arm = kt.Robot.from_dh([kt.DH(a=0.3), kt.DH(a=0.2, mass=1.0)], "standard")
    q = np.zeros((BATCH, 2))
    found = arm.forward_dynamics(there(q), there(q), there(q))
    assert type(found) is CuPyArray
