"""What holds for every parallel robot, and what it says to poses, motions and legs that can't be."""

from __future__ import annotations

import dataclasses
import functools
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from parallel_robots import PLATE, Array, load, random_motion, stewart_legs, ups
from strategies import relative_error

import kinetree as kt
from kinetree.algorithms.parallel_robot import parallel_forward_dynamics, parallel_inverse_dynamics
from kinetree.closed.closure import ClosureStatus
from kinetree.errors import InputError, KinetreeError, ModelError, SingularConfigurationWarning, UnknownNameError
from kinetree.joints import Fixed, Free, Planar, Revolute, Spherical

# there and back in double precision, where Jacobians have conditions of 10 to 100
ROUNDING = 1e-9
# five-point differences: the step to the power 4 times a fifth derivative, and rounding of 1e-11 / STEP
STEP, DIFFERENCE = 2e-3, 1e-7
SINGLE = 2e-3  # of single precision: seven digits, of which a hexapod's Jacobian costs two

STILL = np.zeros(6)
UP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def turned(axis: Array, angle: Array) -> Array:
    """Rotation matrices about an axis."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def home(robot: kt.ParallelRobot) -> Array:
    """The pose of the platform at the closed neutral configuration."""
    return robot.robot.pose(robot.chain.neutral, robot.platform)


def moved(robot: kt.ParallelRobot, shift: Any = (0.0, 0.0, 0.0), axis: Any = (0, 0, 1), angle: Any = 0.0) -> Array:
    """Poses shifted and turned from home."""
    start, shift, R = home(robot), np.asarray(shift, float), turned(np.array(axis, float), angle)
    poses = np.broadcast_to(start, (*np.broadcast_shapes(shift.shape[:-1], R.shape[:-2]), 4, 4)).copy()
    poses[..., :3, :3] = R @ start[:3, :3]
    poses[..., :3, 3] += shift
    return poses


def swing(robot: kt.ParallelRobot, t: Array) -> tuple[Array, Array, Array]:
    """A smooth motion that the platform can make: poses, twists, accelerations at the times t."""
    free = {"delta": "xyz", "planar_3rrr": "xyc"}.get(robot.robot.name, "xyzabc")
    axis = np.array([0.3, -0.5, 0.8]) if "a" in free else np.array([0.0, 0.0, 1.0])
    axis /= np.linalg.norm(axis)
    size = np.array([0.04, -0.03, 0.05 if "z" in free else 0.0])
    phase, t = np.array([0.3, 1.1, -0.4]), np.asarray(t)[..., None]
    w = np.array([2.0, 3.0, 2.5])
    tilt = 0.2 if "c" in free else 0.0
    angle, rate, jerk = tilt * np.sin(2 * t), 2 * tilt * np.cos(2 * t), -4 * tilt * np.sin(2 * t)
    poses = moved(robot, size * np.sin(w * t + phase), axis, angle[..., 0])
    twists = np.concatenate([rate * axis, size * w * np.cos(w * t + phase)], axis=-1)
    return poses, twists, np.concatenate([jerk * axis, -size * w**2 * np.sin(w * t + phase)], axis=-1)


def difference(f: Callable[[Array], Array]) -> Array:
    """f'(0), of a function of rows of numbers that gives a row for each."""
    a, b, c, d = f(STEP * np.array([-2.0, -1.0, 1.0, 2.0]))
    return (8 * (c - b) - (d - a)) / (12 * STEP)


several = pytest.mark.parametrize("name", ["gough_stewart", "planar_3rrr"])


# -- dynamics ----------------------------------------------------------------------------------------------------------


@several
def test_forward_dynamics_undoes_inverse_dynamics(name: str) -> None:
    robot, rng = load(name), np.random.default_rng(0)
    pose, twist, acceleration = swing(robot, np.linspace(0, 3, 20))
    loads = {"external": rng.normal(size=(20, robot.robot.nbodies, 6))} if name == "planar_3rrr" else {}
    tau = robot.inverse_dynamics(pose, twist, acceleration, **loads)
    assert tau.shape == (20, robot.mobility)
    assert relative_error(robot.forward_dynamics(pose, twist, tau, **loads), acceleration) < ROUNDING


