"""The laws of mechanics on random trees with every joint type, on fixed and floating bases.

A law is a function of a robot, a way to evaluate its functions and a batch of states. Each is put to the algorithms
on Python's floats (many trees, drawn by Hypothesis) and to the compiled code (a gallery of trees); derivatives along a
motion are exact, by dual numbers.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import (
    TRACED,
    Evaluate,
    States,
    arguments,
    compiled,
    floating,
    on_floats,
    operand_names,
    random_motors,
    rate_of,
    relative_error,
    serial,
    states,
    tree,
    trees,
)

import kinetree as kt
from kinetree.catalogue import CATALOGUE, FRAMED, Variant
from kinetree.joints import KINDS

# sums of some hundred products of numbers up to 1e2, each rounded to 1.1e-16
ROUNDING = 1e-12
# a solution of M x = b loses the digits of the condition of M: up to 1e5 on these trees
SOLVED = 1e-9

LAWS = []


def law(function):
    LAWS.append(function)
    return function


def on_coordinates(robot: kt.Robot, rows: np.ndarray, slices: Any, of_joint: Callable[..., Any]) -> np.ndarray:
    """Numbers of the joints, each added to its coordinate; a joint that mimics acts on its leader's."""
    total = np.zeros((len(rows), robot.nv))
    for i, row in enumerate(rows):
        for body, own, vs in zip(robot.bodies, slices, robot.v_slices):
            total[i, vs] += lever(body.joint) * np.array(of_joint(body.joint, row[own]))
    return total


def lever(joint: kt.Joint) -> float:
    return joint.mimic.multiplier if joint.mimic else 1.0


def friction(robot: kt.Robot, qd: np.ndarray) -> np.ndarray:
    """The joint forces lost in friction, from the description alone."""

    def of_joint(joint: kt.Joint, x: np.ndarray) -> np.ndarray:
        x = lever(joint) * x
        return np.array(joint.damping) * x + np.array(joint.coulomb) * np.sign(x)

    return on_coordinates(robot, qd, robot.v_slices, of_joint) + stretched(robot, qd, "damping", "v")


def springs(robot: kt.Robot, q: np.ndarray) -> np.ndarray:
    """The joint forces that hold the springs, from the description and the joint's own displacement."""

    def of_joint(joint: kt.Joint, x: np.ndarray) -> np.ndarray:
        own = [lever(joint) * x[0] + joint.mimic.offset] if joint.mimic else x.tolist()
        return np.array(joint.stiffness) * joint.kind.displacement(own, joint.rest)

    return on_coordinates(robot, q, robot.q_slices, of_joint) + stretched(robot, q, "stiffness", "q")


def stretched(robot: kt.Robot, x: np.ndarray, constant: str, place: str) -> np.ndarray:
    """The forces on motors and joints that stretch the springs, or move the dampers, of elastic transmissions."""
    total = np.zeros((len(x), robot.nv))
    for spring, motor, joint in robot.transmissions:
        force = getattr(spring, constant) * (x[:, getattr(motor, place)] - x[:, getattr(joint, place)])
        total[:, motor.v] += force
        total[:, joint.v] -= force
    return total


def rotors(robot: kt.Robot) -> np.ndarray:
    still = np.zeros((1, robot.nv))
    return on_coordinates(robot, still, robot.v_slices, lambda j, x: lever(j) * np.array(j.rotor_inertia))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("...i,...i->...", a, b)


