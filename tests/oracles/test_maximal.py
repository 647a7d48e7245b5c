"""The oracle in maximal coordinates, checked by what does not share its equations.

Trees: Pinocchio. Loops: Pinocchio where it can close them, a closed form of the four-bar linkage, energy, the same
mechanism cut elsewhere, and Newton and Euler on the opened tree. Rotors: the equations of a gyrostat by hand.
"""

from __future__ import annotations

import cmath
import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from maximal import (
    CLOSED,
    CUT_KINDS,
    TREE_KINDS,
    Array,
    Maximal,
    Response,
    close,
    displaced,
    moments,
    pose_of,
    project_velocity,
    random_coordinates,
    random_loops,
    relative_pose,
)
from pinocchio_model import PinocchioModel, pin
from strategies import on_floats, random_kind, relative_error, states, tree, with_joints

import kinetree as kt
from kinetree.joints import KINDS, Fixed, JointKind, Planar, Revolute, Rotor, Spherical
from kinetree.spatial.vec3 import Vec3

# double precision on both sides, by other formulas; the worst seen is 3e-13
AGREEMENT = 1e-10
# a five-point difference with this step: the fifth derivative times 1e-12 / 30, and rounding of 1e-15 / 1e-3
STEP, DIFFERENCE = 1e-3, 1e-8

each_cut = pytest.mark.parametrize("kind", CUT_KINDS)


def frictionless(robot: kt.Robot) -> kt.Robot:
    """Rotors and springs stay."""
    return with_joints(robot, [dataclasses.replace(b.joint, damping=0.0, coulomb=0.0) for b in robot.bodies])


def random_state(robot: kt.Robot, q: Array, seed: int) -> tuple[Maximal, Array, Array]:
    """A velocity that keeps the loops closed; joint forces and loads."""
    rng = np.random.default_rng(seed)
    qd = project_velocity(robot, q, rng.normal(size=robot.nv))
    return Maximal(robot, q, qd), rng.normal(size=robot.nv), rng.normal(size=(robot.nbodies, 6))


def rate(state: Maximal, qdd: Array, f: Callable[[Maximal], Array | float]) -> Array:
    """d/dt of a function of the state along a motion with these accelerations."""

    def at(t: float) -> Array:
        return np.asarray(f(Maximal(state.robot, displaced(state.robot, state.q, t * state.qd), state.qd + t * qdd)))

    return (8 * (at(STEP) - at(-STEP)) - (at(2 * STEP) - at(-2 * STEP))) / (12 * STEP)


# -- trees -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_tree_agrees_with_pinocchio(seed: int) -> None:
    kinds = [name for name in KINDS if name != "rotor"]
    robot = frictionless(tree(seed, 3 + seed % 4, kinds, friction=seed % 3 == 0, on_free_base=seed % 2 == 0))
    joints = [b.joint for b in robot.bodies]  # a rotor on a planar joint acts in other axes there
    still = [dataclasses.replace(j, rotor_inertia=0.0) if isinstance(j.kind, Planar) else j for j in joints]
    robot = with_joints(robot, still)
    oracle, s = PinocchioModel(robot), states(robot, 1, seed)
    q, qd, tau, external = s.q[0], s.qd[0], 10 * s.qdd[0], s.external[0]
    found = Maximal(robot, q, qd).forward(tau, external)
    assert relative_error(found.qdd, oracle.forward_dynamics(q, qd, tau, external)) < AGREEMENT
    wrenches = oracle.joint_wrenches(q, qd, found.qdd, external)
    assert relative_error(found.wrenches[oracle.moving], wrenches) < AGREEMENT


