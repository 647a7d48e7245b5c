"""Closed chains and parallel robots with arrays on a (fake) GPU: results are the CPU's, singular rows NaN."""

from __future__ import annotations

import sys
from typing import Any

import fake_gpu
import numpy as np
import pytest
from fake_gpu import CuPyArray, FakeDriver

import kinetree as kt
from kinetree.errors import ClosureError, InputError
from kinetree.runtime.cuda import arrays, code, driver as driver_module

RNG = np.random.default_rng(11)


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
        np.testing.assert_allclose(f.on_device, e, rtol=1e-8, atol=1e-8)


def test_functions_of_chains_run_there() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    q = chain.close(RNG.uniform(-0.2, 0.2, (3, 2))).check()
    qd, qdd, tau = RNG.standard_normal((3, 3, 2))
    on = [there(x) for x in (q, qd, qdd)]
    same(chain.inverse_dynamics(*on), chain.inverse_dynamics(q, qd, qdd))
    same(chain.inverse_dynamics_derivatives(*on), chain.inverse_dynamics_derivatives(q, qd, qdd))
    all_qd = chain.velocities(q, qd)
    same(chain.velocities(*on[:2]), all_qd)
    same(chain.forward_dynamics(on[0], there(all_qd), there(tau)), chain.forward_dynamics(q, all_qd, tau))
    same(chain.inverse_dynamics(on[0], there(all_qd), on[2]), chain.inverse_dynamics(q, qd, qdd))
    same(chain.constraint_jacobian(on[0]), chain.constraint_jacobian(q))
    same(chain.margin(on[0]), chain.margin(q))
    twist = RNG.standard_normal(6)
    same(
        chain.inverse_dynamics(*on, base_velocity=there(twist)), chain.inverse_dynamics(q, qd, qdd, base_velocity=twist)
    )


def test_open_loops_are_refused_where_it_is_asked_for() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    q = np.array([chain.neutral, chain.neutral + 0.1])
    chain.velocities(there(q), there(np.ones((2, 1))))
    with pytest.raises(ClosureError, match=r"in 1 of 2 rows, in row \(1,\)"):
        chain.velocities(there(q), there(np.ones((2, 1))), check=True)


def test_singular_rows_are_nan_without_a_warning() -> None:
    chain = kt.ClosedChain(kt.robots.four_bar())
    q = np.array([chain.neutral, np.full(3, np.nan), np.zeros(3)])
    with np.errstate(all="ignore"):
        square = chain.function("velocities")(q, np.ones((3, 1)))[1]
    found = chain.velocities(there(q), there(np.ones((3, 1)))).on_device
    assert np.isfinite(found[0]).all()
    np.testing.assert_array_equal(np.isnan(found).all(axis=1), ~(square > 1e-12))
    np.testing.assert_allclose(chain.margin(there(q)).on_device, chain.margin(q), atol=1e-9)


def test_parallel_robots_run_there_with_their_joints() -> None:
    robot = kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform")
    q = np.array([robot.chain.neutral] * 2)
    twist, rate = np.zeros((2, 6)), np.zeros((2, 6))
    twist[:, 2], rate[:, 3] = 0.1, 1.0
    on = there(twist), there(rate)
    same(robot.inverse_dynamics(None, *on, q=there(q)), robot.inverse_dynamics(None, twist, rate, q=q))
    same(robot.jacobian(None, q=there(q)), robot.jacobian(None, q=q))
    same(robot.joint_wrenches(None, *on, q=there(q)), robot.joint_wrenches(None, twist, rate, q=q))
    pose = robot.robot.pose(q, "platform")
    with pytest.raises(InputError, match="runs on the host"):
        robot.condition_number(there(pose))


def test_loops_are_closed_there() -> None:
    chain = kt.ClosedChain(kt.robots.five_bar())
    own = np.array([[0.1, -0.2], [0.3, 0.1], [np.nan, 0.0], [9.0, 0.0]])
    expected, found = chain.close(own), chain.close(there(own))
    same(found.q, expected.q)
    np.testing.assert_array_equal(found.status.on_device, expected.status)
    np.testing.assert_array_equal(found.iterations.on_device, expected.iterations)
    with pytest.raises(ClosureError, match=r"row \(2,\)"):
        found.check()
    same(chain.close(there(own[:2]), guess=there(expected.q[:2])).check(), expected.q[:2])


def test_parallel_robots_run_there_from_a_pose() -> None:
    robot = kt.ParallelRobot.of(kt.robots.planar_3rrr(), "platform")
    pose = np.array([robot.robot.pose(robot.chain.neutral, "platform")] * 3)
    pose[1, :2, 3] += 0.02, -0.01
    pose[2, 2, 3] += 0.1  # out of its plane
    twist, rate = np.zeros((3, 6)), np.zeros((3, 6))
    twist[:, 2], rate[:, 3] = 0.1, 1.0
    expected = robot.close(pose)
    found = robot.close(there(pose))
    assert found.status.on_device.tolist() == expected.status.tolist() == [0, 0, 1]
    same(found.q[:2], expected.q[:2])
    np.testing.assert_allclose(found.error.on_device, expected.error, atol=1e-9)
    same(robot.inverse_dynamics(there(pose), there(twist), there(rate)), robot.inverse_dynamics(pose, twist, rate))
