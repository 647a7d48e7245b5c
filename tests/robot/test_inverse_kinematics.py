"""Inverse kinematics: what counts as solved reaches its target inside the limits, whatever the robot and the tasks."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import serial, tree, trees, with_joints

import kinetree as kt
from kinetree import tasks
from kinetree.errors import InverseKinematicsError
from kinetree.joints import KINDS

TOLERANCE = 1e-6
ARMS = {"iiwa14": "flange", "ur10": "tool0", "puma560": "link6", "stanford": "link6", "scara": "link4"}
REPORTED = {"panda": "tcp", "ur5": "tool0"}  # no default was chosen on these


def left(found, wanted):
    """Distances and angles between poses, without the package's own logarithm."""
    distance = np.linalg.norm(found[..., :3, 3] - wanted[..., :3, 3], axis=-1)
    chord = np.linalg.norm(found[..., :3, :3] - wanted[..., :3, :3], axis=(-2, -1)) / np.sqrt(8.0)
    return np.stack([distance, 2.0 * np.arcsin(np.minimum(chord, 1.0))], axis=-1)


def is_inside(robot, q):
    return ((q >= robot.lower) & (q <= robot.upper)).all(axis=-1)


def check_poses(robot, frame, target, found, least=1.0):
    """What is said to be solved is, and that is a large enough part."""
    error = left(robot.pose(found.q, frame), target)
    assert is_inside(robot, found.q).all()
    assert (error[found.solved] <= TOLERANCE * (1.0 + 1e-6)).all()
    np.testing.assert_allclose(found.error, error, atol=3e-8)
    assert found.solved.mean() >= least


# -- robots ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ARMS, *REPORTED])
def test_reachable_poses_are_reached(name):
    robot, frame = getattr(kt.robots, name)(), (ARMS | REPORTED)[name]
    target = robot.pose(robot.random(300, seed=3), frame)
    check_poses(robot, frame, target, robot.inverse_kinematics(frame, target), 0.99)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ARMS, *REPORTED])
def test_ten_thousand_poses(name):
    robot, frame = getattr(kt.robots, name)(), (ARMS | REPORTED)[name]
    target = robot.pose(robot.random(10_000, seed=11), frame)
    found = robot.inverse_kinematics(frame, target)
    check_poses(robot, frame, target, found, 0.995)
    assert np.median(found.iterations) <= 15


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
@pytest.mark.parametrize("mimics", [False, True])
def test_every_type_of_joint(kind, mimics):
    robot = tree(7, 4, (kind,), mimics=mimics)
    frame = robot.bodies[-1].name
    target = robot.pose(robot.random(40, seed=1), frame)
    found = robot.inverse_kinematics(frame, target)
    check_poses(robot, frame, target, found, 0.95)
    for _, k in robot.quaternions:
        np.testing.assert_allclose(np.linalg.norm(found.q[:, k : k + 4], axis=-1), 1.0, atol=1e-12)


@settings(max_examples=6, deadline=None)
@given(trees(), st.integers(0, 100))
def test_random_trees(robot, seed):
    if robot.nv:
        frame = robot.bodies[seed % robot.nbodies].name
        target = robot.pose(robot.random(8, seed=seed), frame)
        check_poses(robot, frame, target, robot.inverse_kinematics(frame, target), 0.5)


def test_arms_with_many_joints():
    robot = serial(3, 12)
    frame = robot.bodies[-1].name
    target = robot.pose(robot.random(100, seed=1), frame)
    check_poses(robot, frame, target, robot.inverse_kinematics(frame, target))


def test_the_size_of_a_robot_does_not_matter():
    small = kt.robots.iiwa14().scale(length=0.01)
    target = small.pose(small.random(200, seed=1), "flange")
    found = small.inverse_kinematics("flange", target, tolerance=(1e-8, 1e-6))
    large = kt.robots.iiwa14()
    other = large.inverse_kinematics("flange", large.pose(large.random(200, seed=1), "flange"))
    assert found.solved.all()
    np.testing.assert_allclose(found.q, other.q, atol=1e-4)


