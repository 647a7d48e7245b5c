"""Inverse kinematics with targets on a (fake) GPU: the configurations of the CPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import FakeDriver

import kinetree as kt
from kinetree.errors import InputError
from kinetree.robot.inverse import on_gpu
from kinetree.runtime import cache
from kinetree.runtime.cuda import arrays, code, driver as driver_module


@pytest.fixture(params=["cupy", "torch"])
def there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """From arrays of the host to those of a library."""
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", fake_gpu.kernels)
    monkeypatch.setitem(sys.modules, request.param, fake_gpu.MODULES[request.param]())
    monkeypatch.setattr(driver_module, "_found", [FakeDriver()])
    arrays._UPLOADED.clear()
    code._unused.clear()
    on_gpu._beginning.cache_clear()
    with cache.switched_off():  # another driver knows nothing of functions that are there
        yield lambda x, kind=float: fake_gpu.ARRAYS[request.param](np.asarray(x, kind))


def arm() -> kt.Robot:
    rows = [kt.DH(alpha=1.5, d=0.3, mass=1.0), kt.DH(a=0.5, mass=1.0), kt.DH(a=0.4, mass=1.0)]
    return kt.Robot.from_dh(rows)


@pytest.mark.parametrize("guessed", [False, True])
def test_configurations_are_those_of_the_cpu(guessed: bool, there: Any) -> None:
    robot = arm()
    solver = kt.InverseKinematics(robot, kt.tasks.Position("link3"))
    q = np.random.default_rng(0).uniform(-1, 1, (4, 3))
    target = robot.pose(q, "link3")[:, :3, 3]
    options: dict[str, Any] = {"guess": q + 0.3} if guessed else {}
    expected = solver(target, **options)
    found = solver(there(target), **{name: there(x) for name, x in options.items()})
    assert type(found.q) is type(there(q))
    assert found.solved.on_device.tolist() == expected.solved.tolist() == [True] * 4
    np.testing.assert_allclose(found.q.on_device, expected.q, atol=1e-6)
    np.testing.assert_allclose(found.error.on_device, expected.error, atol=1e-6)
    np.testing.assert_allclose(robot.pose(found.q.on_device, "link3")[:, :3, 3], target, atol=1e-6)


def test_single_precision_and_wrong_guesses(there: Any) -> None:
    robot = arm()
    solver = kt.InverseKinematics(robot, kt.tasks.Position("link3"))
    target = robot.pose([0.1, 0.2, 0.3], "link3")[:3, 3]
    assert solver(there(target, np.float32)).solved.on_device
    with pytest.raises(InputError, match="the guess has 3 positions"):
        solver(there(target), guess=there(np.zeros(4)))