@pytest.mark.parametrize("seed", range(24))
def test_tree_with_springs_friction_rotors_and_followers_agrees_with_kinetree(seed: int) -> None:
    options = {"friction": seed % 4 > 0, "springs": seed % 3 > 0, "mimics": seed % 5 > 1, "on_free_base": seed % 2 > 0}
    robot = tree(seed, 3 + seed % 4, **options)  # type: ignore[arg-type]
    s, f = states(robot, 1, seed), on_floats(robot)
    state = Maximal(robot, s.q[0], s.qd[0])
    found = state.forward(s.qdd[0], s.external[0])
    qdd = f("forward_dynamics", s.q, s.qd, s.qdd, external=s.external)
    assert relative_error(found.qdd, qdd[0]) < AGREEMENT
    assert relative_error(found.wrenches, f("joint_wrenches", s.q, s.qd, qdd, external=s.external)[0]) < AGREEMENT
    assert relative_error(state.kinetic_energy(), f("kinetic_energy", s.q, s.qd)[0]) < AGREEMENT
    assert relative_error(state.potential_energy(), f("potential_energy", s.q)[0]) < AGREEMENT


@pytest.mark.parametrize("seed", range(10))
def test_rows_measure_the_velocities_that_kinematics_were_given(seed: int) -> None:
    robot = tree(seed, 6, on_free_base=seed % 2 > 0, mimics=seed % 3 > 0)
    s = states(robot, 1, seed)
    state = Maximal(robot, s.q[0], s.qd[0])
    assert relative_error(state.rates.A @ state.twist, np.concatenate([qd for _, qd in state.own])) < AGREEMENT
    assert np.abs(state.constraints.A @ state.twist).max() < AGREEMENT
    assert state.overconstrained == 0


# -- loops -------------------------------------------------------------------------------------------------------------


@each_cut
def test_random_loops_close_and_leave_freedom(kind: str) -> None:
    for loops in (1, 2, 3):
        robot, q = random_loops(7 * loops, loops, [kind])
        state = Maximal(robot, q)
        assert [type(x.kind) for x in robot.loops] == [KINDS[kind]] * loops
        assert state.loop_error() < CLOSED
        assert state.constraint_jacobian().shape == (loops * (6 - KINDS[kind].nv), robot.nv)
        assert robot.nv - np.linalg.matrix_rank(state.constraint_jacobian()) >= 2
        off = displaced(robot, q, 0.01 * np.ones(robot.nv))
        assert Maximal(robot, off).loop_error() > 1e-4  # a configuration that does not close is seen


@each_cut
def test_the_jacobian_is_the_rate_of_the_gaps(kind: str) -> None:
    robot, q = random_loops(3, 2, [kind])
    qd = np.random.default_rng(3).normal(size=robot.nv)
    state = Maximal(robot, q, qd)
    assert relative_error(rate(state, 0 * qd, lambda x: x.closing.gap), state.constraint_jacobian() @ qd) < DIFFERENCE
    assert relative_error(state.closing.A @ state.twist, state.constraint_jacobian() @ qd) < AGREEMENT


@each_cut
@pytest.mark.parametrize("loops", [1, 2, 3])
def test_power_is_the_rate_of_energy_and_loops_stay_closed(kind: str, loops: int) -> None:
    options = {"friction": True, "springs": loops > 1, "mimics": loops == 1, "on_free_base": loops == 2}
    robot, q = random_loops(loops, loops, [kind], **options)
    check_energy(frictionless(robot), q, loops)


def test_power_is_the_rate_of_energy_with_couplings() -> None:
    robot = frictionless(tree(4, 6, ("revolute", "prismatic", "helical"), friction=True, springs=True))
    cubic = kt.Coupling("joint5", "joint2", (0.3, 0.5, -0.7, 0.2))
    robot = dataclasses.replace(robot, couplings=(cubic, kt.Coupling("joint3", None, (0.4,))))
    q = close(robot, np.full(robot.nq, 0.3))
    assert q[2] == pytest.approx(0.4, abs=CLOSED)
    assert q[4] == pytest.approx(np.polynomial.Polynomial(cubic.coefficients)(q[1]), abs=CLOSED)
    check_energy(robot, q, 4)


