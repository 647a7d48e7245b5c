"""Closed chains against what does not share their equations.

Maximal coordinates with multipliers (tests/maximal.py): random trees with loops of every kind, and the zoo. Pinocchio
where it can close a loop, MuJoCo loosely (its constraints are soft). Planar linkages: the equations of
Lagrange with multipliers, written out for absolute angles.
"""

from __future__ import annotations

import cmath
import dataclasses
from typing import Any

import numpy as np
import pytest
from maximal import CUT_KINDS, Array, Maximal, close, displaced, mounted, project_velocity, random_loops
from pinocchio_model import PinocchioModel, pin
from strategies import floating, relative_error, with_joints

import kinetree as kt
from kinetree.algorithms.closed_chain import Actuation
from kinetree.closed.catalogue import ChainVariant
from kinetree.joints import Fixed, Spherical

# double precision on both sides, by other formulas; the worst seen is 1e-12, and 3e-11 for the Gough-Stewart platform
AGREEMENT = 1e-9
AT_REST = 1e-9  # rad/s: slower joints are held by the loops, and the sign of their friction is a matter of rounding
SOFT = 1e-4  # MuJoCo's stiffest constraints give way by about 1e-4 of what they hold; 2e-5 was seen


# -- algorithms on plain numbers ---------------------------------------------------------------------------------------


def drives_at(robot: kt.Robot, q: Array) -> Actuation:
    """Independent velocities, the best conditioned ones: they need not be whole joints."""
    J = Maximal(robot, q).constraint_jacobian()
    _, values, directions = np.linalg.svd(J)
    allowed, chosen = directions[int((values > 1e-9 * values.max()).sum()) :].T, []
    for _ in range(allowed.shape[1]):
        k = int(np.argmax(np.linalg.norm(allowed, axis=1)))
        along = allowed[k] / np.linalg.norm(allowed[k])
        allowed = allowed - np.outer(allowed @ along, along)
        chosen.append(k)
    return Actuation(tuple(chosen), tuple(chosen), (1.0,) * len(chosen))


def on_numbers(robot: kt.Robot, actuation: Actuation, name: str, *args: Any, external: Any = None) -> Array:
    """The first result of an algorithm, by Python's floats."""
    variant = ChainVariant(name, actuation, external is not None)
    loads = () if external is None else (np.asarray(external).tolist(),)
    return np.array(variant(robot, *(np.asarray(x).tolist() for x in args), *loads)[0], float)


def without_friction_at_rest(robot: kt.Robot, q: Array, qd: Array) -> kt.Robot:
    own = Maximal(robot, q, qd).own
    joints = [
        dataclasses.replace(body.joint, coulomb=[c * bool(abs(v) > AT_REST) for c, v in zip(body.joint.coulomb, rate)])
        for body, (_, rate) in zip(robot.bodies, own)
    ]
    return with_joints(robot, joints)


def check(robot: kt.Robot, q: Array, seed: int) -> None:
    """Everything that a closed chain answers, at one state, against maximal coordinates."""
    rng = np.random.default_rng(seed)
    actuation = drives_at(robot, q)
    own = [*actuation.independent]
    qd = project_velocity(robot, q, rng.normal(size=robot.nv))
    robot = without_friction_at_rest(robot, q, qd)
    tau, external = np.zeros(robot.nv), rng.normal(size=(robot.nbodies, 6))
    tau[own] = rng.normal(size=len(own))
    state = Maximal(robot, q, qd)
    expected = state.forward(tau, external)
    motion = (q, qd[own], expected.qdd[own])
    assert np.linalg.norm(qd) > 0.1
    assert relative_error(on_numbers(robot, actuation, "velocities", *motion[:2]), qd) < AGREEMENT
    assert relative_error(on_numbers(robot, actuation, "accelerations", *motion), expected.qdd) < AGREEMENT
    forces = on_numbers(robot, actuation, "inverse_dynamics", *motion, external=external)
    assert relative_error(forces, tau[own]) < AGREEMENT
    qdd = on_numbers(robot, actuation, "forward_dynamics", q, qd, tau[own], 20.0, external=external)
    assert relative_error(qdd, expected.qdd) < AGREEMENT
    if state.overconstrained == 0:
        wrenches = on_numbers(robot, actuation, "loop_wrenches", *motion, external=external)
        assert relative_error(wrenches, expected.loop_wrenches) < AGREEMENT
        wrenches = on_numbers(robot, actuation, "joint_wrenches", *motion, external=external)
        assert relative_error(wrenches, expected.wrenches) < AGREEMENT


