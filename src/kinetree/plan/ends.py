"""Control points: those that the ends of a motion fix, and those that a search starts from."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.plan.block import Block
from kinetree.plan.conditions import Condition
from kinetree.plan.floating import Charts
from kinetree.plan.quantity import Derivative, Parameter
from kinetree.plan.seam import Seam

if TYPE_CHECKING:
    from kinetree.plan.plan import Plan
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]
_GROWTH = 1.25  # between two guesses of the duration
_LONGEST = 100.0  # s, the longest guess
_SHORTEST = 0.3  # s, the shortest guess where the way is not known
_GUESSED = 12  # places in each span where a guess is looked at
_TOUCHED = 1e-9  # relative; a guess that touches a limit keeps it
_SWAY = 0.6  # of the length of the way, how far random guesses leave it


def fixed_points(problem: Problem, place: float) -> list[Array]:
    """The control points at an end: as many as derivatives are known there, zero but for the first."""
    straight = Derivative if problem.way is None else Parameter
    at_end = (c for c in problem.conditions if c.place == place)
    known = {c.quantity.order: c for c in at_end if isinstance(c.quantity, straight)}
    points: list[Array] = []
    while (degree := len(points)) in known and degree <= problem.spline.degree:
        c = known[degree]
        if (c.lower != c.upper).any() or (degree and c.lower.any()):
            break
        points.append(points[0] if degree else c.lower)
    return points


def open_conditions(problem: Problem) -> list[Condition]:
    """The conditions that don't hold by control points at an end that don't move."""
    straight = Derivative if problem.way is None else Parameter
    known = {place: len(fixed_points(problem, place)) for place in (0.0, 1.0)}
    found: list[Condition] = []
    for c in problem.conditions:
        if not isinstance(c.quantity, straight) or c.quantity.order >= known.get(c.place, 0):
            found.append(c)
    return found


def settled(problem: Problem, block: Block | Seam) -> NDArray[np.bool_]:
    """Which rows of limits (k, rows) can't change, because fixed control points at an end settle them."""
    found = np.zeros((block.count, block.rows), bool)
    if isinstance(block, Seam) or not block.linear:
        return found
    for place in (0.0, 1.0):
        known = len(fixed_points(problem, place))
        for k, q in enumerate(block.linear):
            if q.order < known:
                found[block.places == place, k * block.n : (k + 1) * block.n] = True
    return found


def bounds(problem: Problem) -> tuple[Array, Array]:
    """Of the unknowns: control points at the ends that the conditions fix, and the duration."""
    shape = (problem.spline.points, problem.width)
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    for place in (0.0, 1.0):
        for k, value in enumerate(fixed_points(problem, place)):
            point = k if place == 0.0 else problem.spline.points - 1 - k
            lower[point] = upper[point] = value
    return np.append(lower, problem.times[0]), np.append(upper, problem.times[1])


def known_positions(problem: Problem) -> tuple[Array, Array]:
    """The places where positions are known, and these; at the ends the nearest ones where nothing else is known."""
    straight = problem.linear(0)
    known = [c for c in problem.conditions if c.quantity == straight and (c.lower == c.upper).any()]
    found = {c.place: np.where(c.lower == c.upper, c.lower, np.nan) for c in known}
    if not found:
        if problem.seam is None and not problem.conditions:
            raise InputError("the motion has no start and no end: give them with problem.start(q) and problem.end(q)")
        found = {0.0: _middle(problem)}
    places = sorted(found)
    for k, place in enumerate(places):  # what is open there is as it was before, or in the middle
        before = found[places[k - 1]] if k else _middle(problem)
        found[place] = np.where(np.isnan(found[place]), before, found[place])
    if problem.seam is not None:
        if 0.0 not in found:
            found[0.0] = found[places[0]]
        found.setdefault(1.0, found[0.0] + problem.advance)
    found.setdefault(0.0, found[places[0]])
    found.setdefault(1.0, found[places[-1]])
    return np.array(sorted(found)), np.array([found[s] for s in sorted(found)])


