"""Hybrid dynamics and its cases: what is known at one joint and found at another belongs to one motion.

Everything runs on Python's floats, but for the calls from NumPy at the end.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import Array, Dual, duals, floating, rate_part, relative_error, states, tree, trees, with_joints

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.free_base import free_base_inverse_dynamics
from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.algorithms.kinematics import rates, world_poses
from kinetree.catalogue import Variant
from kinetree.errors import InputError, KinetreeError, ModelError, SingularModelError, UnknownNameError
from kinetree.joints import KINDS, Prismatic, Revolute
from kinetree.model.mechanism import WORLD
from kinetree.spatial.motion import Force, Motion

# relative to the largest force: the accelerations that are found may be large where inertias are small, and their
# rounding comes back through the mass matrix
ROUNDING = 1e-11
BALANCE = 1e-9  # N m, N: wrenches of about 100 add up to zero
WRONG = 1e-3  # far above rounding


@dataclasses.dataclass(frozen=True)
class Case:
    """One state with the numbers that are given, loads and the motion of the base, as lists."""

    q: list[float]
    qd: list[float]
    given: list[float]
    external: list[list[float]]
    base: BaseMotion

    @staticmethod
    def of(robot: kt.Robot, seed: int = 0) -> Case:
        s = states(robot, 1, seed)
        base = BaseMotion.prescribed(robot, *np.random.default_rng([seed, 7]).normal(size=(2, 6)).tolist())
        return Case(s.q[0].tolist(), s.qd[0].tolist(), s.qdd[0].tolist(), s.external[0].tolist(), base)


def some(names: Sequence[str], seed: int) -> list[str]:
    """A random subset."""
    rng = np.random.default_rng([seed, 3])
    return [name for name in names if rng.random() < 0.5]


# -- what is known and what is found -----------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(robot=trees(6), seed=st.integers(0, 10**6))
def test_accelerations_and_forces_belong_to_one_motion(robot: kt.Robot, seed: int) -> None:
    """For any joints with known forces: inverse dynamics of the motion that is found needs the forces that are."""
    x, known = Case.of(robot, seed), some(robot.joint_names, seed)
    qdd, tau = hybrid_dynamics(robot, x.q, x.qd, x.given, known, x.external, x.base)
    assert relative_error(tau, inverse_dynamics(robot, x.q, x.qd, qdd, x.external, x.base)) < ROUNDING
    free = {k for name in known for k in robot.velocities_of(name)}
    for k, value in enumerate(x.given):
        assert (tau if k in free else qdd)[k] == value


@pytest.mark.parametrize("seed", range(len(KINDS) * 2))
@pytest.mark.parametrize("mimics", [False, True], ids=["own", "shared"])
def test_every_kind_of_joint_may_be_the_one_with_a_known_force(seed: int, mimics: bool) -> None:
    kind = [*KINDS][seed % len(KINDS)]
    robot = tree(seed, 6, (kind, "revolute"), friction=True, springs=True, mimics=mimics, on_free_base=seed % 3 == 0)
    known = [b.joint.name for b in robot.bodies if isinstance(b.joint.kind, KINDS[kind])]
    known = [name for name in known if name in robot.joint_names]
    x = Case.of(robot, seed)
    qdd, tau = hybrid_dynamics(robot, x.q, x.qd, x.given, known, x.external, x.base)
    assert relative_error(tau, inverse_dynamics(robot, x.q, x.qd, qdd, x.external, x.base)) < ROUNDING


@settings(max_examples=40, deadline=None)
@given(robot=trees(5), seed=st.integers(0, 10**6))
def test_with_no_force_known_it_is_inverse_dynamics(robot: kt.Robot, seed: int) -> None:
    """To the last bit: nothing gives way, so nothing is added."""
    x = Case.of(robot, seed)
    qdd, tau = hybrid_dynamics(robot, x.q, x.qd, x.given, [], x.external, x.base)
    assert qdd == x.given
    assert tau == inverse_dynamics(robot, x.q, x.qd, x.given, x.external, x.base)


@settings(max_examples=40, deadline=None)
@given(robot=trees(5), seed=st.integers(0, 10**6))
def test_with_all_forces_known_it_is_forward_dynamics(robot: kt.Robot, seed: int) -> None:
    x = Case.of(robot, seed)
    qdd, tau = hybrid_dynamics(robot, x.q, x.qd, x.given, robot.joint_names, x.external, x.base)
    assert tau == x.given
    expected = forward_dynamics(robot, x.q, x.qd, x.given, x.external, x.base)  # shallow trees: by the mass matrix
    np.testing.assert_allclose(qdd, expected, rtol=1e-9, atol=1e-9 * max(map(abs, expected), default=0.0))


@settings(max_examples=60, deadline=None)
@given(robot=trees(6), seed=st.integers(0, 10**6))
def test_what_one_choice_finds_another_gives_back(robot: kt.Robot, seed: int) -> None:
    """The same motion from any two subsets of what is known."""
    x = Case.of(robot, seed)
    first, second = some(robot.joint_names, seed), some(robot.joint_names, seed + 1)
    motion = hybrid_dynamics(robot, x.q, x.qd, x.given, first, x.external, x.base)
    free = {k for name in second for k in robot.velocities_of(name)}
    mixed = [motion[1][k] if k in free else motion[0][k] for k in range(robot.nv)]
    again = hybrid_dynamics(robot, x.q, x.qd, mixed, second, x.external, x.base)
    assert relative_error(again[0], motion[0]) < ROUNDING
    assert relative_error(again[1], motion[1]) < ROUNDING


def test_the_order_of_the_names_does_not_matter() -> None:
    robot = tree(3, 6, friction=True, springs=True)
    x = Case.of(robot)
    names = list(robot.joint_names[::2])
    forth, back = (hybrid_dynamics(robot, x.q, x.qd, x.given, known) for known in (names, names[::-1]))
    assert forth == back


# -- cost --------------------------------------------------------------------------------------------------------------

JOINTS = (10, 12, 20, 40, 100, 300)


def counts(variant: Variant, robot: kt.Robot) -> Array:
    """Multiplications, additions and the rest, but for changes of sign: these end up here or there."""
    n = kt.trace(variant, robot).operations
    plus = n["add"] + n["sub"]
    return np.array([n["mul"], plus, sum(n.values()) - n["mul"] - n["neg"] - plus])


def assert_linear(found: dict[int, Array]) -> None:
    """From the first two on, the same number of joints more costs the same number of operations more, exactly."""
    (n0, first), (n1, second), *others = found.items()
    step = (second - first) / (n1 - n0)
    assert (step > 0).all()
    for n, count in others:
        assert (count == first + step * (n - n0)).all(), (n, count)


def test_the_inverse_model_of_an_eel_costs_the_same_for_each_joint() -> None:
    """O(n), up to 300 joints: [Khalil2010] section 7. Joints come in pairs, one about z and one about y."""
    assert_linear({n: counts(Variant("free_base_inverse_dynamics"), kt.robots.eel(n)) for n in JOINTS})


def test_hybrid_dynamics_of_an_eel_costs_the_same_for_each_joint() -> None:
    """With the force known on every second joint, and on the base."""
    found = {}
    for n in JOINTS:
        eel = kt.robots.eel(n)
        found[n] = counts(Variant("hybrid_dynamics", known_forces=eel.joint_names[::2]), eel)
    assert_linear(found)


def test_forward_dynamics_of_a_planar_eel_costs_the_same_for_each_joint() -> None:
    assert_linear({n: counts(Variant("forward_dynamics"), kt.robots.planar_eel(n)) for n in JOINTS})


def test_what_nothing_asks_for_is_not_computed() -> None:
    """A locked joint is cheaper than one that gives way: bodies beyond it are carried as one rigid body."""
    eel = kt.robots.eel(10)
    inverse, direct = (counts(Variant(name), eel) for name in ("free_base_inverse_dynamics", "forward_dynamics"))
    assert (inverse < 0.8 * direct)[:2].all()


# -- a base that nothing holds -----------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    joints=st.integers(0, 6),
    friction=st.booleans(),
    springs=st.booleans(),
    mimics=st.booleans(),
)
def test_nothing_passes_between_the_world_and_a_free_base(
    seed: int, joints: int, friction: bool, springs: bool, mimics: bool
) -> None:
    robot = tree(seed, joints, friction=friction, springs=springs, mimics=mimics, on_free_base=True)
    x = Case.of(robot, seed)
    acceleration, tau = free_base_inverse_dynamics(robot, x.q, x.qd, x.given[6:], x.external)
    qdd = [*acceleration, *x.given[6:]]
    wrench = joint_wrenches(robot, x.q, x.qd, qdd, x.external)[0]
    size = max(1.0, *map(abs, tau), *map(abs, acceleration))
    assert np.abs(np.array(wrench, float)).max() < BALANCE * size
    back = forward_dynamics(robot, x.q, x.qd, [0.0] * 6 + tau, x.external)
    assert relative_error(back, qdd) < ROUNDING


def momentum(robot: kt.Robot, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """The angular momentum about the origin of the world and the linear one, in world axes."""
    total, v = Force.zero, {WORLD: Motion.zero}
    poses = world_poses(robot, q)
    for i, (body, p, qs, vs) in enumerate(zip(robot.bodies, robot.parents, robot.q_slices, robot.v_slices)):
        v[i] = body.joint.pose(q[qs]).motion_to(v[p]) + body.joint.velocity(q[qs], qd[vs])
        total = total + poses[i].force_from(body.inertia.rigid @ v[i])
    return [*total.ang, *total.lin]


def momentum_rate(robot: kt.Robot, q: list[float], qd: list[float], qdd: list[float]) -> Array:
    return rate_part(momentum(robot, duals(q, rates(robot, q, qd)), duals(qd, qdd)))


@pytest.mark.parametrize("seed", range(20))
def test_the_momentum_of_a_free_robot_is_conserved(seed: int) -> None:
    """Whatever its joints do, with friction, springs, rotors and joints that mimic others."""
    robot = tree(seed, 5, friction=seed % 2 > 0, springs=seed % 3 > 0, mimics=seed % 5 > 1, on_free_base=True)
    robot = dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0))
    x = Case.of(robot, seed)
    acceleration, _ = free_base_inverse_dynamics(robot, x.q, x.qd, x.given[6:])
    size = max(1.0, *map(abs, acceleration))
    assert np.abs(momentum_rate(robot, x.q, x.qd, [*acceleration, *x.given[6:]])).max() < BALANCE * size
    other = [*acceleration, *(2.0 * a + 1.0 for a in x.given[6:])]
    assert np.abs(momentum_rate(robot, x.q, x.qd, other)).max() > WRONG


@pytest.mark.parametrize("seed", range(10))
def test_the_momentum_changes_as_gravity_and_loads_say(seed: int) -> None:
    robot = tree(seed, 4, friction=seed % 2 > 0, on_free_base=True)
    x = Case.of(robot, seed)
    acceleration, _ = free_base_inverse_dynamics(robot, x.q, x.qd, x.given[6:], x.external)
    total, poses, g = np.zeros(6), world_poses(robot, x.q), np.array([*robot.gravity])
    for i, (body, load) in enumerate(zip(robot.bodies, x.external)):
        p, rigid = np.array([*poses[i].p]), body.inertia.rigid
        ms = rigid.m * p + [*(poses[i].R @ rigid.ms)]
        total += np.r_[np.cross(ms, g) + np.cross(p, load[3:]) + load[:3], rigid.m * g + load[3:]]
    rate = momentum_rate(robot, x.q, x.qd, [*acceleration, *x.given[6:]])
    assert relative_error(rate, total) < ROUNDING


FREE = {
    "human55": kt.robots.human55,
    "quadruped": kt.robots.quadruped,
    "planar_eel": kt.robots.planar_eel,
    "eel": kt.robots.eel,
}


@pytest.mark.parametrize("name", FREE)
def test_built_in_robots_on_a_free_base_agree_with_forward_dynamics(name: str) -> None:
    """Free joints, a planar one, and six joints of one coordinate that no drive moves."""
    robot = FREE[name]()
    n, x = robot.nbase, Case.of(robot)
    assert n == (3 if name == "planar_eel" else 6)
    acceleration, tau = free_base_inverse_dynamics(robot, x.q, x.qd, x.given[n:], x.external)
    assert (len(acceleration), len(tau)) == (n, robot.nv - n)
    qdd = [*acceleration, *x.given[n:]]
    needed = inverse_dynamics(robot, x.q, x.qd, qdd, x.external)
    assert relative_error(needed, [0.0] * n + tau) < ROUNDING
    assert relative_error(forward_dynamics(robot, x.q, x.qd, [0.0] * n + tau, x.external), qdd) < ROUNDING


def test_an_eel_alone_is_a_rigid_body() -> None:
    """Euler's equations in body axes: I wd = -w x I w, vd = -w x v."""
    eel = kt.robots.eel(0)
    x = Case.of(eel)
    acceleration, tau = free_base_inverse_dynamics(eel, x.q, x.qd, [])
    inertia = eel.bodies[0].inertia
    I, c = np.diag([*inertia.about_com][:3]), np.array([*inertia.com])
    w, v = np.array(x.qd[:3]), np.array(x.qd[3:])
    wd = np.linalg.solve(I, -np.cross(w, I @ w))
    vd = -np.cross(w, v) - np.cross(wd, c) - np.cross(w, np.cross(w, c))  # the centre of mass is not accelerated
    assert relative_error(acceleration, np.r_[wd, vd]) < ROUNDING
    assert tau == []