OPTIONS: list[dict[str, bool]] = [
    {},
    {"friction": True, "springs": True},
    {"friction": True, "mimics": True},
    {"motors": True},
    {"on_free_base": True, "friction": True},
]


def pairs() -> list[Any]:
    """Every kind with every option; a third of them are quick, and each kind and each option is among those."""
    every = [(kind, k) for kind in (*CUT_KINDS, "rotor") for k in range(len(OPTIONS))]
    return [pytest.param(*x, marks=pytest.mark.slow) if n % 3 else x for n, x in enumerate(every)]


@pytest.mark.parametrize(("kind", "k"), pairs())
def test_random_loops_agree_with_maximal_coordinates(kind: str, k: int) -> None:
    options = OPTIONS[k]
    robot, q = random_loops(10 * k + 1, 1 + (k + len(kind)) % 2, [kind], **options)
    check(robot, q, k)


QUICK = ("spherical", "universal", "planar")


@pytest.mark.parametrize(
    "kind", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in (*CUT_KINDS, "rotor")]
)
def test_three_loops_agree_with_maximal_coordinates(kind: str) -> None:
    check(*random_loops(3, 3, [kind], friction=True, springs=True, tree_kinds=("revolute", "universal", "planar")), 3)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 8))])
def test_loops_of_mixed_kinds_agree_with_maximal_coordinates(seed: int) -> None:
    check(*random_loops(seed, 2 + seed % 2, friction=seed % 2 > 0, motors=seed > 1), seed)


@pytest.mark.parametrize("seed", range(4))
def test_couplings_beside_loops_agree_with_maximal_coordinates(seed: int) -> None:
    kinds = ("revolute", "prismatic", "helical")
    robot, q = random_loops(seed, 1, ["spherical", "universal"], mobility=4, tree_kinds=kinds, springs=True)
    leader, follower, held = [body.joint.name for body in robot.bodies if body.joint.kind.nv == 1][:3]
    x, y = (float(q[robot.coordinate_index(name).q]) for name in (leader, follower))
    cubic = (y - 0.5 * x + 0.7 * x**2 - 0.2 * x**3, 0.5, -0.7, 0.2)
    couplings = [
        kt.Coupling(follower, leader, cubic),
        kt.Coupling(held, None, (float(q[robot.coordinate_index(held).q]),)),
    ]
    check(dataclasses.replace(robot, couplings=tuple(couplings[: 1 + seed % 2])), q, seed)


# -- the zoo ----------------------------------------------------------------------------------------------------------

ZOO = {"four_bar": 0.7, "five_bar": 0.3, "planar_3rrr": 0.1, "delta": 0.2, "gough_stewart": 0.05}


def closed_configurations(chain: kt.ClosedChain, spread: float, count: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    places = [chain.robot.coordinate_index(name).q for name in chain.independent]
    return chain.close(chain.neutral[places] + spread * rng.uniform(-1, 1, (count, len(places)))).check()


@pytest.mark.parametrize("name", ZOO)
def test_zoo_agrees_with_maximal_coordinates(name: str) -> None:
    robot = getattr(kt.robots, name)()
    step = ZOO[name] * np.random.default_rng(0).uniform(-1, 1, robot.nv)
    check(robot, close(robot, displaced(robot, robot.neutral, step)), 0)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "planar_3rrr"])