@several
def test_the_power_of_the_actuators_is_the_rate_of_energy_of_platform_and_legs(name: str) -> None:
    robot, t = load(name), 0.7

    def actuators(t: Array) -> tuple[Array, Array]:
        pose, twist, _ = swing(robot, t)
        q, J = robot.close(pose).check(), robot.jacobian(pose)
        return q, np.stack([np.linalg.lstsq(a, b)[0] for a, b in zip(J, twist)])

    def energy(s: Array) -> Array:
        q, own = actuators(t + s)
        qd = robot.chain.velocities(q, own)
        return robot.robot.kinetic_energy(q, qd) + robot.robot.potential_energy(q)

    pose, twist, acceleration = swing(robot, np.array([t]))
    tau, (_, qd) = robot.inverse_dynamics(pose, twist, acceleration), actuators(np.array([t]))
    power = np.vecdot(tau, qd)[0]
    assert abs(power) > 1e-3
    assert relative_error(difference(energy), power) < DIFFERENCE


@pytest.mark.parametrize("name", ["gough_stewart", "planar_3rrr", "delta"])
def test_the_jacobian_is_the_derivative_of_the_pose_along_the_actuators(name: str) -> None:
    robot = load(name)
    pose = swing(robot, np.array([0.7]))[0][0]
    q, J = robot.close(pose).check(), robot.jacobian(pose)
    places = list(robot.chain.actuation.independent)  # of velocities; these joints have one coordinate each
    assert robot.robot.v_slices[:-1] == robot.robot.q_slices[:-1]
    for k in range(robot.mobility):

        def poses(s: Array, k: int = k) -> Array:
            own = np.broadcast_to(q[places], (len(s), robot.mobility)).copy()
            own[:, k] += s
            return robot.robot.pose(robot.chain.close(own, guess=q).check(), robot.platform)

        rate = difference(poses)
        spin = rate[:3, :3] @ pose[:3, :3].T
        assert relative_error(spin, -spin.T) < DIFFERENCE
        twist = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]])
        assert relative_error(J[:, k], twist) < DIFFERENCE


@several
def test_twist_and_acceleration_are_the_rates_of_the_pose(name: str) -> None:
    """The lengths of the legs along a motion, differentiated, are what the robot makes of twist and acceleration."""
    robot, t = load(name), 0.4
    places = list(robot.chain.actuation.independent)
    pose, twist, acceleration = swing(robot, np.array([t]))
    q = robot.close(pose).check()
    J = robot.jacobian(pose)[0]
    qd = difference(lambda s: robot.close(swing(robot, t + s)[0], guess=q).check()[:, places])
    assert relative_error(J @ qd, twist[0]) < DIFFERENCE
    # the forces of the chain for the accelerations that a second difference gives
    h = 0.02
    a, b, c, d, e = robot.close(swing(robot, t + h * np.arange(-2, 3))[0], guess=q).check()[:, places]
    qdd = (16 * (b + d) - (a + e) - 30 * c) / (12 * h * h)
    tau = robot.chain.inverse_dynamics(q[0], qd, qdd)
    assert relative_error(robot.inverse_dynamics(pose, twist, acceleration)[0], tau) < 1e-5  # h^4 = 1.6e-7


@several
def test_a_load_on_the_platform_reaches_the_actuators_through_the_transposed_jacobian(name: str) -> None:
    robot, rng = load(name), np.random.default_rng(1)
    pose, _, _ = swing(robot, np.array([0.2, 0.9]))
    W = rng.normal(size=(2, 6)) * 50
    external = np.zeros((2, robot.robot.nbodies, 6))
    external[:, robot.index] = W
    with_load, without = (robot.inverse_dynamics(pose, STILL, STILL, external=x) for x in (external, 0 * external))
    J = robot.jacobian(pose)
    assert relative_error(with_load - without, -np.einsum("kij,ki->kj", J, W)) < ROUNDING


