"""Guarino Lo Bianco's recursion and figures: joint forces and their rates in modified DH frames.

The recursion as printed (corrected) against the general algorithm; both against the Stanford arm along the quintic of
section V, of which the paper prints no forces: the numbers below come from an independent program, checked with
Pinocchio and finite differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from stanford_trajectory import DIGITS, DURATION, END, FORCES, START, quintic
from strategies import duals, rate_part, relative_error

import kinetree as kt
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.recursions.guarino import Tip, guarino
from kinetree.spatial.vec3 import Vec3

# sums of some hundred products of numbers up to 1e2, each rounded to 1.1e-16
ROUNDING = 1e-12
ZERO = 1e-12  # N m/s; what a sum of rates of 200 N m/s that cancel leaves

RATES = {  # time [s]: d tau/dt [N m/s, N/s]
    0.0: ("0.106071590", "47.5262575", "93.9380687", "-0.646154170", "-0.585629411", "-6.03341339e-3"),
    1.0: ("-16.9469362", "-91.0289909", "-146.201185", "-1.38755021", "3.04321167", "1.87229772e-3"),
    2.0: ("-131.420473", "222.454817", "98.3645444", "1.58158516", "-1.98875152", "-4.78385256e-3"),
}
# sampling time [s]: the largest error of a backward difference of tau_1 [N m/s], in as many digits as are known
BACKWARD = {1e-4: "2.4022e-2", 1e-3: "2.4022e-1", 1e-2: "2.4020e+0"}


# -- the recursion -----------------------------------------------------------------------------------------------------


def random_rows(seed: int, joints: Sequence[str]) -> list[kt.DH]:
    """General links with full inertias, friction and rotors."""
    rng, rows = np.random.default_rng(seed), []
    for joint in joints:
        spread = rng.normal(size=(3, 3))
        moments = spread @ spread.T
        inertia = (np.trace(moments) * np.eye(3) - moments).tolist()
        a, alpha, d, theta, *com = rng.normal(size=7).tolist()
        mass, damping, coulomb, rotor = rng.uniform(0.5, 2.0, 4).tolist()
        losses = {"damping": damping, "coulomb": coulomb, "rotor_inertia": rotor}
        rows.append(
            kt.DH(a=a, alpha=alpha, d=d, theta=theta, joint=joint, mass=mass, com=com, inertia=inertia, **losses)
        )
    return rows


arms = st.builds(
    random_rows, st.integers(0, 10**6), st.lists(st.sampled_from(("revolute", "prismatic")), min_size=1, max_size=7)
)


def motion(n: int, seed: int = 0) -> list[list[float]]:
    """q, qd, qdd, qddd."""
    return np.random.default_rng(seed).normal(size=(4, n)).tolist()


@settings(max_examples=100)
@given(rows=arms)
def test_the_recursion_is_the_general_algorithm(rows: list[kt.DH]) -> None:
    robot, x = kt.Robot.from_dh(rows), motion(len(rows))
    assert relative_error(guarino(rows, *x), forces_and_rates(robot, *x)) < ROUNDING


@settings(max_examples=40)
@given(rows=arms)
def test_the_recursion_with_a_load_at_the_tip(rows: list[kt.DH]) -> None:
    """The general algorithm takes the load on the last body in world axes, the paper what the arm exerts in frame N."""
    robot, x, n = kt.Robot.from_dh(rows), motion(len(rows)), len(rows)
    load, load_rate = np.random.default_rng(1).normal(size=(2, 6))
    R = robot.pose(x[0], f"link{n}")[:3, :3]
    f, n_, fd, nd = (Vec3(*(-R.T @ part).tolist()) for part in (load[3:], load[:3], load_rate[3:], load_rate[:3]))
    none = [[0.0] * 6] * (n - 1)
    loads = [*none, load.tolist()], [*none, load_rate.tolist()]
    assert relative_error(guarino(rows, *x, Tip(f, n_, fd, nd)), forces_and_rates(robot, *x, *loads)) < ROUNDING


@settings(max_examples=40)
@given(rows=arms)
def test_the_rate_is_the_derivative_of_the_force(rows: list[kt.DH]) -> None:
    """By dual numbers, so without any of the paper's rates."""
    q, qd, qdd, qddd = motion(len(rows))
    moving = (duals(q, qd), duals(qd, qdd), duals(qdd, qddd))
    tau, _ = guarino(rows, *moving, [0.0] * len(rows))
    assert relative_error(guarino(rows, q, qd, qdd, qddd)[1], rate_part(tau)) < ROUNDING