# -- elastic joints ----------------------------------------------------------------------------------------------------


def elastic(robot: kt.Robot, stiffness: Sequence[float], rest: Sequence[float]) -> kt.Robot:
    springs = zip((body.joint for body in robot.bodies), stiffness, rest)
    return with_joints(robot, [dataclasses.replace(joint, stiffness=k, rest=r) for joint, k, r in springs])


@pytest.mark.parametrize("seed", range(10))
def test_a_spring_yields_under_gravity_by_the_load_over_the_stiffness(seed: int) -> None:
    """At rest K (rest - q) carries what gravity asks for: the deflection is tau / K, and nothing accelerates."""
    bare = kt.robots.random_tree(seed, 5, friction=True)
    q, zeros = states(bare, 1, seed).q[0].tolist(), [0.0] * 5
    tau = inverse_dynamics(bare, q, zeros, zeros)
    K = np.random.default_rng(seed).uniform(10, 100, 5)
    for scale, rests in ((1.0, True), (1.1, False)):
        robot = elastic(bare, K.tolist(), (np.array(q) + scale * np.array(tau) / K).tolist())
        assert robot.elastic_joints == robot.joint_names
        qdd, _ = hybrid_dynamics(robot, q, zeros, zeros, robot.elastic_joints)
        assert (np.abs(np.array(qdd)).max() < BALANCE) == rests


