"""The limits that an exciting trajectory must satisfy."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.errors import InputError, check_name
from kinetree.joints import Prismatic
from kinetree.plan import Problem
from kinetree.plan.constraints import model_limits
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.forces import Force
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.runtime.arrays import Array

TURN = np.pi  # rad, how far a joint without limits turns to either side


def add_limits(problem: Problem, position: Any, velocity: Any, acceleration: Any, force: Any) -> None:
    """State the limits; refuse what leaves the positions or the velocity of a joint unbounded."""
    moved = problem.coordinates
    low, high = _positions(problem, position)
    problem.limit(moved.linear(0), lower=low, upper=high)
    limited = np.zeros(moved.size, bool)
    own = (Derivative(1), moved.linear(1)), (Derivative(2), moved.linear(2)), (Force(), Force())
    for (named, quantity), bound in zip(own, (velocity, acceleration, force)):
        size = _size(problem, named, bound)
        if np.isfinite(size).any():
            problem.limit(quantity, lower=-size, upper=size)
        limited |= np.isfinite(size)
    if not limited.all():
        names = ", ".join(name for name, known in zip(moved.labels, limited) if not known)
        raise InputError(
            f"nothing bounds the velocity of {names}, the model has no limits for it: give velocity_limits, "
            "acceleration_limits or force_limits"
        )


def _size(problem: Problem, quantity: Quantity, bound: Any) -> Array:
    """The largest value for each joint, infinite where there is none."""
    n = problem.coordinates.size
    if bound is None:
        return np.full(n, np.inf)
    if isinstance(bound, str):
        return _of_model(problem, quantity, bound)[1]
    try:
        size = np.broadcast_to(np.asarray(bound, float), (n,))
    except (TypeError, ValueError):
        raise InputError(f"a limit of the {quantity.title} is one number or {n}, got {bound!r}") from None
    if not (size > 0.0).all():
        raise InputError(f"a limit of the {quantity.title} is above 0, got {bound!r}")
    return size


def _positions(problem: Problem, given: Any) -> tuple[Array, Array]:
    n = problem.coordinates.size
    if given is None or isinstance(given, str):
        return _within_a_turn(problem, *_of_model(problem, Derivative(0), given or "model"))
    pair = given if isinstance(given, tuple) and len(given) == 2 else (-np.asarray(given, float), given)
    try:
        low, high = (np.broadcast_to(np.asarray(side, float), (n,)) for side in pair)
    except (TypeError, ValueError):
        raise InputError(f"limits of the positions are one number or {n}, or a pair of these, got {given!r}") from None
    if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
        raise InputError(f"limits of the positions are finite, the lower below the upper; got {low} and {high}")
    return low, high


def _within_a_turn(problem: Problem, low: Array, high: Array) -> tuple[Array, Array]:
    """Where the model has no limit, half a turn from zero or a turn from the limit at the other side."""
    kinds = {body.joint.name: body.joint.kind for body in problem.robot.bodies}
    for k in np.flatnonzero(np.isinf(low) | np.isinf(high)):
        name = problem.coordinates.labels[k]
        if isinstance(kinds.get(name), Prismatic):
            raise InputError(f"joint {name!r} slides and has no limits: give position_limits=(lower, upper)")
        if np.isinf(low[k]) and np.isinf(high[k]):
            low[k], high[k] = -TURN, TURN
        else:
            low[k], high[k] = max(low[k], high[k] - 2.0 * TURN), min(high[k], low[k] + 2.0 * TURN)
    return low, high


def _of_model(problem: Problem, quantity: Quantity, source: str) -> tuple[Array, Array]:
    check_name("source of limits", source, ["model"])
    moved = problem.coordinates
    own = moved.independent if isinstance(moved, LoopCoordinates) else slice(None)
    low, high = (side[own] for side in model_limits(problem.robot, quantity))
    if isinstance(quantity, Force):  # a limit of zero is none
        high = np.where(high > 0.0, high, np.inf)
    return low, high
