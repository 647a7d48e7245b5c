"""How large the task of a step is: variables, and constraints by family."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kinetree.gait.quantities import GroundForce, JointMoment, LoadOffset, SwingTogether, ZeroMomentPoint
from kinetree.gait.step import Step
from kinetree.plan import Distance, FramePosition, Plan
from kinetree.plan.constraints import PathConstraint
from kinetree.plan.quantity import Derivative, Quantity

COLLOCATION = 8  # points in each knot interval where constraints are enforced at first
_FAMILIES: dict[type[Quantity], str] = {
    Derivative: "joint angles",
    JointMoment: "joint moments",
    FramePosition: "ground contact and foot positions",
    **dict.fromkeys((GroundForce, ZeroMomentPoint, LoadOffset), "dynamic balance"),
    SwingTogether: "arm-leg coupling",
    Distance: "self-avoidance",
}


def counted(step: Step, plan: Plan) -> dict[str, int]:
    """Variables of all 55 coordinates and those that are free, and constraints at the first collocation points.

    A constraint with a lower and an upper bound counts once, as in the thesis.
    """
    s = np.union1d(plan.spline.samples(COLLOCATION), [s for c in plan.constraints for s in c.during])
    found: Counter[str] = Counter()
    for c in plan.constraints:
        bounded = np.isfinite(c.lower) | np.isfinite(c.upper)
        found[_family(c)] += int(bounded.sum()) * int(((c.during[0] <= s) & (s <= c.during[1])).sum())
    found["symmetry"] = plan.control_points.shape[1] * (step.periodic_order + 1)
    variables = len(plan.control_points) * step.walker.body.nv
    return {"variables": variables, "free variables": plan.control_points.size, "constraints": found.total(), **found}


def _family(c: PathConstraint) -> str:
    in_mid_swing = c.during[0] == c.during[1] and isinstance(c.quantity, Derivative)
    return "ground clearance" if in_mid_swing else _FAMILIES[type(c.quantity)]
