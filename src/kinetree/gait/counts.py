"""How large the task of a step is: unknowns, and limits by family."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kinetree.gait.quantities import GroundForce, JointMoment, LoadOffset, SwingTogether, ZeroMomentPoint
from kinetree.gait.step import Step
from kinetree.plan.frames import Distance, FramePosition
from kinetree.plan.grid import Grid
from kinetree.plan.quantity import Derivative, Quantity

_FAMILIES: dict[type[Quantity], str] = {
    Derivative: "joint angles",
    JointMoment: "joint moments",
    FramePosition: "ground contact and foot positions",
    GroundForce: "dynamic balance",
    ZeroMomentPoint: "dynamic balance",
    LoadOffset: "dynamic balance",
    SwingTogether: "arm-leg coupling",
    Distance: "self-avoidance",
}


def counted(step: Step, places: int) -> dict[str, int]:
    """Unknowns of all 55 coordinates and those that are free, and limits at so many places in each span.

    A limit with a lower and an upper bound counts once, as in the thesis.
    """
    problem = step.problem()
    at = Grid(problem, places).places
    found: Counter[str] = Counter()
    for limit in problem.limits:
        bounded = np.isfinite(limit.lower) | np.isfinite(limit.upper)
        once = limit.during[0] == limit.during[1]
        family = (
            "ground clearance" if once and isinstance(limit.quantity, Derivative) else _FAMILIES[type(limit.quantity)]
        )
        inside = (limit.during[0] <= at) & (at <= limit.during[1])
        found[family] += int(bounded.sum()) * int(inside.sum())
    found["symmetry"] = sum(rows.count for rows in problem.condition_rows())
    points = step.control_points
    free = points * step.walker.robot.nv
    return {"unknowns": points * step.walker.body.nv, "free unknowns": free, "limits": found.total(), **found}