def times(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", M, x)


# -- the laws ----------------------------------------------------------------------------------------------------------


@law
def forward_dynamics_undoes_inverse_dynamics(robot: kt.Robot, f: Evaluate, s: States):
    tau = f("inverse_dynamics", s.q, s.qd, s.qdd)
    assert relative_error(f("forward_dynamics", s.q, s.qd, tau), s.qdd) < SOLVED


@law
def inverse_dynamics_undoes_forward_dynamics(robot: kt.Robot, f: Evaluate, s: States):
    tau = s.qdd  # any numbers
    qdd = f("forward_dynamics", s.q, s.qd, tau)
    assert relative_error(f("inverse_dynamics", s.q, s.qd, qdd), tau) < SOLVED


@law
def the_mass_matrix_is_what_acceleration_costs(robot: kt.Robot, f: Evaluate, s: States):
    """M = d tau / d qdd, column by column; tau is linear in qdd."""
    M, h = f("mass_matrix", s.q), f("bias_forces", s.q, s.qd)
    for k, unit in enumerate(np.eye(robot.nv)):
        tau = f("inverse_dynamics", s.q, s.qd, np.broadcast_to(unit, s.qdd.shape).copy())
        assert relative_error(tau - h, M[..., k]) < ROUNDING
    assert relative_error(f("inverse_dynamics", s.q, s.qd, s.qdd), times(M, s.qdd) + h) < ROUNDING


@law
def the_mass_matrix_is_symmetric_and_positive_definite(robot: kt.Robot, f: Evaluate, s: States):
    M = f("mass_matrix", s.q).reshape(len(s.q), robot.nv, robot.nv)
    np.testing.assert_allclose(M, np.swapaxes(M, -1, -2), rtol=0, atol=ROUNDING)
    assert (np.linalg.eigvalsh(M) > 0).all()


@law
def bias_forces_are_those_without_acceleration(robot: kt.Robot, f: Evaluate, s: States):
    rest = np.zeros_like(s.qd)
    assert relative_error(f("bias_forces", s.q, s.qd), f("inverse_dynamics", s.q, s.qd, rest)) < ROUNDING
    assert relative_error(f("gravity_forces", s.q), f("inverse_dynamics", s.q, rest, rest)) < ROUNDING


@law
def kinetic_energy_is_half_qd_m_qd(robot: kt.Robot, f: Evaluate, s: States):
    quadratic = 0.5 * dot(s.qd, times(f("mass_matrix", s.q), s.qd))
    assert relative_error(f("kinetic_energy", s.q, s.qd), quadratic) < ROUNDING


@law
def gravity_forces_are_the_gradient_of_potential_energy(robot: kt.Robot, f: Evaluate, s: States):
    """g . qd = dV/dt for the velocity along each coordinate."""
    g = f("gravity_forces", s.q)
    for k, unit in enumerate(np.eye(robot.nv)):
        along = dataclasses.replace(s, qd=np.broadcast_to(unit, s.qd.shape))
        assert relative_error(rate_of(robot, "potential_energy", along), g[:, k]) < ROUNDING


@law
def power_of_the_joints_becomes_energy_or_friction(robot: kt.Robot, f: Evaluate, s: States):
    """d/dt (T + V) = tau . qd - friction . qd."""
    tau = f("inverse_dynamics", s.q, s.qd, s.qdd)
    energy = rate_of(robot, "kinetic_energy", s) + rate_of(robot, "potential_energy", s)
    assert relative_error(energy, dot(tau - friction(robot, s.qd), s.qd)) < ROUNDING


@law
def the_jacobian_maps_joint_rates_to_the_velocity_of_the_pose(robot: kt.Robot, f: Evaluate, s: States):
    """d/dt R = [w] R,  d/dt p = v  with  (w, v) = J qd."""
    for body in robot.bodies[-2:]:
        X, dX = f("pose", s.q, frame=body.name), rate_of(robot, "pose", s, body.name)
        velocity = times(f("jacobian", s.q, frame=body.name), s.qd)
        turning = dX[:, :3, :3] @ np.swapaxes(X[:, :3, :3], -1, -2)
        assert relative_error(turning, skew(velocity[:, :3])) < ROUNDING
        assert relative_error(dX[:, :3, 3], velocity[:, 3:]) < ROUNDING


@law
def joint_wrenches_carry_everything_beyond_the_joint(robot: kt.Robot, f: Evaluate, s: States):
    """Newton and Euler for the subtree of each body, in world axes: its momentum changes by the joint's wrench,
    gravity and the loads. For the bodies on the world this is the balance at the base."""
    X, moving = {}, {}
    for i, body in enumerate(robot.bodies):
        X[i], moving[i] = f("pose", s.q, frame=body.name), newton_euler_of_body(robot, s, i)
    w = f("joint_wrenches", s.q, s.qd, s.qdd, external=s.external)
    for i in range(robot.nbodies):
        needed = sum(moving[k] for k in range(robot.nbodies) if i in path(robot, k))
        R, p = X[i][:, :3, :3], X[i][:, :3, 3]
        force = times(R, w[:, i, 3:])
        moment = times(R, w[:, i, :3]) + np.cross(p, force)
        assert relative_error(np.concatenate([moment, force], -1), needed) < ROUNDING


@law
def joint_forces_are_the_wrenches_along_the_joint(robot: kt.Robot, f: Evaluate, s: States):
    """tau = S . w + rotors qdd + springs + friction."""
    w = f("joint_wrenches", s.q, s.qd, s.qdd)
    projected = np.zeros_like(s.qd)
    for i, (body, qs, vs) in enumerate(zip(robot.bodies, robot.q_slices, robot.v_slices)):
        for row, q in enumerate(s.q):
            S = [[*m.ang, *m.lin] for m in body.joint.subspace(q[qs].tolist())]
            projected[row, vs] += [np.dot(column, w[row, i]) for column in S]
    tau = projected + rotors(robot) * s.qdd + springs(robot, s.q) + friction(robot, s.qd)
    assert relative_error(f("inverse_dynamics", s.q, s.qd, s.qdd), tau) < ROUNDING


@law
def a_load_on_a_body_acts_through_its_jacobian(robot: kt.Robot, f: Evaluate, s: States):
    """ID(loads) = ID - sum J^T load, FD(tau, loads) = FD(tau + sum J^T load)."""
    carried = np.zeros_like(s.qd)
    for i, body in enumerate(robot.bodies):
        J = on_floats(robot)("jacobian", s.q, frame=body.name)
        carried += times(np.swapaxes(J, -1, -2), s.external[:, i])
    for name, *args in (("inverse_dynamics", s.q, s.qd, s.qdd), ("bias_forces", s.q, s.qd), ("gravity_forces", s.q)):
        assert relative_error(f(name, *args, external=s.external), f(name, *args) - carried) < ROUNDING
    loaded = f("forward_dynamics", s.q, s.qd, s.qdd, external=s.external)
    assert relative_error(loaded, f("forward_dynamics", s.q, s.qd, s.qdd + carried)) < SOLVED


@law
def a_prescribed_base_is_a_floating_base_that_moves_so(robot: kt.Robot, f: Evaluate, s: States):
    rng = np.random.default_rng(7)
    base = tuple(rng.normal(size=(2, len(s.q), 6)))
    carrier = kt.Body("carrier", kt.Joint("carrier", kt.joints.Free()))
    bodies = (kt.Body(b.name, b.joint, b.inertia, b.parent or "carrier") for b in robot.bodies)
    whole = kt.Robot((carrier, *bodies), gravity=robot.gravity)
    identity = np.broadcast_to(carrier.joint.kind.neutral, (len(s.q), 7))
    both = [np.concatenate(pair, -1) for pair in ((identity, s.q), (base[0], s.qd), (base[1], s.qdd))]
    g = on_floats(whole)
    tau = f("inverse_dynamics", s.q, s.qd, s.qdd, base=base)
    assert relative_error(tau, g("inverse_dynamics", *both)[:, 6:]) < ROUNDING
    rest = np.zeros_like(s.qdd)
    h = f("inverse_dynamics", s.q, s.qd, rest, base=base)
    assert relative_error(f("bias_forces", s.q, s.qd, base=base), h) < ROUNDING
    wrenches = f("joint_wrenches", s.q, s.qd, s.qdd, base=base)
    assert relative_error(wrenches, g("joint_wrenches", *both)[:, 1:]) < ROUNDING
    energy = f("kinetic_energy", s.q, s.qd, base=(base[0], 0 * base[0]))
    assert relative_error(energy, g("kinetic_energy", *both[:2])) < ROUNDING
    assert relative_error(f("forward_dynamics", s.q, s.qd, tau, base=base), s.qdd) < SOLVED
    loads = np.concatenate([np.zeros((len(s.q), 1, 6)), s.external], 1)
    loaded = g("inverse_dynamics", *both, external=loads)[:, 6:]
    assert relative_error(f("inverse_dynamics", s.q, s.qd, s.qdd, external=s.external, base=base), loaded) < ROUNDING
    accelerated = f("forward_dynamics", s.q, s.qd, loaded, external=s.external, base=base)
    assert relative_error(accelerated, s.qdd) < SOLVED


# -- what the laws are stated with -------------------------------------------------------------------------------------


def skew(w: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(w, -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)


def path(robot: kt.Robot, body: int) -> list[int]:
    """The bodies from this one to the root."""
    return [] if body < 0 else [body, *path(robot, robot.parents[body])]


def newton_euler_of_body(robot: kt.Robot, s: States, i: int) -> np.ndarray:
    """What must act on one body besides gravity and its load: moment about the world's origin, then force.

    Accelerations come from J qdd + dJ/dt qd, not from the recursion under test.
    """
    body = robot.bodies[i]
    X = on_floats(robot)("pose", s.q, frame=body.name)
    J, dJ = on_floats(robot)("jacobian", s.q, frame=body.name), rate_of(robot, "jacobian", s, body.name)
    R, p = X[:, :3, :3], X[:, :3, 3]
    w, wd = times(J, s.qd)[:, :3], (times(J, s.qdd) + times(dJ, s.qd))[:, :3]
    a = (times(J, s.qdd) + times(dJ, s.qd))[:, 3:]
    c = R @ np.array([*body.inertia.com])
    I = R @ np.array([list(row) for row in body.inertia.about_com.full]) @ np.swapaxes(R, -1, -2)
    force = body.inertia.mass * (a + np.cross(wd, c) + np.cross(w, np.cross(w, c)) - np.array([*robot.gravity]))
    moment = times(I, wd) + np.cross(w, times(I, w)) + np.cross(p + c, force)
    load = s.external[:, i]
    force, moment = force - load[:, 3:], moment - load[:, :3] - np.cross(p, load[:, 3:])
    return np.concatenate([moment, force], -1)


# -- the laws, put to the algorithms -----------------------------------------------------------------------------------

each_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


@each_law
@settings(max_examples=25)
@given(robot=trees())
def test_law(law, robot):
    law(robot, on_floats(robot), states(robot))


@pytest.mark.slow
@each_law
@settings(max_examples=300)
@given(robot=trees(most=9))
def test_law_at_length(law, robot):
    law(robot, on_floats(robot), states(robot))


@pytest.mark.parametrize("kind", list(KINDS))
@each_law
def test_law_for_a_chain_of_one_kind(law, kind):
    robot = tree(5, 3, [kind, "revolute"] if kind == "fixed" else [kind], friction=True)
    law(robot, on_floats(robot), states(robot))


@each_law
@pytest.mark.parametrize("seed", range(4))
def test_law_for_arms_with_motors(law, seed):
    """Rigid and elastic transmissions, on a fixed and on a floating base."""
    robot = serial(seed, 3, friction=True)
    rng = np.random.default_rng(seed)
    robot = (floating(robot) if seed % 2 else robot).with_motors(random_motors(robot, rng, elastic=seed >= 2))
    law(robot, on_floats(robot), states(robot))


# -- the laws, put to the compiled code --------------------------------------------------------------------------------


@functools.cache
def gallery(index: int) -> kt.Robot:
    """Trees that together have every joint type, on both bases, with and without friction, springs, mimics."""
    kinds = list(KINDS)
    chosen = [kinds[(index + k) % len(kinds)] for k in (0, 3, 5)]
    losses = {"friction": index % 2 == 0, "springs": index % 4 < 2, "mimics": index in (2, 3)}
    return tree(index, 4, chosen, on_free_base=index % 3 == 0, **losses)


GALLERY = range(6)
each_robot = pytest.mark.parametrize("robot", [pytest.param(i, id=f"tree{i}") for i in GALLERY])


def test_the_gallery_has_every_kind_of_joint():
    assert {type(b.joint.kind) for i in GALLERY for b in gallery(i).bodies} == set(KINDS.values())


@each_robot
@each_law
def test_law_in_compiled_code(law, robot):
    robot = gallery(robot)
    law(robot, compiled(robot), states(robot, 9))


@each_robot
@pytest.mark.parametrize("name", [name for name in CATALOGUE if name not in TRACED])
def test_compiled_code_computes_what_the_algorithm_says(robot, name):
    robot = gallery(robot)
    s = states(robot, 9)
    args = arguments(name, s)
    frame = robot.bodies[-1].name if name in FRAMED else None
    expected = on_floats(robot)(name, *args, frame=frame)
    assert relative_error(compiled(robot)(name, *args, frame=frame), expected) < SOLVED
    method = getattr(robot, name, None)
    if method is not None:
        assert relative_error(method(*args, *([frame] if frame else [])), expected) < SOLVED


def test_keywords_reach_the_algorithm():
    robot = gallery(1)
    s = states(robot, 4)
    v, a = np.random.default_rng(3).normal(size=(2, 6))
    base = {"base_velocity": v, "base_acceleration": a}
    f = on_floats(robot)
    for name in ("inverse_dynamics", "forward_dynamics", "joint_wrenches"):
        for keywords in ({}, {"base_velocity": v}, {"base_acceleration": a}, base):
            moved = [np.broadcast_to(keywords.get(k, np.zeros(6)), (4, 6)) for k in base]
            expected = f(name, s.q, s.qd, s.qdd, external=s.external, base=moved)
            ours = getattr(robot, name)(s.q, s.qd, s.qdd, external=s.external, **keywords)
            assert relative_error(ours, expected) < SOLVED
    energy = f("kinetic_energy", s.q, s.qd, base=[np.broadcast_to(v, (4, 6)), np.zeros((4, 6))])
    assert relative_error(robot.kinetic_energy(s.q, s.qd, base_velocity=v), energy) < ROUNDING


@each_robot
def test_the_derivative_of_compiled_inverse_dynamics_is_the_mass_matrix(robot):
    """d tau / d qdd by the package's own differentiation."""
    robot = gallery(robot)
    s, variant = states(robot, 5), Variant("inverse_dynamics")
    derivative = kt.jacobian(variant, robot, wrt=2)
    assert relative_error(derivative(s.q, s.qd, s.qdd), robot.mass_matrix(s.q)) < ROUNDING


@settings(max_examples=6)
@given(robot=trees(most=4))
def test_compiled_dynamics_of_any_tree(robot):
    s, f, g = states(robot, 5), compiled(robot), on_floats(robot)
    for name, *args in (
        ("inverse_dynamics", s.q, s.qd, s.qdd),
        ("forward_dynamics", s.q, s.qd, s.qdd),
        ("mass_matrix", s.q),
    ):
        assert relative_error(f(name, *args), g(name, *args)) < SOLVED


# -- single precision --------------------------------------------------------------------------------------------------

# some hundred operations, each rounded to 2^-24 of the result
SINGLE = 1e-5
# the condition of M, up to 1e3 on this gallery, on top
SINGLE_SOLVED = 1e-4


@each_robot
@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("inverse_dynamics", SINGLE),
        ("mass_matrix", SINGLE),
        ("kinetic_energy", SINGLE),
        ("forward_dynamics", SINGLE_SOLVED),
    ],
)
def test_single_precision_agrees_with_double(robot, name, tolerance):
    robot = gallery(robot)
    s = states(robot, 9)
    args = [s.q, s.qd, s.qdd][: len(operand_names(name))]
    narrow = [x.astype(np.float32) for x in args]
    result = getattr(robot, name)(*narrow)
    assert result.dtype == np.float32
    exact = getattr(robot, name)(*(x.astype(np.float64) for x in narrow))
    assert relative_error(result, exact) < tolerance
    assert (result != exact).any(), "float32 input should be computed in float32"