def check_energy(robot: kt.Robot, q: Array, seed: int) -> None:
    state, tau, external = random_state(robot, q, seed)
    assert state.loop_error() < CLOSED
    assert state.loop_velocity_error() < AGREEMENT
    assert np.linalg.norm(state.qd) > 0.1
    qdd = state.forward(tau, external).qdd
    power = tau @ state.qd + np.ravel(external) @ state.twist
    energy = rate(state, qdd, lambda x: x.kinetic_energy() + x.potential_energy())
    assert relative_error(energy, power) < DIFFERENCE
    opening = rate(state, qdd, lambda x: x.closing.A @ x.twist)
    assert np.abs(opening).max() < DIFFERENCE * max(1.0, np.abs(qdd).max())


@each_cut
def test_a_loop_cut_elsewhere_moves_and_transmits_the_same(kind: str) -> None:
    """The last joint of a chain and the one that closes it, the other way round."""
    rng = np.random.default_rng(CUT_KINDS.index(kind))
    last, cut = (random_kind(name, rng) for name in (kind, CUT_KINDS[CUT_KINDS.index(kind) - 3]))
    kinds = [random_kind(name, rng) for name in ("revolute", "spherical", "universal", "prismatic")]
    chain = list(chain_of([*kinds, last], rng))
    open_chain = kt.Robot(tuple(chain))
    q = np.concatenate([random_coordinates(body.joint.kind, rng) for body in chain])
    end, (R, p) = Maximal(open_chain, q).bodies[-1], relative_pose(cut, q_cut := random_coordinates(cut, rng))
    ground = kt.Frame(None, pose_of(end.R @ R.T, end.p - end.R @ R.T @ p))
    one = dataclasses.replace(open_chain, loops=(kt.Loop("cut", cut, ground, kt.Frame("body4")),))
    other = dataclasses.replace(
        one,
        bodies=(*chain[:-1], dataclasses.replace(chain[-1], joint=kt.Joint("cut", cut, ground.pose), parent=None)),
        loops=(kt.Loop("last", last, kt.Frame("body3", chain[-1].joint.placement), kt.Frame("body4")),),
    )
    here, tau, external = random_state(one, q, 1)
    tau[7:] = 0.0  # no drive at the joints that are cut
    there = Maximal(other, [*q[:8], *q_cut], [*here.qd[:7], *here.cut_velocities()[0]])
    assert max(there.loop_error(), there.loop_velocity_error()) < CLOSED
    assert here.overconstrained == there.overconstrained == 0
    a, b = here.forward(tau, external), there.forward([*tau[:7], *[0.0] * cut.nv], external)
    assert relative_error(a.qdd[:7], b.qdd[:7]) < AGREEMENT
    assert relative_error(a.wrenches[:4], b.wrenches[:4]) < AGREEMENT
    assert relative_error(a.wrenches[4], b.loop_wrenches[0]) < AGREEMENT
    assert relative_error(a.loop_wrenches[0], b.wrenches[4]) < AGREEMENT


def chain_of(kinds: list[JointKind], rng: np.random.Generator) -> list[kt.Body]:
    bodies = kt.robots.random_tree(int(rng.integers(10**6)), len(kinds)).bodies
    return [
        kt.Body(f"body{i}", kt.Joint(f"joint{i}", kind, b.joint.placement), b.inertia, f"body{i - 1}" if i else None)
        for i, (b, kind) in enumerate(zip(bodies, kinds))
    ]


ZOO = {"four_bar": 0.7, "five_bar": 0.3, "delta": 0.2, "gough_stewart": 0.05}


@pytest.mark.parametrize("name", ZOO)
def test_loop_wrenches_as_loads_on_the_open_tree_need_the_same_forces(name: str) -> None:
    robot = getattr(kt.robots, name)()
    check_open_tree(robot, close(robot, displaced(robot, robot.neutral, np.full(robot.nv, ZOO[name]))), 1)


@pytest.mark.parametrize("seed", range(12))
def test_random_loop_wrenches_as_loads_on_the_open_tree_need_the_same_forces(seed: int) -> None:
    options = {"friction": seed % 2 > 0, "springs": seed % 3 > 0, "mimics": seed % 4 > 1}
    check_open_tree(*random_loops(seed, 1 + seed % 3, **options), seed)