def test_compiled_zoo_agrees_with_maximal_coordinates(name: str) -> None:
    robot = getattr(kt.robots, name)()
    chain, rng, count = kt.ClosedChain(robot), np.random.default_rng(1), 3
    own = [*chain.actuation.independent]
    q = closed_configurations(chain, ZOO[name], count)
    qd = chain.velocities(q, rng.normal(size=(count, len(own))))
    tau, external = rng.normal(size=(count, len(own))), rng.normal(size=(count, robot.nbodies, 6))
    qdd = chain.forward_dynamics(q, qd, tau, external=external)
    forces = chain.inverse_dynamics(q, qd, qdd, external=external)
    accelerations = chain.accelerations(q, qd, qdd)
    for k in range(count):
        state, driven = Maximal(robot, q[k], qd[k]), np.zeros(robot.nv)
        driven[own] = tau[k]
        expected = state.forward(driven, external[k])
        assert max(state.loop_error(), state.loop_velocity_error()) < AGREEMENT
        assert relative_error(qdd[k], expected.qdd) < AGREEMENT
        assert relative_error(accelerations[k], expected.qdd) < AGREEMENT
        assert relative_error(forces[k], tau[k]) < AGREEMENT


def test_a_linkage_on_a_floating_base_agrees_with_maximal_coordinates() -> None:
    """The base has six of the seven degrees of freedom: it stands among the actuated joints."""
    robot = floating(kt.robots.four_bar())
    chain, rng = kt.ClosedChain(robot, ["base", "crank_joint"]), np.random.default_rng(5)
    turn = rng.normal(size=4)
    target = np.array([*rng.normal(size=3), *(turn / np.linalg.norm(turn)), 0.4])
    q = chain.close(target).check()
    assert np.array_equal(q[:8], target)
    qd = chain.velocities(q, rng.normal(size=7))
    tau = rng.normal(size=7)
    expected = Maximal(robot, q, qd).forward([*tau, 0.0, 0.0])
    assert relative_error(chain.forward_dynamics(q, qd, tau), expected.qdd) < AGREEMENT
    assert relative_error(chain.inverse_dynamics(q, qd, expected.qdd), tau) < AGREEMENT


# -- Pinocchio and MuJoCo ----------------------------------------------------------------------------------------------


def by_pinocchio(robot: kt.Robot, q: Array, qd: Array, tau: Array) -> Array:
    """The accelerations of a mechanism whose loops are welds and balls."""
    oracle, contact = PinocchioModel(robot), {Fixed: "CONTACT_6D", Spherical: "CONTACT_3D"}
    bodies = {None: -1, **{body.name: i for i, body in enumerate(robot.bodies)}}
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in robot.loops:
        ends = []
        for end in (loop.predecessor, loop.successor):
            R, p = np.array([[*row] for row in end.pose.R.matrix]), np.array([*end.pose.p])
            ends += [oracle.joint[bodies[end.body]], oracle.place[bodies[end.body]] * pin.SE3(R, p)]
        models.append(pin.RigidConstraintModel(getattr(pin.ContactType, contact[type(loop.kind)]), oracle.model, *ends))
    datas.extend(model.createData() for model in models)
    pin.initConstraintDynamics(oracle.model, oracle.data, models, datas)
    A, dA = oracle.A(q), oracle.A(q, qd)
    arguments = (oracle.q(q), A @ qd, A @ tau, models, datas, pin.ProximalSettings(1e-12, 0.0, 10))
    a = pin.constraintDynamics(oracle.model, oracle.data, *arguments)
    return A.T @ (a - dA @ qd)


@pytest.mark.parametrize("kind", ["fixed", "spherical"])
@pytest.mark.parametrize("seed", range(3))
def test_welds_and_balls_agree_with_pinocchio(kind: str, seed: int) -> None:
    robot, q = random_loops(seed, 1 + seed % 2, [kind], on_free_base=seed == 1)
    actuation, rng = drives_at(robot, q), np.random.default_rng(seed)
    qd, tau = project_velocity(robot, q, rng.normal(size=robot.nv)), np.zeros(robot.nv)
    own = [*actuation.independent]
    tau[own] = rng.normal(size=len(own))
    qdd = on_numbers(robot, actuation, "forward_dynamics", q, qd, tau[own], 0.0)
    assert relative_error(qdd, by_pinocchio(robot, q, qd, tau)) < AGREEMENT
    assert relative_error(on_numbers(robot, actuation, "inverse_dynamics", q, qd[own], qdd[own]), tau[own]) < AGREEMENT