def test_named_parameters():
    robot = kt.robots.iiwa14()
    place = kt.Transform(p=(0.0, 0.0, kt.parameter("reach", 0.1)))
    robot = dataclasses.replace(robot, named_frames=(*robot.named_frames, ("tip", kt.Frame("iiwa_link_7", place))))
    q, reach = robot.random(30, seed=2), np.linspace(0.05, 0.3, 30)
    target = robot.pose(q, "tip", reach=reach)
    found = robot.inverse_kinematics("tip", target, reach=reach)
    assert found.solved.all()
    assert left(robot.pose(found.q, "tip", reach=reach), target).max() <= TOLERANCE


# -- a row and its neighbours ------------------------------------------------------------------------------------------


def test_rows_depend_on_themselves_alone():
    robot = kt.robots.panda()
    target = robot.pose(robot.random(60, seed=4), "tcp")
    target[7, 0, 3] = 5.0
    whole = robot.inverse_kinematics("tcp", target)
    order = np.random.default_rng(0).permutation(60)
    mixed = robot.inverse_kinematics("tcp", target[order].reshape(3, 20, 4, 4))
    for name in ("q", "solved", "error", "iterations"):
        a, b = getattr(whole, name), getattr(mixed, name)
        assert (a[order] == b.reshape(60, *b.shape[2:])).all(), name
    for k in (0, 7, 31):
        alone = robot.inverse_kinematics("tcp", target[k].copy())
        assert (alone.q == whole.q[k]).all()
        assert alone.solved == whole.solved[k]
        assert alone.q.shape == (7,)
        assert alone.error.shape == (2,)
        assert np.ndim(alone.solved) == 0


def test_the_same_again_and_other_starts_by_another_seed():
    robot = kt.robots.panda()
    target = robot.pose(robot.random(200, seed=4), "tcp")
    first, again, other = (robot.inverse_kinematics("tcp", target, seed=k) for k in (0, 0, 1))
    assert (first.q == again.q).all()
    assert (first.q != other.q).any()
    assert other.solved.mean() >= 0.99


def test_shapes_broadcast():
    robot = kt.robots.ur10()
    target = robot.pose(robot.random(4, seed=4), "tool0")
    found = robot.inverse_kinematics("tool0", target[:, None], robot.random(3, seed=1))
    assert found.q.shape == (4, 3, 6)
    assert found.solved.shape == (4, 3)
    assert found.error.shape == (4, 3, 2)
    assert found.solved.all()
    empty = robot.inverse_kinematics("tool0", np.empty((0, 4, 4)))
    assert empty.q.shape == (0, 6)
    assert empty.check().shape == (0, 6)


def test_float32_in_gives_float32_out():
    robot = kt.robots.panda()
    target = robot.pose(robot.random(50, seed=4), "tcp").astype(np.float32)
    found = robot.inverse_kinematics("tcp", target)
    assert found.q.dtype == found.error.dtype == np.float32
    assert found.solved.mean() > 0.95


def test_a_guess_nearby_is_kept_near():
    robot = kt.robots.panda()
    q = 0.9 * robot.random(300, seed=4) + 0.1 * 0.5 * (robot.lower + robot.upper)
    found = robot.inverse_kinematics("tcp", robot.pose(q, "tcp"), q + 1e-3)
    assert found.solved.all()
    assert np.median(np.abs(found.q - q).max(axis=-1)) < 2e-3
    assert found.iterations.max() < 12
    there = robot.inverse_kinematics("tcp", robot.pose(q, "tcp"), q)
    assert (there.q == q).all()
    assert (there.iterations == 1).all()


def test_half_a_turn_is_no_solution():
    """Where the logarithm of a rotation is not unique the search still moves."""
    ball = kt.Body("ball", kt.Joint("ball", kt.joints.Spherical()), kt.Inertia(1.0))
    robot = kt.Robot((ball,))
    for axis in np.vstack([np.eye(3), [[0.6, 0.0, 0.8]], [[0.6, 0.8, 0.0]]]):
        target = np.eye(4)
        target[:3, :3] = 2.0 * np.outer(axis, axis) - np.eye(3)
        found = robot.inverse_kinematics("ball", target)
        assert found.solved
        assert left(robot.pose(found.q, "ball"), target).max() < TOLERANCE


# -- limits ------------------------------------------------------------------------------------------------------------