def check_open_tree(robot: kt.Robot, q: Array, seed: int) -> None:
    """Kinetree's recursion on the tree, with the wrenches of the cut joints as loads: also for needless constraints."""
    state, tau, external = random_state(robot, q, seed)
    found = state.forward(tau, external)
    loads = external + loads_of_loops(state, found)
    args = (q[None], state.qd[None], found.qdd[None])
    forces = on_floats(robot)("inverse_dynamics", *args, external=loads[None])[0]
    assert relative_error(forces, tau) < AGREEMENT * max(1.0, np.abs(found.loop_wrenches).max())
    wrenches = on_floats(robot)("joint_wrenches", *args, external=loads[None])[0]
    assert relative_error(found.wrenches, wrenches) < AGREEMENT


def loads_of_loops(state: Maximal, found: Response) -> Array:
    """The wrenches of cut joints as loads: world axes, about the origins of both bodies."""
    loads = np.zeros((state.robot.nbodies, 6))
    for link, wrench in zip(state.loops, found.loop_wrenches):
        moment, force = link.S.R @ wrench[:3], link.S.R @ wrench[3:]
        for side, sign in ((link.S, 1.0), (link.P, -1.0)):
            if side.body >= 0:
                arm = link.S.p - state.bodies[side.body].p
                loads[side.body] += sign * np.r_[moment + np.cross(arm, force), force]
    return loads


@pytest.mark.parametrize("kind", ["fixed", "spherical"])
@pytest.mark.parametrize("seed", range(5))
def test_welds_and_balls_agree_with_pinocchio(kind: str, seed: int) -> None:
    robot, q = random_loops(seed, 1 + seed % 2, [kind], on_free_base=seed % 2 == 1)
    state, tau, _ = random_state(robot, q, seed)
    oracle = PinocchioModel(robot)
    bodies = {None: -1, **{body.name: i for i, body in enumerate(robot.bodies)}}
    contact = {Fixed: pin.ContactType.CONTACT_6D, Spherical: pin.ContactType.CONTACT_3D}
    models = pin.StdVec_RigidConstraintModel()
    for loop in robot.loops:
        ends = []
        for end in (loop.predecessor, loop.successor):
            R, p = np.array([[*row] for row in end.pose.R.matrix]), np.array([*end.pose.p])
            ends += [oracle.joint[bodies[end.body]], oracle.place[bodies[end.body]] * pin.SE3(R, p)]
        models.append(pin.RigidConstraintModel(contact[type(loop.kind)], oracle.model, *ends))  # type: ignore[index]
    datas = pin.StdVec_RigidConstraintData()
    datas.extend(model.createData() for model in models)
    pin.initConstraintDynamics(oracle.model, oracle.data, models, datas)
    A, dA = oracle.A(q), oracle.A(q, state.qd)
    settings = pin.ProximalSettings(1e-12, 0.0, 10)
    args = (oracle.q(q), A @ state.qd, A @ tau)
    a = pin.constraintDynamics(oracle.model, oracle.data, *args, models, datas, settings)
    assert relative_error(state.forward(tau).qdd, A.T @ (a - dA @ state.qd)) < AGREEMENT


