"""Where a planned motion touches its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.plan.conditions import Limit
from kinetree.plan.plan import Plan
from kinetree.plan.quantity import Parameter
from kinetree.view.limits import limit_scale

Array = NDArray[np.float64]
_DENSE = 48  # places in each span where limits are looked at


@dataclass(frozen=True)
class Active:
    """A limit that a motion touches.

    Args:
        name: what is limited, such as "force of joint1".
        side: "lower" or "upper".
        bound: the limit itself.
        intervals: when it is touched, pairs of times [s].
        share: of the duration.
    """

    name: str
    side: str
    bound: float
    intervals: tuple[tuple[float, float], ...]
    share: float


def kept(plan: Plan) -> list[Limit]:
    """The limits on what the robot does: not that a motion goes forward on its path, nor what only the task knows."""
    return [x for x in plan.limits if not isinstance(x.quantity, Parameter) and not x.quantity.informed]


def active(plan: Plan, tolerance: float) -> list[Active]:
    """The limits that a motion comes within the tolerance of while they hold, relative to their sizes."""
    if not 0.0 <= tolerance < 1.0:
        raise InputError(f"a tolerance is a part of a limit, from 0 to 1, got {tolerance!r}")
    dense = plan.spline.even(_DENSE)
    found = []
    for limit in kept(plan):
        s = np.union1d(dense, limit.during)
        t, (low, high) = s * plan.duration, limit.sides(s, limit.lower, limit.upper)
        values, near = plan.values(limit.quantity, t), tolerance * limit_scale(limit.lower, limit.upper)
        for k, name in enumerate(limit.quantity.names(plan.robot)):
            for side, bound, slack in (
                ("lower", limit.lower[k], values[:, k] - low[:, k]),
                ("upper", limit.upper[k], high[:, k] - values[:, k]),
            ):
                touched = slack <= near[k]
                if touched.any():
                    intervals = _intervals(t, touched)
                    share = sum(b - a for a, b in intervals) / plan.duration
                    found.append(Active(name, side, float(bound), intervals, share))
    return found


def _intervals(t: Array, touched: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """The runs of true values, by their first and last times."""
    edges = np.flatnonzero(np.diff(np.r_[False, touched, False]))
    return tuple((float(t[a]), float(t[b - 1])) for a, b in edges.reshape(-1, 2))
