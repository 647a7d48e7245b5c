"""Nasser: operations of forward dynamics, and his two checks."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin

import numpy as np

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.recursions.nasser import nasser
from papers.chains import counted, evaluated, revolute_rows
from papers.figure import Figure

JOINTS, ARMS = 6, 100
LINKS = range(3, 9)
SLOPE, CONSTANT = (258, 191), (119, 83)  # 258N-119 multiplications, 191N-83 additions

_TEST = "tests/papers/test_nasser.py"
_NOT_REPRODUCED = (
    "the paper's counts are not reproduced: the recursion as printed, common terms shared and constants folded, has "
    "other slopes and constants. N counts moving links; base at rest, first axis along gravity, no loads"
)


def figures() -> list[Figure]:
    """The two counts of section 3.3, and the two validations of which the paper gives no data."""
    return [_engine(), *_operations(), _slopes(), _planar(), _agreement()]


def _engine() -> Figure:
    return Figure(
        "Nasser",
        f"operations of forward dynamics, {JOINTS}R [mult / add]",
        evaluated(SLOPE, CONSTANT, JOINTS),
        counted(arm(JOINTS).operations("forward_dynamics")),
        "tests/papers/test_table.py",
        "neither sharing rules nor an implementation are given",
    )


def _operations() -> list[Figure]:
    """His recursion, corrected and traced, for arms of several lengths; the general algorithm beside it."""
    rows = []
    for n in LINKS:
        robot = arm(n)
        published = " / ".join(str(a * n - b) for a, b in zip(SLOPE, CONSTANT))
        ours = f"{counted(traced(robot))}; `forward_dynamics` {counted(robot.operations('forward_dynamics'))}"
        rows.append(
            Figure("Nasser", f"his recursion, traced, N = {n} [mult / add]", published, ours, _TEST, _NOT_REPRODUCED)
        )
    return rows


def _slopes() -> Figure:
    """By how much one more link raises the counts, from the two longest arms."""
    last, before = (arm(n) for n in (LINKS[-1], LINKS[-2]))
    own = _difference(traced(last), traced(before))
    general = _difference(last.operations("forward_dynamics"), before.operations("forward_dynamics"))
    return Figure(
        "Nasser",
        "the same for one more link [mult / add]",
        " / ".join(map(str, SLOPE)),
        f"{own}; `forward_dynamics` {general}",
        _TEST,
        _NOT_REPRODUCED,
    )


def _planar() -> Figure:
    """The planar arm of two links, against its equations of motion in closed form: any data, any states."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(ARMS):
        links = rng.uniform(0.1, 2.0, size=(2, 4)).tolist()
        q, qd, tau = rng.normal(size=(3, 2)).tolist()
        expected = planar_accelerations(links, 9.81, q, qd, tau)
        worst = max(worst, float(np.abs(nasser(planar(links), q, qd, tau) - expected).max() / np.abs(expected).max()))
    return Figure(
        "Nasser",
        f"his recursion against the closed form, {ARMS} planar two-link arms",
        "verified analytically",
        f"{worst:.0e}",
        _TEST,
        "the largest relative difference, with random data and states; the paper shows no derivation",
    )


def planar(links: Sequence[Sequence[float]], g: float = 9.81) -> kt.Robot:
    """Links in a vertical plane, each with its length, mass, distance of the centre of mass from the joint, inertia."""
    rows = [kt.DH(a=x[0], mass=x[1], com=(x[2] - x[0], 0, 0), inertia=[x[3]] * 3) for x in links]
    return kt.Robot.from_dh(rows, "standard", gravity=(0.0, -g, 0.0))


def planar_accelerations(
    links: Sequence[Sequence[float]], g: float, q: Sequence[float], qd: Sequence[float], tau: Sequence[float]
) -> np.ndarray:
    """The textbook's two-link arm in a vertical plane."""
    (l1, m1, r1, I1), (_, m2, r2, I2) = links
    cross = m2 * l1 * r2
    M22 = I2 + m2 * r2**2
    M12 = M22 + cross * cos(q[1])
    M11 = I1 + m1 * r1**2 + M22 + m2 * l1**2 + 2 * cross * cos(q[1])
    centrifugal = cross * sin(q[1]) * np.array([-2 * qd[0] * qd[1] - qd[1] ** 2, qd[0] ** 2])
    outer = m2 * r2 * cos(q[0] + q[1])
    weight = g * np.array([(m1 * r1 + m2 * l1) * cos(q[0]) + outer, outer])
    t1, t2 = np.subtract(tau, centrifugal + weight)
    return np.array([M22 * t1 - M12 * t2, M11 * t2 - M12 * t1]) / (M11 * M22 - M12**2)


def _agreement() -> Figure:
    """The arm of the Shuttle, as the paper does it: against Walker and Orin's method."""
    robot, rng = kt.robots.shuttle_rms(), np.random.default_rng(0)
    n, worst = robot.nv, 0.0
    for _ in range(20):
        q, qd, tau = (rng.normal(size=(3, n)) * [[1.0], [0.1], [100.0]]).tolist()
        columns = [inverse_dynamics(robot, q, [0.0] * n, unit) for unit in np.eye(n).tolist()]  # no gravity
        solved = np.linalg.solve(np.transpose(columns), np.subtract(tau, inverse_dynamics(robot, q, qd, [0.0] * n)))
        worst = max(worst, float(np.abs(nasser(robot, q, qd, tau) - solved).max() / np.abs(solved).max()))
    return Figure(
        "Nasser",
        "his recursion against Walker and Orin's, arm of the Shuttle",
        "identical",
        f"{worst:.0e}",
        _TEST,
        "the largest relative difference; with (2.1.13.2) corrected. The paper's data are not given",
    )


def arm(links: int) -> kt.Robot:
    """General revolute links; beyond the seventh their inertias are no longer those of bodies, which costs the same."""
    return kt.Robot.from_dh(revolute_rows(links), strict=False)


def traced(robot: kt.Robot) -> dict[str, int]:
    """The operations of his recursion."""
    return kt.trace(nasser, robot, signature="q(nq), qd(nv), tau(nv) -> qdd(nv)").operations


def _difference(more: dict[str, int], less: dict[str, int]) -> str:
    return counted({op: more[op] - less.get(op, 0) for op in more})
