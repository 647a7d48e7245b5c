"""The phases of a step: which points of the feet are on the ground when, and how they share the load.

A step goes from the heel strike of the left foot, s = 0, to that of the right foot, s = 1.

    double support    0 .. lift       the right foot rolls over its toe, the left one comes down from heel to ball
    flat              lift .. rise    the left foot stands, the right one swings
    heel rise         rise .. 1       the left foot stands on ball and toe

The times are those of free walking: toe off at 60 % of a stride, heel rise at 30 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError

Array = NDArray[np.float64]
CONTACTS = ("R_heel", "R_ball", "R_toe", "L_heel", "L_ball", "L_toe")
_ROLL_ON = 0.1  # where the load begins to leave the heel of the front foot
_ROLL_OFF = 0.2  # how long before the heel rises the toe begins to take load


@dataclass(frozen=True)
class Timing:
    """When the phases of a step change, as parts of its duration.

    Args:
        lift: the toe of the rear foot leaves the ground, the end of double support.
        rise: the heel of the standing foot rises.
        swing: the middle of the swing, where the knee is bent most.
        toe: the part of the load that the toe carries when the other heel strikes; the ball has the rest.
    """

    lift: float = 0.2
    rise: float = 0.6
    swing: float = 0.45
    toe: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 < self.lift < self.swing < 1.0 or not self.lift < self.rise < 1.0 or not 0.0 <= self.toe <= 1.0:
            raise InputError(f"0 < lift < rise, swing < 1 and toe from 0 to 1 are needed, got {self}")

    def contact(self, point: str) -> tuple[float, float] | None:
        """From and to where a point of the feet is on the ground in this step; None where it never is."""
        return {
            "R_ball": (0.0, 0.0),
            "R_toe": (0.0, self.lift),
            "L_heel": (0.0, self.rise),
            "L_ball": (self.lift, 1.0),
            "L_toe": (self.lift, 1.0),
            "R_heel": (1.0, 1.0),
        }.get(point)

    def shares(self, places: ArrayLike) -> Array:
        """What part of the ground force each of `CONTACTS` takes at places s: (k, 6), rows that add up to 1.

        In double support the load goes over from the rear to the front foot, smoothly.
        """
        s = np.asarray(places, float)
        front, rear = _smooth(s, 0.0, self.lift), 1.0 - _smooth(s, 0.0, self.lift)
        ball = rear * (1.0 - self.toe) * rear
        heel = front * (1.0 - _smooth(s, _ROLL_ON, self.rise))
        toe = front * self.toe * _smooth(s, self.rise - _ROLL_OFF, 1.0)
        return np.stack([np.zeros_like(s), ball, rear - ball, heel, front - heel - toe, toe], axis=-1)


def _smooth(s: Array, start: float, end: float) -> Array:
    """From 0 to 1 between two places, with no slope at both."""
    u = np.clip((s - start) / (end - start), 0.0, 1.0)
    return u * u * (3.0 - 2.0 * u)
