"""Simulation with states on a (fake) GPU: the runs of the CPU, and nothing comes to the host before the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import FakeDriver

import kinetree as kt
from kinetree.errors import InputError, SimulationError
from kinetree.runtime import cache
from kinetree.runtime.cuda import arrays, code, driver as driver_module
from kinetree.simulation import Outcome

RUNS = 3


@pytest.fixture(params=["cupy", "torch"])
def there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """From arrays of the host to those of a library."""
    monkeypatch.setattr("kinetree.runtime.cuda.ptx.kernels", fake_gpu.kernels)
    monkeypatch.setitem(sys.modules, request.param, fake_gpu.MODULES[request.param]())
    monkeypatch.setattr(driver_module, "_found", [FakeDriver()])
    arrays._UPLOADED.clear()
    code._unused.clear()
    with cache.switched_off():  # another driver knows nothing of functions that are there
        yield lambda x: fake_gpu.ARRAYS[request.param](np.asarray(x, float))


def states(robot: kt.Robot) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return robot.random(RUNS, seed=1), 0.3 * rng.standard_normal((RUNS, robot.nv))


def compare(robot: kt.Robot, there: Any, controller: Any = None, **options: Any) -> None:
    q, qd = states(robot)
    options = {"dt": 0.01, "every": 3, **options}
    expected = kt.simulate(robot, q, qd, 0.1, controller, **options)
    moved = {name: there(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    found = kt.simulate(robot, there(q), there(qd), 0.1, controller, **moved)
    assert type(found.q) is type(there(q))
    found = found.to_host()
    np.testing.assert_allclose(found.t, expected.t, rtol=1e-15)
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-9)
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_runs_are_those_of_the_cpu(method: str, there: Any) -> None:
    compare(kt.robots.two_link(), there, method=method)


def test_a_base_that_floats(there: Any) -> None:
    compare(kt.robots.eel(1), there)


def test_a_controller_inside_the_step(there: Any) -> None:
    arm = kt.robots.two_link()
    compare(arm, there, kt.control.PD(kt.control.Hold([0.2, 0.1]), 30.0, 4.0))


@pytest.mark.parametrize("sample", [0.01, 0.04])
def test_a_controller_that_is_sampled(sample: float, there: Any) -> None:
    arm = kt.robots.two_link()
    compare(arm, there, kt.control.PD(kt.control.Hold([0.2, 0.1]), 30.0, 4.0), sample=sample)


def test_parameters_and_loads(there: Any) -> None:
    mass = kt.parameter("mass", 1.0)
    arm = kt.Robot.from_dh(
        [kt.DH(a=1.0, alpha=1.5, mass=mass, com=(-0.5, 0, 0)), kt.DH(a=0.5, mass=1, com=(-0.2, 0, 0))]
    )
    compare(arm, there, mass=np.array([1.0, 2.0, 3.0]))
    compare(arm, there, external=np.full((RUNS, 2, 6), 0.3))


def test_a_python_function_gets_arrays_of_the_device(there: Any) -> None:
    arm = kt.robots.two_link()
    q, qd = states(arm)
    expected = kt.simulate(arm, q, qd, 0.1, lambda t, q, qd: -3.0 * qd, dt=0.01)
    found = kt.simulate(arm, there(q), there(qd), 0.1, lambda t, q, qd: qd * -3.0, dt=0.01).to_host()
    np.testing.assert_allclose(found.q, expected.q, rtol=1e-9)
    with pytest.raises(SimulationError, match="array on the GPU of shape"):
        kt.simulate(arm, there(q), there(qd), 0.1, lambda t, q, qd: np.zeros(2), dt=0.01)


def test_a_run_that_diverges_is_found(there: Any) -> None:
    arm = kt.robots.two_link()
    q, qd = states(arm)
    qd[1] = 1e200
    found = kt.simulate(arm, there(q), there(qd), 0.1, dt=0.01)
    assert found.status.tolist() == [Outcome.DONE, Outcome.DIVERGED, Outcome.DONE]
    assert found.end[1] < 0.1 == found.end[0]
    assert "before" in found.reason[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "adaptive"}, "adaptive"),
        ({"stop_at_limits": True}, "stop_at_limits"),
        ({"noise": (0.1, 0.1)}, "noise"),
        ({"record": ("q", "wrenches")}, "wrenches"),
    ],
)
def test_what_is_done_on_the_host_alone(options: dict[str, Any], message: str, there: Any) -> None:
    arm = kt.robots.two_link()
    with pytest.raises(InputError, match=message):
        kt.simulate(arm, there(np.zeros((2, 2))), there(np.zeros((2, 2))), 0.1, **options)


def test_shapes_and_mixed_places(there: Any) -> None:
    arm = kt.robots.two_link()
    with pytest.raises(InputError, match="q0 must have 2 numbers"):
        kt.simulate(arm, there(np.zeros((2, 3))), there(np.zeros((2, 2))), 0.1)
    with pytest.raises(InputError, match="q0 is not"):
        kt.simulate(arm, np.zeros((2, 2)), there(np.zeros((2, 2))), 0.1)
