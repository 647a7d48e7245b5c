"""What an exciting motion shall identify, and the limits that it must satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError, UnknownNameError
from kinetree.joints import Prismatic
from kinetree.plan import Problem
from kinetree.plan.constraints import model_limits
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.forces import Force
from kinetree.plan.quantity import Derivative, Quantity

Array = NDArray[np.float64]
# the names of what is identified, as the columns of the regressor are called
WANTED = {
    "inertia": (),
    "friction": ("damping", "coulomb"),
    "rotor": ("rotor_inertia",),
    "stiffness": ("stiffness", "transmission"),
}
TURN = np.pi  # rad, how far a joint without limits turns to either side


def wanted(include: Sequence[str]) -> list[str]:
    """The groups of columns besides the inertias."""
    names = (include,) if isinstance(include, str) else tuple(include)
    for name in names:
        if name not in WANTED:
            raise UnknownNameError("group of parameters", name, WANTED)
    return [column for name, columns in WANTED.items() if name in names for column in columns]


def limit_all(problem: Problem, position: Any, velocity: Any, acceleration: Any, force: Any) -> None:
    """State the limits; refuse what leaves the positions or the speed of a joint unbounded."""
    low, high = _positions(problem, position)
    problem.limit(problem.coordinates.linear(0), lower=low, upper=high)
    slowed = np.zeros(problem.coordinates.size, bool)
    linear = problem.coordinates.linear
    own = (Derivative(1), linear(1)), (Derivative(2), linear(2)), (Force(), Force())
    for (named, what), bound in zip(own, (velocity, acceleration, force)):
        size = _size(problem, named, bound)
        if np.isfinite(size).any():
            problem.limit(what, lower=-size, upper=size)
        slowed |= np.isfinite(size)
    if not slowed.all():
        names = ", ".join(name for name, known in zip(moved(problem), slowed) if not known)
        raise InputError(
            f"nothing keeps {names} from being endlessly fast, the model has no limits for it: give velocity_limits, "
            "acceleration_limits or force_limits"
        )


def moved(problem: Problem) -> list[str]:
    """The names of the coordinates of a motion; of a closed chain, of the independent ones."""
    return list(problem.coordinates.labels)


def _independent(problem: Problem) -> list[int]:
    own = problem.coordinates
    return own.independent if isinstance(own, LoopCoordinates) else list(range(problem.robot.nv))


def _size(problem: Problem, what: Quantity, bound: Any) -> Array:
    """The largest value for each joint, infinite where there is none."""
    n = problem.coordinates.size
    if bound is None:
        return np.full(n, np.inf)
    if isinstance(bound, str):
        return _of_model(problem, what, bound)[1]
    try:
        size = np.broadcast_to(np.asarray(bound, float), (n,))
    except (TypeError, ValueError):
        raise InputError(f"a limit of the {what.title} is one number or {n}, got {bound!r}") from None
    if not (size > 0.0).all():
        raise InputError(f"a limit of the {what.title} is above 0, got {bound!r}")
    return size


def _positions(problem: Problem, given: Any) -> tuple[Array, Array]:
    n = problem.coordinates.size
    if given is None or isinstance(given, str):
        low, high = _of_model(problem, Derivative(0), given or "model")
        return _within_a_turn(problem, low, high)
    pair = given if isinstance(given, tuple) and len(given) == 2 else (-np.asarray(given, float), given)
    try:
        low, high = (np.broadcast_to(np.asarray(side, float), (n,)) for side in pair)
    except (TypeError, ValueError):
        raise InputError(f"limits of the positions are one number or {n}, or a pair of these, got {given!r}") from None
    if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
        raise InputError(f"limits of the positions are finite, the lower below the upper; got {low} and {high}")
    return low, high


def _within_a_turn(problem: Problem, low: Array, high: Array) -> tuple[Array, Array]:
    """Where the model has no limit, half a turn from zero or from the limit at the other side."""
    kinds = {body.joint.name: body.joint.kind for body in problem.robot.bodies}
    for k, name in enumerate(moved(problem)):
        if np.isfinite(low[k]) and np.isfinite(high[k]):
            continue
        if isinstance(kinds.get(name), Prismatic):
            raise InputError(f"joint {name!r} slides and has no limits: give position_limits=(lower, upper)")
        if np.isfinite(low[k]) or np.isfinite(high[k]):
            low[k], high[k] = max(low[k], high[k] - 2.0 * TURN), min(high[k], low[k] + 2.0 * TURN)
        else:
            low[k], high[k] = -TURN, TURN
    return low, high


def _of_model(problem: Problem, what: Quantity, source: str) -> tuple[Array, Array]:
    if source != "model":
        raise UnknownNameError("source of limits", source, ["model"])
    low, high = (side[_independent(problem)] for side in model_limits(problem.robot, what))
    if isinstance(what, Force):  # a limit of zero is none
        high = np.where(high > 0.0, high, np.inf)
    return low, high
