"""Parallel robots against what shares no equations with them.

Free bodies with multipliers (`maximal`), Pinocchio's constraint dynamics, a hexapod whose legs are balanced by hand,
Khalil's formula (66) written out with single legs, and `ClosedChain`, which starts from the actuators.
"""

from __future__ import annotations

import numpy as np
import pytest
from maximal import moments, of_quaternion, skew
from parallel_robots import ROBOTS, Array, Motion, driven, load, random_motion
from pinocchio_model import PinocchioModel, pin
from strategies import on_floats, relative_error

import kinetree as kt
from kinetree.algorithms.closed_chain import closed_inverse_dynamics, closed_joint_wrenches, loop_wrenches
from kinetree.algorithms.parallel_robot import (
    parallel_forward_dynamics,
    parallel_inverse_dynamics,
    parallel_jacobian,
    platform_motion,
)

# double precision by other formulas; the worst seen is 5e-14
AGREEMENT = 1e-11
STEP = 1e-3  # of a five-point difference: its error is 1e-12 / 30 times a fifth derivative, and 1e-16 / STEP

each_robot = pytest.mark.parametrize("name", ROBOTS)
each_seed = pytest.mark.parametrize("seed", range(2))


def inverse_dynamics(robot: kt.ParallelRobot, m: Motion) -> Array:
    args = (x.tolist() for x in (m.q, m.twist, m.acceleration))
    actuation = robot.chain.actuation
    return np.array(parallel_inverse_dynamics(robot.robot, *args, actuation, robot.index, m.external.tolist())[0])


def effect(robot: kt.ParallelRobot, m: Motion) -> Array:
    """B: B tau is what forces tau of the actuators do along the degrees of freedom; from the oracle's equations."""
    J = m.state.constraint_jacobian()
    _, values, directions = np.linalg.svd(J)
    allowed = directions[int((values > 1e-9 * values[0]).sum()) :]
    return allowed[:, list(robot.chain.actuation.actuated)]


# -- every body free ---------------------------------------------------------------------------------------------------


@each_robot
@each_seed
def test_forces_are_those_that_cause_the_motion(name: str, seed: int) -> None:
    """More actuators than degrees of freedom: the least squares of all forces that do the same."""
    robot = load(name)
    m = random_motion(name, seed)
    B = effect(robot, m)
    expected = np.linalg.pinv(B) @ B @ m.tau
    assert (len(m.tau) > robot.mobility) == (name == "seven_legs")
    assert relative_error(inverse_dynamics(robot, m), expected) < AGREEMENT


@each_robot
@each_seed
def test_the_platform_accelerates_as_the_forces_make_it(name: str, seed: int) -> None:
    robot = load(name)
    m = random_motion(name, seed)
    args = (m.q.tolist(), m.twist.tolist(), m.tau.tolist(), robot.chain.actuation, robot.index, m.external.tolist())
    found, _ = parallel_forward_dynamics(robot.robot, *args)
    assert relative_error(found, m.acceleration) < AGREEMENT


@each_robot
@each_seed
def test_legs_follow_the_platform(name: str, seed: int) -> None:
    robot = load(name)
    m = random_motion(name, seed)
    args = (x.tolist() for x in (m.q, m.twist, m.acceleration))
    qd, qdd, margin = platform_motion(robot.robot, *args, robot.chain.actuation, robot.index)
    assert margin > 1e-4
    assert relative_error(qd, m.qd) < AGREEMENT
    assert relative_error(qdd, m.qdd) < AGREEMENT


@each_robot
@each_seed
def test_wrenches_of_joints_and_at_the_platform(name: str, seed: int) -> None:
    """Where rigid bodies say them: a plane linkage holds itself more than once out of its plane."""
    robot = load(name)
    m = random_motion(name, seed)
    tau = inverse_dynamics(robot, m)
    response = m.state.forward(driven(robot, tau), m.external)
    actuation, args = robot.chain.actuation, [x.tolist() for x in (m.q, m.qd, m.qdd)]
    own = [[x[k] for k in actuation.independent] for x in args[1:]]
    wrenches, _ = closed_joint_wrenches(robot.robot, args[0], *own, actuation, m.external.tolist())
    cuts, _ = loop_wrenches(robot.robot, args[0], *own, actuation, m.external.tolist())
    if name in ("planar_3rrr", "five_bar_of_legs"):
        assert m.state.overconstrained
        in_plane = [2, 3, 4]
        assert relative_error(np.array(cuts)[:, in_plane], response.loop_wrenches[:, in_plane]) < AGREEMENT
        return
    assert m.state.overconstrained == 0
    assert relative_error(wrenches, response.wrenches) < AGREEMENT
    assert relative_error(cuts, response.loop_wrenches) < AGREEMENT
    assert np.abs(np.array(wrenches)[robot.index]).max() < AGREEMENT * np.abs(tau).max()  # nothing else holds it


