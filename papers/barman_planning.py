"""Barman, chapter IV: the two planar arms, planned with cubic splines."""

from __future__ import annotations

from math import pi

import kinetree as kt
from papers.barman import END, LIMIT, START
from papers.figure import Figure

POINTS = (15, 20, 30, 45)  # control points of each joint; the thesis does not say how many it has
# example 4.2: m, rad; bounds of 10 N and 10 N m; the weight of the effort
PR_START, PR_END, PR_LIMIT, WEIGHT = (0.1, 0.6), (pi / 4, -pi / 4), 10.0, 0.01
OFFSET = pi / 2  # of the second angle in the DH table
PR_POINTS = 20
_TIME = "`kt.plan.minimum_time` in papers/barman_planning.py"
_BOTH = "`kt.plan.Problem` in papers/barman_planning.py"
_COUNT = "the number of control points is not given; more of them come closer to the exact 0.391854540"
_READING = (
    "not reproduced: 0.5585 follows from no reading of the tables that was tried (angles, centres of mass, weights, "
    "inertias); the two readings of the second angle are given"
)


def two_link(points: int) -> kt.plan.Plan:
    """Example 4.1: the shortest time under torque limits."""
    robot = kt.robots.two_link()
    return kt.plan.minimum_time(robot, q0=START, q1=END, force_limits=LIMIT, control_points=points)


def prismatic_revolute(literal: bool, points: int = PR_POINTS) -> kt.plan.Plan:
    """Example 4.2: time and effort.

    Args:
        literal: whether the angle of the second link is q2 + pi/2, as the DH table says, or q2.
        points: control points of each joint.
    """
    problem = kt.plan.Problem(kt.robots.prismatic_revolute(), control_points=points)
    shift = 0.0 if literal else -OFFSET  # the built-in robot has the offset of the table
    problem.start([PR_START[0], PR_START[1] + shift])
    problem.end([PR_END[0], PR_END[1] + shift])
    problem.limit("force", PR_LIMIT)
    problem.minimise("time", 1.0 - WEIGHT)
    problem.minimise("effort", WEIGHT)
    return problem.solve()


def figures() -> list[Figure]:
    """Those of sections 4.1 and 4.2."""
    times = {points: two_link(points).duration for points in POINTS}
    table, plain = prismatic_revolute(literal=True), prismatic_revolute(literal=False)
    others = ", ".join(f"{times[k]:.5f} with {k}" for k in POINTS if k != 30)
    return [
        Figure("Barman", "2R arm by cubic splines, 30 points [s]", "0.392", f"{times[30]:.5f}", _TIME, _COUNT),
        Figure("Barman", "the same, Wang (2005) and Xiang (2009) [s]", "0.394, 0.393", others, _TIME, _COUNT),
        Figure("Barman", "PR arm, time and effort: T [s]", "0.5585",
               f"{plain.duration:.4f} (theta2 = q2), {table.duration:.4f} (the table)", _BOTH, _READING),
        Figure("Barman", "PR arm, time and effort: J", "-", f"{plain.cost:.4f}, {table.cost:.4f}", _BOTH,
               "the thesis does not print J"),
    ]  # fmt: skip
