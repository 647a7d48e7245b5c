"""Controllers: what they promise of the error, of the energy, of limits; who gets no force; what is refused.

Most laws are checked on plain floats, one state at a time: the forces of the controller go into forward dynamics, and
the accelerations that come out must be those that the law asks for.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from strategies import floating, serial, states, tree

import kinetree as kt
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.kinematics import jacobian, pose
from kinetree.control import (
    PD,
    ComputedTorque,
    Controller,
    Hold,
    Law,
    Limited,
    OperationalSpace,
    Quintic,
    Reference,
    Sinusoid,
    Target,
    Tracker,
)
from kinetree.control.orientation import angular_motion
from kinetree.control.task import frame_motion
from kinetree.errors import InputError, KinetreeError, UnknownNameError
from kinetree.joints import Free, Spherical
from kinetree.joints.quaternion import rates, rotation, rotation_vector_between

SOLVED = 1e-9  # a solution of M x = b loses the digits of the condition of M
ORDER4 = 2e-9  # what Runge and Kutta's method leaves of a motion of some rad/s after a second in steps of 1 ms
COMPILED = 1e-12  # the same operations in another order
DIFFERENCE = 1e-6  # what central differences with steps of 1e-5 leave of numbers up to 10

TWO = kt.robots.two_link()


def accelerations(robot: kt.Robot, control: Controller, t: float, q: Any, qd: Any) -> np.ndarray:
    """Of the robot under the controller, on floats."""
    tau = control.forces(robot, t, list(q), list(qd))
    assert len(tau) == robot.nv
    return np.array(forward_dynamics(robot, list(q), list(qd), tau))


def sinusoid(n: int, seed: int = 0) -> Sinusoid:
    rng = np.random.default_rng(seed)
    return Sinusoid(rng.uniform(0.2, 1, n), omega=rng.uniform(1, 3, n), phase=rng.normal(size=n))


# -- computed torque ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_computed_torque_makes_the_error_linear(seed: int) -> None:
    """edd + kd ed + kp e = 0, for any tree with friction, springs and mimics."""
    robot = tree(seed, 5, ["revolute", "prismatic", "helical", "universal"], friction=True, springs=True, mimics=True)
    s, reference = states(robot, 3, seed), sinusoid(robot.nv, seed)
    kp, kd = np.linspace(10, 30, robot.nv), np.linspace(2, 9, robot.nv)
    control = ComputedTorque(reference, kp, kd)
    for t, q, qd in zip((0.0, 0.4, 1.3), s.q.tolist(), s.qd.tolist()):
        target = reference.at(t)
        qdd = accelerations(robot, control, t, q, qd)
        e, ed, edd = (np.array(x) - y for x, y in zip(target, (q, qd, qdd)))
        assert np.abs(edd + kd * ed + kp * e).max() < SOLVED * (1 + np.abs(qdd).max())


def test_the_simulated_error_is_the_closed_form() -> None:
    """Critically damped: e = (e0 + (ed0 + w e0) t) exp(-w t)."""
    w, reference = 8.0, Sinusoid([0.5, 0.3], omega=[3.0, 2.0])
    control = ComputedTorque(reference, w * w, 2 * w)
    motion = kt.simulate(TWO, [0.3, -0.2], [0.0, 1.0], 1.0, control)
    target = reference.sample(motion.t)
    e0, ed0 = np.array([-0.3, 0.2]), target.qd[0] - [0.0, 1.0]
    t = motion.t[:, None]
    closed = (e0 + (ed0 + w * e0) * t) * np.exp(-w * t)
    assert np.abs(target.q - motion.q - closed).max() < ORDER4


def test_joints_without_a_drive_get_no_force_and_the_others_obey() -> None:
    robot = floating(serial(4, 3))
    middle = dataclasses.replace(robot.bodies[2], joint=dataclasses.replace(robot.bodies[2].joint, actuated=False))
    robot = dataclasses.replace(robot, bodies=(*robot.bodies[:2], middle, *robot.bodies[3:]))
    own, s = [6, 8], states(robot, 2)
    reference = sinusoid(2)
    for q, qd in zip(s.q.tolist(), s.qd.tolist()):
        for control in (ComputedTorque(reference, 9.0, 3.0), Tracker(reference, 9.0, 3.0), PD(reference, 9.0, 3.0)):
            tau = control.forces(robot, 0.2, q, qd)
            assert [k for k, x in enumerate(tau) if x != 0.0] == own
        target = reference.at(0.2)
        qdd = accelerations(robot, ComputedTorque(reference, 9.0, 3.0), 0.2, q, qd)[own]
        e, ed = np.array(target.q) - np.array(q)[[7, 9]], np.array(target.qd) - np.array(qd)[own]
        assert np.abs(target.qdd - qdd + 3.0 * ed + 9.0 * e).max() < SOLVED * (1 + np.abs(qdd).max())


def test_feedforward_on_the_reference_is_computed_torque() -> None:
    """Where the drives are on the reference, whatever the joints without one do."""
    robot, reference = floating(serial(4, 3)), sinusoid(3)
    s, target = states(robot, 1), reference.at(0.2)
    q, qd = [*s.q[0, :7].tolist(), *target.q], [*s.qd[0, :6].tolist(), *target.qd]
    ahead, computed = Tracker(reference, 9.0, 3.0), ComputedTorque(reference, 9.0, 3.0)
    tau = np.array(computed.forces(robot, 0.2, q, qd))
    assert np.abs(ahead.forces(robot, 0.2, q, qd) - tau).max() < COMPILED * (1 + np.abs(tau).max())


def test_a_reference_may_have_all_coordinates() -> None:
    """Those without a drive don't count."""
    robot, s = floating(TWO), states(floating(TWO), 1)
    q, qd = s.q[0].tolist(), s.qd[0].tolist()
    short, whole = ComputedTorque(Hold([0.1, 0.2]), 9.0, 3.0), ComputedTorque(Hold([9.0] * 7 + [0.1, 0.2]), 9.0, 3.0)
    assert short.forces(robot, 0.0, q, qd) == whole.forces(robot, 0.0, q, qd)