@each_robot
@each_seed
def test_closed_chains_need_the_same_forces(name: str, seed: int) -> None:
    robot = load(name)
    m = random_motion(name, seed)
    actuation = robot.chain.actuation
    own = [[float(x[k]) for k in actuation.independent] for x in (m.qd, m.qdd)]
    tau, _ = closed_inverse_dynamics(robot.robot, m.q.tolist(), *own, actuation, m.external.tolist())
    assert relative_error(inverse_dynamics(robot, m), tau) < AGREEMENT


@each_robot
def test_the_jacobian_takes_actuators_to_the_platform(name: str) -> None:
    robot = load(name)
    for seed in range(2):
        m = random_motion(name, seed)
        J, _ = parallel_jacobian(robot.robot, m.q.tolist(), robot.chain.actuation, robot.index)
        assert relative_error(np.array(J) @ m.qd[list(robot.chain.actuation.independent)], m.twist) < AGREEMENT


# -- the same robot in other words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("whole", "of_legs"), [("gough_stewart", "stewart_of_legs"), ("delta", "delta_of_legs")])
@each_seed
def test_a_robot_of_legs_is_the_robot_of_the_zoo(whole: str, of_legs: str, seed: int) -> None:
    zoo, built = load(whole), load(of_legs)
    m, n = random_motion(whole, seed), random_motion(of_legs, seed)
    assert relative_error(n.pose, m.pose) < AGREEMENT
    assert relative_error(n.acceleration, m.acceleration) < AGREEMENT
    assert relative_error(inverse_dynamics(built, n), inverse_dynamics(zoo, m)) < AGREEMENT


@each_seed
def test_a_tip_without_mass_changes_nothing_of_the_five_bar(seed: int) -> None:
    robot, chain = load("five_bar_of_legs"), kt.ClosedChain(kt.robots.five_bar())
    m = random_motion("five_bar_of_legs", seed)
    q, qd, qdd = (x[:4] for x in (m.q, m.qd, m.qdd))  # left shoulder and elbow, right shoulder and elbow
    own = [[float(x[k]) for k in chain.actuation.independent] for x in (qd, qdd)]
    loads = m.external.copy()
    loads[4] = 0.0
    tau, _ = closed_inverse_dynamics(chain.robot, q.tolist(), *own, chain.actuation, loads[:4].tolist())
    args = (x.tolist() for x in (m.q, m.twist, m.acceleration))
    found, _ = parallel_inverse_dynamics(robot.robot, *args, robot.chain.actuation, robot.index, loads.tolist())
    assert relative_error(found, tau) < AGREEMENT


# -- Pinocchio ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gough_stewart", "stewart_of_legs", "delta", "rps", "seven_legs"])
def test_balls_at_the_platform_agree_with_pinocchio(name: str) -> None:
    """Six (nine, three, seven) contacts at points, a platform on a free joint, legs of composite joints."""
    robot = load(name)
    tree, oracle = robot.robot, PinocchioModel(robot.robot)
    m = random_motion(name, 0)
    models = pin.StdVec_RigidConstraintModel()
    for loop in tree.loops:
        ends = []
        for end in (loop.predecessor, loop.successor):
            k = tree.index_of(end.body)
            R, p = np.array([[*row] for row in end.pose.R.matrix]), np.array([*end.pose.p])
            ends += [oracle.joint[k], oracle.place[k] * pin.SE3(R, p)]
        models.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, oracle.model, *ends))
    datas = pin.StdVec_RigidConstraintData()
    datas.extend(model.createData() for model in models)
    pin.initConstraintDynamics(oracle.model, oracle.data, models, datas)
    A, dA = oracle.A(m.q), oracle.A(m.q, m.qd)
    actuation, settings = robot.chain.actuation, pin.ProximalSettings(1e-12, 0.0, 10)
    args = (oracle.q(m.q), A @ m.qd, np.linalg.solve(A.T, driven(robot, m.tau)))
    qdd = np.linalg.solve(
        A, pin.constraintDynamics(oracle.model, oracle.data, *args, models, datas, settings) - dA @ m.qd
    )
    assert relative_error(m.state.forward(driven(robot, m.tau)).qdd, qdd) < AGREEMENT
    side, vs = m.state.bodies[robot.index], tree.v_slices[robot.index]
    rate = np.r_[side.R @ qdd[vs][:3], side.R @ qdd[vs][3:] + np.cross(side.w, side.v)]
    args = (m.q.tolist(), m.twist.tolist(), m.tau.tolist(), actuation, robot.index)
    assert relative_error(parallel_forward_dynamics(tree, *args)[0], rate) < AGREEMENT