def _middle(problem: Problem) -> Array:
    """The middle of the limits of position, zero where there are none; where other coordinates rest."""
    if problem.coordinates is not None:
        return problem.coordinates.rest()
    for limit in problem.limits:
        if limit.quantity == Derivative(0):
            both = np.isfinite(limit.lower) & np.isfinite(limit.upper)
            return np.where(both, 0.5 * (np.where(both, limit.lower, 0.0) + np.where(both, limit.upper, 0.0)), 0.0)
    return np.zeros(problem.width)


def first_guess(problem: Problem, random: np.random.Generator | None = None) -> Array:
    """A smooth way through the positions known, and the shortest of some durations that keeps the limits on it.

    With a random generator the way sways to a side.
    """
    places, positions = known_positions(problem)
    at = problem.spline.averages
    # from each position to the next with rest at both
    k = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
    u = (at - places[k]) / (places[k + 1] - places[k])
    smooth = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    P = positions[k] + smooth[:, None] * (positions[k + 1] - positions[k])
    if random is not None and problem.path is None:
        length = max(1e-3, float(np.linalg.norm(positions[-1] - positions[0])))
        bumps = random.normal(size=(2, problem.width)) * (_SWAY * length / np.sqrt(problem.width))
        P = P + np.sin(np.pi * at)[:, None] ** 2 * bumps[0] + np.sin(2 * np.pi * at)[:, None] * bumps[1] * 0.5
    lower, upper = bounds(problem)
    return _timed(problem, np.clip(np.append(P, 1.0), lower, upper), bool(np.ptp(P, axis=0).max() < 1e-6))


def _timed(problem: Problem, x: Array, still: bool) -> Array:
    """With the shortest of some durations for which the limits are kept."""
    low, high = problem.times
    rows = problem.limit_rows(problem.spline.even(_GUESSED))
    if rows is None:
        x[-1] = min(high, max(low, 1.0))
        return x
    tried = [max(low, _SHORTEST) if still else low]
    while tried[-1] < high and tried[-1] <= _LONGEST:
        tried.append(max(tried[-1], 0.02) * _GROWTH)
    *tried, last = tried

    def kept(duration: float) -> bool:
        x[-1] = duration
        return bool(rows.excess(x).max() <= _TOUCHED)

    # limits that are kept in some time are mostly kept in longer ones too
    first = bisect_left(tried, True, key=kept)
    found = tried[first] if first < len(tried) else next(filter(kept, tried), last)
    x[-1] = min(high, max(low, 1.0 if found > _LONGEST else found))
    return x


def started(problem: Problem, guess: Plan | ArrayLike | None) -> Array:
    """The unknowns that a search starts from: a guess of its own, a plan, control points, or a posture to rest in."""
    if guess is None:
        return first_guess(problem)
    if hasattr(guess, "points"):
        return resampled(problem, guess)  # type: ignore[arg-type]
    P, shape = np.asarray(guess, float), (problem.spline.points, problem.width)
    if P.shape not in (shape, shape[1:]) or not np.isfinite(P).all():
        raise InputError(f"a guess is a plan, control points {shape}, or a posture {shape[1:]}, got shape {P.shape}")
    lower, upper = bounds(problem)
    x = np.clip(np.append(np.broadcast_to(P, shape), 1.0), lower, upper)
    return _timed(problem, x, still=True)


def resampled(problem: Problem, plan: Plan) -> Array:
    """A plan as a start for a problem on its own spline, with its ends where the problem wants them."""
    if plan.points.shape[1] != problem.width:
        raise InputError(f"the guess has {plan.points.shape[1]} coordinates, the problem has {problem.width}")
    P, spline = plan.points, problem.spline
    if isinstance(problem.coordinates, Charts) and not problem.coordinates.same(plan):
        P = spline.through(spline.averages, problem.coordinates.of_motion(plan.motion(spline.averages * plan.duration)))
    elif plan.spline != spline:
        P = spline.through(spline.averages, plan.spline.derivatives(P, spline.averages, 0)[0])
    if problem.path is None and problem.seam is None:  # ends that moved take the way between them along
        for place, share in ((0.0, 1.0 - spline.averages), (1.0, spline.averages)):
            if fixed := fixed_points(problem, place):
                P = P + share[:, None] * (fixed[0] - P[0 if place == 0.0 else -1])
    lower, upper = bounds(problem)
    return np.clip(np.append(P, plan.duration), lower, upper)
