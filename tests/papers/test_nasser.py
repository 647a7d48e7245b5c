"""Nasser's inbound and outbound passes, corrected, against the general algorithms, and the printed signs that fail.

The paper has two checks and prints no numbers of them: a planar two-link arm, analytically, and the arm of the Space
Shuttle against Walker and Orin's method. Both are made here. `by_matrices` is the paper's summary once more, with its
6 x 6 matrices and the inverse of L by elimination; there the printed forms can be put in.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from papers.nasser import planar, planar_accelerations
from strategies import Array, relative_error, sprung, with_joints

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.errors import InputError, ModelError, SingularModelError
from kinetree.joints import Revolute
from kinetree.recursions.nasser import Inverse, nasser
from kinetree.spatial.inertia import ArticulatedInertia
from kinetree.spatial.matrix3 import Mat3, Sym3
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.vec3 import Vec3

ROUNDING = 1e-11  # thousands of products, each rounded to 1.1e-16, and divisions by inertias that may be small
WRONG = 1e-3  # far above rounding: all numbers here are about one
GRAVITY = (1.0, -2.0, -9.0)  # along no axis
KINDS = {"R": "revolute", "P": "prismatic"}
TRACED = "q(nq), qd(nv), tau(nv) -> qdd(nv)"


# -- robots, states, loads ---------------------------------------------------------------------------------------------


def arm(kinds: str, seed: int = 0, *, branches: bool = False, drives: bool = False) -> kt.Robot:
    """A random standard DH table with full inertias; with branches every row stands on any earlier one or the base."""
    rng = np.random.default_rng([seed, len(kinds)])
    rows = []
    for i, kind in enumerate(kinds):
        second = (lambda A: A @ A.T)(rng.normal(size=(3, 3)) * 0.3)  # of the mass about its centre
        inertia = np.trace(second) * np.eye(3) - second
        a, d, theta, *com = rng.normal(size=6).tolist()
        alpha = float(rng.choice([rng.uniform(-3, 3), math.pi / 2, 0.0, -math.pi / 2]))
        damping, coulomb, rotor_inertia = (rng.uniform(0.1, 1, 3) * drives).tolist()
        row = kt.DH(a=a, alpha=alpha, d=d, theta=theta, joint=KINDS[kind], damping=damping, coulomb=coulomb)
        parent = int(rng.integers(i + 1)) if branches else None
        body = {"mass": float(rng.uniform(0.5, 2)), "com": com, "inertia": inertia, "rotor_inertia": rotor_inertia}
        rows.append(dataclasses.replace(row, parent=parent, **body))
    return kt.Robot.from_dh(rows, "standard", gravity=GRAVITY)


@dataclasses.dataclass(frozen=True)
class Case:
    """A robot in motion, with loads on its links and a base that is moved."""

    robot: kt.Robot
    q: list[float]
    qd: list[float]
    tau: list[float]
    external: list[list[float]] | None
    base: BaseMotion | None

    @staticmethod
    def of(robot: kt.Robot, seed: int = 0, *, loads: bool = True, moves: bool = True) -> Case:
        rng = np.random.default_rng([seed, 1])
        q, qd, tau = rng.normal(size=(3, robot.nv)).tolist()
        external, base = rng.normal(size=(robot.nbodies, 6)).tolist(), rng.normal(size=(2, 6)).tolist()
        return Case(
            robot, q, qd, tau, external if loads else None, BaseMotion.prescribed(robot, *base) if moves else None
        )

    @property
    def given(self) -> tuple[Any, ...]:
        return self.robot, self.q, self.qd, self.tau, self.external, self.base


def assert_equal_to_the_general_algorithms(case: Case) -> None:
    """Forward dynamics is the same, and inverse dynamics gives the control torques back."""
    qdd = nasser(*case.given)
    assert relative_error(qdd, forward_dynamics(*case.given)) < ROUNDING
    tau = inverse_dynamics(case.robot, case.q, case.qd, qdd, case.external, case.base)
    assert relative_error(tau, case.tau) < ROUNDING


# -- equal to the general algorithms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("branches", [False, True], ids=["serial", "tree"])
@pytest.mark.parametrize("kinds", ["R", "P", "RRRRRR", "PPP", "RPRPR", "PRPR", "RRPRPRR"])
def test_accelerations_are_those_of_the_general_algorithm(kinds: str, branches: bool) -> None:
    assert_equal_to_the_general_algorithms(Case.of(arm(kinds, branches=branches, drives=True)))


@settings(max_examples=100, deadline=None)
@given(
    kinds=st.text("RP", min_size=1, max_size=8),
    seed=st.integers(0, 10**6),
    branches=st.booleans(),
    drives=st.booleans(),
    loads=st.booleans(),
    moves=st.booleans(),
)
def test_and_so_they_are_for_any_table(
    kinds: str, seed: int, branches: bool, drives: bool, loads: bool, moves: bool
) -> None:
    robot = arm(kinds, seed, branches=branches, drives=drives)
    assert_equal_to_the_general_algorithms(Case.of(robot, seed, loads=loads, moves=moves))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), joints=st.integers(1, 8), drives=st.booleans(), springs=st.booleans())
def test_the_axes_may_have_any_direction(seed: int, joints: int, drives: bool, springs: bool) -> None:
    """A tree of the zoo: several links may stand on the base, and z is not the axis of all joints."""
    robot = kt.robots.random_tree(seed, joints, friction=drives)
    robot = sprung(robot, np.random.default_rng(seed)) if springs else robot
    assert_equal_to_the_general_algorithms(Case.of(robot, seed))


@pytest.mark.parametrize("drives", [False, True], ids=["bare", "drives"])
def test_the_recursion_can_be_traced_and_compiled(drives: bool) -> None:
    robot = arm("RPR", branches=True, drives=drives)
    states = np.random.default_rng(0).normal(size=(3, 20, 3))
    compiled = kt.compile(nasser, robot, signature=TRACED)
    rows = [forward_dynamics(robot, *state) for state in zip(*states.tolist())]
    assert relative_error(compiled(*states), rows) < ROUNDING


# -- the two checks of the paper ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_planar_arm_of_two_links(seed: int) -> None:
    """The robot of the zoo, without gravity; and links of unlike data in a vertical plane."""
    q, qd, tau = np.random.default_rng(seed).normal(size=(3, 2))
    unlike = [(0.7, 1.3, 0.3, 0.08), (0.5, 0.6, 0.35, 0.05)]
    cases = ((kt.robots.two_link(), [(0.4, 0.5, 0.2, 0.1)] * 2, 0.0), (planar(unlike), unlike, 9.81))
    for robot, links, g in cases:
        ours = nasser(robot, *(x.tolist() for x in (q, qd, tau)))
        assert relative_error(ours, planar_accelerations(links, g, q, qd, tau)) < ROUNDING


def walker_orin(robot: kt.Robot, q: list[float], qd: list[float], tau: list[float]) -> Array:
    """Columns of the mass matrix are joint forces for unit accelerations; then a linear system is solved."""
    n, weightless = robot.nv, dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0))
    columns = [inverse_dynamics(weightless, q, [0.0] * n, unit) for unit in np.eye(n).tolist()]
    bias = inverse_dynamics(robot, q, qd, [0.0] * n)
    return np.linalg.solve(np.array(columns).T, np.subtract(tau, bias))


@pytest.mark.parametrize("seed", range(5))
def test_the_arm_of_the_shuttle_moves_as_walker_and_orin_say(seed: int) -> None:
    """The paper: "The hinge accelerations obtained from both models were identical."."""
    robot = kt.robots.shuttle_rms()
    q, qd, tau = np.random.default_rng(seed).normal(size=(3, robot.nv)) * [[1.0], [0.1], [100.0]]
    given = [x.tolist() for x in (q, qd, tau)]
    qdd = nasser(robot, *given)
    assert relative_error(qdd, walker_orin(robot, *given)) < ROUNDING
    assert relative_error(qdd, forward_dynamics(robot, *given)) < ROUNDING


# -- the 6 x 6 matrices ------------------------------------------------------------------------------------------------


def skew(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def stacked(R: Array) -> Array:
    """R*, (2.1.18)."""
    return np.kron(np.eye(2), R)


def array(R: Any) -> Array:
    return np.array([[*row] for row in R.matrix])


PRINTED = ("(2.1.13.2)", "(2.1.3) f^c", "(2.1.3) F^E", "(2.2.4) f^c", "(2.2.4) F^E", "(2.1.19.4), (2.1.19.7)")


def by_matrices(case: Case, printed: Collection[str] = ()) -> Array:
    """Sections 3.1 and 3.2, the linear part of a 6-vector first; the equations in ``printed`` are taken as they are."""
    robot, root = case.robot, case.base or BaseMotion.fixed(case.robot)
    n, I6, parents = robot.nv, np.eye(6), robot.parents
    # outwards: frame i - 1 is the joint frame; R and P* lead to it from that of the parent's joint
    w = {-1: np.array([*root.angular.w])}
    rate, c, motion, to_world = {-1: np.zeros(6)}, {-1: np.zeros(6)}, {-1: (np.eye(3), np.zeros(3))}, {-1: np.eye(3)}
    R, P, Z, sigma_star = {}, {}, {}, {}
    for i, (body, p) in enumerate(zip(robot.bodies, parents)):
        joint, turns = body.joint, isinstance(body.joint.kind, Revolute)
        R[i] = motion[p][0] @ array(joint.placement.R)
        P[i] = motion[p][1] + motion[p][0] @ [*joint.placement.p]
        sign = -1.0 if "(2.1.13.2)" in printed else 1.0
        sigma_star[i] = np.r_[np.cross(w[p], np.cross(w[p], P[i])) + c[p][:3], sign * c[p][3:]]
        z, before, zero = np.array([*joint.kind.axis]), R[i].T @ w[p], np.zeros(3)
        Z[i] = np.r_[zero, z] if turns else np.r_[z, zero]
        rate[i] = Z[i] * case.qd[i]
        w[i] = before + rate[i][3:]
        c[i] = np.r_[2 * np.cross(before, rate[i][:3]), np.cross(before, rate[i][3:])]
        moved = joint.kind.transform([case.q[i]])
        motion[i], to_world[i] = (array(moved.R), np.array([*moved.p])), to_world[p] @ R[i]
    # inbound
    friction = [b.joint.passive_forces([x], [v])[0] for b, x, v in zip(robot.bodies, case.q, case.qd)]
    control = {i: Z[i] * (case.tau[i] - friction[i]) for i in range(n)}
    A_star, B_star, G, gamma = {}, {}, {}, {}
    for i in reversed(range(n)):
        body, children = robot.bodies[i], [k for k in range(n) if parents[k] == i]
        turn, arm = motion[i]
        m, com = body.inertia.mass, turn @ [*body.inertia.com]
        r, J = arm + com, turn @ np.array([[*row] for row in body.inertia.about_com.full]) @ turn.T
        wrench = np.zeros(6) if case.external is None else np.array(case.external[i])
        F_E = to_world[i].T @ wrench[3:]
        N_E = to_world[i].T @ wrench[:3] - np.cross(com, F_E)  # about the centre of mass
        f_outer = sum((R[k] @ control[k][:3] for k in children), np.zeros(3))
        n_outer = sum((R[k] @ control[k][3:] + np.cross(P[k], R[k] @ control[k][:3]) for k in children), np.zeros(3))
        beta = m * (np.cross(w[i], np.cross(w[i], r)) + np.cross(c[i][3:], r) + c[i][:3])
        beta_star = J @ c[i][3:] + np.cross(w[i], J @ w[i])
        N_t = N_E + np.cross(r, F_E) - n_outer + control[i][3:]
        equation = "(2.1.3)" if Z[i][3:].any() else "(2.2.4)"
        f_sign, F_sign = (-1.0 if f"{equation} {term}" in printed else 1.0 for term in ("f^c", "F^E"))
        first = beta - control[i][:3] + f_sign * f_outer - F_sign * F_E
        A_star[i] = np.block([[m * np.eye(3), -m * skew(r)], [m * skew(r), J - m * skew(r) @ skew(r)]])
        B_star[i] = np.r_[first, beta_star + np.cross(r, beta) - N_t]
        for k in children:
            shift = np.block([[np.eye(3), np.zeros((3, 3))], [skew(P[k]), np.eye(3)]])
            onward = shift @ stacked(R[k]) @ gamma[k] @ G[k]
            A_k = onward @ A_star[k] @ stacked(R[k]).T @ shift.T
            A_star[i] = A_star[i] + A_k
            B_star[i] = B_star[i] + onward @ B_star[k] + A_k @ sigma_star[k]
        ZZ, J_a = np.outer(Z[i], Z[i]), body.joint.reflected_inertia[0]
        G[i] = np.linalg.inv(I6 - ZZ - A_star[i] @ ZZ - J_a * ZZ)
        gamma[i] = I6 - ZZ if "(2.1.19.4), (2.1.19.7)" in printed else I6 - ZZ - J_a * ZZ
    # outbound
    a, qdd = {-1: np.array([*root.acceleration, *root.angular.wd])}, []
    for i, p in enumerate(parents):
        shift = np.block([[np.eye(3), np.zeros((3, 3))], [skew(P[i]), np.eye(3)]])
        before = stacked(R[i]).T @ shift.T @ (a[p] + sigma_star[i])
        qdd.append(Z[i] @ G[i] @ (A_star[i] @ before + B_star[i]))
        a[i] = before + Z[i] * qdd[-1]
    return np.array(qdd)


@pytest.mark.parametrize("branches", [False, True], ids=["serial", "tree"])
@pytest.mark.parametrize("kinds", ["RRR", "PPP", "RPPRRP"])
def test_the_closed_form_is_the_elimination_with_matrices(kinds: str, branches: bool) -> None:
    case = Case.of(arm(kinds, branches=branches, drives=True))
    assert relative_error(nasser(*case.given), by_matrices(case)) < ROUNDING


@pytest.mark.parametrize("equation", PRINTED)
def test_the_printed_equation_gives_other_accelerations(equation: str) -> None:
    """Each one alone, the others corrected; links of both kinds carry a link that a force of about 10 N drives."""
    case = Case.of(arm("RPPRRP", 3, drives=True), 3)
    case = dataclasses.replace(case, tau=[10.0 * x for x in case.tau])
    expected = forward_dynamics(*case.given)
    assert relative_error(by_matrices(case), expected) < ROUNDING
    assert relative_error(by_matrices(case, [equation]), expected) > WRONG


@pytest.mark.parametrize("J_a", [0.0, 0.7])
@pytest.mark.parametrize("turns", [True, False], ids=["rotational", "translational"])
@pytest.mark.parametrize("z", [(0.0, 0.0, 1.0), (0.6, 0.0, -0.8)], ids=["z", "oblique"])
def test_G_is_the_inverse_of_L(z: tuple[float, ...], turns: bool, J_a: float) -> None:
    """And what is passed on is (gamma - J^a Z Z^T) G, which of A* leaves a symmetric matrix."""
    spread = np.random.default_rng(0).normal(size=(6, 6))
    A = spread @ spread.T + np.eye(6)
    Z = np.r_[z, 0, 0, 0] if turns else np.r_[0, 0, 0, z]  # the angular part first
    ZZ = np.outer(Z, Z)
    G = np.linalg.inv(np.eye(6) - ZZ - A @ ZZ - J_a * ZZ)
    onward = (np.eye(6) - ZZ - J_a * ZZ) @ G
    blocks = ArticulatedInertia(symmetric(A[:3, :3]), general(A[:3, 3:]), symmetric(A[3:, 3:]))
    ours = Inverse.of(blocks, Motion.of(Z.tolist()), J_a, "link")
    forces = [Force.of(unit) for unit in np.eye(6).tolist()]
    assert relative_error([ours.hinge(F) for F in forces], Z @ G) < ROUNDING
    assert relative_error(np.array([six(ours.of_force(F)) for F in forces]).T, onward) < ROUNDING
    left = ours.of_inertia(blocks)
    columns = [six(left @ Motion.of(unit)) for unit in np.eye(6).tolist()]
    assert relative_error(np.array(columns).T, onward @ A) < ROUNDING
    assert relative_error(onward @ A, A - np.outer(A @ Z, A @ Z) / (Z @ A @ Z + J_a)) < ROUNDING


def general(M: Array) -> Mat3:
    return Mat3(*(Vec3(*row) for row in M.tolist()))


def symmetric(M: Array) -> Sym3:
    return Sym3.upper(general(M))


def six(F: Force) -> list[float]:
    return [*F.ang, *F.lin]


# -- cost --------------------------------------------------------------------------------------------------------------


def operations(robot: kt.Robot) -> Array:
    """Multiplications and divisions; additions and subtractions."""
    n = kt.trace(nasser, robot, signature=TRACED).operations
    return np.array([n["mul"] + n["div"], n["add"] + n["sub"]])


def test_the_cost_grows_linearly_with_the_links() -> None:
    """Section 3.3; general links, so that each one more costs the same."""
    rng = np.random.default_rng(0)
    body = {"mass": 1.5, "com": (0.1, 0.2, 0.3), "inertia": (0.3, 0.4, 0.5, 0.01, 0.02, 0.03)}
    rows = [kt.DH(**dict(zip(("a", "alpha", "d"), rng.uniform(0.1, 1, 3).tolist())), **body) for _ in range(6)]
    counts = [operations(kt.Robot.from_dh(rows[:n])) for n in range(3, 7)]
    first, *others = np.diff(counts, axis=0).tolist()
    assert others == [first, first]


def test_what_has_nothing_along_the_hinge_is_not_computed() -> None:
    """Without actuator inertia gamma strikes out a row and a column of six."""
    bare = arm("RRRR")
    rotors = with_joints(bare, [dataclasses.replace(body.joint, rotor_inertia=0.5) for body in bare.bodies])
    assert (operations(bare) < 0.95 * operations(rotors)).all()


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_what_the_recursion_does_not_know_is_refused() -> None:
    hand = kt.Body("hand", kt.Joint("wrist", kt.joints.Fixed()), kt.Inertia(1.0), "link2")
    ball = dataclasses.replace(hand, joint=kt.Joint("wrist", kt.joints.Spherical()))
    follower = dataclasses.replace(hand, joint=kt.Joint("wrist", Revolute(), mimic=kt.Mimic("joint1")))
    arm = kt.robots.two_link()
    for body in (hand, ball, follower):
        robot = dataclasses.replace(arm, bodies=(*arm.bodies, body))
        with pytest.raises(ModelError, match=r"body 'hand': .* revolute and prismatic joints .*merge_fixed"):
            nasser(robot, [0.0] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(InputError, match="qd has 3 numbers, the robot 2 joints"):
        nasser(arm, [0.0] * 2, [0.0] * 3, [0.0] * 2)


def test_a_link_that_nothing_resists_is_noticed() -> None:
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=1.0, com=(0.5, 0.0, 0.0)), kt.DH(a=1.0)])
    with pytest.raises(SingularModelError, match="nothing that body 'link2' carries resists its joint"):
        nasser(robot, [0.0] * 2, [0.0] * 2, [0.0] * 2)