@pytest.mark.parametrize("kind", ["fixed", "spherical"])
def test_a_prescribed_base_agrees_with_a_free_one_of_pinocchio(kind: str) -> None:
    """The base has no orientation here: it is that of the world, and gravity the same in its axes."""
    robot, q = random_loops(4, 1, [kind], tree_kinds=("revolute", "prismatic"))
    whole, actuation, rng = mounted(robot), drives_at(robot, q), np.random.default_rng(4)
    q_whole = np.r_[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, q]
    qd, tau = project_velocity(whole, q_whole, rng.normal(size=whole.nv)), np.zeros(whole.nv)
    own = [*actuation.independent]
    tau[:6], tau[[6 + k for k in own]] = rng.normal(size=6), rng.normal(size=len(own))
    expected = by_pinocchio(whole, q_whole, qd, tau)
    variant = ChainVariant("forward_dynamics", actuation, base=True)
    args = (q, qd[6:], tau[[6 + k for k in own]], np.array(0.0), qd[:6], expected[:6])
    qdd = np.array(variant(robot, *(x.tolist() for x in args))[0], float)
    assert relative_error(qdd, expected[6:]) < AGREEMENT


LINKAGE = """
<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody>
 <body name="crank"><joint name="crank" axis="0 -1 0"/><geom type="capsule" fromto="0 0 0 .09 0 .12" size=".01"/>
  <body name="coupler" pos=".09 0 .12"><joint name="coupler" axis="0 -1 0"/>
   <geom type="capsule" fromto="0 0 0 .32 0 .24" size=".01"/></body></body>
 <body name="rocker" pos=".56 0 0"><joint name="rocker" axis="0 -1 0"/>
  <geom type="capsule" fromto="0 0 0 -.15 0 .36" size=".01"/></body></worldbody>
<equality><connect body1="coupler" body2="rocker" anchor=".32 0 .24" solimp="0.9999 0.9999 0.001"/></equality></mujoco>
"""