# -- PD and the tracker ------------------------------------------------------------------------------------------------


def test_pd_settles_and_its_energy_never_grows() -> None:
    """V = kinetic energy + 1/2 kp e^2 falls; the rest is at the target, whatever the weight."""
    arm, goal = kt.robots.rx90(), np.array([0.5, -0.4, 0.6, 0.3, -0.5, 0.2])
    kp = np.array([900.0, 900.0, 400.0, 60.0, 40.0, 20.0])
    motion = kt.simulate(arm, np.zeros(6), np.zeros(6), 3.0, PD(Hold(goal), kp, 0.2 * kp), dt=2e-3, every=5)
    assert motion.qd is not None
    V = arm.kinetic_energy(motion.q, motion.qd) + 0.5 * ((goal - motion.q) ** 2 * kp).sum(axis=-1)
    assert (np.diff(V) < 1e-9 * V[0]).all()
    assert V[-1] < 1e-6 * V[0]
    # without the compensation it hangs, by the weight over the stiffness
    q = (goal + 0.01).tolist()
    lacking = np.subtract(
        PD(Hold(goal), kp, 1.0).forces(arm, 0.0, q, [0.0] * 6),
        PD(Hold(goal), kp, 1.0, gravity_compensation=False).forces(arm, 0.0, q, [0.0] * 6),
    )
    assert np.abs(lacking - arm.gravity_forces(q)).max() < COMPILED * np.abs(lacking).max()


def test_pd_turns_a_ball_joint_the_short_way() -> None:
    ball = kt.Robot((kt.Body("b", kt.Joint("j", Spherical()), kt.Inertia(1.0, about_com=(0.1, 0.1, 0.1))),))
    goal = np.array([0.3, -0.5, 0.4, 0.6])
    goal = goal / np.linalg.norm(goal)
    motion = kt.simulate(ball, [0.0, 0.0, 0.0, 1.0], [0.0] * 3, 2.0, PD(Hold(goal), 4.0, 1.26), dt=5e-3)
    turn = np.array([rotation_vector_between(q, goal) for q in motion.q.tolist()])
    away = np.linalg.norm(turn, axis=1)
    # the inertia is the same about all axes: the error stays along its axis, and obeys a damped oscillator
    assert np.abs(np.cross(turn, turn[0])).max() < 1e-9
    w, damping = math.sqrt(40.0), 6.3
    wd = math.sqrt(w * w - damping**2)
    t = motion.t
    closed = away[0] * np.exp(-damping * t) * (np.cos(wd * t) + damping / wd * np.sin(wd * t))
    assert np.abs(turn @ turn[0] / away[0] - closed).max() < 1e-6