def test_six_equal_legs_share_the_weight() -> None:
    robot = load("gough_stewart")
    weight = robot.inverse_dynamics(home(robot), STILL, STILL)
    assert np.ptp(weight) < ROUNDING * weight.max()
    more = robot.inverse_dynamics(home(robot), STILL, 2 * UP)
    assert (more > weight).all()


def test_what_the_legs_do_to_the_platform_makes_its_motion() -> None:
    """Newton and Euler for the platform alone, from the wrenches at its balls."""
    robot = load("gough_stewart")
    pose, twist, acceleration = swing(robot, np.array([0.3, 0.8]))
    wrenches, balls = robot.joint_wrenches(pose, twist, acceleration)
    assert wrenches.shape == (2, 13, 6)
    assert balls.shape == (2, 6, 6)
    body = robot.robot.bodies[robot.index]
    about = np.array([[*row] for row in body.inertia.about_com.full])
    for k in range(2):
        R, w, wd, total = pose[k, :3, :3], twist[k, :3], acceleration[k, :3], np.zeros(6)
        for loop, wrench in zip(robot.robot.loops, balls[k]):
            X = loop.successor.pose
            turn, P = R @ np.array([[*row] for row in X.R.matrix]), R @ [*X.p]
            force = turn @ wrench[3:]
            assert np.abs(wrench[:3]).max() < ROUNDING  # a ball transmits no moment
            total += np.r_[np.cross(P, force), force]
        I = R @ about @ R.T
        expected = np.r_[I @ wd + np.cross(w, I @ w), body.inertia.mass * (acceleration[k, 3:] + [0, 0, 9.81])]
        assert relative_error(total, expected) < ROUNDING
        assert np.abs(wrenches[k, robot.index]).max() < 1e-7  # of hundreds of N: nothing else holds it


# -- redundant drives --------------------------------------------------------------------------------------------------


def seven(weights: list[float] | None = None) -> tuple[Callable[[Array], Array], Array]:
    """Forward dynamics of the hexapod with a seventh leg, on floats; and the forces that lift it."""
    robot, m = load("seven_legs"), random_motion("seven_legs", 0)
    actuation = dataclasses.replace(robot.chain.actuation, weights=tuple(weights or [1.0] * 7))

    def direct(tau: Array) -> Array:
        args = (robot.robot, m.q.tolist(), [0.0] * 6, tau.tolist(), actuation, robot.index)
        return np.array(parallel_forward_dynamics(*args)[0])

    args = (robot.robot, m.q.tolist(), [0.0] * 6, UP.tolist(), actuation, robot.index)
    return direct, np.array(parallel_inverse_dynamics(*args)[0])


def test_a_seventh_leg_takes_its_part_with_the_least_squares() -> None:
    direct, tau = seven()
    assert relative_error(direct(tau), UP) < ROUNDING
    # forces that do nothing: those that leave the acceleration as it is
    effects = np.stack([direct(tau + e) - UP for e in np.eye(7)], axis=1)
    idle = np.linalg.svd(effects)[2][-1]
    assert np.abs(effects @ idle).max() < ROUNDING
    assert abs(idle @ tau) < ROUNDING * np.abs(tau).max()


def test_weights_spare_the_actuators_that_they_weigh_on() -> None:
    """The least sum of w tau^2: its gradient is across the forces that do nothing."""
    weights = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 0.5, 1e4])
    (direct, tau), (_, equal) = seven(weights.tolist()), seven()
    assert relative_error(direct(tau), UP) < ROUNDING
    idle = np.linalg.svd(np.stack([direct(tau + e) - UP for e in np.eye(7)], axis=1))[2][-1]
    assert abs(idle @ (weights * tau)) < 1e-8 * np.abs(weights * tau).max()
    assert abs(tau[6]) < 0.01 * abs(equal[6])
    whole = kt.ParallelRobot.of(load("seven_legs").robot, "platform", weights=weights.tolist())
    assert whole.chain.actuation.weights == tuple(weights)


# -- how near to singular ----------------------------------------------------------------------------------------------