@pytest.mark.parametrize(
    "row",
    [kt.DH(joint="fixed"), kt.DH(gamma=0.1), kt.DH(b=0.1), kt.DH(parent=0)],
    ids=["fixed", "gamma", "b", "branch"],
)
def test_what_the_recursion_does_not_know_is_refused(row: kt.DH) -> None:
    with pytest.raises(kt.errors.ModelError, match=r"row 2: .* serial arms"):
        guarino([kt.DH(), row], *motion(2))


# -- the Stanford arm --------------------------------------------------------------------------------------------------


def jerk(t: Any) -> np.ndarray:
    s = np.asarray(t)[..., None] / DURATION
    return (END - START) * (60 - 360 * s + 360 * s**2) / DURATION**3


# alpha, d, theta, joint, mass, com, inertia
TABLE_II = (
    (0.0, 0.412, 0.0, "revolute", 9.29, (0.0, -0.1105, -0.0175), (0.276, 0.071, 0.255)),
    (-pi / 2, 0.154, 0.0, "revolute", 5.01, (0.0, 0.0, -0.1054), (0.108, 0.100, 0.018)),
    (pi / 2, 0.0, -pi / 2, "prismatic", 4.25, (0.0, 0.0, -0.6447), (2.51, 2.51, 0.006)),
    (0.0, 0.0, 0.0, "revolute", 1.08, (0.0, -0.0054, -0.0092), (0.002, 0.001, 0.001)),
    (-pi / 2, 0.0, 0.0, "revolute", 0.63, (0.0, -0.0566, 0.0), (0.003, 0.0004, 0.003)),
    (pi / 2, 0.263, 0.0, "revolute", 0.51, (0.0, 0.0, 0.1554), (0.013, 0.013, 0.0003)),
)


def stanford_rows() -> list[kt.DH]:
    """Table II with the column of inertias that the print lost restored from Paul's data."""
    names = ("alpha", "d", "theta", "joint", "mass", "com", "inertia")
    return [kt.DH(**dict(zip(names, row))) for row in TABLE_II]


def assert_printed(ours: Sequence[float], printed: Sequence[str]) -> None:
    for x, text in zip(ours, printed, strict=True):
        expected = float(text)
        assert abs(x) < ZERO if expected == 0 else float(f"{x:.{DIGITS - 1}e}") == expected


@pytest.mark.parametrize("t", list(RATES))
def test_force_rates_along_the_trajectory(t: float) -> None:
    assert_printed(kt.robots.stanford().force_rates(*quintic(t), jerk(t)), RATES[t])


@pytest.mark.parametrize("t", list(RATES))
def test_the_recursion_along_the_trajectory(t: float) -> None:
    tau, taud = guarino(stanford_rows(), *(x.tolist() for x in (*quintic(t), jerk(t))))
    assert_printed(tau, FORCES[t])
    assert_printed(taud, RATES[t])


@pytest.mark.parametrize("Ts", list(BACKWARD))
def test_a_backward_difference_is_wrong_by_what_the_paper_says_but_for_one_digit(Ts: float) -> None:
    """(36); the paper prints 2.462e-2 for the first."""
    robot, t = kt.robots.stanford(), np.arange(round(DURATION / Ts) + 1) * Ts
    q, qd, qdd = quintic(t[:, None])
    tau, taud = robot.inverse_dynamics(q, qd, qdd), robot.force_rates(q, qd, qdd, jerk(t))
    error = np.abs(taud[1:] - np.diff(tau, axis=0) / Ts)[:, 0].max()
    assert f"{error:.4e}" == f"{float(BACKWARD[Ts]):.4e}"