# -- closed forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5, -1.9])
def test_four_bar_agrees_with_its_equation_in_one_coordinate(angle: float) -> None:
    """I(x) xdd + I'(x)/2 xd^2 + V'(x) = tau for the crank angle x, in the complex plane of x and z."""
    robot = kt.robots.four_bar()
    q = robot.neutral
    for x in np.linspace(0, angle, 6):
        q = close(robot, [x, *q[1:]], free=[1, 2])
    speed, tau = 2.3, 0.4
    crank, coupler, rocker = (
        (b.inertia.mass, complex(b.inertia.com.x, b.inertia.com.z), b.inertia.about_com.yy) for b in robot.bodies
    )
    # the bars as complex numbers, turned from the neutral configuration: a + b = d + c
    a, b, c = (
        bar * cmath.exp(1j * turn)
        for bar, turn in ((0.09 + 0.12j, q[0]), (0.32 + 0.24j, q[0] + q[1]), (-0.15 + 0.36j, q[2]))
    )
    assert abs(a + b - 0.56 - c) < CLOSED
    # by x, once:   i a + i b f1 = i c g1;   twice:   -a - b f1^2 + i b f2 = -c g1^2 + i c g2
    f1, g1 = real_solution(1j * b, -1j * c, -1j * a)
    f2, g2 = real_solution(1j * b, -1j * c, a + b * f1**2 - c * g1**2)
    I = half_dI = dV = 0.0
    for (m, com, J), joint, turn, t1, t2 in (
        (crank, (0j, 0j), q[0], 1.0, 0.0),
        (coupler, (1j * a, -a), q[0] + q[1], f1, f2),
        (rocker, (0j, 0j), q[2], g1, g2),
    ):
        r = com * cmath.exp(1j * turn)
        p1, p2 = joint[0] + 1j * r * t1, joint[1] - r * t1**2 + 1j * r * t2
        I += m * abs(p1) ** 2 + J * t1**2
        half_dI += m * (p1.conjugate() * p2).real + J * t1 * t2
        dV += m * 9.81 * p1.imag
    xdd = (tau - half_dI * speed**2 - dV) / I
    expected = [xdd, (f1 - 1) * xdd + f2 * speed**2, g1 * xdd + g2 * speed**2]
    found = Maximal(robot, q, speed * np.array([1.0, f1 - 1.0, g1])).forward([tau, 0.0, 0.0])
    assert relative_error(found.qdd, expected) < AGREEMENT


def real_solution(u: complex, v: complex, w: complex) -> tuple[float, float]:
    """The real x, y of u x + v y = w."""
    x, y = np.linalg.solve([[u.real, v.real], [u.imag, v.imag]], [w.real, w.imag])
    return float(x), float(y)


def test_needless_constraints_are_counted_and_do_no_harm() -> None:
    """Three of a planar linkage's pins hold it in its plane already; balls and pins then move it alike."""
    robot = kt.robots.four_bar()
    (pinned,) = robot.loops
    ball = dataclasses.replace(robot, loops=(dataclasses.replace(pinned, kind=Spherical()),))
    state, tau, _ = random_state(robot, close(robot, [0.5, 0.0, 0.0], free=[1, 2]), 1)
    assert (state.overconstrained, Maximal(ball, state.q).overconstrained) == (3, 1)
    found = Maximal(ball, state.q, state.qd).forward(tau)
    assert relative_error(state.forward(tau).qdd, found.qdd) < AGREEMENT


