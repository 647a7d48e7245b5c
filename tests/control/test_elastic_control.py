"""Tracking with rigid and elastic joints: the law is the paper's, and its Lyapunov function falls as the paper says.

Parts of the equations of motion come from the mass matrix and its derivatives here, derivatives of the desired motor
angles from differences, rates of the Lyapunov function from the motion that forward dynamics gives.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from strategies import Array, relative_error

import kinetree as kt
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.control.elastic import ElasticTracking
from kinetree.control.reference import Hold, Reference
from kinetree.control.sinusoid import Sinusoid
from kinetree.control.symbols import with_symbols
from kinetree.errors import InputError, ModelError
from kinetree.graph.differentiate import pushforward
from kinetree.joints import Rotor
from kinetree.signature import parse
from kinetree.simulation.system import System

ROUNDING = 1e-10  # of forces of 1e2 with terms of 1e4 that cancel
DIFFERENCES = 1e-6  # of torques with second differences of angles at times 5e-4 s apart
GROWTH = 1e-9  # of V2 from one record to the next
FLOOR = 1e-12  # of V2 at the start; far below, what the integration leaves of the errors moves up and down
STEPS = 8  # of an integration over 1e-3 s
LOOP = {"kp": 450.0, "kd": 47.0, "motor_kp": 100.0, "motor_kd": 10.0}
SOFT = {"kp": 60.0, "kd": 10.0, "motor_kp": 100.0, "motor_kd": 10.0}
START = (0.0, 0.0, -0.4363)  # of the paper


def swinging(n: int) -> Sinusoid:
    """The reference of the paper."""
    return Sinusoid((0.5,) * n, omega=0.5 * math.pi)


def geared(robot: kt.Robot, gear: Any) -> kt.Robot:
    """The robot with another gear ratio on all its motors."""

    def changed(body: kt.Body) -> kt.Body:
        kind = body.joint.kind
        if not isinstance(kind, Rotor):
            return body
        return dataclasses.replace(body, joint=dataclasses.replace(body.joint, kind=Rotor(kind.axis, gear)))

    return dataclasses.replace(robot, bodies=tuple(map(changed, robot.bodies)))


def five(elastic: Sequence[int], **options: Any) -> kt.Robot:
    """Five joints with motors on links 0, 0, 1, 1 and 4, some of them elastic, their axes along none."""
    link = {"mass": 1.0, "com": (0.15, 0.02, -0.03), "inertia": (0.01, 0.02, 0.02)}
    twists = (0.0, math.pi / 2, 0.0, math.pi / 2, -math.pi / 2)
    rows = [kt.DH(alpha=alpha, a=0.3 * (k > 0), **link) for k, alpha in enumerate(twists)]
    axes = ((0, 0, 1), (0.6, 0, 0.8), (0, 0.6, 0.8), (0.48, 0.64, 0.6), (0.8, 0.0, 0.6))
    motors = [
        kt.Motor(f"joint{k + 1}", f"link{on}" if on else "world", axes[k], 8.0, 0.004, 0.3,
                 stiffness=120.0 if k + 1 in elastic else None, **options)
        for k, on in enumerate((0, 0, 1, 1, 4))
    ]  # fmt: skip
    return kt.Robot.from_dh(rows, "modified", name="five").with_motors(motors)


# rotors on links that no elastic joint moves: the law is a function of the state
EXACT = {
    "the arm of the paper": kt.robots.mixed_elastic(),
    "rotors that couple to a rigid joint": five((3, 4)),
    "no elastic joint": five(()),
}
# joint 2 is elastic and moves the rotor of joint 5: a part of (39) is that of the reference motion
COUPLED = five((2, 5))


def joints_of(robot: kt.Robot) -> list[int]:
    motors = {motor.v for _, motor, _ in robot.transmissions}
    return [k for k in range(robot.nv) if k not in motors]


def law_for(robot: kt.Robot, **changes: Any) -> ElasticTracking:
    return ElasticTracking(swinging(len(joints_of(robot))), **{**LOOP, **changes})


def state(robot: kt.Robot, seed: int = 0) -> tuple[float, list[float], list[float]]:
    q, qd = np.random.default_rng(seed).normal(size=(2, robot.nv))
    return 0.7 + seed, q.tolist(), qd.tolist()


def errors(motion: kt.Motion, robot: kt.Robot, reference: Reference) -> Array:
    """Of the joints, over time."""
    return reference.sample(motion.t).q - motion.q[..., joints_of(robot)]


def started(robot: kt.Robot, q: Sequence[float]) -> list[float]:
    """Joints at q, and the springs of elastic ones at rest."""
    whole = dict(zip(joints_of(robot), q))
    return [whole[k] for k in whole] + [whole[joint.q] for _, _, joint in robot.transmissions]


# -- the law is the paper's --------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """(30), by the mass matrix and its derivatives: rows of the joints, and rows of the motors."""

    M: Array
    S: Array
    B: Array
    C: Array
    C1: Array
    C2: Array
    G: Array


def parts(robot: kt.Robot, q: Array, qd: Array) -> Parts:
    joints = joints_of(robot)
    motors = [k for k in range(robot.nv) if k not in joints]
    A = robot.mass_matrix(q)
    slopes = np.array(
        [with_symbols(lambda t, x, d: pushforward([m for row in mass_matrix(robot, x) for m in row], x, d), 0.0,
                      q.tolist(), unit.tolist()) for unit in np.eye(robot.nv)]
    ).reshape(robot.nv, robot.nv, robot.nv)  # fmt: skip
    dA = np.moveaxis(slopes, 0, 2)  # d A_ij / d q_k
    symbols = 0.5 * (dA + np.swapaxes(dA, 1, 2) - np.moveaxis(dA, 2, 0))  # of Christoffel: row, column, velocity
    of_joints = np.einsum("ijk,k->ij", symbols[:, :, joints], qd[joints])
    C1 = 2 * of_joints[np.ix_(joints, motors)]  # the velocities of joints and motors in either order
    bias = robot.gravity_forces(np.where(np.isin(np.arange(robot.nv), motors), 0.0, q))
    spring = np.zeros(robot.nv)
    for x, _, joint in robot.transmissions:
        spring[joint.v] = x.stiffness * q[joint.q]
    G = (bias - spring)[joints]
    return Parts(A[np.ix_(joints, joints)], A[np.ix_(joints, motors)], A[np.ix_(motors, motors)],
                 of_joints[np.ix_(joints, joints)], C1, of_joints[np.ix_(motors, joints)], G)  # fmt: skip


class Loop:
    """A robot under its law as one compiled function, for arms whose steps would take long to compile."""

    def __init__(self, robot: kt.Robot, law: ElasticTracking) -> None:
        self.law = law

        def moving(robot: Any, t: Any, q: Any, qd: Any) -> Any:
            qdd = forward_dynamics(robot, q, qd, law.forces(robot, t, q, qd))
            return qdd, law.motor_angles(robot, t, q, qd), law.lyapunov(robot, t, q, qd)[0]

        results = f"qdd(nv), theta_d({len(robot.transmissions)}), V()"
        self.function = kt.compile(moving, robot, signature=f"t(), q(nq), qd(nv) -> {results}")

    def rate(self, t: float, x: Array) -> Array:
        q, qd = np.split(x, 2)
        return np.concatenate([qd, self.function(t, q, qd)[0]])

    def run(self, t: float, x: Array, duration: float, steps: int) -> tuple[Array, Array]:
        """Times and states, by Runge and Kutta."""
        h, path = duration / steps, [x]
        times = t + h * np.arange(steps + 1)
        for t in times[:-1]:
            a = self.rate(t, x)
            b = self.rate(t + h / 2, x + h / 2 * a)
            c = self.rate(t + h / 2, x + h / 2 * b)
            x = x + h / 6 * (a + 2 * b + 2 * c + self.rate(t + h, x + h * c))
            path.append(x)
        return times, np.array(path)


@pytest.mark.parametrize("name", ["the arm of the paper", "rotors that couple to a rigid joint"])
def test_the_forces_are_those_of_the_paper(name: str) -> None:
    """(37)-(49) in matrices; accelerations are those that the forces cause, derivatives of theta_d differences."""
    robot = EXACT[name]
    law, (t, q, qd) = ElasticTracking(swinging(len(joints_of(robot))), **SOFT), state(robot)
    joints, tau = joints_of(robot), np.array(law.forces(robot, t, q, qd))
    motors, driven = [m.v for _, m, _ in robot.transmissions], [joints.index(j.v) for _, _, j in robot.transmissions]
    K = np.array([x.stiffness for x, _, _ in robot.transmissions])
    M, S, B, C, C1, C2, G = parts(robot, np.array(q), np.array(qd))
    acceleration = np.array(forward_dynamics(robot, q, qd, tau.tolist()))
    q_d, qd_d, qdd_d, *_ = (np.array(x) for x in law.reference.at(t))
    v, thetad, Lambda = np.array(qd)[joints], np.array(qd)[motors], SOFT["kp"] / SOFT["kd"]
    e = q_d - np.array(q)[joints]
    qd_r, qdd_r = qd_d + Lambda * e, qdd_d + Lambda * (qd_d - v)
    sigma = qd_r - v
    tau_qc = M @ qdd_r + S @ acceleration[motors] + C @ qd_r + C1 @ thetad + G + SOFT["kd"] * sigma
    rigid = [i for i in range(len(joints)) if i not in driven]
    assert relative_error(tau[[joints[i] for i in rigid]], tau_qc[rigid]) < ROUNDING
    q_e = np.array(q)[[joints[i] for i in driven]]
    theta_d = tau_qc[driven] / K + q_e
    assert relative_error(law.motor_angles(robot, t, q, qd), theta_d) < ROUNDING
    # the derivatives of theta_d by differences along the motion
    loop, h = Loop(robot, law), 5e-4
    ends = ((t + k * h, loop.run(t, np.array([*q, *qd]), k * h, STEPS)[1][-1]) for k in (-2, -1, 1, 2))
    angles = [loop.function(time, *np.split(x, 2))[1] for time, x in ends]
    thetad_d = (angles[0] - 8 * angles[1] + 8 * angles[2] - angles[3]) / (12 * h)
    thetadd_d = (-angles[0] + 16 * angles[1] - 30 * theta_d + 16 * angles[2] - angles[3]) / (12 * h * h)
    ratio = SOFT["motor_kp"] / SOFT["motor_kd"]
    sigma_theta = thetad_d - thetad + ratio * (theta_d - np.array(q)[motors]) + sigma[driven]
    thetadd_r = thetadd_d + ratio * (thetad_d - thetad) + (qdd_r - acceleration[joints])[driven]
    tau_me = S.T @ acceleration[joints] + B @ thetadd_r + C2 @ v + K * (theta_d - q_e) + SOFT["motor_kd"] * sigma_theta
    assert relative_error(tau[motors], tau_me) < DIFFERENCES
    assert np.abs(tau[[joints[i] for i in driven]]).max() == 0.0


def test_rotors_of_the_second_arm_couple_and_those_of_the_paper_do_not() -> None:
    """So that the tests see both."""
    coupling = {name: parts(robot, *map(np.array, state(robot)[1:])).S for name, robot in EXACT.items()}
    assert np.abs(coupling["the arm of the paper"]).max() == 0.0
    assert np.abs(coupling["rotors that couple to a rigid joint"]).max() > 0.01
    assert np.abs(parts(COUPLED, *map(np.array, state(COUPLED)[1:])).S[1]).max() > 1e-3  # at an elastic joint


def lyapunov_rate(robot: kt.Robot, law: ElasticTracking, t: float, q: list[float], qd: list[float]) -> float:
    """dV2/dt along the motion that the forces cause."""
    acceleration = forward_dynamics(robot, q, qd, law.forces(robot, t, q, qd))

    def rate(t: Any, q: Any, qd: Any) -> list[Any]:
        return pushforward([law.lyapunov(robot, t, q, qd)[0]], [t, *q, *qd], [1.0, *qd, *acceleration])

    return with_symbols(rate, t, q, qd)[0]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", range(3))
def test_the_lyapunov_function_changes_as_52_says(name: str, seed: int) -> None:
    robot = EXACT[name]
    law, (t, q, qd) = law_for(robot, kp=(300.0, *[450.0] * (len(joints_of(robot)) - 1))), state(robot, seed)
    V, expected = law.lyapunov(robot, t, q, qd)
    assert V > 0 > expected
    assert lyapunov_rate(robot, law, t, q, qd) == pytest.approx(expected, rel=ROUNDING)


def test_coulomb_friction_and_gravity_are_overcome_as_well() -> None:
    arm = kt.robots.mixed_elastic()
    rubbing = [dataclasses.replace(b, joint=dataclasses.replace(b.joint, damping=0.7, coulomb=0.4)) for b in arm.bodies]
    robot = dataclasses.replace(arm, bodies=tuple(rubbing))
    law, (t, q, qd) = law_for(robot), state(robot, 4)
    assert lyapunov_rate(robot, law, t, q, qd) == pytest.approx(law.lyapunov(robot, t, q, qd)[1], rel=ROUNDING)


# -- in time -----------------------------------------------------------------------------------------------------------

GEARS = np.array([1.0, 10.0, 100.0])
CHANGES = {
    "as tuned": {},
    "soft joints": {"kp": 50.0, "kd": 20.0},
    "stiff motors": {"motor_kp": 900.0, "motor_kd": 30.0},
}


class Batch(NamedTuple):
    """Every gear with every choice of gains (gear, gains, time)."""

    robot: kt.Robot
    motion: kt.Motion
    V: Array


@pytest.fixture(scope="module")
def batch() -> Batch:
    """All of them in one run: the gears and the gains are named parameters."""
    robot = geared(kt.robots.mixed_elastic(), kt.parameter("gear"))
    law = ElasticTracking(swinging(3), **{name: kt.parameter(name) for name in LOOP})
    gains = {name: np.array([{**LOOP, **change}[name] for change in CHANGES.values()]) for name in LOOP}
    values = {"gear": GEARS[:, None], **gains}
    options: dict[str, Any] = {"dt": 1e-4, "every": 20, "record": ("q", "qd"), **values}
    motion = kt.simulate(robot, started(robot, START), np.zeros(4), 4.0, law, **options)
    return Batch(robot, motion, lyapunov_of(robot, law, motion, **values))


def lyapunov_of(robot: kt.Robot, law: ElasticTracking, motion: kt.Motion, **values: Any) -> Array:
    """V2 along a motion; parameters may be in the robot and in the law."""

    def both(system: System, *state: Any) -> Any:
        return system.controller.lyapunov(system.robot, *state)  # type: ignore[union-attr]

    signature = parse("t(), q(nq), qd(nv) -> V(), Vd()", robot)
    function = kt.compile(both, System(robot, law), signature=signature, outputs=[0])
    return function(motion.t, motion.q, motion.qd, *(np.asarray(values[name])[..., None] for name in sorted(values)))


def largest_growth(V: Array) -> float:
    """From one record to the next, as a part of V itself, as long as V is more than rounding of its start."""
    later, before = V[..., 1:], V[..., :-1]
    return float(((later - before) / np.maximum(before, FLOOR * V[..., :1])).max())


def test_v2_never_grows_whatever_the_gear_and_the_gains(batch: Batch) -> None:
    assert batch.motion.ok.all()
    assert largest_growth(batch.V) < GROWTH
    assert (batch.V[..., -1] < 0.04 * batch.V[..., 0]).all()


def test_tracking_errors_die_away_whatever_the_gear(batch: Batch) -> None:
    e = np.abs(errors(batch.motion, batch.robot, swinging(3))).max(axis=-1)
    tuned = [k for k, name in enumerate(CHANGES) if name != "soft joints"]
    assert (e[:2][:, tuned, -1] < 1e-9).all()
    assert (e[:2, :, -1] < 1e-4).all()
    assert (e[2, :, -1] < 0.35 * e[2].max(axis=1)).all()  # a rotor of 40 kg m^2 seen from the joint is slow


def test_errors_of_a_single_joint_die_away_as_fast_as_the_gains_say() -> None:
    """Rigid joints without e_tau: M sigmad + (C + K_D) sigma = 0 and ed = sigma - Lambda e."""
    arm = kt.robots.two_link().with_gravity((0.0, 0.0, 0.0)).lock({"joint2": 0.0})
    M, kd, ratio = float(arm.mass_matrix([0.0])[0, 0]), 2.0, 3.0
    law = ElasticTracking(Hold((0.4,)), kp=ratio * kd, kd=kd, motor_kp=1.0, motor_kd=1.0)
    motion = kt.simulate(arm, [0.0], [0.0], 2.0, law, dt=1e-3)
    slow, fast = ratio, kd / M
    e = 0.4 / (fast - slow) * (fast * np.exp(-slow * motion.t) - slow * np.exp(-fast * motion.t))
    assert relative_error(0.4 - motion.q[:, 0], e) < ROUNDING


FAR = (0.2, -0.3, 0.1, 0.2, -0.4)


def five_in_time(robot: kt.Robot, duration: float) -> tuple[Array, Array]:
    """The largest error of a joint over time, and V2."""
    loop = Loop(robot, ElasticTracking(swinging(5), **SOFT))
    t, x = loop.run(0.0, np.array([*started(robot, FAR), *[0.0] * robot.nv]), duration, round(duration / 1e-3))
    e = swinging(5).sample(t).q - x[:, joints_of(robot)]
    return np.abs(e).max(axis=1), loop.function(t, *np.split(x, 2, axis=1))[2]


def test_another_arm_whose_rotors_couple_to_a_rigid_joint_tracks_exactly() -> None:
    e, V = five_in_time(EXACT["rotors that couple to a rigid joint"], 3.0)
    assert largest_growth(V) < GROWTH
    assert V[-1] < 1e-6 * V[0]
    assert e[-1] < 1e-3 * e[0]


def test_where_an_elastic_joint_moves_the_rotor_of_another_it_still_tracks() -> None:
    """What is neglected vanishes with the errors; the motion of the reference must be there for that."""
    e, _ = five_in_time(COUPLED, 5.0)
    assert e[-1] < 1e-4 * e[0]


def test_what_is_neglected_there_is_small_and_not_nothing() -> None:
    """The rate of V2 against (52): the law is not quite that of the paper."""
    law, (t, q, qd) = ElasticTracking(swinging(5), **SOFT), state(COUPLED)
    rate = lyapunov_rate(COUPLED, law, t, q, qd)
    assert 1e-6 < abs(rate / law.lyapunov(COUPLED, t, q, qd)[1] - 1.0) < 0.05


def test_a_damper_beside_the_spring_is_allowed_for() -> None:
    robot = kt.robots.mixed_elastic()
    motor = robot.bodies[-1]
    spring = dataclasses.replace(motor.joint.transmission, damping=1.0)
    motor = dataclasses.replace(motor, joint=dataclasses.replace(motor.joint, transmission=spring))
    damped = dataclasses.replace(robot, bodies=(*robot.bodies[:-1], motor))
    start = np.array([*started(damped, START), *[0.0] * 4])
    _, x = Loop(damped, law_for(damped)).run(0.0, start, 4.0, 4000)
    assert np.abs(swinging(3).sample(4.0).q - x[-1, :3]).max() < 5e-5  # second order in damping / stiffness remains


def test_with_filtered_derivatives_it_tracks_too_but_for_their_lag() -> None:
    """The error of the exact law goes to rounding, that of the filtered one stays."""
    robot, late = kt.robots.mixed_elastic(), slice(5000, None)
    found = {}
    for bandwidth in (None, 300.0):
        law = law_for(robot, bandwidth=bandwidth)
        motion = kt.simulate(robot, started(robot, START), np.zeros(4), 6.0, law, dt=1e-3)
        assert motion.ok
        found[bandwidth] = np.abs(errors(motion, robot, law.reference))[late].max()
    assert found[None] < 1e-9
    assert 1e-6 < found[300.0] < 1e-3


@pytest.mark.parametrize("force", [3.0, -3.0])
def test_a_payload_that_it_does_not_know_leaves_a_small_error(force: float) -> None:
    robot, law = kt.robots.mixed_elastic(), law_for(kt.robots.mixed_elastic())
    external = np.zeros((robot.nbodies, 6))
    external[2, 5] = force  # on link 3, at its origin
    motion = kt.simulate(robot, started(robot, START), np.zeros(4), 6.0, law, dt=1e-3, external=external)
    e = errors(motion, robot, law.reference)[4000:]
    assert motion.ok
    assert 1e-5 < np.abs(e[:, 1]).max() < 0.02  # 3 N with a lever of 0.4 m against 450 N m/rad
    assert (e[:, 1] * force < 0).all()  # up is where the angles grow


def test_a_heavier_hand_in_the_model_of_the_controller_is_carried_without_error() -> None:
    arm = kt.robots.mixed_elastic()
    hand = dataclasses.replace(arm.bodies[2], inertia=arm.bodies[2].inertia + kt.Inertia(0.5, (0.4, 0.0, 0.0)))
    heavy = dataclasses.replace(arm, bodies=(*arm.bodies[:2], hand, *arm.bodies[3:]))
    start, last = np.array([*started(heavy, START), *[0.0] * 4]), {}
    for name, model in (("known", heavy), ("not known", arm)):
        _, x = Loop(heavy, law_for(heavy, model=model)).run(0.0, start, 4.0, 4000)
        last[name] = np.abs(swinging(3).sample(4.0).q - x[-1, :3]).max()
    assert last["known"] < 1e-8 < 1e-3 < last["not known"]


# -- at the border -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kp": 0.0}, "kp must be above 0"),
        ({"kd": -1.0}, "kd must be a finite number not below 0"),
        ({"motor_kp": "much"}, "motor_kp must be a number, or one for each joint"),
        ({"motor_kd": (1.0, math.nan)}, "motor_kd must be a finite number"),
        ({"bandwidth": 0.0}, "bandwidth must be above 0"),
        ({"reference": 1.0}, "a reference is one of kinetree.control"),
    ],
)
def test_impossible_gains_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ElasticTracking(**{"reference": swinging(3), **LOOP, **changes})


def test_gains_and_references_must_fit_the_robot() -> None:
    robot, rest = kt.robots.mixed_elastic(), ([0.0] * 4, [0.0] * 4)
    with pytest.raises(InputError, match="kp is one number, or one for each of the 3; got 4"):
        law_for(robot, kp=(1.0,) * 4).forces(robot, 0.0, *rest)
    with pytest.raises(InputError, match="the reference has 4 coordinates, the robot 3 joints"):
        ElasticTracking(swinging(4), **LOOP).forces(robot, 0.0, *rest)


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (kt.robots.quadruped(), "joints without quaternions"),
        (kt.robots.four_bar(), "has closed loops"),
        (
            kt.Robot((kt.Body("link", kt.Joint("hinge", kt.joints.Revolute(), actuated=False), kt.Inertia(1.0)),),
                     strict=False),
            "has no motor",
        ),
    ],
)  # fmt: skip
def test_robots_that_it_can_not_drive_are_refused(robot: Any, message: str) -> None:
    mechanism = getattr(robot, "robot", robot)
    with pytest.raises(ModelError, match=message):
        ElasticTracking(Hold([0.0] * mechanism.nv), **LOOP).forces(
            mechanism, 0.0, [0.0] * mechanism.nq, [0.0] * mechanism.nv
        )


def test_traced_and_on_numbers_it_is_the_same() -> None:
    """Also where the state is an expression whose sign simplification pulls out."""
    robot = EXACT["rotors that couple to a rigid joint"]
    law, (t, q, qd) = law_for(robot), state(robot)

    def turned(robot: Any, t: Any, q: Any, qd: Any) -> Any:
        return law.forces(robot, t, [-x for x in q], [-x for x in qd])

    function = kt.compile(turned, robot, signature="t(), q(nq), qd(nv) -> tau(nv)")
    got = function(t, -np.array(q), -np.array(qd))
    assert relative_error(got, law.forces(robot, t, q, qd)) < ROUNDING