LINKS = {  # a link on a spring: its kind, K, the inertia that the spring moves, rotor included
    "revolute": (Revolute(), 30.0, 0.2 + 1.5 * 0.4**2 + 0.05),
    "prismatic": (Prismatic(), 30.0, 1.5 + 0.05),
}


def link_on_spring(name: str) -> kt.Robot:
    kind, K, _ = LINKS[name]
    joint = kt.Joint("joint", kind, stiffness=K, rotor_inertia=0.05)
    body = kt.Body("link", joint, kt.Inertia(1.5, (0.4, 0.0, 0.0), (0.1, 0.2, 0.2)))
    return kt.Robot((body,), gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("name", LINKS)
def test_a_link_on_a_spring_swings_with_the_root_of_stiffness_over_inertia(name: str) -> None:
    robot, (_, K, I) = link_on_spring(name), LINKS[name]
    (qdd,), _ = hybrid_dynamics(robot, [Dual(0.0, 1.0)], [0.0], [0.0], robot.elastic_joints)
    assert math.sqrt(-qdd.dx) == pytest.approx(math.sqrt(K / I), rel=1e-14)


def test_after_one_period_a_link_on_a_spring_is_where_it_was() -> None:
    robot, (_, K, I) = link_on_spring("revolute"), LINKS["revolute"]
    steps = 200
    dt, x = 2 * math.pi * math.sqrt(I / K) / steps, np.array([0.3, 0.0])

    def rate(x: Array) -> Array:
        (qdd,), _ = hybrid_dynamics(robot, [float(x[0])], [float(x[1])], [0.0], ["joint"])
        return np.array([x[1], qdd])

    for k in range(steps):
        if k == steps // 2:
            assert x[0] == pytest.approx(-0.3, abs=1e-6)  # the other end of the swing
        k1 = rate(x)
        k2 = rate(x + dt / 2 * k1)
        k3 = rate(x + dt / 2 * k2)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + dt * k3))
    assert np.abs(x - [0.3, 0.0]).max() < 1e-6  # the error of the method with 200 steps