def test_limits_can_be_left_or_given():
    robot = kt.robots.two_link()
    limited = [(-1.0, 2.0), (0.5, 3.0)]
    joints = [dataclasses.replace(b.joint, limits=kt.Limits(*x)) for b, x in zip(robot.bodies, limited)]
    robot = with_joints(robot, joints)
    solver = kt.InverseKinematics(robot, tasks.Position("dh2"))
    target = robot.pose(np.stack([np.linspace(2.1, 2.9, 20), np.linspace(0.6, 1.5, 20)], axis=-1), "dh2")[:, :3, 3]
    assert not solver(target).solved.any()  # the elbow the other way is beyond the limits too
    assert solver(target, limits=False).solved.all()
    lower, upper = np.array([2.0, 0.0]), np.array([3.0, np.inf])
    other = solver(target, limits=(lower, upper))
    assert other.solved.all()
    assert ((other.q >= lower) & (other.q <= upper)).all()
    rows = solver(target, limits=(np.full((20, 2), -4.0), np.full(2, 4.0)))
    assert rows.solved.all()
    assert (np.abs(rows.q) <= 4.0).all()


def test_a_guess_outside_the_limits_is_moved_inside():
    robot = kt.robots.panda()
    q = robot.random(20, seed=1)
    found = robot.inverse_kinematics("tcp", robot.pose(q, "tcp"), q + 10.0)
    assert is_inside(robot, found.q).all()
    assert found.solved.all()


def test_equal_limits_hold_a_joint():
    robot = kt.robots.iiwa14()
    q = robot.random(50, seed=1)
    held = np.array([np.nan, np.nan, 0.3, np.nan, np.nan, np.nan, np.nan])
    lower, upper = (np.where(np.isnan(held), x, held) for x in (robot.lower, robot.upper))
    q[:, 2] = 0.3
    found = robot.inverse_kinematics("flange", robot.pose(q, "flange"), limits=(lower, upper))
    assert (found.q[:, 2] == 0.3).all()
    assert found.solved.mean() > 0.9


# -- out of reach ------------------------------------------------------------------------------------------------------


def test_targets_out_of_reach_give_the_nearest():
    """A stretched planar arm: the nearest point is known."""
    robot = kt.robots.two_link()
    solver = kt.InverseKinematics(robot, tasks.Position("dh2"))
    angles = np.linspace(-3.0, 3.0, 15)
    direction = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=-1)
    found = solver(1.5 * direction)
    assert not found.solved.any()
    np.testing.assert_allclose(found.error[:, 0], 0.7, atol=1e-5)
    np.testing.assert_allclose(robot.pose(found.q, "dh2")[:, :3, 3], 0.8 * direction, atol=5e-3)
    with pytest.raises(InverseKinematicsError, match=r"row \(0,\), the first of 15: .* 0.7 m .* out of reach"):
        found.check()


def test_rows_that_are_no_numbers():
    robot = kt.robots.panda()
    target = robot.pose(robot.random(5, seed=4), "tcp")
    target[1], target[2, 0, 3], target[3, 1, 1] = np.nan, np.inf, np.nan
    found = robot.inverse_kinematics("tcp", target)
    assert found.solved.tolist() == [True, False, False, False, True]
    assert np.isnan(found.q[1:4]).all()
    assert np.isnan(found.error[1:4]).all()
    assert (found.iterations[1:4] == 1).all()
    with pytest.raises(InverseKinematicsError, match=r"row \(1,\), the first of 3: .* not a finite number"):
        found.check()
    guess = robot.random(5, seed=1)
    guess[0] = np.nan
    assert robot.inverse_kinematics("tcp", robot.pose(robot.random(5, seed=4), "tcp"), guess).solved[1:].all()


# -- tasks -------------------------------------------------------------------------------------------------------------

ARM, FLANGE = kt.robots.iiwa14(), "flange"
CONFIGURATIONS = ARM.random(80, seed=5)
POSES = ARM.pose(CONFIGURATIONS, FLANGE)


