"""Joints that mimic others: the laws of a linear constraint folded into the model.

A robot with followers is the same robot with all joints independent, moved through a constant matrix G:

    q' = G q + o,   tau = G^T tau'(G q + o, G qd, G qdd),   M = G^T M' G,   J = J' G,   dtau/dq = G^T dtau'/dq' G

The independent robot knows nothing of mimics, so what is compared here comes from other lines of code.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import States, compiled, on_floats, relative_error, states, tree, with_joints

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.joints import KINDS, Prismatic, Revolute
from kinetree.parameter import bound
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray

# the same recursions on both sides; sums of a dozen terms in another order
ROUNDING = 1e-11
# accelerations are the solution of a linear system with a condition number of up to 1e4
SOLVED = 1e-8

SINGLE = ("revolute", "prismatic", "helical")


def independent(robot: kt.Robot) -> kt.Robot:
    """The robot with a coordinate for each joint."""
    return with_joints(robot, [dataclasses.replace(body.joint, mimic=None) for body in robot.bodies])


def constraint(robot: kt.Robot) -> tuple[Array, Array, Array]:
    """G of velocities, G of positions, o."""
    full = independent(robot)
    G, Q, o = np.zeros((full.nv, robot.nv)), np.zeros((full.nq, robot.nq)), np.zeros(full.nq)
    names = [body.joint.name for body in robot.bodies]
    own = dict(zip(names, zip(robot.q_slices, robot.v_slices)))
    for body, qs, vs in zip(robot.bodies, full.q_slices, full.v_slices):
        mimic = body.joint.mimic or kt.Mimic(body.joint.name)
        q, v = own[mimic.joint]
        G[vs, v] = mimic.multiplier * np.eye(body.joint.kind.nv)
        Q[qs, q] = mimic.multiplier * np.eye(body.joint.kind.nq)
        o[qs] = mimic.offset
    return G, Q, o


def follow(robot: kt.Robot, s: States) -> States:
    """The same motions of the independent robot."""
    G, Q, o = constraint(robot)
    return dataclasses.replace(s, q=s.q @ Q.T + o, qd=s.qd @ G.T, qdd=s.qdd @ G.T, qddd=s.qddd @ G.T)


def chain(mimics: dict[int, kt.Mimic], *, branches: bool = False) -> kt.Robot:
    """Five joints j0 ... j4 with friction, springs and rotors: one chain, or two from the first body on."""
    bodies = []
    for i in range(5):
        parent = None if i == 0 else f"b{0 if branches and i == 3 else i - 1}"
        kind = Prismatic(Vec3(0.6, 0.0, -0.8)) if i == 2 else Revolute(Vec3(0.0, -1.0, 0.0), 0.3 * i)
        joint = kt.Joint(
            f"j{i}",
            kind,
            kt.Transform(p=Vec3(0.1, 0.2 * i, 0.3)),
            damping=0.1 * i,
            coulomb=0.2,
            rotor_inertia=0.05 * (i + 1),
            stiffness=1.0 + i,
            rest=0.1 * i,
            mimic=mimics.get(i),
        )
        inertia = kt.Inertia(1.0 + i, (0.1, 0.02 * i, -0.1), (0.1, 0.12, 0.09, 0.01, -0.02, 0.005))
        bodies.append(kt.Body(f"b{i}", joint, inertia, parent))
    return kt.Robot(tuple(bodies))


def drawn(seed: int, joints: int, friction: bool, springs: bool, floating: bool) -> kt.Robot:
    kinds = SINGLE if seed % 2 else tuple(KINDS)
    return tree(seed, joints, kinds, friction=friction, springs=springs, on_free_base=floating, mimics=True)


CASES = {
    "leader before its follower": chain({3: kt.Mimic("j1", 1.5, 0.2)}),
    "leader after its follower": chain({0: kt.Mimic("j4", -0.7, 0.1)}),
    "leader next to its follower": chain({2: kt.Mimic("j1", 0.4, -0.3)}),
    "on another branch": chain({1: kt.Mimic("j3", 1.0, 0.0), 4: kt.Mimic("j2", -1.0, 0.5)}, branches=True),
    "two followers and one leader": chain({0: kt.Mimic("j2", 2.0), 4: kt.Mimic("j2", -1.0, 1.0)}),
    "multiplier zero": chain({1: kt.Mimic("j2", 0.0, 0.6)}),
    "all of them": chain({i: kt.Mimic("j2", 0.5 - i, 0.1 * i) for i in (0, 1, 3, 4)}),
}
each_case = pytest.mark.parametrize("case", list(CASES))
each_tree = given(st.integers(0, 10**6), st.integers(2, 6), st.booleans(), st.booleans(), st.booleans())
some = settings(max_examples=25)


def check_constraint(robot: kt.Robot) -> None:
    """Every quantity of the robot against that of the independent one."""
    full, (G, _, _), s = independent(robot), constraint(robot), states(robot)
    t = follow(robot, s)
    here, there = on_floats(robot), on_floats(full)
    tau = here("inverse_dynamics", s.q, s.qd, s.qdd, external=s.external)
    assert relative_error(tau, there("inverse_dynamics", t.q, t.qd, t.qdd, external=s.external) @ G) < ROUNDING
    M = here("mass_matrix", s.q)
    assert relative_error(M, G.T @ there("mass_matrix", t.q) @ G) < ROUNDING
    h = here("bias_forces", s.q, s.qd)
    assert relative_error(h, there("bias_forces", t.q, t.qd) @ G) < ROUNDING
    assert relative_error(here("gravity_forces", s.q), there("gravity_forces", t.q) @ G) < ROUNDING
    for energy, args, same in (
        ("kinetic_energy", (s.q, s.qd), (t.q, t.qd)),
        ("potential_energy", (s.q,), (t.q,)),
        ("joint_wrenches", (s.q, s.qd, s.qdd), (t.q, t.qd, t.qdd)),
    ):
        assert relative_error(here(energy, *args), there(energy, *same)) < ROUNDING, energy
    for body in robot.bodies:
        X, J = here("pose", s.q, frame=body.name), here("jacobian", s.q, frame=body.name)
        assert relative_error(X, there("pose", t.q, frame=body.name)) < ROUNDING
        assert relative_error(J, there("jacobian", t.q, frame=body.name) @ G) < ROUNDING


def check_forward_dynamics(robot: kt.Robot) -> None:
    """The accelerations for the forces of a motion are those of the motion, loads on the bodies included."""
    s, f = states(robot), on_floats(robot)
    tau = f("inverse_dynamics", s.q, s.qd, s.qdd, external=s.external)
    assert relative_error(f("forward_dynamics", s.q, s.qd, tau, external=s.external), s.qdd) < SOLVED


@each_case
def test_followers_are_a_linear_constraint(case: str) -> None:
    check_constraint(CASES[case])


@some
@each_tree
def test_followers_are_a_linear_constraint_on_random_trees(
    seed: int, joints: int, friction: bool, springs: bool, floating: bool
) -> None:
    check_constraint(drawn(seed, joints, friction, springs, floating))


@each_case
def test_forward_dynamics_with_followers_undo_inverse_dynamics(case: str) -> None:
    check_forward_dynamics(CASES[case])


@some
@each_tree
def test_forward_dynamics_with_followers_undo_inverse_dynamics_on_random_trees(
    seed: int, joints: int, friction: bool, springs: bool, floating: bool
) -> None:
    robot = drawn(seed, joints, friction, springs, floating)
    M = on_floats(robot)("mass_matrix", states(robot).q)
    if np.linalg.cond(M).max(initial=0.0) < 1e4:
        check_forward_dynamics(robot)


@each_case
def test_derivatives_go_through_the_constraint(case: str) -> None:
    """In compiled code, and with respect to positions and velocities."""
    robot = CASES[case]
    full, (G, _, _), s = independent(robot), constraint(robot), states(robot)
    t = follow(robot, s)
    for wrt in (0, 1, 2):
        signature = "q(nq), qd(nv), qdd(nv) -> tau(nv)"
        here = kt.jacobian(inverse_dynamics, robot, signature=signature, wrt=wrt)
        there = kt.jacobian(inverse_dynamics, full, signature=signature, wrt=wrt)
        assert relative_error(here(s.q, s.qd, s.qdd), G.T @ there(t.q, t.qd, t.qdd) @ G) < ROUNDING


def test_compiled_functions_honour_followers() -> None:
    robot = CASES["all of them"]
    s, here, there = states(robot, 9), compiled(robot), on_floats(robot)
    for name, args in (
        ("inverse_dynamics", (s.q, s.qd, s.qdd)),
        ("forward_dynamics", (s.q, s.qd, s.qdd)),
        ("mass_matrix", (s.q,)),
    ):
        assert relative_error(here(name, *args), there(name, *args)) < ROUNDING


def test_multiplier_and_offset_can_be_parameters() -> None:
    gear, shift = kt.parameter("gear"), kt.parameter("shift", 0.2)
    robot = chain({1: kt.Mimic("j3", gear, shift), 4: kt.Mimic("j2", 2.0 * gear, shift + 0.1)})
    numbers = {"gear": -0.8, "shift": 0.35}
    s = states(robot)
    by_number = on_floats(bound(robot, numbers))
    assert [*robot.parameters] == ["gear", "shift"]
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd, **numbers)
    assert relative_error(tau, by_number("inverse_dynamics", s.q, s.qd, s.qdd)) < ROUNDING
    qdd = robot.forward_dynamics(s.q, s.qd, tau, **numbers)
    assert relative_error(qdd, s.qdd) < SOLVED
    assert relative_error(robot.mass_matrix(s.q, **numbers), by_number("mass_matrix", s.q)) < ROUNDING
    by_default = on_floats(bound(robot, {"gear": -0.8, "shift": 0.2}))
    assert relative_error(robot.gravity_forces(s.q, gear=-0.8), by_default("gravity_forces", s.q)) < ROUNDING


def test_a_follower_has_no_coordinate() -> None:
    robot = CASES["on another branch"]
    assert (robot.nq, robot.nv, robot.joint_names) == (3, 3, ("j0", "j2", "j3"))
    assert robot.v_slices[1] == robot.v_slices[3]
    assert robot.v_slices[4] == robot.v_slices[2]
    assert robot.shares_coordinates
    assert not independent(robot).shares_coordinates