def test_an_elastic_transmission_drives_its_joint() -> None:
    """Two inertias on a spring swing with sqrt(K (1/I1 + 1/I2)); with the motor held, the link with sqrt(K/I2)."""
    K, I1, I2 = 40.0, 0.3, 0.2 + 1.5 * 0.4**2
    link = kt.Body("link", kt.Joint("joint", Revolute()), kt.Inertia(1.5, (0.4, 0.0, 0.0), (0.1, 0.2, 0.2)))
    motor = kt.Motor("joint", "world", gear_ratio=10.0, spin_inertia=I1 / 100.0, stiffness=K)
    robot = kt.Robot((link,), gravity=(0.0, 0.0, 0.0)).with_motors([motor])
    assert robot.elastic_joints == ("joint",)
    q = [0.1, -0.1]
    held, tau = hybrid_dynamics(robot, q, [0.0] * 2, [0.0] * 2, robot.elastic_joints)
    assert held == pytest.approx([-K / I2 * 0.2, 0.0])
    assert tau == pytest.approx([0.0, K * -0.2])
    swing, _ = hybrid_dynamics(robot, q, [0.0] * 2, [0.0] * 2, robot.joint_names)
    assert (swing[0] - swing[1]) / 0.2 == pytest.approx(-K * (1 / I1 + 1 / I2))


