"""Where a search starts: a smooth curve through the positions known, a plan, control points or a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.plan.coordinates.path import PathCoordinate
from kinetree.plan.obstacles.detour import detour
from kinetree.plan.quantity import Derivative
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.basis import Array
from kinetree.transcribe.guess import smooth_curve, with_duration

if TYPE_CHECKING:
    from kinetree.plan.plan import Plan
    from kinetree.plan.problem import Problem

_SAMPLES = 12  # in each knot interval where a guess is looked at


def known_positions(problem: Problem) -> tuple[Array, Array]:
    """Where positions are known, and these; at the ends the nearest ones where nothing else is known."""
    position = problem.coordinates.linear(0)
    known = [c for c in problem.point_constraints if c.quantity == position and (c.lower == c.upper).any()]
    found = {c.s: np.where(c.lower == c.upper, c.lower, np.nan) for c in known}
    if not found:
        if problem.periodic_order is None and not problem.point_constraints:
            raise InputError("the motion has no start and no end: give them with problem.start(q) and problem.end(q)")
        found = {0.0: _middle(problem)}
    where = sorted(found)
    for k, s in enumerate(where):  # what is free there is as it was before, or in the middle
        before = found[where[k - 1]] if k else _middle(problem)
        found[s] = np.where(np.isnan(found[s]), before, found[s])
    found.setdefault(0.0, found[where[0]])
    if problem.periodic_order is not None:
        found.setdefault(1.0, found[0.0] + problem.advance)
    found.setdefault(1.0, found[where[-1]])
    return np.array(sorted(found)), np.array([found[s] for s in sorted(found)])


def _middle(problem: Problem) -> Array:
    """Where the coordinates rest; or the middle of the limits of position, zero where there are none."""
    if (rest := problem.coordinates.rest()) is not None:
        return rest
    for c in problem.constraints:
        if c.quantity == Derivative(0):
            both = np.isfinite(c.lower) & np.isfinite(c.upper)
            return np.where(both, 0.5 * (np.where(both, c.lower, 0.0) + np.where(both, c.upper, 0.0)), 0.0)
    return np.zeros(problem.coordinates.size)


def first_guess(transcriber: Transcriber, random: np.random.Generator | None = None) -> Array:
    """A smooth motion through the positions known, and the shortest of some durations that satisfies the constraints.

    With a random generator it sways to a side.
    """
    problem = transcriber.problem
    sways = None if isinstance(problem.coordinates, PathCoordinate) else random
    P = detour(transcriber, smooth_curve(transcriber.spline, *known_positions(problem), sways), random)
    return timed(transcriber, P, still=bool(np.ptp(P, axis=0).max() < 1e-6))


def started(transcriber: Transcriber, guess: Plan | ArrayLike | None) -> Array:
    """The variables that a search starts from: a guess of its own, a plan, control points, or a configuration."""
    if guess is None:
        return first_guess(transcriber)
    if hasattr(guess, "control_points"):
        return resampled(transcriber, guess)  # type: ignore[arg-type]
    P, shape = np.asarray(guess, float), transcriber.shape
    if P.shape not in (shape, shape[1:]) or not np.isfinite(P).all():
        raise InputError(
            f"a guess is a plan, control points {shape}, or a configuration {shape[1:]}, got shape {P.shape}"
        )
    return timed(transcriber, np.broadcast_to(P, shape), still=True)


def timed(transcriber: Transcriber, P: Array, still: bool = False) -> Array:
    """Variables with the shortest of some durations for which a curve satisfies the constraints."""
    constraints = transcriber.sampled_constraints(_SAMPLES)
    x = np.clip(np.append(P, 1.0), transcriber.bounds.lower, transcriber.bounds.upper)
    return with_duration(x, constraints, *transcriber.problem.durations, still, transcriber.completed)


def resampled(transcriber: Transcriber, plan: Plan) -> Array:
    """A plan as a start on another spline, with its ends where the problem wants them."""
    problem, spline, P = transcriber.problem, transcriber.spline, plan.control_points
    if P.shape[1] != problem.coordinates.size:
        raise InputError(f"the guess has {P.shape[1]} coordinates, the problem has {problem.coordinates.size}")
    if (other := problem.coordinates.resampled(plan)) is not None:
        P = spline.interpolate(spline.greville, other(spline.greville))
    elif plan.spline != spline:
        P = spline.interpolate(spline.greville, plan.spline.curve(P, spline.greville, 0)[0])
    if not isinstance(problem.coordinates, PathCoordinate) and problem.periodic_order is None:
        P = with_ends(transcriber, P)
    return np.clip(np.append(P, plan.duration), transcriber.bounds.lower, transcriber.bounds.upper)


def with_ends(transcriber: Transcriber, P: Array) -> Array:
    """Control points (m, n) with the ends where the problem wants them, which take the motion between them along.

    Where an end is to be at rest it stays so: the shares of both ends begin and end without a slope.
    """
    u = transcriber.spline.greville
    share = u * u * (3.0 - 2.0 * u)
    for s, own in ((0.0, 1.0 - share), (1.0, share)):
        if fixed := transcriber.fixed[s]:
            P = P + own[:, None] * (fixed[0] - P[0 if s == 0.0 else -1])
    return P
