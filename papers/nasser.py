"""Nasser: operations of direct dynamics."""

from __future__ import annotations

import kinetree as kt
from papers.chains import counted, evaluated, revolute_rows
from papers.figure import NOT_YET, Figure

JOINTS = 6


def figures() -> list[Figure]:
    """The two counts at the end, and the two validations of which the paper gives no data."""
    robot = kt.Robot.from_dh(revolute_rows(JOINTS))
    return [
        Figure(
            "Nasser",
            "operations of direct dynamics, 6R [mult / add]",
            evaluated((258, 191), (119, 83), JOINTS),
            counted(robot.operations("forward_dynamics")),
            "tests/papers/test_guarino.py",
            "neither sharing rules nor an implementation are given; Kinetree trades multiplications for some additions",
        ),
        Figure("Nasser", "his own recursion", "-", NOT_YET, why="a file of its own"),
    ]