@dataclasses.dataclass(frozen=True)
class Tumble(Reference):
    """A turn about an axis that changes, by quaternions whose length does too."""

    def at(self, t: Any) -> Target:
        still = [0.0] * 4
        return Target([0.3 * t, 0.5 * t * t, -0.2 * t, 1.0], [0.3, t, -0.2, 0.0], [0.0, 1.0, 0.0, 0.0], still, still)


UNEVEN = kt.Inertia(1.0, (0.1, 0.0, 0.2), (0.1, 0.2, 0.15))
BALL = kt.Robot((kt.Body("b", kt.Joint("j", Spherical()), UNEVEN),))


def test_a_ball_joint_far_from_its_reference_obeys_the_equation_of_its_error() -> None:
    """d/dt(R^T W) + kd R^T W + kp e = 0 in body axes, with W the angular velocity that is lacking, in world axes."""
    s = states(BALL, 3)
    for t, q, w in zip((0.3, 0.8, 1.1), s.q.tolist(), s.qd.tolist()):
        wd = accelerations(BALL, ComputedTorque(Tumble(), 25.0, 10.0), t, q, w)
        target = Tumble().at(t)
        R, wanted = (np.array([[*row] for row in rotation(x).matrix]) for x in (q, target.q))
        W, Wd = (wanted @ [*x] for x in angular_motion(*target[:3]))
        lacking = R.T @ W - w
        rate = R.T @ (Wd - R @ wd) - np.cross(w, lacking)
        e = rotation_vector(R.T @ wanted)
        assert np.abs(rate + 10.0 * lacking + 25.0 * e).max() < SOLVED * 100


def test_a_ball_joint_follows_a_turning_reference() -> None:
    """With computed torque and no error at the start, a reference of quaternions of any length is followed."""
    w, _ = angular_motion(*Tumble().at(0.0)[:3])
    control = ComputedTorque(Tumble(), 25.0, 10.0)
    motion = kt.simulate(BALL, [0.0, 0.0, 0.0, 1.0], [*w], 1.0, control, dt=2e-3, every=50)
    target = Tumble().sample(motion.t).q
    assert max(max(map(abs, rotation_vector_between(q, x))) for q, x in zip(motion.q.tolist(), target.tolist())) < 1e-8


def test_the_spin_of_a_path_of_quaternions_is_its_angular_velocity() -> None:
    """The rates of a quaternion for that velocity are those of the path, brought to length one."""
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 4))

    def unit(t: float) -> np.ndarray:
        x = q + t * qd + 0.5 * t * t * qdd
        return x / np.linalg.norm(x)

    def angular(t: float) -> np.ndarray:
        return np.array([*angular_motion(q + t * qd + 0.5 * t * t * qdd, qd + t * qdd, qdd)[0]])

    w, wd = angular_motion(q, qd, qdd)
    h = 1e-5
    assert np.abs(rates(unit(0.0), [*w]) - (unit(h) - unit(-h)) / (2 * h)).max() < DIFFERENCE
    assert np.abs(np.array([*wd]) - (angular(h) - angular(-h)) / (2 * h)).max() < DIFFERENCE * 10


def test_a_tracker_on_its_reference_needs_no_gains() -> None:
    """Feedforward alone is the motion itself; with a wrong mass it is not."""
    reference = Quintic([0.0, 0.0], [1.0, -1.0], 0.5)
    motion = kt.simulate(TWO, [0.0, 0.0], [0.0, 0.0], 0.5, Tracker(reference, 0.0, 0.0))
    assert np.abs(motion.q - reference.sample(motion.t).q).max() < ORDER4
    heavy = TWO.scale(mass=1.5)
    tau = Tracker(reference, 0.0, 0.0, model=heavy).forces(TWO, 0.2, [0.0, 0.0], [0.0, 0.0])
    plain = Tracker(reference, 0.0, 0.0).forces(TWO, 0.2, [0.0, 0.0], [0.0, 0.0])
    assert np.abs(np.array(tau) - 1.5 * np.array(plain)).max() < COMPILED


