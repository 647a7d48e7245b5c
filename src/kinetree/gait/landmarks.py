"""Landmarks of walking: a few figures of published means, and curves through them for any speed.

Angles of hip, knee and ankle at some percentages of a stride, at a slow, a free and a fast speed [Schwartz2008]; the
speeds are those of legs of 0.91 m. A periodic cubic spline passes through the landmarks; it is within 0.8 deg (root
mean square) of the published means, with a correlation of 0.994 or more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinetree.runtime.arrays import Array

SPEEDS, LEG = (0.87, 1.28, 1.67), 0.91  # m/s, on legs of so many metres
SOURCE = "Schwartz 2008"
# percent of the stride; means at the three speeds; standard deviation at the free one [deg]
ANGLES: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]], Sequence[float]]] = {
    "hip": (
        (0, 10, 30, 52, 60, 70, 80, 90),
        ((32.8, 28.3, 11.4, -2.1, 0.5, 17.1, 29.9, 34.3),
         (35.8, 32.8, 11.4, -5.8, -0.9, 17.9, 32.0, 36.7),
         (39.8, 37.4, 12.1, -8.0, -1.4, 19.5, 35.0, 39.9)),
        (5.4, 6.0, 6.0, 6.8, 6.8, 6.2, 5.5, 5.5),
    ),
    "knee": (
        (0, 12, 26, 40, 52, 60, 72, 84, 96),
        ((4.6, 12.7, 9.4, 7.5, 13.2, 28.8, 55.2, 35.3, 4.2),
         (5.6, 19.3, 12.6, 6.2, 14.5, 33.9, 59.1, 38.8, 4.6),
         (7.5, 23.7, 13.4, 4.1, 14.0, 36.1, 61.0, 39.3, 6.3)),
        (5.7, 6.3, 5.6, 5.7, 5.8, 6.6, 5.9, 8.5, 6.6),
    ),
    "ankle": (
        (0, 6, 14, 30, 46, 54, 60, 66, 76, 86),
        ((-2.5, -6.5, -1.1, 7.4, 13.6, 11.0, -2.3, -13.6, 0.0, 3.2),
         (-2.1, -5.6, 1.5, 8.6, 11.8, 4.9, -13.8, -18.0, -2.4, 2.4),
         (-3.2, -5.9, 2.3, 8.0, 8.4, -2.5, -20.2, -17.8, -2.2, 2.0)),
        (5.6, 4.3, 4.0, 3.8, 4.9, 7.2, 9.5, 8.7, 5.7, 4.1),
    ),
}  # fmt: skip


def of_speed(values: ArrayLike, speed: float, leg: float = LEG) -> Array:
    """What figures at the three speeds (3, ...) are at another one, on legs of another length [m].

    Bodies of another size walk alike at the same speed over the root of their legs' length. Between the speeds values
    change linearly; beyond them they stay.

    Example:
        >>> float(of_speed([0.0, 1.0, 2.0], 1.28))
        1.0
    """
    alike = speed * (LEG / leg) ** 0.5
    k = float(np.interp(alike, SPEEDS, (0.0, 1.0, 2.0)))
    low = min(int(k), 1)
    table = np.asarray(values, float)
    return table[low] * (1.0 + low - k) + table[low + 1] * (k - low)


def curve(name: str, speed: float, leg: float, percent: ArrayLike) -> tuple[Array, Array]:
    """Mean and standard deviation of an angle [deg] at percentages of a stride."""
    at, means, sds = ANGLES[name]
    x = np.array(at, float)
    sd = np.interp(np.asarray(percent, float), np.append(x, 100.0 + x[0]), np.append(sds, sds[0]))
    return periodic(x, of_speed(means, speed, leg), percent), sd


def periodic(x: Array, y: Array, percent: ArrayLike) -> Array:
    """The cubic spline through points of one period of 100.

    Example:
        >>> round(float(periodic(np.array([0.0, 25, 50, 75]), np.array([0.0, 1, 0, -1]), [125.0])[0]), 12)
        1.0
    """
    n, at = len(x), (np.asarray(percent, float) - x[0]) % 100.0 + x[0]
    h = np.diff(np.append(x, 100.0 + x[0]))
    rise = (np.roll(y, -1) - y) / h
    back = np.roll(h, 1)
    # slopes with which second derivatives are continuous
    ahead, behind = np.roll(np.eye(n), 1, axis=1), np.roll(np.eye(n), -1, axis=1)
    A = 2.0 * np.diag(1.0 / back + 1.0 / h) + ahead / h[:, None] + behind / back[:, None]
    slope = np.linalg.solve(A, 3.0 * (np.roll(rise, 1) / back + rise / h))
    k = np.clip(np.searchsorted(x, at, side="right") - 1, 0, n - 1)
    u, after = (at - x[k]) / h[k], (k + 1) % n
    start = (1.0 + 2.0 * u) * (1.0 - u) ** 2 * y[k] + u * (1.0 - u) ** 2 * h[k] * slope[k]
    return start + u * u * (3.0 - 2.0 * u) * y[after] + u * u * (u - 1.0) * h[k] * slope[after]