@functools.cache
def isotropic(r: float = 0.2) -> kt.ParallelRobot:
    """Three pairs of legs, each pair along another axis, on either side of the centre."""
    legs = []
    for k in range(3):
        along, aside = np.eye(3)[k], np.eye(3)[(k + 1) % 3]
        R = np.stack([aside, np.cross(along, aside), along], axis=1)
        for place in (r * aside, -r * aside):
            foot = kt.Transform(R.tolist(), (place - 0.5 * along).tolist())
            legs.append(kt.Leg(ups(0.5), {"rod": kt.Transform(p=place.tolist())}, base=foot))
    return kt.ParallelRobot(kt.Body("platform", kt.Joint("free", Free()), PLATE), legs, name="cube")


def test_a_cubic_hexapod_is_isotropic() -> None:
    robot = isotropic()
    assert robot.condition_number(home(robot), length=0.2) == pytest.approx(1.0, abs=ROUNDING)
    assert robot.condition_number(home(robot), length=0.1) == pytest.approx(2.0, abs=ROUNDING)
    assert robot.condition_number(moved(robot, (0.1, 0.0, 0.05)), length=0.2) > 1.05


def test_a_hexapod_turned_by_a_quarter_is_singular() -> None:
    """Fichter's singularity: six legs in one linear complex."""
    robot = load("gough_stewart")
    angles = np.radians([0.0, 45.0, 80.0, 89.0, 90.0])
    pose = moved(robot, angle=angles)
    assert robot.close(pose).closed.all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # infinity is an answer
        numbers = robot.condition_number(pose)
    assert np.all(np.diff(numbers[:4]) > 0)
    assert numbers[4] == np.inf
    assert numbers[3] > 100
    for f in (robot.jacobian, lambda x: robot.inverse_dynamics(x, STILL, STILL)):
        with pytest.warns(SingularConfigurationWarning, match=r"1 of 5 rows, the first is \(4,\)"):
            found = f(pose)
        assert np.isnan(found[4]).all()
        assert np.isfinite(found[:4]).all()
    with pytest.warns(SingularConfigurationWarning) as caught:
        wrenches = robot.joint_wrenches(pose[4], STILL, STILL)
    assert all(np.isnan(w).all() for w in wrenches)
    assert [w.filename for w in caught] == [__file__]  # once, and it points here


def test_poses_out_of_reach_have_no_condition_number() -> None:
    robot = load("gough_stewart")
    numbers = robot.condition_number(moved(robot, [[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]]))
    assert np.isfinite(numbers[0])
    assert np.isnan(numbers[1])
    with pytest.raises(InputError, match="above 0"):
        robot.condition_number(home(robot), length=0.0)


# -- closing -----------------------------------------------------------------------------------------------------------


def test_closed_configurations_have_the_pose_that_was_asked_for() -> None:
    robot = load("gough_stewart")
    pose = moved(robot, np.random.default_rng(0).uniform(-0.1, 0.1, (3, 4, 3)), (1, 2, 3), 0.3)
    closure = robot.close(pose)
    assert closure.q.shape == (3, 4, 25)
    assert closure.closed.all()
    assert np.abs(robot.robot.pose(closure.q, "platform") - pose).max() < 1e-12
    assert closure.error.max() < 1e-12
    assert robot.close(pose[:0]).q.shape == (0, 4, 25)
    assert robot.inverse_dynamics(pose[:0], STILL, STILL).shape == (0, 4, 6)


def test_poses_out_of_reach_stay_open() -> None:
    robot = load("delta")
    closure = robot.close(moved(robot, [[0.0, 0.0, -0.1], [0.0, 0.0, -2.0], [0.9, 0.0, 0.0]]))
    assert closure.status.tolist() == [ClosureStatus.CLOSED, ClosureStatus.OPEN, ClosureStatus.OPEN]
    assert np.isfinite(closure.q).all()
    assert closure.error[1] > 0.1
    tau = robot.inverse_dynamics(moved(robot, [[0.0, 0.0, -0.1], [0.0, 0.0, -2.0]]), STILL, UP)
    assert np.isfinite(tau[0]).all()
    assert np.isnan(tau[1]).all()


