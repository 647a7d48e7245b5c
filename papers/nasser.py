"""Nasser: operations of forward dynamics, and his two checks."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.recursions.nasser import nasser
from papers.chains import counted, evaluated, revolute_rows
from papers.figure import Figure

JOINTS = 6
LINKS = range(3, 9)
SLOPE, CONSTANT = (258, 191), (119, 83)  # 258N-119 multiplications, 191N-83 additions

_TEST = "tests/papers/test_nasser.py"
_NOT_REPRODUCED = (
    "the paper's counts are not reproduced: the recursion as printed, common terms shared and constants folded, has "
    "other slopes and constants. N counts moving links; base at rest, first axis along gravity, no loads"
)


def figures() -> list[Figure]:
    """The two counts of section 3.3, and the two validations of which the paper gives no data."""
    return [_engine(), *_operations(), _slopes(), _agreement()]


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
