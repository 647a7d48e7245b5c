"""Barman's own recursions, corrected, against the general algorithms, and the eight printed equations that fail.

The thesis has its internal forces in the axes of frame j and about the origin of frame j - 1. Kinetree's body frame is
the proximal one, before the twist alpha and behind the offset d, so that both are converted here. A force at a point of
a link is a load on a massless body that is fixed there: it keeps its direction while the point moves.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import Array, Dual, duals, on_floats, rate_part, relative_error

import kinetree as kt
from kinetree.errors import InputError, ModelError, UnknownNameError
from kinetree.recursions.barman import BarmanLink, JointForces, Load, joint_forces, motions
from kinetree.recursions.barman_sensitivities import Change, changes, joint_force_sensitivities
from kinetree.spatial.matrix3 import Mat3
from kinetree.spatial.vec3 import Vec3

ROUNDING = 1e-12  # sums of some hundred products of numbers up to 1e2, each rounded to 1.1e-16
WRONG = 1e-3  # far above rounding: all numbers here are about one
GRAVITY = (1.0, -2.0, -9.0)  # along no axis
KINDS = {"R": "revolute", "P": "prismatic"}
Motion = tuple[list[float], list[float], list[float]]

# -- tables, states, loads ---------------------------------------------------------------------------------------------


def table(kinds: str, seed: int = 0, *, branches: bool = False, friction: bool = False) -> list[kt.DH]:
    """Random rows with full inertias; with branches every row stands on any earlier one or on the base."""
    rng = np.random.default_rng([seed, len(kinds)])
    rows = []
    for i, kind in enumerate(kinds):
        second = (lambda A: A @ A.T)(rng.normal(size=(3, 3)) * 0.3)  # of the mass about its centre
        inertia = np.trace(second) * np.eye(3) - second
        a, d, theta = rng.normal(size=3)
        alpha = float(rng.choice([rng.uniform(-3, 3), math.pi / 2, 0.0, -math.pi / 2]))
        losses = rng.uniform(0.1, 1, 3) if friction else np.zeros(3)
        row = kt.DH(a=a, alpha=alpha, d=d, theta=theta, joint=KINDS[kind])
        row = dataclasses.replace(row, parent=int(rng.integers(i + 1)) if branches else None)
        row = dataclasses.replace(row, mass=float(rng.uniform(0.5, 2)), com=rng.normal(size=3), inertia=inertia)
        rows.append(dataclasses.replace(row, **dict(zip(("damping", "coulomb", "rotor_inertia"), losses))))
    return rows


def motion(rows: list[kt.DH], seed: int = 0) -> Motion:
    q, qd, qdd = np.random.default_rng([seed, 1]).normal(size=(3, len(rows))).tolist()
    return q, qd, qdd


def loads(rows: list[kt.DH], seed: int = 0) -> list[Load]:
    """On any links, two of them on the last."""
    rng = np.random.default_rng([seed, 2])
    links = [*map(int, rng.integers(1, len(rows) + 1, size=2)), len(rows), len(rows)]
    return [Load(link, *rng.normal(size=(3, 3)).tolist()) for link in links]


def loaded_robot(rows: list[kt.DH], loads: list[Load]) -> tuple[kt.Robot, Array]:
    """The robot with a massless body at the point of each load, and the loads on all bodies."""
    robot = kt.Robot.from_dh(rows, "standard", gravity=GRAVITY)
    external, points = np.zeros((robot.nbodies + len(loads), 6)), []
    for k, load in enumerate(loads):
        body, pose = robot.frame(f"dh{load.link}")
        point = kt.Joint(f"load{k}", kt.joints.Fixed(), pose @ kt.Transform(p=load.point))
        points.append(kt.Body(f"point{k}", point, parent=robot.bodies[body].name))
        external[robot.nbodies + k] = [*load.moment, *load.force]
    return dataclasses.replace(robot, bodies=robot.bodies + tuple(points)), external


# -- what the general algorithms say, in the frames of the thesis ------------------------------------------------------


def in_frame_j(rows: list[kt.DH], q: list[float], w: Array) -> tuple[Array, Array]:
    """F_jp and tau_jp from wrenches (nbodies, 6, ...) in body axes about the body's origin."""
    F, tau = [], []
    for row, x, (moment, force) in zip(rows, q, ((n[:3], n[3:]) for n in w)):
        c, s = math.cos(row.alpha), math.sin(row.alpha)
        twist = np.array([[1, 0, 0], [0, c, s], [0, -s, c]])  # Rx(alpha)^T
        F.append(twist @ force)
        tau.append(twist @ (moment + distance(row, x) * crossed(force)))
    return np.array(F), np.array(tau)