def test_a_delta_robot_closes_wherever_it_can_reach() -> None:
    """Each pair of rods with its arm is a linkage of two bars in a plane, 0.23 m and what is left of 0.5 m there."""
    robot, arm, rod = load("delta"), 0.23, 0.5
    poses = moved(robot, np.random.default_rng(3).uniform([-0.6, -0.6, -0.4], [0.6, 0.6, 0.2], (3000, 3)))
    reached = np.ones(len(poses), bool)
    for k in range(3):
        out, aside = turned(np.array([0.0, 0.0, 1.0]), 2 * math.pi * k / 3)[:, :2].T
        place = poses[:, :3, 3] - (0.12 - 0.05) * out  # of the middle between the balls, from the motor
        left = np.sqrt(np.maximum(rod**2 - (place @ aside) ** 2, 0.0))
        distance = np.hypot(place @ out, place[:, 2])
        reached &= (left > 0) & (distance < arm + left) & (distance > abs(arm - left))
    assert 0.2 < reached.mean() < 0.5
    assert np.array_equal(robot.close(poses).closed, reached)


@pytest.mark.parametrize(
    ("name", "pose"),
    [
        ("delta", lambda robot: moved(robot, axis=(1, 0, 0), angle=0.05)),
        ("planar_3rrr", lambda robot: moved(robot, (0.0, 0.0, 0.01))),
        ("planar_3rrr", lambda robot: moved(robot, axis=(1, 0, 0), angle=0.05)),
        ("rps", lambda robot: moved(robot, axis=(0, 0, 1), angle=0.1)),
    ],
)
def test_poses_that_the_platform_can_not_take_stay_open(name: str, pose: Any) -> None:
    robot = load(name)
    closure = robot.close(pose(robot))
    assert closure.status == ClosureStatus.OPEN
    assert closure.error > 1e-3
    assert np.isnan(robot.jacobian(pose(robot))).all()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X: 1.1 * X, "no rotation"),
        (lambda X: X @ np.diag([1, 1, -1, 1]), "mirror image"),
        (lambda X: X + np.outer([0, 0, 0, 1], [0, 0, 0.1, 0]), "0 0 0 1"),
        (lambda X: X[:3], r"\(3, 4\)"),
        (lambda X: X[0], r"\(4,\)"),
        (lambda X: np.stack([X, 1.1 * X]), r"row \(1,\)"),
    ],
)
def test_what_is_no_pose_is_refused(change: Callable[[Array], Array], says: str) -> None:
    robot = load("gough_stewart")
    with pytest.raises(InputError, match=says):
        robot.close(change(home(robot)))


def test_rows_that_are_no_numbers_leave_others_alone() -> None:
    robot = load("gough_stewart")
    pose = moved(robot, [[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0], [0.02, 0.0, 0.0]])
    pose[1, :3, :3] = np.nan
    closure = robot.close(pose)
    assert closure.status.tolist() == [ClosureStatus.CLOSED, ClosureStatus.NOT_A_NUMBER, ClosureStatus.CLOSED]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tau = robot.inverse_dynamics(pose, STILL, STILL)
    assert np.isnan(tau[1]).all()
    assert np.array_equal(tau[[0, 2]], robot.inverse_dynamics(pose[[0, 2]], STILL, STILL))


def test_a_guess_chooses_the_assembly() -> None:
    """The motors of a plane robot reach the same pose with elbows bent to either side."""
    robot = load("planar_3rrr")
    other = robot.chain.neutral.copy()
    for k in range(3):
        # mirrored in the line from motor to corner: the bars at (-0.15, 0.2) and (-0.15, -0.2) change places
        angle = math.atan2(-0.2, -0.15) - math.atan2(0.2, -0.15)
        other[2 * k : 2 * k + 2] = angle, -2 * angle
    q = [robot.close(home(robot), guess=x).check() for x in (robot.chain.neutral, other)]
    assert np.abs(q[0][:6] - q[1][:6]).min() > 0.5
    assert np.abs(q[0][6:] - q[1][6:]).max() < ROUNDING


