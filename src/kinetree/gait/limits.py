"""What a step or a stride is limited by: families of constraints, those of [Barman] section 5.2 and some of its own.

Each takes a problem and a step, and limits the one to what the other asks for. What holds in a phase of the first step
of a stride holds with left and right exchanged, one step ahead, in that phase of the second.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import InputError
from kinetree.gait.quantities import (
    ActiveMoment,
    GroundForce,
    JointMoment,
    LoadOffset,
    LoadTransfer,
    SwingTogether,
    ZeroMomentPoint,
    actuated,
)
from kinetree.plan import Distance, FramePosition, Plan, Problem
from kinetree.plan.constraints import PathConstraint
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.runtime.arrays import Array

if TYPE_CHECKING:
    from kinetree.gait.step import Step

SLACK = 5e-4  # m, how far a point in contact may be from its position: it slides by 1 mm at the most
_HAND_TO_HIP = 0.20  # m, between wrist and hip: the radii r1 + r2 of (5.7)
_KNEE, _KNEE_SLACK = np.radians(60.0), np.radians(5.0)  # flexion in mid-swing (5.9)
_NOTHING = 0.01  # of the load: what a foot carries at most when it comes down or leaves the ground
_LEAST_LOAD = 0.1  # of the weight: the least vertical ground force, so that there is a zero-moment point
_LENGTH = 0.1  # m, what violations of lengths are measured by
COLLOCATION = 8  # points in each knot interval where constraints are enforced at first
_FAMILIES: dict[type[Quantity], str] = {
    Derivative: "joint angles",
    JointMoment: "joint moments",
    ActiveMoment: "joint moments",
    FramePosition: "ground contact and foot positions",
    **dict.fromkeys((GroundForce, ZeroMomentPoint, LoadOffset, LoadTransfer), "dynamic balance"),
    SwingTogether: "arm-leg coupling",
    Distance: "self-avoidance",
}


def limit_joints(problem: Problem, step: Step, ranges: tuple[Array, Array]) -> None:
    """(1) joint angles (5.2)."""
    problem.limit("position", lower=ranges[0], upper=ranges[1], scale=1.0)


def limit_moments(problem: Problem, step: Step, moment: JointMoment, strengths: tuple[Array, Array]) -> None:
    """(2) joint moments (5.3)."""
    low, high = (side[actuated(step.walker.robot)] for side in strengths)
    problem.limit(moment, lower=low, upper=high, scale=step.rules.moment_scale)


def limit_contacts(problem: Problem, step: Step) -> None:
    """(3) points in contact rest, others are not below the ground (5.4); (9) where they rest is given (5.10)."""
    for point, position in step.feet.items():
        lowest = [-np.inf, step.walker.ground - SLACK, -np.inf]
        problem.limit(FramePosition(point), lower=lowest, scale=_LENGTH)
        if (during := step.timing.contact(point)) is not None:
            for one in step.steps:
                low, high = one.bounds(position - SLACK, position + SLACK)
                what = FramePosition(one.named(point))
                problem.limit(what, lower=low, upper=high, during=one.during(during), scale=_LENGTH)


def limit_balance(problem: Problem, step: Step, half_width: float, fore_aft: float) -> None:
    """(4) the zero-moment point is inside the stance foot (5.5); in double support the force is near each foot."""
    walker, timing, feet = step.walker, step.timing, step.feet
    problem.limit(
        GroundForce(walker.ground), lower=[-np.inf, _LEAST_LOAD * walker.weight, -np.inf], scale=walker.weight
    )
    middle, half = step.width / 2.0, half_width * walker.size
    for back, during in (("L_heel", (timing.lift, timing.rise)), ("L_ball", (timing.rise, 1.0))):
        for one in step.steps:
            low, high = one.bounds([middle - half, feet[back][2]], [middle + half, feet["L_toe"][2]])
            what = ZeroMomentPoint(walker.ground)
            problem.limit(what, lower=low, upper=high, during=one.during(during), scale=step.rules.point_scale)
    for one in step.steps:
        near = [half, fore_aft * walker.size]
        what, during = LoadOffset(walker.ground), one.during((0.0, timing.lift))
        problem.limit(what, near, during=during, scale=step.rules.point_scale)


def limit_transfer(problem: Problem, step: Step) -> None:
    """In double support the load goes over from the trailing to the leading foot, from nothing to all of it."""
    what, lift = LoadTransfer(step.walker.ground), step.timing.lift
    ends = (0.0, _NOTHING, (0.0, 0.0)), (1.0 - _NOTHING, 1.0, (lift, lift))
    for low, high, during in ((0.0, 1.0, (0.0, lift)), *ends):
        for one in step.steps:
            problem.limit(what, lower=low, upper=high, during=one.during(during), scale=1.0)


def limit_arms(problem: Problem, step: Step, coupled: bool) -> None:
    """(5) arms swing against legs (5.6), where they are coupled; (6) hands keep off the hips (5.7)."""
    for arm, leg in (("L", "R"), ("R", "L")):
        if coupled:
            together = SwingTogether((f"{arm}_upper_arm", f"{arm}_hand"), (f"{leg}_thigh", f"{leg}_foot"))
            problem.limit(together, lower=0.0, scale=_LENGTH)
        least = _HAND_TO_HIP * step.walker.size
        problem.limit(Distance(f"{arm}_hand", f"{arm}_thigh"), lower=least, scale=_LENGTH)


def limit_knees(problem: Problem, step: Step) -> None:
    """(8) the knee of the swing leg is flexed in mid-swing (5.9)."""
    names, middle = step.walker.robot.joint_names, (step.timing.swing, step.timing.swing)
    for one in step.steps:
        if (knee := one.named("R_knee_flexion")) not in names:
            raise InputError(f"the knee is flexed by 55 to 65 deg in mid-swing (5.9), but {knee!r} is locked")
        free = np.where([name == knee for name in names], 0.0, np.inf)
        low, high = _KNEE - _KNEE_SLACK - free, _KNEE + _KNEE_SLACK + free
        problem.limit("position", lower=low, upper=high, during=one.during(middle), scale=1.0)


def clear_ground(problem: Problem, step: Step, clearance: float, during: tuple[float, float]) -> None:
    """The swing foot stays so high above the ground in a part of the step [m]."""
    lowest = [-np.inf, step.walker.ground + clearance * step.walker.size, -np.inf]
    for point in ("R_heel", "R_ball", "R_toe"):
        for one in step.steps:
            what = FramePosition(one.named(point))
            problem.limit(what, lower=lowest, during=one.during(during), scale=_LENGTH)


# -- how large the task is ---------------------------------------------------------------------------------------------


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
