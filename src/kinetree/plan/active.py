"""Where a planned motion reaches the bounds of its constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.plan.constraints import PathConstraint
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Coordinate
from kinetree.runtime.arrays import Array
from kinetree.view.limits import limit_scale

_DENSE = 48  # samples in each knot interval where constraints are looked at


@dataclass(frozen=True)
class Active:
    """A constraint that is active along a motion.

    Args:
        name: what is bounded, such as "force of joint1".
        side: "lower" or "upper".
        bound: the bound itself.
        intervals: when it is active, pairs of times [s].
        share: of the duration.
    """

    name: str
    side: str
    bound: float
    intervals: tuple[tuple[float, float], ...]
    share: float


def shown_constraints(plan: Plan) -> list[PathConstraint]:
    """The constraints on what the robot does: not on coordinates of the plan, nor with parameters of the task."""
    return [c for c in plan.constraints if not isinstance(c.quantity, Coordinate) and not c.quantity.needs_parameters]


def active(plan: Plan, tolerance: float) -> list[Active]:
    """The constraints that a motion comes within the tolerance of while they hold, relative to their bounds."""
    if not 0.0 <= tolerance < 1.0:
        raise InputError(f"a tolerance is a part of a bound, from 0 to 1, got {tolerance!r}")
    dense = plan.spline.samples(_DENSE)
    found = []
    for c in shown_constraints(plan):
        s = np.union1d(dense, c.during)
        t, (low, high) = s * plan.duration, c.bounds_at(s, c.lower, c.upper)
        values, near = plan.values(c.quantity, t), tolerance * limit_scale(c.lower, c.upper)
        for k, name in enumerate(c.quantity.names(plan.robot)):
            for side, bound, slack in (
                ("lower", c.lower[k], values[:, k] - low[:, k]),
                ("upper", c.upper[k], high[:, k] - values[:, k]),
            ):
                reached = slack <= near[k]
                if reached.any():
                    intervals = _intervals(t, reached)
                    share = sum(b - a for a, b in intervals) / plan.duration
                    found.append(Active(name, side, float(bound), intervals, share))
    return found


def _intervals(t: Array, reached: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """The runs of true values, by their first and last times."""
    edges = np.flatnonzero(np.diff(np.r_[False, reached, False]))
    return tuple((float(t[a]), float(t[b - 1])) for a, b in edges.reshape(-1, 2))
