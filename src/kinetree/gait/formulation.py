"""Formulations of walking: what it costs, what limits it, and on which splines it is sought.

``thesis`` is that of [Barman] chapter V, as published: joint moments over strengths, nine families of constraints, six
control points, steps that go on into each other with equal velocities. ``natural`` is the default: see its costs and
limits in `NATURAL`. Both are the same planning problem with other data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import check_name
from kinetree.gait import costs, limits
from kinetree.gait.costs import Term
from kinetree.gait.joints import WALKING, ranges
from kinetree.gait.phases import Timing
from kinetree.gait.quantities import ActiveMoment, JointMoment
from kinetree.gait.usual import usual_length, usual_timing, usual_width
from kinetree.plan import Problem
from kinetree.plan.squares import WeightedSum

if TYPE_CHECKING:
    from kinetree.gait.step import Step
    from kinetree.gait.walker import Walker

_FORE_AFT = 0.05  # m, how far from its usual place the force on a foot may act in double support


@dataclass(frozen=True)
class Formulation:
    """How walking is posed as a planning problem.

    Args:
        name: of the formulation.
        terms: of the cost.
        control_points: of each coordinate in a step, by default.
        degree: of the splines.
        periodic_order: up to which derivative two steps go on into each other.
        half_width: of the strip about the axis of a foot that the ground reaction force goes through [m].
        clearance: of the swing foot in ``mid_swing`` [m]; None for a knee that is flexed in mid-swing (5.9).
        mid_swing: from and to which part of the swing.
        moment_scale, point_scale: what violations of joint moments [N m] and of the places where forces act [m] are
            measured by.
    """

    name: str
    terms: tuple[Term, ...]
    control_points: int
    degree: int
    periodic_order: int
    half_width: float
    clearance: float | None = None
    mid_swing: tuple[float, float] = (0.25, 0.75)
    moment_scale: float = 10.0
    point_scale: float = 0.1

    @property
    def nested(self) -> bool:
        """Whether more control points are those of knots that are inserted, so that motions stay possible."""
        return self.clearance is not None

    # -- what is usual -------------------------------------------------------------------------------------------------

    def usual(self, walker: Walker, speed: float) -> tuple[float, float, Timing]:
        """Step length and width [m] and timing where none are given."""
        if not self.nested:
            return 0.6, 0.10, Timing()
        return usual_length(speed, walker.stature), usual_width(-walker.ground), usual_timing(speed, walker.stature)

    # -- the problem ---------------------------------------------------------------------------------------------------

    def problem(self, step: Step) -> Problem:
        """The planning problem of a step or a stride."""
        walker = step.walker
        problem = Problem(walker.robot, control_points=step.points, degree=step.degree, parameters=step.loads,
                          hessian="differences", knots=step.knots)  # fmt: skip
        problem.duration(step.duration)
        if self.nested:
            self._limit(problem, step)
        else:
            _limit_as_published(problem, step, self.half_width)
        step.repeat(problem)
        self._minimise(problem, step)
        return problem

    def _limit(self, problem: Problem, step: Step) -> None:
        walker = step.walker
        low, high = ranges(walker.robot, WALKING)
        lean = np.array([math.atan(walker.slope) * (name == "global_pelvis_tilt") for name in walker.robot.joint_names])
        limits.limit_joints(problem, step, (low + lean, high + lean))  # upright is as gravity says
        moment = ActiveMoment(walker.ground, walker.strength_scale)
        limits.limit_moments(problem, step, moment, costs.walking_strengths(walker))
        limits.limit_contacts(problem, step)
        limits.limit_balance(problem, step, self.half_width, _FORE_AFT)
        limits.limit_transfer(problem, step)
        limits.limit_arms(problem, step, coupled=False)
        if self.clearance is not None:
            first, last = (step.timing.lift + part * (1.0 - step.timing.lift) for part in self.mid_swing)
            limits.clear_ground(problem, step, self.clearance, (first, last))

    def _minimise(self, problem: Problem, step: Step) -> None:
        if self.nested:
            terms = tuple((term.integrand(step), term.weight) for term in self.terms)
            problem.minimise(WeightedSum(terms))  # compiled together
            return
        for term in self.terms:
            problem.minimise(term.integrand(step), term.weight)


def _limit_as_published(problem: Problem, step: Step, half_width: float) -> None:
    """The nine families of [Barman] section 5.2."""
    limits.limit_joints(problem, step, step.walker.ranges)
    limits.limit_moments(problem, step, JointMoment(step.walker.ground), step.walker.strengths)
    limits.limit_contacts(problem, step)
    limits.limit_balance(problem, step, half_width, half_width)
    limits.limit_arms(problem, step, coupled=True)
    limits.limit_knees(problem, step)


Order = tuple[tuple[int, float], ...]  # of knots, as fractions of the phases: double support, foot flat, heel rise
# inner knots of a step in the order in which they come: where the effort of the calibrated walk falls most, of a few
KNOTS: Order = (
    *((0, 1.0), (2, 1 / 4), (2, 5 / 6), (1, 1 / 6), (0, 1 / 2), (1, 1 / 3), (1, 1.0), (2, 1 / 2), (1, 2 / 3)),
    *((0, 1 / 4), (2, 3 / 4), (0, 3 / 4)),
)
# of cubic splines, from far away: where phases change. With others more searches from random starts are lost
CUBIC_KNOTS: Order = ((0, 1.0), (1, 1.0), (2, 1 / 2))


def nested_knots(lift: float, rise: float, count: int, order: Order = KNOTS) -> tuple[float, ...]:
    """So many inner knots of a step; fewer are always some of more.

    Example:
        >>> [round(s, 3) for s in nested_knots(0.2, 0.6, 5)]
        [0.1, 0.2, 0.267, 0.7, 0.933]
    """
    phases = (0.0, lift), (lift, rise), (rise, 1.0)
    ends = [(phases[k], share) for k, share in order[:count]]
    knots = [start + (end - start) * share for (start, end), share in ends]
    while len(knots) < count:
        edges = np.array([0.0, *sorted(knots), 1.0])
        k = int(np.argmax(np.round(np.diff(edges), 9)))
        knots.append(float(0.5 * (edges[k] + edges[k + 1])))
    return tuple(sorted(knots))


THESIS = Formulation(
    "thesis",
    (
        Term("joint moments", 1.0, costs.joint_moments, "(5.1)"),
        Term("accelerations", 1e-7, costs.raw_accelerations, "it settles what effort leaves open"),
    ),
    control_points=6,
    degree=3,
    periodic_order=1,
    half_width=0.04,
)
NATURAL = Formulation(
    "natural",
    (
        Term("muscle moments", 0.42, costs.muscle_moments, "[Anderson2007], [RienerEdrich1999], [Bhargava2004]"),
        Term("work", 1.9, costs.work, "[Margaria1968], [RebulaKuo2015]"),
        Term("work of ankles with a tendon", 1.9, costs.ankle_work, "[Margaria1968], stiffness [Hof1998]"),
        Term("moments about the centre of mass", 0.06, costs.centroidal_moments, "[HerrPopovic2008]"),
        Term("accelerations", 22.0, costs.accelerations, "[Falisse2019]"),
        Term("jerks", 0.024, costs.jerks, "accelerations through muscles that need 33 ms"),
        Term("rate of the ground force", 0.006, costs.force_rates, "[RebulaKuo2015]"),
    ),
    control_points=14,
    degree=5,
    periodic_order=2,
    half_width=0.015,
    clearance=0.013,
    moment_scale=50.0,
    point_scale=0.5,
)
FORMULATIONS = {some.name: some for some in (NATURAL, THESIS)}


def formulation(name: str) -> Formulation:
    """By its name."""
    check_name("formulation of walking", name, FORMULATIONS)
    return FORMULATIONS[name]