def test_a_quaternion_of_the_other_sign_is_the_same_guess() -> None:
    robot = load("gough_stewart")
    pose = moved(robot, (0.02, 0.0, 0.03), (1, 1, 0), 0.2)
    guess = robot.close(moved(robot, (0.0, 0.0, 0.03), (1, 1, 0), 0.1)).check()
    flipped = guess.copy()
    flipped[-4:] *= -1
    one, other = (robot.close(pose, guess=x) for x in (guess, flipped))
    assert other.closed
    assert np.abs(other.q[:-4] - one.q[:-4]).max() < ROUNDING
    assert np.abs(other.q[-4:] + one.q[-4:]).max() < ROUNDING
    assert other.iterations == one.iterations


def test_given_configurations_are_taken_as_they_are() -> None:
    robot = load("gough_stewart")
    pose, twist, acceleration = swing(robot, np.linspace(0, 1, 3))
    q = robot.close(pose).check()
    for name, args in (
        ("inverse_dynamics", (twist, acceleration)),
        ("forward_dynamics", (twist, np.ones(6))),
        ("jacobian", ()),
        ("condition_number", ()),
    ):
        f = getattr(robot, name)
        assert np.array_equal(f(None, *args, q=q), f(pose, *args))


def test_single_precision_stays_so() -> None:
    robot = load("gough_stewart")
    double = swing(robot, np.array([0.4, 0.6]))
    single = [x.astype(np.float32) for x in double]
    tau, exact = robot.inverse_dynamics(*single), robot.inverse_dynamics(*double)
    assert tau.dtype == np.float32
    assert exact.dtype == np.float64
    assert relative_error(tau.astype(float), exact) < SINGLE
    assert robot.jacobian(single[0]).dtype == np.float32
    assert robot.condition_number(single[0]).dtype == np.float32
    assert robot.inverse_dynamics(single[0], double[1], single[2]).dtype == np.float64


# -- motions that can't be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["delta", "planar_3rrr"])
def test_motions_that_the_legs_do_not_allow_are_refused(name: str) -> None:
    robot = load(name)
    pose, twist, acceleration = swing(robot, np.array([0.3, 0.5]))
    tilt = np.array([[0.0] * 6, [0.1, 0, 0, 0, 0, 0]])
    with pytest.raises(InputError, match=r"the twist of row \(1,\) is .* 'platform' can't make: it has 3 degrees"):
        robot.inverse_dynamics(pose, twist + tilt, acceleration)
    with pytest.raises(InputError, match=r"the acceleration of row \(1,\)"):
        robot.inverse_dynamics(pose, twist, acceleration + tilt)
    with pytest.raises(InputError, match="the twist"):
        robot.forward_dynamics(pose, twist + tilt, np.zeros(3))
    with pytest.raises(InputError, match="the twist"):
        robot.joint_wrenches(pose, twist + tilt, acceleration)


def test_small_errors_of_a_motion_are_left_out() -> None:
    """Paths that are differentiated by differences have them."""
    robot = load("delta")
    pose, twist, acceleration = swing(robot, np.array([0.3]))
    noise = 2e-5 * np.array([1.0, -1.0, 1.0, 0.0, 0.0, 0.0])
    exact = robot.inverse_dynamics(pose, twist, acceleration)
    assert relative_error(robot.inverse_dynamics(pose, twist + noise, acceleration + noise), exact) < ROUNDING


def test_a_platform_that_shifts_when_it_tilts_says_how() -> None:
    """Three legs in planes: turning about x moves the origin; the nearest motion in the message is one that works."""
    robot = load("rps")
    m = random_motion("rps", 0)
    assert np.isfinite(robot.inverse_dynamics(m.pose, m.twist, m.acceleration)).all()
    with pytest.raises(InputError, match=r"the acceleration is .* nearest that they allow is") as caught:
        robot.inverse_dynamics(m.pose, m.twist, STILL)
    nearest = np.array([float(x) for x in str(caught.value).rsplit("[", 1)[1].rstrip("]").split(",")])
    tau = robot.inverse_dynamics(m.pose, m.twist, nearest)
    assert relative_error(robot.forward_dynamics(m.pose, m.twist, tau), nearest) < 1e-4  # it is printed to 6 digits