def angles_between(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def test_position():
    found = kt.InverseKinematics(ARM, tasks.Position(FLANGE))(POSES[:, :3, 3])
    assert found.solved.all()
    assert (found.error[:, 1] == 0).all()
    assert is_inside(ARM, found.q).all()
    assert np.linalg.norm(ARM.pose(found.q, FLANGE)[:, :3, 3] - POSES[:, :3, 3], axis=-1).max() <= TOLERANCE


def test_orientation():
    found = kt.InverseKinematics(ARM, tasks.Orientation(FLANGE))(POSES[:, :3, :3])
    assert found.solved.all()
    assert (found.error[:, 0] == 0).all()
    assert left(ARM.pose(found.q, FLANGE), POSES)[:, 1].max() <= TOLERANCE


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0.6, 0.0, -0.8)])
def test_axis(axis):
    solver = kt.InverseKinematics(ARM, [tasks.Position(FLANGE), tasks.Axis(FLANGE, axis)])
    wanted = POSES[:, :3, :3] @ np.array(axis, float)
    found = solver(POSES[:, :3, 3], 3.0 * wanted)  # a direction of any length
    pose = ARM.pose(found.q, FLANGE)
    assert found.solved.all()
    assert angles_between(pose[:, :3, :3] @ np.array(axis, float), wanted).max() <= 1.01 * TOLERANCE
    assert np.linalg.norm(pose[:, :3, 3] - POSES[:, :3, 3], axis=-1).max() <= TOLERANCE


def test_axis_backwards():
    """The direction opposite to where the axis is: no way round is shorter than another."""
    solver = kt.InverseKinematics(ARM, tasks.Axis(FLANGE))
    found = solver([0.0, 0.0, -1.0], guess=ARM.neutral)
    assert ARM.pose(ARM.neutral, FLANGE)[2, 2] == pytest.approx(1.0)
    assert found.solved
    assert ARM.pose(found.q, FLANGE)[2, 2] == pytest.approx(-1.0)


def test_center_of_mass():
    found = kt.InverseKinematics(ARM, tasks.CenterOfMass())(ARM.center_of_mass(CONFIGURATIONS))
    assert found.solved.all()
    np.testing.assert_allclose(ARM.center_of_mass(found.q), ARM.center_of_mass(CONFIGURATIONS), atol=TOLERANCE)


def test_weights_decide_where_not_all_can_be():
    """Two ends of a planar arm pulled apart: the heavier task is left with less."""
    robot = kt.robots.two_link()
    pair = lambda a, b: kt.InverseKinematics(  # noqa: E731
        robot, [tasks.Position("dh1", weight=a), tasks.Position("dh2", weight=b)]
    )([0.0, 0.4, 0.0], [0.0, -0.8, 0.0])
    light, heavy = pair(0.1, 1.0), pair(1.0, 0.1)
    assert not light.solved
    assert not heavy.solved
    assert np.linalg.norm(robot.pose(light.q, "dh2")[:3, 3] - [0, -0.8, 0]) < 0.05
    assert np.linalg.norm(robot.pose(heavy.q, "dh1")[:3, 3] - [0, 0.4, 0]) < 0.05


@pytest.mark.parametrize("preferred", [ARM.neutral, ARM.random(seed=8)])
def test_a_preferred_configuration_is_kept_near_and_the_task_is_fulfilled(preferred):
    task = tasks.Pose(FLANGE)
    plain, near = kt.InverseKinematics(ARM, task)(POSES), kt.InverseKinematics(ARM, task, preferred=preferred)(POSES)
    assert near.solved.all()
    assert is_inside(ARM, near.q).all()
    assert left(ARM.pose(near.q, FLANGE), POSES).max() <= 1.01 * TOLERANCE
    distance = [np.linalg.norm(found.q - preferred, axis=-1).mean() for found in (near, plain)]
    assert distance[0] < distance[1]


def test_the_preferred_configuration_itself():
    found = kt.InverseKinematics(ARM, tasks.Pose(FLANGE), preferred=CONFIGURATIONS[0])(POSES[0], guess=ARM.neutral)
    assert found.solved
    solver = kt.InverseKinematics(ARM, tasks.Position(FLANGE), preferred=CONFIGURATIONS[0])
    np.testing.assert_allclose(solver(POSES[0, :3, 3]).q, CONFIGURATIONS[0], atol=2e-3)