def test_models_of_one_name_are_told_apart() -> None:
    """Compiled code may be kept by what a controller says of itself, and that is all of its model."""
    said = {repr(PD(Hold([0.0, 0.0]), 1.0, 1.0, model=TWO.scale(mass=m))) for m in (1.0, 2.0, 2.0)}
    assert len(said) == 2
    reference, start = Quintic([0.0, 0.0], [1.0, -1.0], 0.5), ([0.0, 0.0], [0.0, 0.0], 0.02)
    light, heavy = (
        kt.simulate(TWO, *start, Tracker(reference, 0.0, 0.0, model=dataclasses.replace(TWO.scale(mass=m)))).tau
        for m in (1.0, 2.0)
    )
    assert light is not None
    assert heavy is not None
    assert np.abs(heavy - 2.0 * light).max() < COMPILED
    assert np.abs(light).max() > 1e-3


def test_pd_holds_an_elastic_joint_by_its_motor() -> None:
    """Motors aim where their springs carry the weight: the joints settle at the target, not below it."""
    arm, goal = kt.robots.mixed_elastic(), np.array([0.3, -0.4, 0.5])
    control = PD(Hold(goal), kp=[200.0, 200.0, 100.0], kd=[60.0, 60.0, 30.0])
    q = arm.neutral
    motion = kt.simulate(arm, q, np.zeros(4), 8.0, control, dt=2e-3, every=500)
    assert motion.tau is not None
    assert np.abs(motion.q[-1, :3] - goal).max() < 1e-4
    stretch = motion.q[-1, 3] - motion.q[-1, 2]
    weight = arm.gravity_forces([*goal, goal[2]])[2]
    assert abs(100.0 * stretch - weight) < 1e-2 * abs(weight)
    assert (motion.tau[:, 2] == 0.0).all()


# -- operational space -------------------------------------------------------------------------------------------------


def test_the_motion_of_a_frame_is_that_of_its_pose() -> None:
    """Velocity J qd and acceleration J qdd + Jd qd, by differences along the motion."""
    robot = tree(7, 4, ["revolute", "prismatic", "spherical", "planar"], on_free_base=True)
    s = states(robot, 1)
    frame, h = robot.bodies[-1].name, 1e-5
    q, qd = s.q[0].tolist(), s.qd[0].tolist()

    def moved(t: float) -> list[float]:
        x = np.array(q)
        n = 20
        for _ in range(n):
            rate = [r for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices)
                    for r in body.joint.kind.rates(x[qs].tolist(), qd[vs])]  # fmt: skip
            x = x + t / n * np.array(rate)
        return x.tolist()

    def velocity(t: float) -> np.ndarray:
        return np.array(jacobian(robot, moved(t), frame)) @ qd

    now = frame_motion(robot, q, qd, frame)
    assert np.abs([*now.velocity.ang, *now.velocity.lin] - np.array(jacobian(robot, q, frame)) @ qd).max() < SOLVED
    assert np.abs(np.array([*now.pose.p]) - [row[3] for row in pose(robot, q, frame)[:3]]).max() < SOLVED
    bias = (velocity(h) - velocity(-h)) / (2 * h)
    assert np.abs([*now.bias.ang, *now.bias.lin] - bias).max() < 1e-3 * (1 + np.abs(bias).max())


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_frame_obeys_the_equation_of_its_error(base: str) -> None:
    """xdd = xdd_d + kd ed + kp e in all six directions, on a floating base too; the null space does not disturb it."""
    robot = serial(2, 7) if base == "fixed" else floating(serial(2, 7))
    s, frame = states(robot, 2, 1), robot.bodies[-1].name
    reference = Sinusoid(
        [0.3, 0.2, 0.1, 0.1, 0.2, 0.3, 0.2], omega=[1, 2, 3, 2, 1, 3, 2.5], offset=[0.1, 0.2, 0.3, 0, 0, 0, 1]
    )
    control = OperationalSpace(frame, reference, 16.0, 8.0, damping=3.0, posture=[0.1] * 7, stiffness=5.0, singular=0.0)
    for t, q, qd in zip((0.1, 0.7), s.q.tolist(), s.qd.tolist()):
        qdd = accelerations(robot, control, t, q, qd)
        now, target = frame_motion(robot, q, qd, frame), reference.at(t)
        xdd = np.array(jacobian(robot, q, frame)) @ qdd + [*now.bias.ang, *now.bias.lin]
        R, wanted = (np.array([[*row] for row in x.matrix]) for x in (now.pose.R, rotation(target.q[3:])))
        w, wd = (wanted @ [*x] for x in angular_motion(*(x[3:] for x in target[:3])))
        e = np.append(rotation_vector(wanted @ R.T), np.subtract(target.q[:3], [*now.pose.p]))
        ed = np.append(w, target.qd[:3]) - [*now.velocity.ang, *now.velocity.lin]
        asked = np.append(wd, target.qdd[:3]) + 8.0 * ed + 16.0 * e
        assert np.abs(xdd - asked).max() < 1e-7 * (1 + np.abs(qdd).max())


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """By the trace and the antisymmetric part; away from half a turn."""
    angle = np.arccos((np.trace(R) - 1) / 2)
    return angle / (2 * np.sin(angle)) * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