def test_a_rigid_robot_has_no_elastic_joints() -> None:
    assert kt.robots.puma560().elastic_joints == ()


# -- called from NumPy -------------------------------------------------------------------------------------------------


def test_arrays_broadcast_and_results_go_where_they_are_told() -> None:
    robot = kt.robots.random_tree(2, 3, friction=True)
    s, (v, a) = states(robot, 6), np.random.default_rng(0).normal(size=(2, 6))
    known, motion = [robot.joint_names[1]], {"base_velocity": v, "base_acceleration": a}
    out = np.empty((2, 6, 3)), np.empty((2, 6, 3))
    q = np.stack([s.q, s.q + 0.1])
    found = robot.hybrid_dynamics(q, s.qd, s.qdd[0], known, external=s.external, out=out, **motion)
    assert [*map(id, found)] == [*map(id, out)]
    for at in np.ndindex(2, 6):
        k, root = at[1], BaseMotion.prescribed(robot, v.tolist(), a.tolist())
        args = q[at].tolist(), s.qd[k].tolist(), s.qdd[0].tolist()
        alone = hybrid_dynamics(robot, *args, known, s.external[k].tolist(), root)
        assert relative_error((found[0][at], found[1][at]), alone) < ROUNDING


def test_names_may_come_in_any_order_and_twice() -> None:
    arm = kt.robots.two_link()
    q, given = [0.3, 0.2], [0.4, 0.1]
    expected = arm.hybrid_dynamics(q, q, given, ["joint1", "joint2"])
    found = arm.hybrid_dynamics(q, q, given, ["joint2", "joint1", "joint2"])
    assert all((x == y).all() for x, y in zip(found, expected))


def test_a_free_base_is_called_with_the_joints_alone() -> None:
    eel = kt.robots.planar_eel(3)
    s = states(eel, 4)
    acceleration, tau = eel.free_base_inverse_dynamics(s.q, s.qd, s.qdd[:, 3:], external=s.external)
    whole = np.hstack([acceleration, s.qdd[:, 3:]])
    needed = eel.inverse_dynamics(s.q, s.qd, whole, external=s.external)
    assert relative_error(needed, np.hstack([np.zeros((4, 3)), tau])) < ROUNDING


