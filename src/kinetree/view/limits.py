"""Curves with their limits: dashed lines, and relative values where each curve has a limit of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinetree.runtime.arrays import Array
from kinetree.view.curves import Curves

_LOWER, _UPPER = "lower limit", "upper limit"
_ROUND = 1e-12  # two limits that differ by less are one


def limit_scale(lower: Array, upper: Array) -> Array:
    """What values are divided by to compare them with their limits: the larger finite side, 1 where both are 0."""
    found = np.fmax(*(np.where(np.isfinite(x), np.abs(x), 0.0) for x in (lower, upper)))
    return np.where(found > 0.0, found, 1.0)


def limited(
    title: str, t: Array, names: Sequence[str], values: Array, lower: ArrayLike, upper: ArrayLike, ylabel: str
) -> Curves:
    """Curves over time with their limits; values divided by their limits where these differ between the curves.

    Args:
        title: of the plot.
        t: times (n,) [s].
        names: of the curves.
        values: of the curves (n, k).
        lower, upper: limits that broadcast with the values, infinite where there is none.
        ylabel: what the values are, with units in brackets.
    """
    low, high = (np.broadcast_to(np.asarray(x, float), values.shape) for x in (lower, upper))
    least, most = low.max(axis=0), high.min(axis=0)
    scale = np.ones(values.shape[1])
    if not (_equal(least) and _equal(most)):
        scale, ylabel = limit_scale(least, most), f"{ylabel.partition(' [')[0]} / limit"
    sides = {_LOWER: low / scale, _UPPER: high / scale}
    lines = {name: line for name, side in sides.items() if (line := _common(side)) is not None}
    return Curves(title, t, {**dict(zip(names, (values / scale).T)), **lines}, ylabel=ylabel, dashed=tuple(lines))


def _common(bounds: Array) -> Array | None:
    """The one curve of bounds (n, k) that are the same for all values, with gaps where there is none."""
    line = bounds[:, 0]
    finite = np.isfinite(line)
    if not finite.any() or not all(map(_equal, bounds)):
        return None
    return np.where(finite, line, np.nan)


def _equal(x: Array) -> bool:
    """Whether all numbers are one, to rounding; infinite ones are."""
    return bool((x == x[0]).all() or np.ptp(x) <= _ROUND * np.abs(x).max())
