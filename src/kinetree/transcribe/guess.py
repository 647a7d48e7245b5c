"""First guesses: a smooth curve through known positions, and the shortest duration that satisfies constraints."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from kinetree.transcribe.basis import Array
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.constraints import BoundedBlock

_GROWTH = 1.25  # between two guesses of the duration
_LONGEST = 100.0  # s, the longest guess
_SHORTEST = 0.3  # s, the shortest guess where nothing is known of the motion
_SATISFIED = 1e-9  # relative violation that counts as none
_SWAY = 0.6  # of the distance from start to end, how far random guesses leave the straight line


def smooth_curve(basis: BSpline, s: Array, positions: Array, random: np.random.Generator | None = None) -> Array:
    """Control points of a curve through positions (k, n) at s (k,), which rests at each; swaying with a generator."""
    at = basis.greville
    k = np.clip(np.searchsorted(s, at, side="right") - 1, 0, len(s) - 2)
    u = (at - s[k]) / (s[k + 1] - s[k])
    quintic = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    P = positions[k] + quintic[:, None] * (positions[k + 1] - positions[k])
    if random is not None:
        n = positions.shape[1]
        length = max(1e-3, float(np.linalg.norm(positions[-1] - positions[0])))
        bumps = random.normal(size=(2, n)) * (_SWAY * length / np.sqrt(n))
        P = P + np.sin(np.pi * at)[:, None] ** 2 * bumps[0] + np.sin(2 * np.pi * at)[:, None] * bumps[1] * 0.5
    return P


def with_duration(
    x: Array, constraints: BoundedBlock | None, least: float, most: float, still: bool,
    completed: Callable[[Array], Array],
) -> Array:  # fmt: skip
    """The variables with the shortest of some durations for which the constraints hold.

    Args:
        x: control points and a duration, which is replaced.
        constraints: on a grid of samples.
        least, most: between which the duration must be [s].
        still: whether the curve does not move, so that nothing tells of its duration.
        completed: gives all variables for those that are not decided by the duration.
    """
    if constraints is None:
        x[-1] = min(most, max(least, 1.0))
        return x
    tried = [max(least, _SHORTEST) if still else least]
    while tried[-1] < most and tried[-1] <= _LONGEST:
        tried.append(max(tried[-1], 0.02) * _GROWTH)
    *tried, last = tried

    def satisfied(duration: float) -> bool:
        x[-1] = duration
        return bool(constraints.violation(completed(x)).max() <= _SATISFIED)

    # constraints that hold for some duration mostly hold for longer ones too
    first = bisect_left(tried, True, key=satisfied)
    found = tried[first] if first < len(tried) else next(filter(satisfied, tried), last)
    x[-1] = min(most, max(least, 1.0 if found > _LONGEST else found))
    return x