def distance(row: kt.DH, q: float) -> float:
    return row.d + (q if row.joint == "prismatic" else 0.0)


def crossed(force: Array) -> Array:
    """z x force, along the first axis."""
    return np.stack([-force[1], force[0], np.zeros_like(force[0])])


def expected(rows: list[kt.DH], state: Motion, on: list[Load]) -> tuple[Array, Array, Array]:
    """tau, F_p, tau_p."""
    robot, external = loaded_robot(rows, on)
    arrays = [np.array([x]) for x in state]
    f = on_floats(robot)
    tau = f("inverse_dynamics", *arrays, external=external[None])[0]
    w = f("joint_wrenches", *arrays, external=external[None])[0]
    return tau, *in_frame_j(rows, state[0], w)


def expected_sensitivities(rows: list[kt.DH], state: Motion, on: list[Load]) -> list[tuple[Array, Array, Array]]:
    """For q, qd and qdd: the derivatives of tau, F_p and tau_p, the last axis along the variables."""
    robot, external = loaded_robot(rows, on)
    arrays = [np.array([x]) for x in state]
    f = on_floats(robot)
    wrenches = f("joint_wrenches", *arrays, external=external[None])[0]
    of_tau = f("inverse_dynamics_derivatives", *arrays, external=external[None])
    of_w = f("joint_wrench_derivatives", *arrays, external=external[None])
    found = [(dtau[0], *in_frame_j(rows, state[0], dw[0])) for dtau, dw in zip(of_tau, of_w)]
    for j, row in enumerate(rows):
        if row.joint == "prismatic":  # the body's origin moves away from that of frame j - 1
            c, s = math.cos(row.alpha), math.sin(row.alpha)
            twist = np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
            found[0][2][j, :, j] += twist @ crossed(wrenches[j, 3:])
    return found


def arrays_of(forces: JointForces) -> tuple[Array, Array, Array]:
    F_p, tau_p = (np.array([[*v] for v in part]) for part in (forces.F_p, forces.tau_p))
    return np.array(forces.tau), F_p, tau_p


def columns(sensitivities: list[JointForces]) -> tuple[Array, ...]:
    return tuple(np.stack(part, -1) for part in zip(*map(arrays_of, sensitivities)))


# -- equal to the general algorithms -----------------------------------------------------------------------------------


def assert_equal_to_the_general_algorithms(rows: list[kt.DH], seed: int = 0) -> None:
    state, on = motion(rows, seed), loads(rows, seed)
    assert relative_error(arrays_of(joint_forces(rows, *state, on, GRAVITY)), expected(rows, state, on)) < ROUNDING
    found = joint_force_sensitivities(rows, *state, on, GRAVITY)
    for ours, theirs in zip(found, expected_sensitivities(rows, state, on), strict=True):
        assert relative_error(columns(ours), theirs) < ROUNDING


@pytest.mark.parametrize("branches", [False, True], ids=["serial", "branched"])
@pytest.mark.parametrize("kinds", ["R", "P", "RRRR", "RPRPR", "PRPR", "RPPR", "PPP", "RRPRPRR"])
def test_forces_and_sensitivities_are_those_of_the_general_algorithms(kinds: str, branches: bool) -> None:
    assert_equal_to_the_general_algorithms(table(kinds, branches=branches))


@settings(max_examples=60, deadline=None)
@given(kinds=st.text("RP", min_size=1, max_size=6), seed=st.integers(0, 10**6), branches=st.booleans())
def test_and_so_they_are_for_any_table(kinds: str, seed: int, branches: bool) -> None:
    assert_equal_to_the_general_algorithms(table(kinds, seed, branches=branches), seed)