@pytest.mark.parametrize(("angle", "speed"), [(0.0, 0.0), (0.6, 3.0), (-1.1, -2.0)])
def test_a_pinned_linkage_agrees_with_mujoco_loosely(angle: float, speed: float) -> None:
    """MuJoCo's constraints are soft: they give way a little."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(LINKAGE)
    data = mujoco.MjData(model)
    with pytest.warns(kt.errors.ModelWarning, match=r"ignore its 1 loop .*; those of kt.ClosedChain\(robot\) satisfy"):
        chain = kt.ClosedChain(kt.Robot.from_mjcf(LINKAGE), ["crank"])
    q = chain.close([angle]).check()
    qd = chain.velocities(q, [speed])
    data.qpos[:], data.qvel[:], data.qfrc_applied[0] = q, qd, 0.3
    mujoco.mj_forward(model, data)
    assert relative_error(data.qacc, chain.forward_dynamics(q, qd, [0.3])) < SOFT


# -- Lagrange with multipliers -----------------------------------------------------------------------------------------


def planar(body: kt.Body, across: str) -> tuple[float, complex, float]:
    """Mass, centre of mass in the plane, and the moment of inertia about it."""
    com = body.inertia.com
    inertia = getattr(body.inertia.about_com, {"y": "zz", "z": "yy"}[across])
    return body.inertia.mass, complex(com.x, getattr(com, across)), inertia


class Lagrange:
    """Bars in a plane with absolute angles: chains of one or two bars from the ground whose ends are pinned.

    T = sum m |d/dt c|^2 / 2 + I phi_d^2 / 2, V = sum m g Im c, with c the centres as complex numbers, and the gap
    between the ends as the constraint. M phi_dd + c = Q + J^T lam, J phi_dd + Jd phi_d = 0.
    """

    def __init__(self, chains: list[list[tuple[float, complex, float, complex]]], g: float) -> None:
        self.chains, self.g = chains, g
        self.n = sum(map(len, chains))

    def __call__(self, phi: Array, rates: Array, Q: Array) -> tuple[Array, complex]:
        M, c = np.zeros((self.n, self.n)), np.zeros(self.n)
        J, Jd = np.zeros((2, self.n)), np.zeros(2)
        k = 0
        for sign, bars in zip((1.0, -1.0), self.chains):
            slopes = np.zeros(self.n, complex)  # of a point by the angles
            bends = np.zeros(self.n, complex)  # the second derivative, by the square of each angle
            for j, (m, com, inertia, bar) in enumerate(bars, start=k):
                e = cmath.exp(1j * phi[j])
                here, curl = slopes.copy(), bends.copy()
                here[j], curl[j] = 1j * com * e, -com * e
                M += m * np.real(np.outer(here.conj(), here))
                M[j, j] += inertia
                c += m * np.real(here.conj() * (curl @ rates**2)) + m * self.g * here.imag
                slopes[j], bends[j] = 1j * bar * e, -bar * e
            k += len(bars)
            J += sign * np.array([slopes.real, slopes.imag])
            turned = sign * (bends @ rates**2)
            Jd += [turned.real, turned.imag]
        system = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
        x = np.linalg.solve(system, np.r_[Q - c, -Jd])
        return x[: self.n], complex(*x[self.n :])


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5, -1.9])
def test_four_bar_agrees_with_lagrange(angle: float) -> None:
    robot = kt.robots.four_bar()
    crank, coupler, rocker = (planar(body, "z") for body in robot.bodies)
    bars = (0.09 + 0.12j, 0.32 + 0.24j, -0.15 + 0.36j)
    equations = Lagrange([[(*crank, bars[0]), (*coupler, bars[1])], [(*rocker, bars[2])]], 9.81)
    chain = kt.ClosedChain(robot)
    q = chain.close([angle]).check()
    qd, tau = chain.velocities(q, [2.3]), 0.4
    phi, rates = np.array([q[0], q[0] + q[1], q[2]]), np.array([qd[0], qd[0] + qd[1], qd[2]])
    acceleration, pin_force = equations(phi, rates, np.array([tau, 0.0, 0.0]))
    expected = np.array([acceleration[0], acceleration[1] - acceleration[0], acceleration[2]])
    qdd = chain.forward_dynamics(q, qd, [tau])
    assert relative_error(qdd, expected) < AGREEMENT
    assert relative_error(chain.inverse_dynamics(q, qd, qdd), [tau]) < AGREEMENT
    # the pin's force on the rocker, in the rocker's axes; the multiplier acts on the coupler
    force = chain.loop_wrenches(q, qd, qdd)[0, 3:]
    assert relative_error(complex(force[0], force[2]), -pin_force * cmath.exp(-1j * q[2])) < AGREEMENT
    assert abs(force[1]) < AGREEMENT


@pytest.mark.parametrize("target", [(0.0, 0.0), (0.4, -0.3), (-0.5, 0.2)])
def test_five_bar_agrees_with_lagrange(target: tuple[float, float]) -> None:
    """With the plane upright, so that gravity counts."""
    robot = dataclasses.replace(kt.robots.five_bar(), gravity=(0.0, -9.81, 0.0))
    one, two, three, four = (planar(body, "y") for body in robot.bodies)
    left, right = [(*one, -0.18 + 0.24j), (*two, 0.24 + 0.32j)], [(*three, 0.18 + 0.24j), (*four, -0.24 + 0.32j)]
    chain = kt.ClosedChain(robot)
    q = chain.close(target).check()
    qd, tau = chain.velocities(q, [1.3, -2.1]), np.array([0.7, -0.4])
    absolute = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])
    acceleration, pin_force = Lagrange([left, right], 9.81)(absolute @ q, absolute @ qd, np.array([0.7, 0, -0.4, 0]))
    qdd = chain.forward_dynamics(q, qd, tau)
    assert relative_error(absolute @ qdd, acceleration) < AGREEMENT
    assert relative_error(chain.inverse_dynamics(q, qd, qdd), tau) < AGREEMENT
    force = chain.loop_wrenches(q, qd, qdd)[0, 3:]
    turn = cmath.exp(-1j * (q[2] + q[3]))
    assert relative_error(complex(force[0], force[1]), -pin_force * turn) < AGREEMENT


def test_the_oracle_sees_a_wrong_force() -> None:
    """What is compared above does depend on what it should."""
    robot = kt.robots.five_bar()
    q = close(robot, displaced(robot, robot.neutral, np.full(robot.nv, 0.2)))
    state = Maximal(robot, q, project_velocity(robot, q, np.ones(robot.nv)))
    one, other = (state.forward([tau, 0.0, 0.0, 0.0]).qdd for tau in (0.0, 1e-3))
    assert np.abs(one - other).max() > 1e3 * AGREEMENT