def test_a_quadruped_stands_on_four_feet():
    robot = kt.robots.hyq()
    feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]
    solver = kt.InverseKinematics(robot, [tasks.Position(foot) for foot in feet] + [tasks.CenterOfMass()])
    q = robot.random(50, seed=1)
    wanted = [robot.pose(q, foot)[:, :3, 3] for foot in feet]
    found = solver(*wanted, robot.center_of_mass(q))
    assert found.solved.mean() >= 0.98
    assert is_inside(robot, found.q).all()
    for foot, point in zip(feet, wanted):
        gap = np.linalg.norm(robot.pose(found.q, foot)[:, :3, 3] - point, axis=-1)
        assert gap[found.solved].max() <= TOLERANCE


@pytest.mark.slow
def test_a_humanoid_with_two_feet_and_a_hand():
    robot = kt.robots.atlas()
    frames = ["l_sole", "r_sole", "r_hand_mount"]
    solver = kt.InverseKinematics(robot, [tasks.Pose(frame) for frame in frames])
    wanted = [robot.pose(robot.random(1000, seed=6), frame) for frame in frames]
    found = solver(*wanted)
    assert found.solved.mean() >= 0.95
    assert is_inside(robot, found.q).all()
    for frame, target in zip(frames, wanted):
        assert left(robot.pose(found.q, frame), target)[found.solved].max() <= 1.01 * TOLERANCE


DELTA = pytest.param("delta", "platform", marks=pytest.mark.slow)

# -- loops -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "frame"), [("four_bar", "coupler"), ("five_bar", None), DELTA])
def test_closed_chains(name, frame):
    chain = kt.ClosedChain(getattr(kt.robots, name)())
    robot, rng = chain.robot, np.random.default_rng(2)
    frame = frame if frame in robot.frames else robot.bodies[-1].name
    closed = chain.close(rng.uniform(-0.3, 0.3, (40, chain.mobility)))
    target = robot.pose(closed.q[closed.closed], frame)
    found = chain.inverse_kinematics(frame, target)
    check_poses(robot, frame, target, found, 0.95)
    assert chain.constraint_jacobian(found.q[found.solved])[1].max() <= 1e-10


def test_a_gough_stewart_platform():
    robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
    rng = np.random.default_rng(0)
    closed = robot.chain.close(rng.uniform(-0.14, 0.14, (200, 6)))
    target = robot.robot.pose(closed.q[closed.closed], "platform")
    found = robot.inverse_kinematics("platform", target)
    check_poses(robot.robot, "platform", target, found, 0.95)
    # the lengths of the legs follow from the pose
    legs = [k for k, name in enumerate(robot.robot.position_names) if name in robot.actuated]
    np.testing.assert_allclose(found.q[:, legs], closed.q[closed.closed][:, legs], atol=1e-5)


def test_several_tasks_of_a_closed_chain():
    chain = kt.ClosedChain(kt.robots.gough_stewart())
    solver = kt.InverseKinematics(chain, [tasks.Position("platform"), tasks.Axis("platform")])
    closed = chain.close(np.random.default_rng(0).uniform(-0.1, 0.1, (20, 6)))
    pose = chain.robot.pose(closed.q, "platform")
    found = solver(pose[:, :3, 3], pose[:, :3, 2])
    assert found.solved.all()
    assert is_inside(chain.robot, found.q).all()


# -- objects -----------------------------------------------------------------------------------------------------------


def test_tasks_are_values():
    assert tasks.Pose("a") == tasks.Pose("a")
    assert tasks.Pose("a") != tasks.Position("a")
    assert pickle.loads(pickle.dumps(tasks.Axis("a", (1, 0, 0)))) == tasks.Axis("a", (1.0, 0.0, 0.0))
    assert "Pose(weight=1.0, frame='flange')" in repr(kt.InverseKinematics(ARM, tasks.Pose("flange")))


def test_solvers_and_solutions_can_be_pickled():
    solver = kt.InverseKinematics(ARM, tasks.Pose(FLANGE))
    found = solver(POSES)
    assert found.q.flags.c_contiguous
    assert (pickle.loads(pickle.dumps(solver))(POSES).q == found.q).all()
    assert pickle.loads(pickle.dumps(found)).solved.all()


def test_a_transform_is_a_pose():
    place = kt.Transform(p=(0.4, 0.1, 0.5))
    found = ARM.inverse_kinematics(FLANGE, place)
    assert found.solved
    np.testing.assert_allclose(ARM.pose(found.check(), FLANGE)[:3, 3], [0.4, 0.1, 0.5], atol=TOLERANCE)