# -- motion ------------------------------------------------------------------------------------------------------------


def run(robot: kt.Robot, s: States, duration: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The free motion, by the classical Runge-Kutta method of fourth order."""
    accelerate, rates = robot.function("forward_dynamics"), robot.function("rates")
    q, qd, h = s.q, s.qd, duration / steps
    none = np.zeros_like(qd)

    def slope(q, qd):
        return rates(q, qd), accelerate(q, qd, none)

    for _ in range(steps):
        k1 = slope(q, qd)
        k2 = slope(q + h / 2 * k1[0], qd + h / 2 * k1[1])
        k3 = slope(q + h / 2 * k2[0], qd + h / 2 * k2[1])
        k4 = slope(q + h * k3[0], qd + h * k3[1])
        q, qd = (x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip((q, qd), k1, k2, k3, k4))
    return q, qd


# what the method leaves of the energy after 200 steps of 2.5 ms, at most 2e-8 here
INTEGRATED = 1e-7


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "fixed"])
def test_free_motion_keeps_its_energy(kind):
    """Up to the error of the integration, which falls by sixteen with half the step."""
    robot = tree(2, 3, [kind])
    s = states(robot, 4)
    energy = robot.kinetic_energy(s.q, s.qd) + robot.potential_energy(s.q)
    drift = []
    for steps in (100, 200):
        q, qd = run(robot, s, 0.5, steps)
        assert np.abs(q - s.q).max() > 0.1, "the robot should move"
        now = robot.function("kinetic_energy")(q, qd) + robot.function("potential_energy")(q)
        drift.append(relative_error(now, energy))
    assert drift[1] < INTEGRATED
    assert drift[1] < max(drift[0] / 12, ROUNDING)


@pytest.mark.parametrize("seed", range(3))
def test_a_robot_let_go_falls_as_one_body(seed):
    """On a free base, at rest and without joint forces, everything accelerates with gravity."""
    robot = tree(seed, 4, friction=True, on_free_base=True)
    s = states(robot, 3)
    rest = np.zeros_like(s.qd)
    qdd = compiled(robot)("forward_dynamics", s.q, rest, rest)
    R = compiled(robot)("pose", s.q, frame="base")[:, :3, :3]
    falling = rest.copy()
    falling[:, 3:6] = times(np.swapaxes(R, -1, -2), np.array([*robot.gravity])[None])
    assert relative_error(qdd, falling) < SOLVED