def test_friction_and_rotors_are_added() -> None:
    assert_equal_to_the_general_algorithms(table("RPR", friction=True))


@pytest.mark.parametrize("name", ["two_link", "prismatic_revolute"])
def test_the_two_arms_of_the_thesis(name: str) -> None:
    """Tables 4.1 to 4.4, in the rows that the zoo is built from."""
    robot = getattr(kt.robots, name)()
    link = {"a": 0.4, "mass": 0.5, "com": (-0.2, 0.0, 0.0), "inertia": (0.0, 0.1, 0.1)}
    slider = {"joint": "prismatic", "theta": math.pi / 2, "d": 0.4, "alpha": math.pi / 2, "mass": 0.5}
    first = kt.DH(**link) if name == "two_link" else kt.DH(**slider, com=(0, -0.2, 0), inertia=(0.1, 0, 0.1))
    rows = [first, kt.DH(**link, theta=0.0 if name == "two_link" else math.pi / 2)]
    state = motion(rows)
    tau = joint_forces(rows, *state, gravity=(0, 0, 0)).tau
    assert relative_error(tau, on_floats(robot)("inverse_dynamics", *(np.array([x]) for x in state))[0]) < ROUNDING


def test_the_recursion_can_be_traced_and_compiled() -> None:
    rows = table("RPR", branches=True)
    robot = kt.Robot.from_dh(rows, "standard")
    states = np.random.default_rng(0).normal(size=(3, 20, 3))
    tau = kt.compile(lambda *state: joint_forces(rows, *state).tau, signature="(3),(3),(3)->(3)")
    assert relative_error(tau(*states), robot.inverse_dynamics(*states)) < ROUNDING

    def transposed(*state: Any) -> list[list[Any]]:
        return [forces.tau for forces in joint_force_sensitivities(rows, *state)[0]]

    dtau_dq = kt.compile(transposed, signature="(3),(3),(3)->(3,3)")
    ours = np.swapaxes(dtau_dq(*states), -1, -2)
    assert relative_error(ours, robot.inverse_dynamics_derivatives(*states)[0]) < ROUNDING


# -- the motion of the links, which the general algorithms don't give --------------------------------------------------


def moving(state: Motion, i: int, order: int) -> tuple[Any, Any, Any]:
    """The state with one of its numbers moving at the rate 1."""
    unit = [float(k == i) for k in range(len(state[0]))]
    q, qd, qdd = (duals(x, unit) if k == order else x for k, x in enumerate(state))
    return q, qd, qdd


def flat(value: Any) -> list[Any]:
    """The numbers of a link or a change."""
    if isinstance(value, float | Dual):
        return [value]
    parts = (getattr(value, f.name) for f in dataclasses.fields(value)) if not isinstance(value, Mat3) else value
    return [x for part in parts for x in flat(part)]


@pytest.mark.parametrize("branches", [False, True], ids=["serial", "branched"])
@pytest.mark.parametrize("kinds", ["RRR", "PPP", "RPRP", "PRPR"])
def test_the_motions_change_as_their_derivatives_say(kinds: str, branches: bool) -> None:
    """Every part of `Change`, (3.40) among them, against numbers with a rate."""
    rows = table(kinds, branches=branches)
    state = motion(rows)
    links = motions(rows, *state, GRAVITY)
    for i, order in np.ndindex(len(rows), 3):
        found = changes(links, i, order, GRAVITY)
        for j, moved in enumerate(motions(rows, *moving(state, i, order), GRAVITY)):
            for field in dataclasses.fields(Change):
                rates = rate_part(flat(getattr(moved, field.name)))
                ours = np.array(flat(getattr(found[j], field.name))) if j in found else np.zeros_like(rates)
                assert relative_error(ours, rates) < ROUNDING, (i, order, j, field.name)