@pytest.mark.parametrize("as_rotor", [False, True])
def test_a_geared_rotor_is_a_gyrostat(as_rotor: bool) -> None:
    """A table about z carries a wheel about a slanted axis, and a rotor that spins with the wheel through a gear.

    In axes of the table, all are one body of constant inertia L with the spins of wheel and rotor:
        moment = d/dt (L w + h) = L wd + dh/dt + w x (L w + h),   h = A2 qd2 a2 + Am gear qd2 am,
        tau2 = A2 (qdd2 + a2 . wd) + gear Am (gear qdd2 + am . wd).
    """
    gear, a2, am = 7.0, np.array([math.sin(0.4), 0.0, math.cos(0.4)]), np.array([0.0, math.sin(1.1), math.cos(1.1)])
    places = {"wheel": np.array([0.3, 0.1, 0.2]), "rotor": np.array([-0.2, 0.25, 0.1])}
    kinds = {"wheel": Revolute(), "rotor": Rotor(Vec3(0.0, 0.0, 1.0), gear) if as_rotor else Revolute()}
    follow = {"wheel": None, "rotor": kt.Mimic("wheel", 1.0 if as_rotor else gear)}
    round_ones = {"wheel": kt.Inertia(1.5, (0, 0, 0.05), (0.02, 0.02, 0.03))}
    round_ones["rotor"] = kt.Inertia(0.8, (0, 0, -0.03), (0.004, 0.004, 0.006))
    axes = {"wheel": frame_along(a2), "rotor": frame_along(am)}
    table = kt.Inertia(4.0, (0.05, -0.02, 0.1), (0.3, 0.35, 0.4, 0.01, -0.03, 0.02))
    bodies = [kt.Body("table", kt.Joint("table", Revolute()), table)]
    m, first, L = moments(table)
    for name, place in places.items():
        joint = kt.Joint(name, kinds[name], pose_of(axes[name], place), mimic=follow[name])
        bodies.append(kt.Body(name, joint, round_ones[name], "table"))
        mass, arm, J = moments(round_ones[name])
        com = place + axes[name] @ arm / mass
        about_com = axes[name] @ (J - (arm @ arm * np.eye(3) - np.outer(arm, arm)) / mass) @ axes[name].T
        m, first, L = m + mass, first + mass * com, L + about_com + mass * (com @ com * np.eye(3) - np.outer(com, com))
    robot = kt.Robot(tuple(bodies))
    q, (qd1, qd2), tau = np.array([0.6, -0.8]), (1.7, 2.9), np.array([0.9, -0.5])
    A2, Am = 0.03, 0.006
    M = np.array([[L[2, 2], 0.0], [A2 * a2[2] + gear * Am * am[2], A2 + gear**2 * Am]])
    M[0, 1] = M[1, 0]
    qdd = np.linalg.solve(M, tau)  # neither w x (L w + h) nor gravity has a part along the axis of the table
    found = Maximal(robot, q, [qd1, qd2]).forward(tau)
    assert relative_error(found.qdd, qdd) < AGREEMENT
    z = np.array([0.0, 0.0, 1.0])
    spin = A2 * a2 + Am * gear * am
    moment = L @ z * qdd[0] + spin * qdd[1] + np.cross(qd1 * z, L @ z * qd1 + spin * qd2)
    moment -= np.cross(first, -9.81 * z)
    force = np.cross(qdd[0] * z, first) + np.cross(qd1 * z, np.cross(qd1 * z, first)) + 9.81 * m * z
    assert relative_error(found.wrenches[0], np.r_[moment, force]) < AGREEMENT


def frame_along(axis: Array) -> Array:
    """An orientation with z along the axis."""
    x = np.cross([0.0, 1.0, 0.2], axis)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(axis, x), axis]).T


def test_a_straight_coupling_is_a_follower() -> None:
    robot = tree(11, 6, TREE_KINDS, friction=True, springs=True)
    names = [b.joint.name for b in robot.bodies if b.joint.kind.nv == 1]
    assert len(names) >= 2
    leader, follower = names[0], names[1]
    joints = [b.joint for b in robot.bodies]
    mimic = kt.Mimic(leader, -1.3, 0.4)
    tied = with_joints(robot, [dataclasses.replace(j, mimic=mimic) if j.name == follower else j for j in joints])
    coupled = dataclasses.replace(robot, couplings=(kt.Coupling(follower, leader, (0.4, -1.3)),))
    at = [j.name for j in joints].index
    here, there = tied.v_slices[at(leader)].start, robot.v_slices[at(follower)].start
    s = states(tied, 1)
    own = Maximal(tied, s.q[0], s.qd[0]).own
    q, qd = (np.concatenate([x[k] for x in own]) for k in (0, 1))
    state = Maximal(coupled, q, qd)
    assert max(state.loop_error(), state.loop_velocity_error()) < CLOSED
    a = Maximal(tied, s.q[0], s.qd[0]).forward(s.qdd[0])
    b = state.forward(np.insert(s.qdd[0], there, 0.0))
    assert relative_error(np.insert(a.qdd, there, -1.3 * a.qdd[here]), b.qdd) < AGREEMENT
    assert relative_error(a.wrenches, b.wrenches) < AGREEMENT