# -- parameters --------------------------------------------------------------------------------------------------------


def test_named_parameters_are_keywords() -> None:
    """A payload, and where the origin of the platform's joint is."""
    mass, origin = kt.parameter("payload", 0.6), kt.parameter("origin", 0.0)
    zoo = kt.robots.planar_3rrr()
    joint = dataclasses.replace(zoo.bodies[-1].joint, placement=kt.Transform(p=(origin, 0.0, 0.0)))
    platform = kt.Body("platform", joint, kt.Inertia(mass, (0, 0, 0), (0.1, 0.1, 0.2)))
    robot = kt.ParallelRobot.of(dataclasses.replace(zoo, bodies=(*zoo.bodies[:-1], platform)), "platform")
    pose, push = moved(load("planar_3rrr"), (0.02, 0.01, 0.0)), np.array([0.0, 0.0, 0.0, 2.0, -1.0, 0.0])
    changes: list[dict[str, float]] = [{}, {"payload": 3.6}, {"origin": 0.05}]
    light, heavy, shifted = (robot.inverse_dynamics(pose, STILL, push, **x) for x in changes)
    assert robot.close(pose, origin=0.05).q[6] == pytest.approx(robot.close(pose).q[6] - 0.05)
    assert relative_error(shifted, light) < ROUNDING  # coordinates are others, the pose is the same
    assert relative_error(heavy - light, robot.jacobian(pose).T @ (3.0 * push)) < ROUNDING
    with pytest.raises(KinetreeError, match="weight"):
        robot.inverse_dynamics(pose, STILL, push, weight=3.0)


# -- legs --------------------------------------------------------------------------------------------------------------

FREE = kt.Body("platform", kt.Joint("platform_joint", Free(), kt.Transform(p=(0, 0, 0.6))), PLATE)


def with_leg(**changes: Any) -> list[Any]:
    """The legs of a hexapod with another one in the place of the second."""
    legs: list[Any] = stewart_legs()
    legs[1] = dataclasses.replace(legs[1], **changes)
    return legs