def test_the_points_move_as_the_frames_do() -> None:
    """x_j and its rates against the pose of the distal frame and its Jacobian."""
    rows = table("RPRR", branches=True)
    q, qd, qdd = motion(rows)
    robot = kt.Robot.from_dh(rows, "standard", gravity=GRAVITY)
    for j, link in enumerate(motions(rows, q, qd, qdd, GRAVITY), 1):
        X, J = robot.pose(q, f"dh{j}"), robot.jacobian(q, f"dh{j}")
        R = X[:3, :3]
        assert relative_error([[*row] for row in link.R0], R) < ROUNDING
        assert relative_error([*link.end.x], R.T @ X[:3, 3]) < ROUNDING
        assert relative_error([*link.w], R.T @ J[:3] @ qd) < ROUNDING
        assert relative_error([*link.end.xd], R.T @ J[3:] @ qd) < ROUNDING


# -- the eight equations as printed ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Case:
    """A chain of a revolute, a prismatic, a revolute and a prismatic joint in motion, with a load on its last link."""

    rows: list[kt.DH]
    state: Motion
    load: Load
    links: list[BarmanLink]

    @staticmethod
    def of(kinds: str = "RPRP") -> Case:
        rows = table(kinds, 5)
        state = motion(rows, 5)
        return Case(rows, state, loads(rows, 5)[-1], motions(rows, *state, GRAVITY))

    def change(self, j: int, i: int, order: int) -> Change:
        return changes(self.links, i, order, GRAVITY)[j]

    def rate(self, i: int, order: int, pick: Callable[[list[BarmanLink]], Vec3]) -> Array:
        """The derivative of something of the motions, by numbers with a rate."""
        return rate_part([*pick(motions(self.rows, *moving(self.state, i, order), GRAVITY))])

    def force_rate(self, i: int, order: int, loads: list[Load], pick: Callable[[JointForces], Vec3]) -> Array:
        return rate_part([*pick(joint_forces(self.rows, *moving(self.state, i, order), loads, GRAVITY))])

    def derivative(self, i: int, order: int, loads: list[Load]) -> JointForces:
        return joint_force_sensitivities(self.rows, *self.state, loads, GRAVITY)[order][i]


Result = tuple[Vec3, Vec3, Array]  # the printed form, ours, the derivative itself


def angular_velocity_of_a_slider(c: Case) -> Result:
    """(3.13): 0."""
    return Vec3.zero, c.change(1, 0, 1).w, c.rate(0, 1, lambda links: links[1].w)


def own_angular_acceleration(c: Case) -> Result:
    """(3.18): ^jw_{j-1} x R_{j,j}^T e_z for i' = j."""
    link, change = c.links[2], c.change(2, 2, 0)
    printed = link.jw.cross(change.R.T @ Vec3(0.0, 0.0, 1.0))
    return printed, c.change(2, 2, 1).wd, c.rate(2, 1, lambda links: links[2].wd)


def velocity_of_a_slider(c: Case) -> Result:
    """(3.40): R_j^T xd_{(j-1),i'} for i < j."""
    printed = c.links[1].R.T @ c.change(0, 0, 1).end.xd
    return printed, c.change(1, 0, 1).end.xd, c.rate(0, 1, lambda links: links[1].end.xd)


def acceleration_of_the_end(c: Case) -> Result:
    """(3.51): w_{j,i''} x Dx_j for i'', and with it (3.54)."""
    link, change = c.links[2], c.change(2, 0, 2)
    printed = link.R.T @ c.change(1, 0, 2).end.xdd + change.w.cross(link.end.Dx)
    return printed, change.end.xdd, c.rate(0, 2, lambda links: links[2].end.xdd)


def own_acceleration_of_a_slider(c: Case) -> Result:
    """(3.52): w_j x R_j^T e_z + w_j x Dxd_{j,j} for i = j."""
    link, change = c.links[1], c.change(1, 1, 0)
    printed = link.w.cross(link.e) + link.w.cross(change.end.Dxd)
    return printed, change.end.xdd, c.rate(1, 0, lambda links: links[1].end.xdd)


def internal_force_under_load(c: Case) -> Result:
    """(3.79): F_{jp,i'} = 0."""
    ours = c.derivative(0, 1, [c.load]).F_p[3]
    return Vec3.zero, ours, c.force_rate(0, 1, [c.load], lambda forces: forces.F_p[3])


