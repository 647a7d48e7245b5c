"""Differential inverse kinematics: the least squares under limits, which are kept exactly."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import tree

import kinetree as kt
from kinetree import tasks
from kinetree.errors import InputError
from kinetree.joints import KINDS

ROBOT, FRAME = kt.robots.panda(), "tcp"
RNG = np.random.default_rng(0)
Q, TWISTS = ROBOT.random(60, seed=1), RNG.normal(size=(60, 6))
DT = 0.05


def bounds(robot, q, dt):
    speed = robot.velocity_limits
    return (np.clip((limit - q) / dt, -speed, speed) for limit in (robot.lower, robot.upper))


def test_far_from_limits_the_frame_moves_as_wanted():
    robot = kt.robots.iiwa14()
    q, twist = 0.5 * robot.random(50, seed=2) + 0.3, 0.05 * RNG.normal(size=(50, 6))
    qd = robot.inverse_velocity(q, twist, "flange", limits=False, damping=1e-12)
    np.testing.assert_allclose(robot.frame_velocity(q, qd, "flange"), twist, atol=1e-7)
    # the shortest of all such velocities
    shortest = np.linalg.pinv(robot.jacobian(q, "flange")) @ twist[..., None]
    np.testing.assert_allclose(qd, shortest[..., 0], atol=1e-6)


def test_limits_are_kept_exactly():
    for scale in (0.1, 1.0, 10.0):
        qd = ROBOT.inverse_velocity(Q, scale * TWISTS, FRAME, dt=DT)
        low, high = bounds(ROBOT, Q, DT)
        assert ((qd >= low) & (qd <= high)).all()
    assert (np.abs(ROBOT.inverse_velocity(Q, 100.0 * TWISTS, FRAME)) <= ROBOT.velocity_limits).all()
    assert (np.abs(ROBOT.inverse_velocity(Q, 100.0 * TWISTS, FRAME, limits=False)) > ROBOT.velocity_limits).any()


@pytest.mark.parametrize("damping", [1e-8, 1e-6, 1e-2])
def test_no_velocity_inside_the_limits_is_better(damping):
    """The conditions of Karush, Kuhn and Tucker, with the pulls computed apart."""
    solver = kt.InverseKinematics(ROBOT, [tasks.Orientation(FRAME, weight=0.3), tasks.Position(FRAME)])
    qd = solver.velocity(Q, 2.0 * TWISTS[:, :3], 2.0 * TWISTS[:, 3:], dt=DT, damping=damping)
    J = ROBOT.jacobian(Q, FRAME)
    length = tasks.Position(FRAME).reach(ROBOT)
    weights = np.array([0.3] * 3 + [2.0 / length] * 3)
    A, b = J * weights[:, None], 2.0 * TWISTS * weights
    pull = np.einsum("nij,ni->nj", A, b - np.einsum("nij,nj->ni", A, qd)) - damping * qd
    low, high = bounds(ROBOT, Q, DT)
    assert (np.abs(pull[(qd > low) & (qd < high)]) < 1e-7).all()
    assert (pull[qd == high] > -1e-7).all()
    assert (pull[qd == low] < 1e-7).all()
    assert (qd == high).any()
    assert (qd == low).any()


def test_a_joint_outside_its_limits_comes_back():
    q = ROBOT.random(seed=1)
    q[1] = ROBOT.upper[1] + 0.5
    qd = ROBOT.inverse_velocity(q, np.zeros(6), FRAME, dt=0.1)
    assert qd[1] == -ROBOT.velocity_limits[1]
    q[1] = ROBOT.upper[1] + 0.05
    assert ROBOT.inverse_velocity(q, np.zeros(6), FRAME, dt=0.1)[1] <= -0.5 + 1e-12


QUICK = ("prismatic", "universal", "spherical")


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=() if k in QUICK else pytest.mark.slow) for k in KINDS if k != "fixed"]
)
def test_every_type_of_joint(kind):
    robot = tree(3, 4, (kind,), mimics=True)
    frame = robot.bodies[-1].name
    q = robot.random(10, seed=1)
    twist = robot.frame_velocity(q, RNG.normal(size=(10, robot.nv)), frame)  # one that it can have
    qd = robot.inverse_velocity(q, twist, frame, damping=1e-11)
    np.testing.assert_allclose(robot.frame_velocity(q, qd, frame), twist, atol=1e-5 * np.abs(twist).max())


def test_tasks_and_a_preferred_configuration():
    robot = kt.robots.iiwa14()
    q, preferred = 0.5 * robot.random(20, seed=2) + 0.3, robot.neutral
    solver = kt.InverseKinematics(robot, [tasks.Position("flange"), tasks.Axis("flange")], preferred=preferred)
    wanted, turn = np.full((20, 3), 0.02), np.full((20, 3), 0.1)
    qd = solver.velocity(q, wanted, turn, limits=False, damping=1e-10)
    velocity = robot.frame_velocity(q, qd, "flange")
    np.testing.assert_allclose(velocity[:, 3:], wanted, atol=1e-4)
    z = robot.pose(q, "flange")[:, :3, 2]
    np.testing.assert_allclose(np.cross(velocity[:, :3], z), np.cross(turn, z), atol=1e-4)  # about z it is free
    plain = kt.InverseKinematics(robot, solver.tasks).velocity(q, wanted, turn, limits=False, damping=1e-10)
    toward = preferred - q
    assert (np.sum(qd * toward, axis=-1) > np.sum(plain * toward, axis=-1)).all()
    com = kt.InverseKinematics(robot, tasks.CenterOfMass())
    v = com.velocity(q, wanted, limits=False, damping=1e-10)
    moved = (robot.center_of_mass(q + 1e-6 * v) - robot.center_of_mass(q - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(moved, wanted, atol=1e-4)


def test_shapes_precision_and_numbers_that_are_none():
    one = ROBOT.inverse_velocity(Q[0].copy(), TWISTS[0].copy(), FRAME, dt=DT)
    many = ROBOT.inverse_velocity(Q, TWISTS, FRAME, dt=DT)
    assert one.shape == (7,)
    assert (one == many[0]).all()
    assert ROBOT.inverse_velocity(Q[:, None], TWISTS[:3], FRAME).shape == (60, 3, 7)
    assert ROBOT.inverse_velocity(Q.astype(np.float32), TWISTS.astype(np.float32), FRAME).dtype == np.float32
    twists = TWISTS.copy()
    twists[3, 2] = np.nan
    found = ROBOT.inverse_velocity(Q, twists, FRAME, dt=DT)
    assert np.isnan(found[3]).all()
    assert (np.delete(found, 3, 0) == np.delete(many, 3, 0)).all()


def test_it_follows_a_path_under_limits():
    """A step after another, into the limits: positions stay inside."""
    q = 0.5 * (ROBOT.lower + ROBOT.upper)
    for _ in range(200):
        q = ROBOT.integrate(q, ROBOT.inverse_velocity(q, [0.0, 0.0, 0.0, 0.5, 0.3, 0.0], FRAME, dt=0.02), 0.02)
        assert (q >= ROBOT.lower - 1e-12).all()
        assert (q <= ROBOT.upper + 1e-12).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ROBOT.inverse_velocity(Q, TWISTS[:, :3], FRAME), "the velocity of Pose.* has 6 numbers"),
        (lambda: ROBOT.inverse_velocity(Q[:, :5], TWISTS, FRAME), "q has a number for each of the 7 positions"),
        (lambda: ROBOT.inverse_velocity(Q, TWISTS, FRAME, dt=0.0), "dt 0.0 .* must be above 0"),
        (lambda: ROBOT.inverse_velocity(Q, TWISTS, FRAME, damping=0.0), "damping 0.0 must be above 0"),
        (lambda: ROBOT.inverse_velocity(Q, "fast", FRAME), "the target of Pose.* must be an array of real numbers"),
        (lambda: kt.InverseKinematics(ROBOT, tasks.Pose(FRAME)).velocity(Q), "give 1 motions"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_closed_chains_have_velocities_of_their_own():
    chain = kt.ClosedChain(kt.robots.gough_stewart())
    with pytest.raises(InputError, match=r"ClosedChain\.velocities"):
        kt.InverseKinematics(chain, tasks.Pose("platform")).velocity(chain.neutral, np.zeros(6))
