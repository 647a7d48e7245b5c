"""The phases of a step: which points of the feet are in contact with the ground when, and how the load is distributed.

A step goes from the heel strike of the left foot, s = 0, to that of the right foot, s = 1.

    double support    0 .. lift       the right foot rolls over its toe, the left one comes down from heel to ball
    foot flat         lift .. rise    the left foot stands, the right one swings
    heel rise         rise .. 1       the left foot stands on ball and toe, the right one swings

The times are those of walking at a free speed: toe-off at 60 % of a stride, heel rise at 30 %.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.runtime.arrays import Array
from kinetree.spatial import Vec3

CONTACTS = ("R_heel", "R_ball", "R_toe", "L_heel", "L_ball", "L_toe")
FOOT_LOADS = 13  # numbers that say how each foot distributes its own load
_HEEL_UNLOADS = 0.1  # s where the load begins to leave the heel of the leading foot
_TOE_LOADS = 0.2  # how long before heel rise, in s, the toe begins to carry load


@dataclass(frozen=True)
class Timing:
    """When the phases of a step change, as fractions of its duration.

    Args:
        lift: toe-off of the trailing foot, the end of double support.
        rise: heel rise of the stance foot.
        swing: mid-swing, where the knee is flexed most.
        toe: the fraction of the load on the toe when the other heel strikes; the rest is on the ball of the foot.
    """

    lift: float = 0.2
    rise: float = 0.6
    swing: float = 0.45
    toe: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 < self.lift < self.swing < 1.0 or not self.lift < self.rise < 1.0 or not 0.0 <= self.toe <= 1.0:
            raise InputError(f"0 < lift < rise, swing < 1 and toe from 0 to 1 are needed, got {self}")

    def contact(self, point: str) -> tuple[float, float] | None:
        """From and to which s a point of the feet is in contact with the ground; None where it never is."""
        return {
            "R_ball": (0.0, 0.0),
            "R_toe": (0.0, self.lift),
            "L_heel": (0.0, self.rise),
            "L_ball": (self.lift, 1.0),
            "L_toe": (self.lift, 1.0),
            "R_heel": (1.0, 1.0),
        }.get(point)

    def load_distribution(self, s: ArrayLike) -> Array:
        """The fraction of the ground reaction force at each of `CONTACTS`: (k, 6), rows that add up to 1.

        In double support the load goes over smoothly from the trailing to the leading foot.
        """
        s = np.asarray(s, float)
        leading, trailing = _smooth(s, 0.0, self.lift), 1.0 - _smooth(s, 0.0, self.lift)
        ball = trailing * (1.0 - self.toe) * trailing
        heel = leading * (1.0 - _smooth(s, _HEEL_UNLOADS, self.rise))
        toe = leading * self.toe * _smooth(s, self.rise - _TOE_LOADS, 1.0)
        return np.stack([np.zeros_like(s), ball, trailing - ball, heel, leading - heel - toe, toe], axis=-1)

    def foot_loads(self, s: ArrayLike) -> Array:
        """How each foot distributes its own load over `CONTACTS`: (k, 13).

        Six fractions of the load of the trailing foot, which add up to 1, six of that of the leading one, and whether
        both stand on the ground. The trailing foot rolls from its ball over its toe, the leading one from its heel.
        """
        s = np.asarray(s, float)
        none, both = np.zeros_like(s), (s <= self.lift * (1.0 + 1e-12)).astype(float)
        ball = (1.0 - self.toe) * (1.0 - _smooth(s, 0.0, self.lift))
        heel, toe = 1.0 - _smooth(s, 0.0, self.rise), self.toe * _smooth(s, self.rise - _TOE_LOADS, 1.0)
        trailing, leading = [none, ball, 1.0 - ball, *3 * [none]], [*3 * [none], heel, 1.0 - heel - toe, toe]
        return np.stack([*trailing, *leading, both], axis=-1)

    def foot_load_rates(self, s: ArrayLike) -> Array:
        """How fast the first twelve of `foot_loads` change with s: (k, 12)."""
        s = np.asarray(s, float)
        none, ball = np.zeros_like(s), -(1.0 - self.toe) * _slope(s, 0.0, self.lift)
        heel, toe = -_slope(s, 0.0, self.rise), self.toe * _slope(s, self.rise - _TOE_LOADS, 1.0)
        return np.stack([none, ball, -ball, *6 * [none], heel, -heel - toe, toe], axis=-1)


def transferred(foot_loads: Sequence[Any]) -> Callable[[Vec3, Sequence[Vec3]], list[Any]]:
    """The shares of all contacts in the ground reaction, from how each foot distributes its own.

    In double support the zero-moment point is between the feet: how far it has come from the trailing to the leading
    one is the part of the load that this one carries.
    """
    trailing, leading, both = foot_loads[:6], foot_loads[6:12], foot_loads[12]

    def shares(Z: Vec3, points: Sequence[Vec3]) -> list[Any]:
        rear, front = (sum((P * w for P, w in zip(points, own)), Vec3.zero) for own in (trailing, leading))
        x, z = front.x - rear.x, front.z - rear.z
        way = ((Z.x - rear.x) * x + (Z.z - rear.z) * z) / (x * x + z * z + (1.0 - both))
        part = both * way + (1.0 - both)
        return [a + part * (b - a) for a, b in zip(trailing, leading)]

    return shares


def _smooth(s: Array, start: float, end: float) -> Array:
    """From 0 to 1 between two values of s, with zero slope at both."""
    u = np.clip((s - start) / (end - start), 0.0, 1.0)
    return u * u * (3.0 - 2.0 * u)


def _slope(s: Array, start: float, end: float) -> Array:
    """Of `_smooth`."""
    u = np.clip((s - start) / (end - start), 0.0, 1.0)
    return 6.0 * u * (1.0 - u) / (end - start)