# -- the hexapod by hand -----------------------------------------------------------------------------------------------


class HandMadeLeg:
    """A leg of universal joint and slide between two points that move as they like, in world axes.

    Its direction is u; the cross of the universal joint turns about x, fixed in the base, and carries an axis y across
    x and u. The spin of the leg about u is what keeps its angular velocity in the plane of x and y.
    """

    def __init__(self, foot: Array, x: Array, ball: Array, v: Array, a: Array) -> None:
        way = ball - foot
        self.length = l = np.linalg.norm(way)
        self.u = u = way / l
        ld = v @ u
        self.ud = ud = (v - ld * u) / l
        ldd = a @ u + v @ ud
        self.udd = udd = (a - ldd * u - 2 * ld * ud) / l
        y = np.cross(u, x) / np.linalg.norm(np.cross(u, x))
        self.n = n = np.cross(x, y)  # the moment that the universal joint transmits
        s = -np.cross(u, ud) @ n / (u @ n)
        self.w = w = np.cross(u, ud) + s * u
        nd = np.cross(x, (w @ x) * np.cross(x, y))
        rest = np.cross(u, udd) + s * ud
        self.wd = rest - (rest @ n + w @ nd) / (u @ n) * u
        self.ld, self.ldd = ld, ldd

    def along(self, d: float, grows: bool) -> tuple[Array, Array]:
        """The place and the acceleration of a point of the leg at a distance d from the foot (or from the ball)."""
        r, rd, rdd = (self.length + d, self.ld, self.ldd) if grows else (d, 0.0, 0.0)
        return r * self.u, rdd * self.u + 2 * rd * self.ud + r * self.udd


def forces_by_hand(m: Motion, gravity: Array) -> Array:
    """Newton's and Euler's laws of the hexapod of the zoo as one linear system.

    Unknown for each leg: the force of the ball on it, the moment of the universal joint about n, the force of the
    drive. Equations: moments of the whole leg about its foot, forces on the rod along the leg; six of the platform.
    """
    robot = kt.robots.gough_stewart()
    R, p, w, v = m.pose[:3, :3], m.pose[:3, 3], m.twist[:3], m.twist[3:]
    wd, a = m.acceleration[:3], m.acceleration[3:]
    A, b = np.zeros((30, 30)), np.zeros(30)
    mass, _, J = moments(robot.bodies[-1].inertia)  # its centre of mass is its origin
    J = R @ J @ R.T
    b[24:27] = J @ wd + np.cross(w, J @ w)
    b[27:30] = mass * (a - gravity)
    for k, loop in enumerate(robot.loops):
        placement = robot.bodies[2 * k].joint.placement
        foot, x = np.array([*placement.p]), np.array([*placement.R.matrix.T.x])
        P = R @ [*loop.successor.pose.p]
        leg = HandMadeLeg(foot, x, p + P, v + np.cross(w, P), a + np.cross(wd, P) + np.cross(w, np.cross(w, P)))
        moment, turn = np.zeros(3), leg.w
        for body, grows in ((robot.bodies[2 * k], False), (robot.bodies[2 * k + 1], True)):
            I = body.inertia
            assert I.com.x == I.com.y == 0.0
            r, rdd = leg.along(I.com.z, grows)
            across, axial = I.about_com.xx, I.about_com.zz
            J = across * np.eye(3) + (axial - across) * np.outer(leg.u, leg.u)
            moment = moment + J @ leg.wd + np.cross(turn, J @ turn) + I.mass * np.cross(r, rdd - gravity)
            push = I.mass * (rdd - gravity) @ leg.u
        F, M, drive = slice(5 * k, 5 * k + 3), 5 * k + 3, 5 * k + 4
        rows = slice(4 * k, 4 * k + 3)
        A[rows, F], A[rows, M], b[rows] = skew(leg.length * leg.u), leg.n, moment
        A[4 * k + 3, F], A[4 * k + 3, drive], b[4 * k + 3] = leg.u, 1.0, push
        A[24:27, F], A[27:30, F] = -skew(P), -np.eye(3)
    return np.linalg.solve(A, b)[4::5]


