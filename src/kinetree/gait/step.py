"""A step or a stride as a task for the planner: the nine families of constraints of [Barman] section 5.2.

A stride is two steps as one periodic task, for a walker whose sides differ. What holds in a phase of its first step
holds with left and right exchanged, one step ahead, in that phase of the second. The strength and the range of a joint
are its own, so both steps may differ wherever the sides of the walker do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.gait.phases import CONTACTS, Timing
from kinetree.gait.quantities import GroundForce, JointMoment, LoadOffset, SwingTogether, ZeroMomentPoint, actuated
from kinetree.gait.walker import Walker
from kinetree.plan import Distance, FramePosition, Plan, Problem, Squares
from kinetree.plan.constraints import PathConstraint
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.robots.human_table import STATURE
from kinetree.runtime.arrays import Array

Interval = tuple[float, float]
SLACK = 5e-4  # m, how far a point in contact may be from its position: it slides by 1 mm at the most
_HALF_WIDTH = 0.04  # m, of a foot
_HAND_TO_HIP = 0.20  # m, between wrist and hip: the radii r1 + r2 of (5.7)
_KNEE, _KNEE_SLACK = np.radians(60.0), np.radians(5.0)  # flexion in mid-swing (5.9)
_LEAST_LOAD = 0.1  # of the weight: the least vertical ground force, so that there is a zero-moment point
# what violations are measured by: a length [m], a moment [N m]
_LENGTH, _MOMENT = 0.1, 10.0
_REGULARISATION = 1e-7  # the weight of accelerations beside the effort: it settles what effort leaves open
_OTHER_FOOT = [3, 4, 5, 0, 1, 2]  # of the contacts
COLLOCATION = 8  # points in each knot interval where constraints are enforced at first
_FAMILIES: dict[type[Quantity], str] = {
    Derivative: "joint angles",
    JointMoment: "joint moments",
    FramePosition: "ground contact and foot positions",
    **dict.fromkeys((GroundForce, ZeroMomentPoint, LoadOffset), "dynamic balance"),
    SwingTogether: "arm-leg coupling",
    Distance: "self-avoidance",
}


class Footstep(NamedTuple):
    """One step of a motion: which foot stands, from and to which s, and how far forward it is of the first step [m]."""

    stance: str
    start: float
    end: float
    advance: float

    def during(self, interval: Interval) -> Interval:
        """An interval of the step as one of the whole motion."""
        start, end = (self.start + (self.end - self.start) * s for s in interval)
        return start, end

    def named(self, name: str) -> str:
        """The frame or joint that has this name in a step on the left foot."""
        return name if self.stance == "L" else {"L": "R", "R": "L"}[name[0]] + name[1:]

    def bounds(self, lower: ArrayLike, upper: ArrayLike) -> tuple[Array, Array]:
        """Bounds on a position, x first and z last: with left and right exchanged where the right foot stands."""
        low, high = np.array(lower, float), np.array(upper, float)
        if self.stance == "R":
            low[0], high[0] = -high[0], -low[0]
        low[-1], high[-1] = low[-1] + self.advance, high[-1] + self.advance
        return low, high


@dataclass(frozen=True)
class Step:
    """One step, from the strike of the left heel to that of the right.

    Args:
        walker: who walks.
        speed: [m/s].
        length: of the step [m].
        width: between the midlines of the feet [m].
        timing: of the phases.
        control_points: of each coordinate.
    """

    walker: Walker
    speed: float = 1.2
    length: float = 0.6
    width: float = 0.10
    timing: Timing = Timing()
    control_points: int = 6

    @property
    def steps(self) -> tuple[Footstep, ...]:
        """The steps that it consists of."""
        return (Footstep("L", 0.0, 1.0, 0.0),)

    @property
    def periodic_order(self) -> int:
        """Up to which derivative the end agrees with the start."""
        return 1

    @property
    def points(self) -> int:
        """Control points of each coordinate in all steps."""
        return self.control_points

    @property
    def duration(self) -> float:
        """[s]."""
        return self.length / self.speed

    def load_distribution(self, s: ArrayLike) -> Array:
        """The fraction of the ground reaction force at each of `CONTACTS`: (k, 6)."""
        return self.timing.load_distribution(s)

    @cached_property
    def feet(self) -> dict[str, Array]:
        """Where the points of the feet are when they are in contact with the ground: x, y, z [m]; (5.10)."""
        strike, positions = self.length / 2.0, {}
        for point in CONTACTS:
            forward = float(self.walker.standing(point)[2] - self.walker.standing("L_heel")[2])
            if point[0] == "L":
                x, heel = self.width / 2.0, strike
            else:  # the right foot was one step behind, and will be one ahead
                x, heel = -self.width / 2.0, strike + (self.length if point == "R_heel" else -self.length)
            positions[point] = np.array([x, self.walker.ground, heel + forward])
        return positions

    def problem(self) -> Problem:
        """The task: least dynamic effort (5.1)."""
        robot, loads = self.walker.robot, self.load_distribution
        problem = Problem(robot, control_points=self.points, parameters=loads, hessian="differences")
        problem.duration(self.duration)
        self._limit_joints(problem)
        self._limit_contacts(problem)
        self._limit_balance(problem)
        self._limit_arms(problem)
        self._limit_knees(problem)
        self._repeat(problem)
        low, high = (side[actuated(robot)] for side in self.walker.strengths)
        most = np.maximum(np.abs(low), np.abs(high))
        problem.minimise(Squares(JointMoment(self.walker.ground), tuple((1.0 / most**2).tolist())))
        problem.minimise("acceleration", _REGULARISATION)
        return problem

    def _limit_joints(self, problem: Problem) -> None:
        """(1) joint angles (5.2), (2) joint moments (5.3)."""
        low, high = self.walker.ranges
        problem.limit("position", lower=low, upper=high, scale=1.0)
        low, high = (side[actuated(self.walker.robot)] for side in self.walker.strengths)
        problem.limit(JointMoment(self.walker.ground), lower=low, upper=high, scale=_MOMENT)

    def _limit_contacts(self, problem: Problem) -> None:
        """(3) points in contact rest, others are not below the ground (5.4); (9) where they rest is given (5.10)."""
        for point, position in self.feet.items():
            lowest = [-np.inf, self.walker.ground - SLACK, -np.inf]
            problem.limit(FramePosition(point), lower=lowest, scale=_LENGTH)
            if (during := self.timing.contact(point)) is not None:
                for step in self.steps:
                    low, high = step.bounds(position - SLACK, position + SLACK)
                    what = FramePosition(step.named(point))
                    problem.limit(what, lower=low, upper=high, during=step.during(during), scale=_LENGTH)

    def _limit_balance(self, problem: Problem) -> None:
        """(4) the zero-moment point is inside the stance foot (5.5); in double support the force is near each foot."""
        ground, weight, timing, feet = self.walker.ground, self.walker.weight, self.timing, self.feet
        problem.limit(GroundForce(ground), lower=[-np.inf, _LEAST_LOAD * weight, -np.inf], scale=weight)
        middle, half = self.width / 2.0, _HALF_WIDTH * self.walker.stature / STATURE
        for back, during in (("L_heel", (timing.lift, timing.rise)), ("L_ball", (timing.rise, 1.0))):
            for step in self.steps:
                low, high = step.bounds([middle - half, feet[back][2]], [middle + half, feet["L_toe"][2]])
                what = ZeroMomentPoint(ground)
                problem.limit(what, lower=low, upper=high, during=step.during(during), scale=_LENGTH)
        for step in self.steps:
            problem.limit(LoadOffset(ground), half, during=step.during((0.0, timing.lift)), scale=_LENGTH)

    def _limit_arms(self, problem: Problem) -> None:
        """(5) arms swing against legs (5.6), (6) hands keep off the hips (5.7)."""
        for arm, leg in (("L", "R"), ("R", "L")):
            coupled = SwingTogether((f"{arm}_upper_arm", f"{arm}_hand"), (f"{leg}_thigh", f"{leg}_foot"))
            problem.limit(coupled, lower=0.0, scale=_LENGTH)
            least = _HAND_TO_HIP * self.walker.stature / STATURE
            problem.limit(Distance(f"{arm}_hand", f"{arm}_thigh"), lower=least, scale=_LENGTH)

    def _limit_knees(self, problem: Problem) -> None:
        """(8) the knee of the swing leg is flexed in mid-swing (5.9)."""
        names, middle = self.walker.robot.joint_names, (self.timing.swing, self.timing.swing)
        for step in self.steps:
            if (knee := step.named("R_knee_flexion")) not in names:
                raise InputError(f"the knee is flexed by 55 to 65 deg in mid-swing (5.9), but {knee!r} is locked")
            free = np.where([name == knee for name in names], 0.0, np.inf)
            low, high = _KNEE - _KNEE_SLACK - free, _KNEE + _KNEE_SLACK + free
            problem.limit("position", lower=low, upper=high, during=step.during(middle), scale=1.0)

    def _repeat(self, problem: Problem) -> None:
        """(7) the end is the mirror image of the start, one step ahead (5.8)."""
        problem.periodic(self.periodic_order, self.walker.advance(self.length), self.walker.mirror)


@dataclass(frozen=True)
class Stride(Step):
    """Two steps: from the strike of the left heel over that of the right one, s = 1/2, to the next of the left.

    Args:
        control_points: as for a step. A stride of n has 2 n + 1 for each coordinate, one more for each step because
            accelerations agree at both heel strikes; so there is a knot at the second.

    The others are those of `Step`. Both steps have the same length and duration.

    Example:
        >>> from kinetree.gait import Stride, Walker
        >>> stride = Stride(Walker(strength={"L_knee": 0.3}))
        >>> stride.duration, stride.problem().spline.size
        (1.0, 13)
    """

    @property
    def steps(self) -> tuple[Footstep, ...]:
        return Footstep("L", 0.0, 0.5, 0.0), Footstep("R", 0.5, 1.0, self.length)

    @property
    def periodic_order(self) -> int:
        """Both steps meet with equal accelerations in the middle of the spline, and so they do at its ends."""
        return 2

    @property
    def points(self) -> int:
        return 2 * self.control_points + 1

    @property
    def duration(self) -> float:
        """Of both steps [s]."""
        return 2.0 * self.length / self.speed

    def load_distribution(self, s: ArrayLike) -> Array:
        """As for a step; the second step is the first with the feet exchanged."""
        s = np.asarray(s, float)
        second = s >= 0.5
        found = self.timing.load_distribution(np.where(second, 2.0 * s - 1.0, 2.0 * s))
        return np.where(second[..., None], found[..., _OTHER_FOOT], found)

    @property
    def first(self) -> Step:
        """The first step alone."""
        return Step(self.walker, self.speed, self.length, self.width, self.timing, self.control_points)

    def _repeat(self, problem: Problem) -> None:
        """(7) the end is the start, two steps ahead."""
        problem.periodic(self.periodic_order, 2.0 * self.walker.advance(self.length))


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