def internal_force_under_load_and_acceleration(c: Case) -> Result:
    """(3.79): F_{jp,i''} = 0."""
    ours = c.derivative(0, 2, [c.load]).F_p[3]
    return Vec3.zero, ours, c.force_rate(0, 2, [c.load], lambda forces: forces.F_p[3])


def internal_torque_under_load(c: Case) -> Result:
    """(3.87), (3.91): tau_{jp,i'} = 0."""
    ours = c.derivative(0, 1, [c.load]).tau_p[3]
    return Vec3.zero, ours, c.force_rate(0, 1, [c.load], lambda forces: forces.tau_p[3])


def internal_torque_of_a_slider(c: Case) -> Result:
    """(3.83): tau_{jd,i} + tau_{Gj,i} - F_{jd,i} x Dx_j - F_{Gj,i} x Dx_Gj for i = j.

    The last link has no distal part.
    """
    link, change = c.links[3], c.change(3, 3, 0)
    printed = change.tau_G - change.F_G.cross(link.G.Dx)
    return printed, c.derivative(3, 0, []).tau_p[3], c.force_rate(3, 0, [], lambda forces: forces.tau_p[3])


def torque_of_a_force_at_a_point(c: Case) -> Result:
    """(3.85): Dx_{k,i} x F_kd^e + Dx_k x F_{kd,i}^e for j = k; what the load adds to tau_kp is minus that."""
    load, link, change = dataclasses.replace(c.load, moment=(0.0, 0.0, 0.0)), c.links[3], c.change(3, 0, 0)
    F_e, F_e_change = (R0.T @ load.force for R0 in (link.R0, change.R0))
    printed = -(change.end.Dx.cross(F_e) + link.end.Dx.cross(F_e_change))
    with_load, without = (c.derivative(0, 0, on).tau_p[3] for on in ([load], []))
    rates = [c.force_rate(0, 0, on, lambda forces: forces.tau_p[3]) for on in ([load], [])]
    return printed, with_load - without, rates[0] - rates[1]


PRINTED: dict[str, Callable[[Case], Result]] = {
    "3.13": angular_velocity_of_a_slider,
    "3.18": own_angular_acceleration,
    "3.40": velocity_of_a_slider,
    "3.51": acceleration_of_the_end,
    "3.52": own_acceleration_of_a_slider,
    "3.79, i'": internal_force_under_load,
    "3.79, i''": internal_force_under_load_and_acceleration,
    "3.83": internal_torque_of_a_slider,
    "3.85": torque_of_a_force_at_a_point,
    "3.87, 3.91": internal_torque_under_load,
}


@pytest.mark.parametrize("equation", list(PRINTED))
def test_the_printed_equation_is_wrong_and_ours_is_right(equation: str) -> None:
    printed, ours, derivative = PRINTED[equation](Case.of())
    assert relative_error([*ours], derivative) < ROUNDING
    assert np.abs(np.array([*printed]) - derivative).max() > WRONG


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_messages_say_what_is_wrong_and_what_exists() -> None:
    rows, zero = table("RP"), [0.0, 0.0]
    with pytest.raises(ModelError, match="row 2: joint 'fixed' is not one of 'revolute', 'prismatic'"):
        joint_forces([rows[0], kt.DH(joint="fixed")], zero, zero, zero)
    with pytest.raises(InputError, match="qd has 3 numbers, the table 2 rows"):
        joint_forces(rows, zero, [0.0] * 3, zero)
    for link in (0, 3, "hand"):
        with pytest.raises(UnknownNameError, match=r"there is no link .*'1', '2', 'link1', 'link2'"):
            joint_forces(rows, zero, zero, zero, [Load(link)])


def test_links_are_called_by_number_or_name() -> None:
    rows = [*table("RP"), kt.DH(name="hand", mass=1.0)]
    state, force = motion(rows), (1.0, 2.0, 3.0)
    by_number, by_name = (joint_forces(rows, *state, [Load(link, force)]).tau for link in (3, "hand"))
    assert by_number == by_name != joint_forces(rows, *state).tau