def test_a_frame_goes_along_a_straight_line() -> None:
    start, end = np.array([0.6, 0.2]), np.array([0.2, 0.5])
    q0 = planar_arm(start)
    line = Quintic(start, end, 1.0)
    motion = kt.simulate(TWO, q0, [0.0, 0.0], 1.0, OperationalSpace("dh2", line, 100.0, 20.0, axes="xy"), every=20)
    p = TWO.pose(motion.q, "dh2")[:, :2, 3]
    assert np.abs(p - line.sample(motion.t).q).max() < ORDER4
    way = (end - start) / np.linalg.norm(end - start)
    assert np.abs((p - start) @ [-way[1], way[0]]).max() < ORDER4
    # the joints themselves don't go straight
    assert np.abs(motion.q - np.linspace(q0, motion.q[-1], len(motion))).max() > 0.05


def planar_arm(p: np.ndarray, length: float = 0.4) -> np.ndarray:
    """The angles of the two links for a place of the tip."""
    elbow = np.arccos((p @ p) / (2 * length**2) - 1)
    return np.array([np.arctan2(p[1], p[0]) - elbow / 2, elbow])


def test_a_frame_reaches_a_pose() -> None:
    arm = kt.robots.rx90()
    q0, q1 = np.array([0.2, 0.5, 1.0, 0.3, 0.8, -0.2]), np.array([0.5, 0.8, 0.7, -0.2, 1.1, 0.3])
    X = arm.pose(q1, "link6")
    x, y, z, w = of_matrix(X[:3, :3])
    control = OperationalSpace("link6", Hold([*X[:3, 3], x, y, z, w]), 36.0, 12.0)
    motion = kt.simulate(arm, q0, np.zeros(6), 3.0, control, dt=5e-3, every=100)
    assert np.abs(arm.pose(motion.q[-1], "link6") - X).max() < 1e-5


def of_matrix(R: np.ndarray) -> np.ndarray:
    w = 0.5 * math.sqrt(1 + np.trace(R))
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 4 * w * w]) / (4 * w)


