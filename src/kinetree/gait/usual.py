"""How adults usually step at a speed: how long and wide their steps are, and when the phases of a step change.

Step frequency grows with the speed to the power of 0.58, so the step length with that of 0.42 [GrieveGear1966]; at
1.2 m/s the step length is 0.0065 m for each step per minute, the walk ratio of healthy adults [Sekiya1998]. Steps are
0.12 leg lengths wide [Donelan2001]. Double support is 24, 19 and 16 % of a stride at 0.87, 1.28 and 1.67 m/s
[Schwartz2008]: a power of the speed within 1 %. Bodies of another stature walk alike at the same speed over the root of
stature.
"""

from __future__ import annotations

from kinetree.errors import InputError
from kinetree.gait.phases import Timing
from kinetree.robots.human_table import STATURE

_USUAL = 1.2  # m/s
_WALK_RATIO = 0.0065  # m per step/min
_POWER = 0.42
_WIDTH = 0.12  # of the length of a leg
_LIFT, _LIFT_POWER = 0.22, -0.62  # double support at 1 m/s, of a step as of a stride; how it changes with speed


def usual_length(speed: float, stature: float = STATURE) -> float:
    """The step length [m] at which adults of a stature [m] usually walk at a speed [m/s].

    Example:
        >>> [round(usual_length(v), 2) for v in (0.8, 1.2, 1.6)]
        [0.58, 0.68, 0.77]

    Reference: [GrieveGear1966], [Sekiya1998].
    """
    size = stature / STATURE
    if not (speed > 0.0 and size > 0.0):
        raise InputError(f"speed and stature are positive numbers, got {speed!r} and {stature!r}")
    at_usual = (60.0 * _USUAL * _WALK_RATIO) ** 0.5  # length / (60 speed / length) is the walk ratio
    return at_usual * size * (speed / (_USUAL * size**0.5)) ** _POWER


def usual_width(leg: float) -> float:
    """The step width [m] of adults with legs of a length [m]."""
    return _WIDTH * leg


def usual_timing(speed: float, stature: float = STATURE) -> Timing:
    """The phases of a step at a speed [m/s] of adults of a stature [m].

    Example:
        >>> [round(usual_timing(v).lift, 2) for v in (0.87, 1.28, 1.67)]
        [0.24, 0.19, 0.16]
    """
    same = speed / (stature / STATURE) ** 0.5
    return Timing(lift=min(0.4, _LIFT * same**_LIFT_POWER))
