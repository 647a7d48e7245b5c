"""Khalil's recursions, corrected, against hybrid dynamics and its cases, and the printed forms that fail.

The paper has no numbers. `by_matrices` is sections 3.3.2 and 7 once more, with 6 x 6 matrices, the linear part of a
6-vector first; there the printed forms can be put in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import Array, floating, relative_error, states, with_joints

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.free_base import free_base_inverse_dynamics
from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.errors import InputError, ModelError, SingularModelError
from kinetree.joints import Free, Revolute
from kinetree.recursions.khalil import (
    khalil_elastic_inverse,
    khalil_forward,
    khalil_free_base_forward,
    khalil_free_base_inverse,
)

ROUNDING = 1e-11  # thousands of products, each rounded to 1.1e-16, and divisions by inertias that may be small
WRONG = 1e-3  # far above rounding: all numbers here are about one
BALANCE = 1e-9  # N m, N: wrenches of about 100 add up to zero


# -- robots and states -------------------------------------------------------------------------------------------------


def sprung(robot: kt.Robot, seed: int) -> kt.Robot:
    """The robot with a spring on about half of its joints, and on one at least."""
    rng = np.random.default_rng([seed, 2])
    joints = [body.joint for body in robot.bodies]
    chosen = {j for j in range(len(joints)) if rng.random() < 0.5} or {int(rng.integers(len(joints)))}
    for j in chosen:
        stiffness, rest = rng.uniform(1, 50), rng.normal()
        joints[j] = dataclasses.replace(joints[j], stiffness=float(stiffness), rest=float(rest))
    return with_joints(robot, joints)


@dataclasses.dataclass(frozen=True)
class Case:
    """A robot in motion, with forces or accelerations of its joints, loads on its links and a base that is moved."""

    robot: kt.Robot
    q: list[float]
    qd: list[float]
    given: list[float]
    external: list[list[float]] | None
    base: BaseMotion | None = None

    @staticmethod
    def of(robot: kt.Robot, seed: int = 0, *, loads: bool = True, moves: bool = False) -> Case:
        s = states(robot, 1, seed)
        base = np.random.default_rng([seed, 1]).normal(size=(2, 6)).tolist()
        external = s.external[0].tolist() if loads else None
        root = BaseMotion.prescribed(robot, *base) if moves else None
        return Case(robot, s.q[0].tolist(), s.qd[0].tolist(), s.qdd[0].tolist(), external, root)


any_seed, some_joints = st.integers(0, 10**6), st.integers(1, 8)
options = {"friction": st.booleans(), "loads": st.booleans()}


# -- equal to the general algorithms -----------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(seed=any_seed, joints=some_joints, springs=st.booleans(), moves=st.booleans(), **options)
def test_forward_dynamics_is_that_of_the_general_algorithm(
    seed: int, joints: int, springs: bool, moves: bool, friction: bool, loads: bool
) -> None:
    robot = kt.robots.random_tree(seed, joints, friction=friction)
    x = Case.of(sprung(robot, seed) if springs else robot, seed, loads=loads, moves=moves)
    qdd = khalil_forward(x.robot, x.q, x.qd, x.given, x.external, x.base)
    assert relative_error(qdd, forward_dynamics(x.robot, x.q, x.qd, x.given, x.external, x.base)) < ROUNDING
    assert relative_error(inverse_dynamics(x.robot, x.q, x.qd, qdd, x.external, x.base), x.given) < ROUNDING


@settings(max_examples=60, deadline=None)
@given(seed=any_seed, joints=some_joints, moves=st.booleans(), **options)
def test_elastic_joints_and_rigid_ones_are_those_of_hybrid_dynamics(
    seed: int, joints: int, moves: bool, friction: bool, loads: bool
) -> None:
    robot = sprung(kt.robots.random_tree(seed, joints, friction=friction), seed)
    x = Case.of(robot, seed, loads=loads, moves=moves)
    elastic = {k for name in robot.elastic_joints for k in robot.velocities_of(name)}
    rigid = [a for k, a in enumerate(x.given) if k not in elastic]
    given = [0.0 if k in elastic else a for k, a in enumerate(x.given)]
    found = khalil_elastic_inverse(robot, x.q, x.qd, rigid, x.external, x.base)
    general = hybrid_dynamics(robot, x.q, x.qd, given, robot.elastic_joints, x.external, x.base)
    assert relative_error(found, general) < ROUNDING
    assert [found[0][k] for k in range(robot.nv) if k not in elastic] == rigid
    assert [found[1][k] for k in elastic] == [0.0] * len(elastic)


@settings(max_examples=60, deadline=None)
@given(seed=any_seed, joints=st.integers(0, 8), **options)
def test_a_free_base_moves_as_in_the_general_algorithm(seed: int, joints: int, friction: bool, loads: bool) -> None:
    """Inverse and direct: with gravity, loads, friction, rotors and branches."""
    x = Case.of(floating(kt.robots.random_tree(seed, joints, friction=friction)), seed, loads=loads)
    args = x.robot, x.q, x.qd
    acceleration, tau = khalil_free_base_inverse(*args, x.given[6:], x.external)
    assert relative_error((acceleration, tau), free_base_inverse_dynamics(*args, x.given[6:], x.external)) < ROUNDING
    found, qdd = khalil_free_base_forward(*args, x.given[6:], x.external)
    assert relative_error([*found, *qdd], forward_dynamics(*args, [0.0] * 6 + x.given[6:], x.external)) < ROUNDING
    there_and_back = khalil_free_base_forward(*args, tau, x.external)
    assert relative_error(there_and_back, (acceleration, x.given[6:])) < ROUNDING


@pytest.mark.parametrize("robot", [kt.robots.eel(8), kt.robots.quadruped()], ids=["eel", "quadruped"])
def test_swimmers_and_walkers_move_as_in_the_general_algorithm(robot: kt.Robot) -> None:
    x = Case.of(robot)
    found = khalil_free_base_inverse(robot, x.q, x.qd, x.given[6:], x.external)
    assert relative_error(found, free_base_inverse_dynamics(robot, x.q, x.qd, x.given[6:], x.external)) < ROUNDING


def test_the_recursions_can_be_traced_and_compiled() -> None:
    robot = kt.robots.eel(2)
    s = states(robot, 20)
    signature = "q(nq), qd(nv), qdd_joints(nv-nbase) -> acceleration(nbase), tau(nv-nbase)"
    compiled = kt.compile(khalil_free_base_inverse, robot, signature=signature)
    rows = [free_base_inverse_dynamics(robot, *row) for row in zip(s.q.tolist(), s.qd.tolist(), s.qdd[:, 6:].tolist())]
    assert relative_error(compiled(s.q, s.qd, s.qdd[:, 6:]), tuple(map(np.array, zip(*rows)))) < ROUNDING


# -- the printed forms -------------------------------------------------------------------------------------------------


def skew(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


PRINTED = {"(101)": "both", "(96)": "inverse", "(105), (108)": "direct"}


@dataclasses.dataclass
class Matrices:
    """Sections 7.2 and 7.3 for a robot without friction, in 6 x 6 matrices; equations in ``printed`` as they are."""

    case: Case
    printed: Collection[str] = ()

    def __post_init__(self) -> None:
        x, robot = self.case, self.case.robot
        self.parents, n = robot.parents, robot.nbodies
        self.T, self.a, self.gamma, self.beta, self.J = {}, {}, {}, {}, {}
        w, to_world = {}, {-1: np.eye(3)}
        for j in range(n):
            body, i = robot.bodies[j], robot.parents[j]
            X = body.joint.pose(x.q[robot.q_slices[j]])
            R, P = np.array([[*row] for row in X.R.matrix]).T, np.array([*X.p])
            to_world[j] = to_world[i] @ R.T
            if isinstance(body.joint.kind, Free):
                w[j] = np.array(x.qd[:3])
            else:
                self.T[j] = np.block([[R, -R @ skew(P)], [np.zeros((3, 3)), R]])
                turns = isinstance(body.joint.kind, Revolute)
                axis, rate = np.array([*body.joint.kind.axis]), x.qd[robot.v_slices[j]][0]
                self.a[j] = np.r_[np.zeros(3), axis] if turns else np.r_[axis, np.zeros(3)]
                jwi = R @ w[i]
                lower = w[i] if "(101)" in self.printed else jwi
                upper = R @ np.cross(w[i], np.cross(w[i], P)) + 2 * (not turns) * np.cross(jwi, rate * axis)
                self.gamma[j] = np.r_[upper, turns * np.cross(lower, rate * axis)]
                w[j] = jwi + turns * rate * axis
            m, ms, J = body.inertia.rigid.m, np.array([*body.inertia.rigid.ms]), body.inertia.rigid.J.full
            J = np.array([[*row] for row in J])
            self.J[j] = np.block([[m * np.eye(3), -skew(ms)], [skew(ms), J]])
            load = np.zeros(6) if x.external is None else np.array(x.external[j])
            load = np.r_[to_world[j].T @ load[3:], to_world[j].T @ load[:3]]
            self.beta[j] = load - np.r_[np.cross(w[j], np.cross(w[j], ms)), np.cross(w[j], J @ w[j])]
        self.R0, self.w0 = to_world[0], w[0]

    def rates(self, Vd0: Array) -> Array:
        """The apparent acceleration, linear first, as six numbers of qdd."""
        lin = Vd0[:3] + self.R0.T @ [*self.case.robot.gravity] - np.cross(self.w0, self.case.qd[3:6])
        return np.r_[Vd0[3:], lin]

    def inverse(self) -> tuple[Array, Array]:
        """(89)-(100)."""
        n, qdd = len(self.parents), [None, *self.case.given[6:]]
        zeta = {j: self.gamma[j] + self.a[j] * qdd[j] for j in range(1, n)}
        J, beta = dict(self.J), dict(self.beta)
        sign = -1.0 if "(96)" in self.printed else 1.0
        for k in reversed(range(1, n)):
            j, T = self.parents[k], self.T[k]
            beta[j] = beta[j] + sign * (T.T @ beta[k] - T.T @ J[k] @ zeta[k])
            J[j] = J[j] + T.T @ J[k] @ T
        Vd, tau = {0: np.linalg.solve(J[0], beta[0])}, []
        self.beta_c0 = beta[0]
        for j in range(1, n):
            Vd[j] = self.T[j] @ Vd[self.parents[j]] + zeta[j]
            tau.append(self.a[j] @ (J[j] @ Vd[j] - beta[j]))
        return self.rates(Vd[0]), np.array(tau)

    def direct(self) -> tuple[Array, Array]:
        """(101)-(112)."""
        n, tau = len(self.parents), [None, *self.case.given[6:]]
        J, beta, H = dict(self.J), dict(self.beta), {}
        for j in reversed(range(1, n)):
            i, a, T = self.parents[j], self.a[j], self.T[j]
            H[j] = a @ J[j] @ a
            K = J[j] - np.outer(J[j] @ a, a @ J[j]) / H[j]
            alpha = K @ self.gamma[j] + J[j] @ a / H[j] * (tau[j] + a @ beta[j]) - beta[j]
            own = "(105), (108)" in self.printed  # then a branch replaces what the one before it has left
            J[i] = (self.J[i] if own else J[i]) + T.T @ K @ T
            beta[i] = (self.beta[i] if own else beta[i]) - T.T @ alpha
        Vd, qdd = {0: np.linalg.solve(J[0], beta[0])}, []
        for j in range(1, n):
            carried = self.T[j] @ Vd[self.parents[j]] + self.gamma[j]
            qdd.append((tau[j] + self.a[j] @ beta[j] - self.a[j] @ J[j] @ carried) / H[j])
            Vd[j] = carried + self.a[j] * qdd[-1]
        return self.rates(Vd[0]), np.array(qdd)


def branching() -> Case:
    """Seven links of both kinds, two of them on the base."""
    x = Case.of(floating(kt.robots.random_tree(11, 7)), 3)
    assert any(x.robot.parents.count(j) > 1 for j in range(x.robot.nbodies))
    return x


def test_the_recursions_with_matrices_are_the_same() -> None:
    x = branching()
    args = x.robot, x.q, x.qd, x.given[6:], x.external
    assert relative_error(Matrices(x).inverse(), khalil_free_base_inverse(*args)) < ROUNDING
    assert relative_error(Matrices(x).direct(), khalil_free_base_forward(*args)) < ROUNDING


@pytest.mark.parametrize("equation", PRINTED)
def test_the_printed_equation_gives_another_motion(equation: str) -> None:
    """Each one alone, the others corrected."""
    x = branching()
    for model in ("inverse", "direct"):
        error = relative_error(getattr(Matrices(x, [equation]), model)(), getattr(Matrices(x), model)())
        assert (error > WRONG) == (PRINTED[equation] in (model, "both")), (model, error)


def test_a_serial_robot_is_not_harmed_by_the_missing_stars() -> None:
    """(105), (108): only where branches meet."""
    x = Case.of(kt.robots.eel(5), 1)
    assert relative_error(Matrices(x, ["(105), (108)"]).direct(), Matrices(x).direct()) < ROUNDING


def test_the_wrench_on_the_base_is_zero_with_the_corrected_signs_alone() -> None:
    """(96): the residual that inverse dynamics leaves on the base."""
    x = branching()
    for printed, is_zero in (((), True), (("(96)",), False)):
        acceleration, _ = Matrices(x, printed).inverse()
        tau = inverse_dynamics(x.robot, x.q, x.qd, [*acceleration.tolist(), *x.given[6:]], x.external)
        assert (max(map(abs, tau[:6])) < BALANCE) == is_zero


def test_the_acceleration_is_A_inverse_times_what_the_forces_leave() -> None:
    """(8): without the minus sign."""
    x = Case.of(kt.robots.random_tree(4, 5))
    A, H = mass_matrix(x.robot, x.q), inverse_dynamics(x.robot, x.q, x.qd, [0.0] * 5, x.external)
    solved = np.linalg.solve(A, np.subtract(x.given, H))
    qdd = khalil_forward(x.robot, x.q, x.qd, x.given, x.external)
    assert relative_error(qdd, solved) < ROUNDING
    assert relative_error(qdd, -solved) > WRONG


def test_beta_of_the_composite_link_is_minus_what_the_first_row_says() -> None:
    """After (97): beta^c_0 = -(H1 + A12 qdd), by (86) and not by (68); A and H without gravity, as in section 7."""
    x = branching()
    robot = dataclasses.replace(x.robot, gravity=(0.0, 0.0, 0.0))
    x = dataclasses.replace(x, robot=robot)
    matrices = Matrices(x)
    matrices.inverse()
    # six numbers of qdd are rates of components, from which V0dot differs by w x v
    held = [0.0] * 3 + [*-np.cross(x.qd[:3], x.qd[3:6])]
    first = inverse_dynamics(robot, x.q, x.qd, [*held, *x.given[6:]], x.external)[:6]
    beta = np.r_[matrices.beta_c0[3:], matrices.beta_c0[:3]]
    assert relative_error(beta, -np.array(first)) < ROUNDING
    assert relative_error(beta, np.array(first)) > WRONG


def test_gravity_has_to_be_added_to_the_acceleration_of_the_base() -> None:
    """Section 7: a robot that falls freely has the acceleration g, and (97) and (109) say 0."""
    robot = floating(kt.robots.random_tree(5, 3))
    q, zeros = states(robot, 1).q[0].tolist(), [0.0] * 3
    for model in (khalil_free_base_inverse, khalil_free_base_forward):
        acceleration, rest = model(robot, q, [0.0] * 9, zeros)
        R = robot.pose(np.array(q), "base")[:3, :3]
        assert relative_error(acceleration, [0.0] * 3 + [*(R.T @ [*robot.gravity])]) < ROUNDING
        assert relative_error(rest, zeros) < ROUNDING


# -- cost, the text of the files, bad input ----------------------------------------------------------------------------


def operations(function: Any, robot: kt.Robot) -> Array:
    """Multiplications and divisions; additions and subtractions."""
    n = kt.trace(function, robot, signature="q(nq), qd(nv), x(nv-nbase) -> a(nbase), b(nv-nbase)").operations
    return np.array([n["mul"] + n["div"], n["add"] + n["sub"]])


@pytest.mark.parametrize("function", [khalil_free_base_inverse, khalil_free_base_forward])
def test_the_cost_of_an_eel_grows_linearly(function: Any) -> None:
    """Section 7: "its computational complexity is linear". Two joints more, about z and y, always cost the same."""
    counts = [operations(function, kt.robots.eel(joints)) for joints in range(4, 13, 2)]
    first, *others = np.diff(counts, axis=0).tolist()
    assert others == [first] * 3


def test_joints_that_the_paper_does_not_have_are_refused() -> None:
    arm = kt.robots.two_link()
    hand = kt.Body("hand", kt.Joint("wrist", kt.joints.Spherical()), kt.Inertia(1.0), "link2")
    follower = dataclasses.replace(hand, joint=kt.Joint("wrist", Revolute(), mimic=kt.Mimic("joint1")))
    for body in (hand, follower):
        robot = dataclasses.replace(arm, bodies=(*arm.bodies, body))
        with pytest.raises(ModelError, match=r"body 'hand': .*revolute and prismatic.*`hybrid_dynamics` takes all"):
            khalil_forward(robot, [0.0] * robot.nq, [0.0] * robot.nv, [0.0] * robot.nv)


def test_numbers_that_do_not_fit_are_refused() -> None:
    arm, eel = kt.robots.two_link(), kt.robots.eel(2)
    with pytest.raises(InputError, match="qd has 3 numbers, robot 'two_link' needs 2"):
        khalil_forward(arm, [0.0] * 2, [0.0] * 3, [0.0] * 2)
    with pytest.raises(InputError, match="qdd_rigid has 1 numbers, robot 'two_link' needs 2"):
        khalil_elastic_inverse(arm, [0.0] * 2, [0.0] * 2, [0.0])
    with pytest.raises(InputError, match="needs 2"):
        khalil_free_base_inverse(eel, eel.neutral.tolist(), [0.0] * 8, [0.0] * 8)


def test_bases_that_do_not_float_freely_are_refused() -> None:
    arm, eel = kt.robots.two_link(), kt.robots.eel(1)
    with pytest.raises(ModelError, match=r"robot 'two_link': .* one body that floats"):
        khalil_free_base_inverse(arm, [0.0] * 2, [0.0] * 2, [])
    tied = with_joints(eel, [dataclasses.replace(eel.bodies[0].joint, damping=1.0), eel.bodies[1].joint])
    with pytest.raises(ModelError, match="joint 'base': nothing may hold the base"):
        khalil_free_base_forward(tied, tied.neutral.tolist(), [0.0] * 7, [0.0])


def test_a_link_that_nothing_resists_is_noticed() -> None:
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=1.0, com=(0.5, 0.0, 0.0)), kt.DH(a=1.0)])
    with pytest.raises(SingularModelError, match="nothing that body 'link2' carries resists its joint"):
        khalil_forward(robot, [0.0] * 2, [0.0] * 2, [0.0] * 2)