@each_seed
def test_the_hexapod_agrees_with_balances_by_hand(seed: int) -> None:
    robot = load("gough_stewart")
    m = random_motion("gough_stewart", seed)
    args = (x.tolist() for x in (m.q, m.twist, m.acceleration))
    found, _ = parallel_inverse_dynamics(robot.robot, *args, robot.chain.actuation, robot.index)
    assert relative_error(found, forces_by_hand(m, np.array([*robot.robot.gravity]))) < AGREEMENT


# -- Khalil (66) -------------------------------------------------------------------------------------------------------


def formula_66(m: Motion) -> tuple[Array, Array]:
    """tau = J_p^T [F_p + sum_i J_vi^T J_i^-T tau_i], and J_p; the legs are robots of their own, angular parts first."""
    robot = kt.robots.gough_stewart()
    R, w, wd, a = m.pose[:3, :3], m.twist[:3], m.acceleration[:3], m.acceleration[3:]
    mass, first, second = moments(robot.bodies[-1].inertia)
    h, J, g = R @ first, R @ second @ R.T, np.array([*robot.gravity])
    F_p = np.r_[J @ wd + np.cross(w, J @ w) + np.cross(h, a - g), mass * (a - g) + np.cross(wd, h)]  # (9)
    F_p[3:] += np.cross(w, np.cross(w, h))
    total, inverse_rows = F_p, []
    for k, loop in enumerate(robot.loops):
        leg = kt.Robot(robot.bodies[2 * k : 2 * k + 2])
        q_i, rod, f = m.q[3 * k : 3 * k + 3], leg.bodies[1].name, on_floats(leg)
        P = R @ [*loop.successor.pose.p]
        J_v = np.hstack([-skew(P), np.eye(3)])  # (65)
        J_i = f("jacobian", q_i[None], frame=rod)[0, 3:]  # (63)
        qd_i = np.linalg.solve(J_i, J_v @ m.twist)  # (64)

        def turning(t: float) -> Array:
            return f("jacobian", (q_i + t * qd_i)[None], frame=rod)[0, 3:] @ qd_i  # noqa: B023

        bias = (8 * (turning(STEP) - turning(-STEP)) - turning(2 * STEP) + turning(-2 * STEP)) / (12 * STEP)
        of_ball = J_v @ m.acceleration + np.cross(w, np.cross(w, P))
        qdd_i = np.linalg.solve(J_i, of_ball - bias)
        tau_i = f("inverse_dynamics", q_i[None], qd_i[None], qdd_i[None])[0]
        total = total + J_v.T @ np.linalg.solve(J_i.T, tau_i)
        inverse_rows.append(np.linalg.solve(J_i, J_v)[2])  # how the slide follows the platform
    J_p = np.linalg.inv(inverse_rows)
    return J_p.T @ total, J_p


@each_seed
def test_formula_66_to_the_letter(seed: int) -> None:
    robot = load("gough_stewart")
    m = random_motion("gough_stewart", seed)
    tau, J_p = formula_66(m)
    args = (x.tolist() for x in (m.q, m.twist, m.acceleration))
    found, _ = parallel_inverse_dynamics(robot.robot, *args, robot.chain.actuation, robot.index)
    jacobian, _ = parallel_jacobian(robot.robot, m.q.tolist(), robot.chain.actuation, robot.index)
    assert relative_error(found, tau) < AGREEMENT
    assert relative_error(jacobian, J_p) < AGREEMENT


def test_poses_of_the_oracle_are_those_of_the_robot() -> None:
    """The frames in which all of the above compares."""
    robot = load("gough_stewart")
    m = random_motion("gough_stewart", 1)
    q = m.q[robot.robot.q_slices[robot.index]]
    assert relative_error(m.pose[:3, :3], of_quaternion(q[3:])) < AGREEMENT
    assert relative_error(m.pose, on_floats(robot.robot)("pose", m.q[None], frame="platform")[0]) < AGREEMENT