@pytest.mark.parametrize(
    ("legs", "error", "says"),
    [
        (with_leg(tips={"rad": kt.Transform()}), UnknownNameError, r"frame of leg 2 .*rad.*rod"),
        (with_leg(tips={"world": kt.Transform()}), ModelError, "leg 2: its frame 'world' is fixed in the base"),
        (with_leg(tips={}), ModelError, "leg 2: tips says where"),
        (with_leg(tips="rod"), ModelError, "leg 2: tips says where"),
        (with_leg(tips={"rod": (0, 0, 1)}), ModelError, "leg 2: the pose of 'rod' on the platform must be a Transform"),
        (with_leg(actuated=["slide"]), UnknownNameError, "joint of leg 2.*slide.*foot.*leg"),
        (with_leg(actuated="leg"), ModelError, r"such as \['leg'\]"),
        (with_leg(kind="ball"), ModelError, "leg 2: its kind must be a JointKind"),
        (with_leg(robot="leg.urdf"), ModelError, "leg 2: its robot must be a Robot"),
        (with_leg(base=(0, 0, 0)), ModelError, "leg 2: its base must be a Transform"),
        ([kt.robots.two_link()], ModelError, "leg 1 must be a kinetree.Leg"),
        ([], ModelError, "list of kinetree.Leg"),
        (stewart_legs()[0], ModelError, "list of kinetree.Leg"),
        ([dataclasses.replace(x, actuated=[]) for x in stewart_legs()], ModelError, "no leg of .* has a driven joint"),
        (stewart_legs()[:5], ModelError, "can't drive 'parallel robot': it has 6 degrees of freedom and 5 are driven"),
        (with_leg(actuated=[]), ModelError, "6 degrees of freedom and 5 are driven"),
    ],
)
def test_bad_legs_are_refused(legs: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        kt.ParallelRobot(FREE, legs)


@pytest.mark.parametrize(
    ("platform", "says"),
    [
        (dataclasses.replace(FREE, parent="leg1_rod"), "'platform' is carried by 'leg1_rod'"),
        ("platform", "is a kinetree.Body"),
        (dataclasses.replace(FREE, joint=kt.Joint("weld", Fixed())), "has no coordinates of its own"),
        (dataclasses.replace(FREE, name="leg1_rod"), "leg1_rod"),
    ],
)
def test_bad_platforms_are_refused(platform: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        kt.ParallelRobot(platform, stewart_legs())


def test_legs_that_move_by_themselves_are_refused() -> None:
    """A driven spin between the rod and its ball: the platform does not tell it."""
    legs = stewart_legs()
    spun = (*legs[1].robot.bodies, kt.Body("end", kt.Joint("spin", Revolute()), PLATE, "rod"))
    place = legs[1].tips["rod"]
    legs[1] = dataclasses.replace(legs[1], robot=kt.Robot(spun), tips={"end": place})
    with pytest.raises(ModelError, match="7 degrees of freedom, and the motion of its platform 'platform' tells 6"):
        kt.ParallelRobot(FREE, legs)


def test_bad_robots_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="plattform"):
        kt.ParallelRobot.of(kt.robots.delta(), "plattform")
    with pytest.raises(ModelError, match="carried by 'arm1'"):
        kt.ParallelRobot.of(kt.robots.delta(), "rod1a")
    with pytest.raises(ModelError, match="no loops"):
        kt.ParallelRobot.of(kt.robots.two_link(), "link1")
    with pytest.raises(ModelError, match="Robot with loops"):
        kt.ParallelRobot.of("delta", "platform")  # type: ignore[arg-type]


def test_driven_joints_are_marked_in_the_model() -> None:
    legs = [dataclasses.replace(x, actuated=["leg"]) for x in stewart_legs()]
    robot = kt.ParallelRobot(FREE, legs, name="six")
    marked = [b.joint.name for b in robot.robot.bodies if b.joint.actuated]
    assert marked == [f"leg{k}_leg" for k in range(1, 7)] == list(robot.actuated)
    assert kt.ClosedChain(robot.robot).actuated == robot.actuated
    assert [loop.name for loop in robot.robot.loops] == [f"leg{k}_joint" for k in range(1, 7)]
    assert repr(robot).startswith("<ParallelRobot 'six': 6 degrees of freedom, driven by leg1_leg, leg2_leg")


def test_legs_may_hold_the_platform_with_other_joints_than_balls() -> None:
    zoo, legs = kt.robots.planar_3rrr(), []
    for k, pin in enumerate(zoo.loops):
        chain = dataclasses.replace(
            zoo, bodies=zoo.bodies[2 * k : 2 * k + 2], loops=(), named_frames=(("end", pin.predecessor),)
        )
        legs.append(kt.Leg(chain, {"end": pin.successor.pose}, Revolute()))
    built = kt.ParallelRobot(zoo.bodies[-1], legs)
    motion = swing(load("planar_3rrr"), np.array([0.3]))
    assert relative_error(built.inverse_dynamics(*motion), load("planar_3rrr").inverse_dynamics(*motion)) < ROUNDING
    assert isinstance(kt.Leg(chain, {}).kind, Spherical)
    assert isinstance(zoo.bodies[-1].joint.kind, Planar)


def test_gravity_is_that_of_the_whole() -> None:
    robot = kt.ParallelRobot(FREE, stewart_legs(), gravity=(0, 0, 0))
    args = (robot.chain.neutral.tolist(), [0.0] * 6, [0.0] * 6, robot.chain.actuation, robot.index)
    assert np.abs(parallel_inverse_dynamics(robot.robot, *args)[0]).max() < ROUNDING


def test_robots_can_be_pickled() -> None:
    robot = load("delta")
    tau = robot.inverse_dynamics(home(robot), STILL, UP)
    assert np.array_equal(pickle.loads(pickle.dumps(robot)).inverse_dynamics(home(robot), STILL, UP), tau)
