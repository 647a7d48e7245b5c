"""Passive joint moments: what ligaments, tendons and stretched muscles do without being told to.

Hip, knee and ankle in the sagittal plane have those that were measured of people, each a function of the angles of its
neighbours too, because muscles cross two joints: [RienerEdrich1999]. Near the ends of the range of the others a moment
rises by an exponential on either side, K1 e^(K2 (q - q2)) + K3 e^(K4 (q - q1)), as in the models of
[AndersonPandy1999] (legs, trunk) and of [Dembia2020] (arms). Toes are springs as in [Falisse2022]. All are damped.
A trunk resists being turned about its axis. How much is an estimate: trunks at rest resist being bent to a side with
15 N m/rad at first, and being turned with somewhat less [Watt2022]; the muscles of those that walk are not at rest.
Moments are for a man of 73 kg and 1.741 m, and in proportion to mass times stature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from kinetree.model import Mechanism
from kinetree.scalar import Vector, maximum, minimum

_DAMPING = 0.1  # N m s/rad
_TOE = 25.0  # N m/rad
_TRUNK = 70.0  # N m/rad, of each joint of the spine, about its axis; two of them move
_STEEP = 4.0  # an exponent from which on a moment rises along its tangent: 55 times K
_SQUARINGS = 7  # of e^(x / 2^7), by its series


class Stop(NamedTuple):
    """K1 e^(K2 (q - q2)) + K3 e^(K4 (q - q1)) [N m, 1/rad, rad]."""

    K1: float
    K2: float
    q2: float
    K3: float
    K4: float
    q1: float


# by a part of a joint's name
STOPS: dict[str, Stop] = {
    "hip_adduction": Stop(-0.03, 14.94, 0.50, 0.03, -14.94, -0.50),
    "hip_int_rotation": Stop(-0.03, 14.94, 0.92, 0.03, -14.94, -0.92),
    "ankle_inversion": Stop(-60.21, 16.32, 0.65, 60.21, -16.32, -0.65),
    "shoulder_flexion": Stop(-2.44, 5.05, 1.81, 1.51, -11.88, -0.50),
    "shoulder_abduction": Stop(-5.03, 14.93, 1.57, 15.03, -20.94, -0.10),
    "shoulder_int_rotation": Stop(-0.43, 14.94, 0.15, 0.43, -14.93, -0.15),
    "elbow_flexion": Stop(-11.03, 11.33, 2.40, 6.09, -6.94, 0.30),
    "_flexion": Stop(-0.25, 20.36, 0.524, 0.35, -30.72, -0.17),  # of one joint of the spine
    "_lat_bend": Stop(-0.25, 20.36, 0.349, 0.25, -20.36, -0.349),
    "_axial": Stop(-0.25, 20.36, 0.349, 0.25, -20.36, -0.349),
}


def exponential(x: Any) -> Any:
    """e^x for x up to `_STEEP`, and beyond along its tangent; to 1e-6."""
    below = minimum(x, _STEEP)
    y = below * 2.0**-_SQUARINGS
    found = 1.0 + y * (1.0 + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y * (1.0 / 120.0)))))
    for _ in range(_SQUARINGS):
        found = found * found
    return found * (1.0 + maximum(x - _STEEP, 0.0))


def passive_moments(robot: Mechanism, q: Vector, qd: Vector) -> dict[int, Any]:
    """The moment of each joint but those of the base, by its coordinate, for a man of the tables [N m]."""
    names = robot.joint_names
    at = {name: k for k, name in enumerate(names) if not name.startswith("global")}
    found = {k: -_DAMPING * qd[k] for k in at.values()}
    for side in "LR":
        for name, moment in _leg({name[2:]: q[k] for name, k in at.items() if name.startswith(f"{side}_")}).items():
            if (k := at.get(f"{side}_{name}")) is not None:
                found[k] = found[k] + moment
    for name, k in at.items():
        if name[2:] not in _SAGITTAL and (stop := next((s for part, s in STOPS.items() if part in name), None)):
            upper, lower = stop.K2 * (q[k] - stop.q2), stop.K4 * (q[k] - stop.q1)
            found[k] = found[k] + stop.K1 * exponential(upper) + stop.K3 * exponential(lower)
        if name.startswith("spine") and name.endswith("axial"):
            found[k] = found[k] - _TRUNK * q[k]
    return found


_SAGITTAL = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion", "forefoot_extension")


def _leg(q: Mapping[str, Any]) -> dict[str, Any]:
    """Of the sagittal joints of a leg; what is locked is at zero. [RienerEdrich1999], table 2; angles in degrees."""
    H, K, A = (math.degrees(1.0) * q.get(name, 0.0) for name in _SAGITTAL[:3])
    A = -A  # plantarflexion
    e = exponential
    ankle = e(2.1016 - 0.0843 * A - 0.0176 * K) - e(-7.9763 + 0.1949 * A + 0.0008 * K) - 1.792
    knee = e(1.800 - 0.0460 * A - 0.0352 * K + 0.0217 * H) - e(-3.971 - 0.0004 * A + 0.0495 * K - 0.0128 * H)
    knee = knee - 4.820 + e(2.220 - 0.150 * K)
    hip = e(1.4655 - 0.0034 * K - 0.0750 * H) - e(1.3403 - 0.0226 * K + 0.0305 * H) + 8.072
    return dict(zip(_SAGITTAL, (hip, knee, -ankle, -_TOE * q.get(_SAGITTAL[3], 0.0))))
