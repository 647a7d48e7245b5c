"""Whole iterations on a real card: inverse kinematics, closing of loops, simulation. Results are those of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt

pytestmark = pytest.mark.gpu
cp: Any = pytest.importorskip("cupy")
BATCH = 3000


def test_inverse_kinematics() -> None:
    robot = kt.robots.panda()
    poses = robot.pose(robot.random(BATCH, seed=1), "tcp")
    solver = kt.InverseKinematics(robot, kt.tasks.Pose("tcp"))
    expected, found = solver(poses), solver(cp.asarray(poses))
    q = found.q.get()
    assert found.solved.get().mean() > 0.999
    assert (np.asarray(expected.solved) == found.solved.get()).mean() > 0.999
    assert ((q >= robot.lower) & (q <= robot.upper)).all()
    reached = robot.pose(q, "tcp")[found.solved.get()]
    assert np.abs(reached - poses[found.solved.get()]).max() < 5e-6
    # a search that branches on the last digit may find another solution
    same = np.abs(q - expected.q).max(axis=1) < 1e-5
    assert same.mean() > 0.9


def test_loops_of_a_parallel_robot() -> None:
    robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
    pose = np.repeat(robot.robot.pose(robot.chain.neutral, "platform")[None], BATCH, axis=0)
    pose[:, :3, 3] += np.random.default_rng(2).uniform(-0.05, 0.05, (BATCH, 3))
    pose[7, 2, 3] += 50.0
    pose[8] = np.nan
    expected, found = robot.close(pose), robot.close(cp.asarray(pose))
    np.testing.assert_array_equal(found.status.get(), expected.status)
    good = np.asarray(expected.closed)
    np.testing.assert_allclose(found.q.get()[good], expected.q[good], atol=1e-9)
    twist = np.random.default_rng(3).standard_normal((BATCH, 6))
    forces = robot.inverse_dynamics(pose, twist, twist)
    on_gpu = robot.inverse_dynamics(cp.asarray(pose), cp.asarray(twist), cp.asarray(twist)).get()
    np.testing.assert_allclose(on_gpu, forces, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit", "implicit_midpoint"])
def test_simulation(method: str) -> None:
    arm = kt.robots.ur5()
    q = np.random.default_rng(4).uniform(-1, 1, (BATCH, 6))
    controller = kt.control.ComputedTorque(kt.control.Hold([0.3] * 6), 100.0, 20.0)
    options: dict[str, Any] = {"dt": 1e-3, "every": 7, "method": method}
    expected = kt.simulate(arm, q, 0 * q, 0.05, controller, **options)
    found = kt.simulate(arm, cp.asarray(q), cp.zeros_like(cp.asarray(q)), 0.05, controller, **options)
    assert isinstance(found.q, cp.ndarray)
    found = found.to_host()
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-8, atol=1e-8)


def test_simulation_with_tensors() -> None:
    torch: Any = pytest.importorskip("torch")
    arm = kt.robots.two_link()
    q = np.random.default_rng(4).uniform(-1, 1, (BATCH, 2))
    there = torch.as_tensor(q, device="cuda")
    found = kt.simulate(arm, there, 0 * there, 0.05, lambda t, q, qd: -2.0 * qd, dt=1e-3)
    expected = kt.simulate(arm, q, 0 * q, 0.05, lambda t, q, qd: -2.0 * qd, dt=1e-3)
    assert found.q.is_cuda
    np.testing.assert_allclose(found.to_host().q, expected.q, atol=1e-9)