def test_parameters_stay_symbolic() -> None:
    def arm(mass: Any) -> kt.Robot:
        return kt.Robot.from_dh([kt.DH(mass=1.0, com=(0.2, 0, 0)), kt.DH(a=0.5, mass=mass, com=(0.1, 0, 0))])

    q, given = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    found = arm(kt.parameter("payload")).hybrid_dynamics(q, q, given, ["joint2"], payload=3.0)
    assert relative_error(found, arm(3.0).hybrid_dynamics(q, q, given, ["joint2"])) < ROUNDING


# -- bad input ---------------------------------------------------------------------------------------------------------

TWO = [0.0, 0.0]


def test_an_unknown_joint_is_refused_with_those_that_exist() -> None:
    arm = kt.robots.two_link()
    with pytest.raises(UnknownNameError, match=r"'elbow'.*joint1.*joint2"):
        arm.hybrid_dynamics(TWO, TWO, TWO, ["joint1", "elbow"])
    with pytest.raises(UnknownNameError, match=r"'elbow'.*joint1.*joint2"):
        arm.function("hybrid_dynamics", known_forces=["elbow"])


def test_a_name_is_not_a_list_of_names() -> None:
    with pytest.raises(InputError, match=r"known_forces is a list of names, such as \['joint1'\]"):
        kt.robots.two_link().hybrid_dynamics(TWO, TWO, TWO, "joint1")


def test_known_forces_are_needed_where_they_have_a_meaning_and_nowhere_else() -> None:
    arm = kt.robots.two_link()
    with pytest.raises(InputError, match="hybrid_dynamics needs known_forces=, the names of joints"):
        arm.function("hybrid_dynamics")
    with pytest.raises(InputError, match="mass_matrix takes no known_forces="):
        arm.function("mass_matrix", known_forces=["joint1"])


def test_a_joint_that_mimics_another_has_no_force_of_its_own() -> None:
    arm = kt.robots.two_link()
    follower = dataclasses.replace(arm.bodies[1].joint, mimic=kt.Mimic("joint1"))
    robot = with_joints(arm, [arm.bodies[0].joint, follower])
    with pytest.raises(UnknownNameError, match=r"joint with coordinates of its own.*'joint2'.*joint1"):
        robot.hybrid_dynamics([0.0], [0.0], [0.0], ["joint2"])


@pytest.mark.parametrize("wrong", range(3))
def test_wrong_sizes_are_refused(wrong: int) -> None:
    args = [TWO, TWO, TWO]
    args[wrong] = [0.0] * 3
    with pytest.raises((ValueError, KinetreeError), match=r"3.*2|2.*3"):
        kt.robots.two_link().hybrid_dynamics(*args, ["joint2"])


def test_the_accelerations_of_a_free_base_are_not_among_those_of_its_joints() -> None:
    eel = kt.robots.planar_eel(3)
    with pytest.raises((ValueError, KinetreeError), match=r"5.*2|2.*5"):
        eel.free_base_inverse_dynamics(eel.neutral, [0.0] * 5, [0.0] * 5)


def test_a_robot_without_a_free_base_says_so() -> None:
    with pytest.raises(ModelError, match=r"robot 'two_link' has no free base.*'joint1' is driven.*with_base"):
        kt.robots.two_link().free_base_inverse_dynamics(TWO, TWO, TWO)
    with pytest.raises(ModelError, match="it has no joints"):
        kt.Robot(()).free_base_inverse_dynamics([], [], [])


def test_a_joint_that_nothing_resists_has_no_acceleration_to_be_found() -> None:
    robot = kt.Robot.from_dh([kt.DH(mass=1.0, com=(0.5, 0.0, 0.0)), kt.DH(a=1.0)])
    with pytest.raises(SingularModelError, match="nothing that body 'link2' carries resists its joint"):
        hybrid_dynamics(robot, TWO, TWO, TWO, ["joint2"])
    qdd, tau = hybrid_dynamics(robot, TWO, TWO, TWO, ["joint1"])  # prescribed, it needs no inertia
    assert np.isfinite([*qdd, *tau]).all()


def test_an_arm_that_is_made_to_float_has_a_free_base() -> None:
    robot = floating(kt.robots.two_link())
    assert robot.base_joints == ("base",)
    assert robot.nbase == 6