def test_the_null_space_is_damped_and_drawn_to_a_configuration() -> None:
    """A fourth joint in the plane is free: it comes to rest, and to the configuration as far as the tip allows."""
    link = kt.DH(a=0.4, mass=0.5, com=(-0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    arm = kt.Robot.from_dh([link] * 4, "standard", gravity=(0, 0, 0))
    q0, qd0 = np.array([0.3, 0.5, 0.7, -0.4]), np.array([0.5, -1.0, 0.8, 0.2])
    goal, posture = arm.pose(q0, "dh4")[:2, 3], np.array([0.6, 0.1, 0.8, -0.1])
    control = OperationalSpace("dh4", Hold(goal), 50.0, 14.0, "xy", damping=10.0, posture=posture, stiffness=25.0)
    motion = kt.simulate(arm, q0, qd0, 4.0, control, dt=4e-3, every=100)
    assert motion.qd is not None
    assert np.abs(motion.qd[-1]).max() < 1e-4
    assert np.abs(arm.pose(motion.q[-1], "dh4")[:2, 3] - goal).max() < 1e-5
    # what still pulls at the joints moves the tip alone: M (posture - q) is J^T times something
    q = motion.q[-1]
    rest = arm.mass_matrix(q) @ (posture - q)
    J = arm.jacobian(q, "dh4")[3:5]
    assert np.abs(rest - J.T @ np.linalg.lstsq(J.T, rest, rcond=None)[0]).max() < 1e-3 * np.abs(rest).max()
    assert np.abs(posture - q).max() < np.abs(posture - q0).max()


def test_forces_stay_bounded_at_a_singular_configuration() -> None:
    """A stretched arm can't be pulled inwards along itself at once; undamped, the forces are beyond all bounds."""
    stretched, rest = [0.3, 0.0], [0.0, 0.0]
    for angle in (0.0, 1e-9, 1e-4, 0.02):
        control = OperationalSpace("dh2", Hold([0.1, 0.1]), 25.0, 10.0, axes="xy")
        tau = control.forces(TWO, 0.0, [0.3, angle], rest)
        assert np.isfinite(tau).all()
        assert np.abs(tau).max() < 500.0
    free = OperationalSpace("dh2", Hold([0.1, 0.1]), 25.0, 10.0, axes="xy", singular=0.0)
    assert np.abs(free.forces(TWO, 0.0, [0.3, 1e-4], rest)).max() > 1e4
    control = OperationalSpace("dh2", Hold([0.1, 0.35]), 25.0, 10.0, axes="xy", damping=1.0)
    motion = kt.simulate(TWO, stretched, [0.0, 0.1], 3.0, control, every=100)
    assert np.abs(TWO.pose(motion.q[-1], "dh2")[:2, 3] - [0.1, 0.35]).max() < 1e-3


# -- limits ------------------------------------------------------------------------------------------------------------


def test_forces_keep_their_limits() -> None:
    inner = PD(Hold([1.0, -1.0]), kp=80.0, kd=4.0)
    motion = kt.simulate(TWO, [0.0, 0.0], [0.0, 0.0], 1.0, Limited(inner, force=[3.0, kt.parameter("most", 2.0)]))
    assert motion.tau is not None
    assert np.abs(motion.tau).max(axis=0).tolist() == [3.0, 2.0]
    assert motion.qd is not None
    free = [inner.forces(TWO, 0.0, q, qd) for q, qd in zip(motion.q.tolist(), motion.qd.tolist())]
    assert np.abs(motion.tau - np.clip(free, [-3, -2], [3, 2])).max() < COMPILED


def test_the_limits_of_the_model_count_by_default() -> None:
    arm = kt.robots.rx90()
    tau = Limited(PD(Hold([9.0] * 6), 1e4, 0.0)).forces(arm, 0.0, [0.0] * 6, [0.0] * 6)
    assert tau == [320.0, 320.0, 140.0, 50.0, 24.0, 8.0]
    assert Limited(PD(Hold([9.0, 9.0]), 1e4, 0.0)).forces(TWO, 0.0, [0.0, 0.0], [0.0, 0.0]) == [9e4, 9e4]
    soft = kt.robots.mixed_elastic()
    tau = Limited(PD(Hold([9.0] * 3), 1e4, 0.0), force=[1.0, 2.0, 3.0]).forces(soft, 0.0, [0.0] * 4, [0.0] * 4)
    assert tau == [1.0, 2.0, 0.0, 3.0]


def test_forces_change_no_faster_than_their_rate() -> None:
    """At every step, or at every sample where the controller is sampled."""
    inner = PD(Hold([1.0, -1.0]), kp=80.0, kd=4.0)
    for sample, dt in ((None, 1e-3), (5e-3, 5e-3)):
        control = Limited(inner, force=5.0, rate=[400.0, 100.0])
        motion = kt.simulate(TWO, [0.0, 0.0], [0.0, 0.0], 0.5, control, sample=sample)
        assert motion.tau is not None
        change = np.abs(np.diff(motion.tau, axis=0)).max(axis=0)
        assert (change <= np.array([400.0, 100.0]) * dt * (1 + 1e-9)).all()
        assert (change > np.array([300.0, 90.0]) * dt).all()
        assert np.abs(motion.tau).max() <= 5.0


def test_a_limit_keeps_the_memory_of_what_it_limits() -> None:
    @dataclasses.dataclass(frozen=True)
    class Integral(Controller):
        def memory(self, robot):
            return [0.0]

        def update(self, robot, t, q, qd, memory):
            total = memory[0] + (0.2 - q[0])
            return [5.0 * total, 0.0], [total]

    control = Limited(Integral(), force=2.0, rate=30.0)
    tau, memory = control.update(TWO, 0.0, [0.0, 0.0], [0.0, 0.0], control.memory(TWO))
    assert (tau, memory) == ([1.0, 0.0], [0.2, 1.0, 0.0, 0.0])
    tau, memory = control.update(TWO, 0.01, [0.0, 0.0], [0.0, 0.0], memory)
    assert (tau, memory) == ([1.3, 0.0], [0.4, 1.3, 0.0, 0.01])
    assert kt.simulate(TWO, [0.0, 0.0], [0.0, 0.0], 0.01, control).tau.shape == (11, 2)  # type: ignore[union-attr]


# -- runs of a batch, functions, chains --------------------------------------------------------------------------------


def test_gains_of_a_batch_are_those_of_single_runs() -> None:
    start = ([0.3, -0.2], [0.0, 0.0], 0.2)
    kp = kt.parameter("kp")
    named = ComputedTorque(Quintic([0.0, 0.0], [1.0, kt.parameter("goal", 0.5)], 0.2), kp, 2.0 * kp)
    together = kt.simulate(TWO, *start, named, kp=[4.0, 9.0, 25.0], goal=[0.5, 0.6, 0.7])
    for k, (gain, goal) in enumerate(((4.0, 0.5), (9.0, 0.6), (25.0, 0.7))):
        alone = kt.simulate(TWO, *start, named, kp=gain, goal=goal)
        assert np.abs(alone.q - together.q[k]).max() < COMPILED
    plain = kt.simulate(TWO, *start, ComputedTorque(Quintic([0.0, 0.0], [1.0, 0.7], 0.2), 25.0, 50.0))
    assert np.abs(plain.q - together.q[2]).max() < COMPILED


def test_a_python_function_is_the_native_controller() -> None:
    """With the same samples: PD with gravity compensation by hand."""
    arm, goal = kt.robots.rx90(), np.array([0.5, -0.4, 0.6, 0.3, -0.5, 0.2])
    kp = np.array([900.0, 900.0, 400.0, 60.0, 40.0, 20.0])

    def by_hand(t, q, qd):
        return kp * (goal - q) - 0.2 * kp * qd + arm.gravity_forces(q)

    native = kt.simulate(arm, np.zeros(6), np.zeros(6), 0.1, PD(Hold(goal), kp, 0.2 * kp), dt=2e-3, sample=4e-3)
    python = kt.simulate(arm, np.zeros(6), np.zeros(6), 0.1, by_hand, dt=2e-3, sample=4e-3)
    assert np.abs(native.q - python.q).max() < COMPILED


def test_a_law_drives_a_closed_chain() -> None:
    """A five-bar under PD of its two shoulders goes where it should, and stays closed."""
    robot = kt.robots.five_bar()
    chain = kt.ClosedChain(robot, actuated=["left_shoulder", "right_shoulder"])
    places = [robot.coordinate_index(name) for name in chain.actuated]
    goal = (0.15, -0.1)

    def pull(robot, t, q, qd):
        return [20.0 * (x - q[k.q]) - 3.0 * qd[k.v] for x, k in zip(goal, places)]

    start = robot.neutral
    control = Limited(Law(pull), force=[1.5, 1.5])
    motion = kt.simulate(chain, start, np.zeros(robot.nv), 1.5, control, dt=5e-3)
    assert motion.tau is not None
    assert np.abs(motion.q[-1, [k.q for k in places]] - goal).max() < 1e-3
    assert np.abs(motion.tau).max() == 1.5
    _, gap = chain.function("step")(motion.q, 0.0)
    assert np.max(gap) < 1e-6


# -- what is refused ---------------------------------------------------------------------------------------------------

STATE = (0.0, [0.1, 0.2], [0.0, 0.0])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: PD(Hold([0.0, 0.0]), -1.0, 1.0), "kp must be a finite number not below 0, got -1.0"),
        (lambda: ComputedTorque(Hold([0.0, 0.0]), 1.0, [1.0, math.nan]), "kd must be a finite number"),
        (lambda: Tracker(Hold([0.0, 0.0]), "10", 1.0), "kp must be numbers"),
        (lambda: PD([0.0, 0.0], 1.0, 1.0), "a reference is one of kinetree.control"),
        (
            lambda: PD(Hold([0.0]), 1.0, 1.0).forces(TWO, *STATE),
            r"takes 2, those of its actuated joints \(joint1, joint2\)",
        ),
        (
            lambda: PD(Hold([0.0, 0.0]), [1.0] * 3, 1.0).forces(TWO, *STATE),
            "kp is one number, or one for each of the 2",
        ),
        (lambda: PD(Hold([0.0, 0.0]), 1.0, 1.0, model="arm"), "the model of a controller is a Robot"),
        (
            lambda: PD(Hold([0.0, 0.0]), 1.0, 1.0, model=kt.robots.scara()).forces(TWO, *STATE),
            "does not have the joints of the robot 'two_link'",
        ),
        (lambda: OperationalSpace("dh2", Hold([0.0, 0.0]), 1.0, 1.0), "has 3 coordinates, or 7 with a quaternion"),
        (lambda: OperationalSpace("dh2", Hold([0.0, 0.0]), 1.0, 1.0, axes="yx"), "some of 'xyz' in this order"),
        (lambda: OperationalSpace("dh2", Hold([0.0] * 3), 1.0, 1.0, damping=-1.0), "damping must be a finite number"),
        (
            lambda: OperationalSpace("dh2", Hold([0.0] * 3), 1.0, 1.0).forces(TWO, *STATE),
            "no joint moves the frame 'dh2' along z",
        ),
        (lambda: Limited(PD(Hold([0.0, 0.0]), 1.0, 1.0), force=0.0), "the limit of force must be above 0"),
        (lambda: Limited(PD(Hold([0.0, 0.0]), 1.0, 1.0), rate=-3.0), "the limit of rate must be a number not below 0"),
        (lambda: Limited(lambda *_: [0.0]), "Limited takes a kinetree.control.Controller"),
        (
            lambda: Limited(PD(Hold([0.0, 0.0]), 1.0, 1.0), force=[1.0] * 3).forces(TWO, *STATE),
            "force is one number, or one for each of the 2 forces",
        ),
        (
            lambda: PD(Hold([0.0]), 1.0, 1.0).forces(kt.robots.four_bar(), 0.0, [0.0] * 3, [0.0] * 3),
            "has closed loops.*kinetree.control.Law",
        ),
        (
            lambda: PD(Hold([0.0]), 1.0, 1.0).forces(
                kt.Robot((kt.Body("b", kt.Joint("j", Free()), kt.Inertia(1.0, about_com=(1, 1, 1))),)), 0.0, [], []
            ),
            "has no actuated joint",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(act, message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()


def test_unknown_frames_are_named() -> None:
    control = OperationalSpace("dh3", Hold([0.0, 0.0]), 1.0, 1.0, axes="xy")
    with pytest.raises(UnknownNameError, match=r"no frame 'dh3'.*dh2"):
        kt.simulate(TWO, [0.1, 0.2], [0.0, 0.0], 0.1, control)


def test_errors_come_out_of_a_simulation() -> None:
    with pytest.raises(KinetreeError, match="takes 2, those of its actuated joints"):
        kt.simulate(TWO, [0.1, 0.2], [0.0, 0.0], 0.1, PD(Hold([0.0] * 3), 1.0, 1.0))


@pytest.mark.parametrize("kind", [ComputedTorque, Tracker])
def test_elastic_actuators_are_for_another_controller(kind) -> None:
    arm = kt.robots.mixed_elastic()
    with pytest.raises(InputError, match=r"joint3 of robot 'mixed_elastic'.*ElasticTracking"):
        kind(Hold([0.0] * 3), 1.0, 1.0).forces(arm, 0.0, [0.0] * 4, [0.0] * 4)
