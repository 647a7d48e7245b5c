"""The quickest motion to a goal in space, and through via points at the best times.

Of several configurations that reach a goal those are tried that promise the shortest motions; then the end is let free
within the goal. The times of via points are chosen too. With multipliers y of a via point's constraints c at s the best
cost F has the slope dF/ds = y . dc/ds there, and nothing of how the motion follows is needed; F has kinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.plan.goals import Goal, configurations, constrain, duration_estimate
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.quantity import Derivative
from kinetree.plan.transcriber import Transcriber
from kinetree.runtime.arrays import Array
from kinetree.transcribe.constraints import size_of_bounds

CANDIDATES = 3  # configurations of a goal that are tried
_SOLVES = 14  # for the times of via points
_FIRST, _SHORTEST = 0.03, 1e-3  # steps of these times, as parts of the duration
_LONGER = 1.8  # the next one is, where a step was good
_LEAST = 0.03  # between two via points, and from the ends
_STEP = 1e-5  # of differences in s


def quickest(
    problem: Problem, q0: Array, q1: Any, pose: Any, via: Sequence[Any], rest: tuple[Any, Any], options: dict[str, Any]
) -> Plan:
    """The best motion of a problem that has all but its end and its via points.

    Args:
        problem: with its start, limits, costs and obstacles.
        q0: where it starts.
        q1, pose: where it ends; one of both.
        via: configurations, or goals, to be passed in this order at any times.
        rest: velocities and accelerations at the end.
        options: of the search, and ``candidates``.
    """
    if (q1 is None) == (pose is None):
        raise InputError("say where the motion ends: give q1, or pose=(frame, T), and not both")
    count = options.pop("candidates", CANDIDATES)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"the number of candidates is an integer not below 1, got {count!r}")
    goal = None if pose is None else Goal.of(pose)
    ends = [np.asarray(q1, float)] if goal is None else [*configurations(problem, goal, q0)[:count]]
    plans = []
    for q in ends:
        other = problem.snapshot(shared=True)
        other.end(q, *rest)
        plans.append(_through(other, q0, q, via, options))
    best = _best(plans)
    if goal is None or not best.ok or (goal.is_exact and problem.robot.nv <= 6):
        return best
    return _best([best, _let_free(problem, goal, best, rest, options)])


def _best(plans: Sequence[Plan]) -> Plan:
    best = min(plans, key=lambda plan: (not plan.ok, plan.cost if plan.ok else plan.violation))
    total = sum(plan.iterations for plan in plans), sum(plan.seconds for plan in plans)
    return replace(best, iterations=total[0], seconds=total[1])


def _let_free(problem: Problem, goal: Goal, plan: Plan, rest: tuple[Any, Any], options: dict[str, Any]) -> Plan:
    """The end may be anywhere in the goal."""
    found, before = problem.snapshot(), plan.problem
    via = [] if before is None else [c for c in before.point_constraints if 0.0 < c.s < 1.0]
    found.end(None, *rest)
    found.point_constraints += via
    axes = None if before is None else before.parameters
    found.parameters = _Axes({1.0: goal.rotation()} | (axes.at if isinstance(axes, _Axes) else {}))
    constrain(found, 1.0, goal)
    return found.solve(guess=plan, **options)


class _Axes:
    """The axes of goals as parameters of a problem: at each s those of the nearest goal."""

    def __init__(self, at: dict[float, Array]) -> None:
        self.at = at

    def __call__(self, s: Array) -> Array:
        known = np.array([*self.at])
        return np.array([self.at[float(known[np.argmin(np.abs(known - x))])].ravel() for x in s])


# -- via points ------------------------------------------------------------------------------------------------------


def _through(problem: Problem, q0: Array, q1: Array, via: Sequence[Any], options: dict[str, Any]) -> Plan:
    """The best motion through via points, at the best times."""
    if not len(via):
        return problem.solve(**options)
    points = [_point(problem, given) for given in via]
    stops = [q0]
    for point in points:
        at_goal = isinstance(point, Goal)
        stops.append(configurations(problem, point, 0.5 * (stops[-1] + q1))[0] if at_goal else point)
    legs = np.array([max(1e-6, duration_estimate(problem, a, b)) for a, b in zip(stops, [*stops[1:], q1])])
    s = _spread(np.cumsum(legs)[:-1] / legs.sum())
    plan = _solved(problem, points, stops[1:], s, None, options)
    total, steps, slopes = plan.iterations, np.full(len(s), _FIRST), _slopes(plan, s)
    for _ in range(_SOLVES):
        if not plan.ok or steps.max() < _SHORTEST:
            break
        there = _spread(s - steps * np.sign(slopes))
        again = _solved(problem, points, stops[1:], there, plan, options)
        total, turned = total + again.iterations, _slopes(again, there)
        # the cost has kinks: a step behind one is cut where the slopes before and behind meet
        behind = turned * slopes < 0.0
        cut = np.abs(slopes) / (np.abs(slopes) + np.abs(turned) + 1e-300)
        better = again.ok and again.cost < plan.cost
        steps = np.where(
            behind, steps * np.clip(cut if not better else 1.0 - cut, 0.1, 0.6), steps * (_LONGER if better else 0.5)
        )
        if better:
            s, plan, slopes = there, again, turned
    return replace(plan, iterations=total)


def _point(problem: Problem, given: Any) -> Any:
    """A via point: a configuration, or a goal."""
    if isinstance(given, Goal) or (isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)):
        return Goal.of(given)
    q = np.asarray(given, float)
    if q.shape != (problem.coordinates.size,) or not np.isfinite(q).all():
        n = problem.coordinates.size
        raise InputError(f"a via point is {n} finite numbers, a pair (frame, T), or a Goal; got {given!r:.80}")
    return q


def _spread(s: Array) -> Array:
    """In order, with a least distance."""
    for k in range(len(s)):
        s[k] = np.clip(s[k], (s[k - 1] if k else 0.0) + _LEAST, 1.0 - (len(s) - k) * _LEAST)
    return s


def _solved(
    problem: Problem,
    points: Sequence[Any],
    stops: Sequence[Array],
    s: Array,
    guess: Plan | None,
    options: dict[str, Any],
) -> Plan:
    other = problem.snapshot(shared=True)
    other.parameters = _Axes(
        {float(x): p.rotation() for x, p in zip(s, points) if isinstance(p, Goal)} or {1.0: np.eye(3)}
    )
    for x, point in zip(s.tolist(), points):
        if isinstance(point, Goal):
            constrain(other, x, point)
        else:
            other.via(x, Derivative(0), point)
    if guess is None and any(isinstance(point, Goal) for point in points):
        known = problem.snapshot(shared=True)
        for x, q in zip(s.tolist(), stops):
            known.via(x, Derivative(0), q)
        guess = known.solve(**options)
    return other.solve(guess=guess, **options)


def _slopes(plan: Plan, s: Array) -> Array:
    """How the best cost changes with the times of via points."""
    problem, warm = plan.problem, plan.warm
    if problem is None or warm is None:
        return np.zeros(len(s))
    transcriber, first, slopes = Transcriber(problem), 0, dict.fromkeys(s.tolist(), 0.0)
    x = np.append(plan.control_points, plan.duration)
    for c in transcriber.open_points():
        size = c.quantity.size(problem.robot)
        if c.s in slopes:
            before, after = transcriber.block([c.quantity], np.array([c.s - _STEP, c.s + _STEP])).values(x)
            rates = (after - before) / (2.0 * _STEP) / size_of_bounds(c.lower, c.upper)
            slopes[c.s] += float(warm.others[first : first + size] @ rates)
        first += size
    return np.array([slopes[x] for x in s.tolist()])
