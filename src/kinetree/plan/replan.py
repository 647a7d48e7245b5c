"""Planning again for a robot that moves: from where it is now, to the same goal or to another one.

The rest of the old motion is the guess, and its multipliers, at the times that are left, are the guess of the new ones.
All that does not depend on the ends is the same, compiled code among it: start and goal are numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.nlp import Termination
from kinetree.plan.checks import DURATIONS, check
from kinetree.plan.constraints import ALWAYS, PathConstraint, PointConstraint
from kinetree.plan.coordinates import PathCoordinate
from kinetree.plan.ends import settle_ends
from kinetree.plan.guess import first_guess, with_ends
from kinetree.plan.options import Options
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.search import better, search_from
from kinetree.plan.transcriber import Transcriber
from kinetree.plan.warm import warm_start
from kinetree.runtime.arrays import Array

BARRIER = 1e-3  # that the solver starts with
_MARGIN = 0.3  # of bounds, as a part of the optimality: what is violated in between is then mostly within
_SAMPLES = 12  # in each knot interval where the point of a motion nearest to a configuration is looked for
_LEAST = 1e-3  # of the old motion, what is left of it at the least


def replan(
    plan: Plan, t: float | None, state: tuple[Any, Any, Any], goal: ArrayLike | None, obstacles: Any, options: Options
) -> Plan:
    """See `Plan.replan`."""
    if plan.problem is None:
        raise InputError("this plan does not know its task; solve a Problem, or load a plan that was saved by save()")
    _refuse(plan)
    passed = _passed(plan, t, state[0])
    left = plan.coordinate_motion(plan.duration * (passed + (1.0 - passed) * plan.spline.greville), 2)
    here = [own if given is None else given for own, given in zip(left[:, 0], state)]
    if state[2] is None and not _is_smooth(plan.problem):
        here[2] = None
    problem = _rest_of(plan.problem, plan, passed, here, goal)
    if plan.scene is not None:
        problem.scene = plan.scene.later(passed * plan.duration, obstacles)
    elif obstacles is not None:
        raise InputError("the plan knows no obstacles; plan it with Problem.avoid, or obstacles=")
    check(problem)
    transcriber = Transcriber(problem)
    warm = warm_start(transcriber, plan, ends=False)
    start = _rest_of_motion(transcriber, left[0], (1.0 - passed) * plan.duration)
    if warm is not None:
        grid = transcriber.refinement(options.collocation, options.margin, options.elastic).s
        warm = replace(warm.rest(passed, grid, _MARGIN * options.optimality), barrier=BARRIER)
    # where what has moved leaves no way nearby a long search for one would be in vain
    plan = search_from(transcriber, start, options, near=True, brief=plan.scene is not None, warm=warm)
    left = options.time_limit - plan.seconds
    if plan.ok or plan.scene is None or plan.termination is Termination.USER_STOP or left <= 0.0:
        return plan
    again = search_from(transcriber, first_guess(transcriber), replace(options, time_limit=left))
    return replace(better(plan, again), seconds=plan.seconds + again.seconds)


def _refuse(plan: Plan) -> None:
    if isinstance(plan.coordinates, PathCoordinate):
        raise InputError("a motion along a path can't be planned again from elsewhere; plan along the rest of the path")
    if plan.problem is not None and plan.problem.periodic_order is not None:
        raise InputError("a periodic motion has no goal; solve its problem again with the motion as the guess")


def _passed(plan: Plan, t: float | None, q: Any) -> float:
    """The part of the old motion that has passed: at a time, or nearest to a configuration."""
    if t is None:
        s = plan.spline.samples(_SAMPLES)
        if q is None:
            raise InputError("say where the robot is: give q=, or the time t= since the start of the plan")
        wanted = np.asarray(q, float)
        at = plan.spline.curve(plan.control_points, s, 0)[0]
        if wanted.shape != at.shape[1:]:
            return 0.0
        return min(float(s[np.argmin(((at - wanted) ** 2).sum(axis=1))]), 1.0 - _LEAST)
    if not np.isfinite(t) or t < 0.0:
        raise InputError(f"the time since the start of a plan is a number of seconds not below 0, got {t!r}")
    return min(float(t) / plan.duration, 1.0 - _LEAST)


def _rest_of(problem: Problem, plan: Plan, passed: float, here: Sequence[Any], goal: Any) -> Problem:
    """The same task from here on, of positions, velocities and accelerations."""
    other, left = problem.snapshot(shared=True), (1.0 - passed) * plan.duration
    if passed:
        if any(c.during != ALWAYS for c in problem.constraints):
            other.constraints, other.shared = (
                [_later(c, passed) for c in problem.constraints if c.during[1] > passed],
                {},
            )
        via = [c for c in problem.point_constraints if c.s in ALWAYS or c.s > passed]
        other.point_constraints = [_later_point(c, passed) for c in via]
        if problem.durations != DURATIONS:
            least, most = (max(x - passed * plan.duration, _LEAST * left) for x in problem.durations)
            other.durations = least, most
    other.start(*here)
    if goal is not None:
        linear = problem.coordinates.is_linear
        ends = {c.quantity.order: c.lower for c in other.point_constraints if c.s == 1.0 and linear(c.quantity)}
        other.point_constraints = [c for c in other.point_constraints if c.s != 1.0]
        other.end(goal, ends.get(1, 0.0), ends.get(2))
        settle_ends(other)
    return other


def _is_smooth(problem: Problem) -> bool:
    """Whether accelerations must not jump: where jerks or rates of forces are limited."""
    return any(c.quantity.order > 2 for c in problem.constraints)


def _later(c: PathConstraint, passed: float) -> PathConstraint:
    start, end = ((max(s, passed) - passed) / (1.0 - passed) for s in c.during)
    return replace(c, during=(start, end))


def _later_point(c: PointConstraint, passed: float) -> PointConstraint:
    return c if c.s in ALWAYS else replace(c, s=(c.s - passed) / (1.0 - passed))


def _rest_of_motion(transcriber: Transcriber, curve: Array, duration: float) -> Array:
    """The variables of the rest of the old motion, given at the Greville abscissae, with its ends where the problem
    wants them."""
    spline = transcriber.spline
    x = np.append(with_ends(transcriber, spline.interpolate(spline.greville, curve)), duration)
    return transcriber.completed(np.clip(x, transcriber.bounds.lower, transcriber.bounds.upper))
