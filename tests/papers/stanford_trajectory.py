"""The quintic trajectory of Guarino Lo Bianco's Stanford arm (section VI), and its joint forces.

The paper prints no forces; these were computed from its data by an independent program and checked with Pinocchio.
"""

from __future__ import annotations

from math import pi

import numpy as np

DIGITS = 9  # significant ones of the numbers below
FORCES = {  # time [s]: tau [N m, N]
    0.0: ("0", "-1.72753401", "63.4707000", "0", "-1.72753401", "0"),
    1.0: ("-13.9801093", "-9.33750992", "35.2859443", "-0.986000157", "-1.09456872", "2.15581492e-4"),
    2.0: ("0", "-99.9647731", "0", "-1.76798894", "0", "0"),
}

START = np.array([pi / 2, 0, 0, pi / 2, pi / 4, pi / 2])
END = np.array([pi / 4, pi / 2, 2, pi / 4, pi / 2, 0])
DURATION = 2.0


def quintic(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd of the trajectory with zero velocities and accelerations at both ends."""
    s = t / DURATION
    way = END - START
    q = START + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    qd = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / DURATION
    qdd = way * (60 * s - 180 * s**2 + 120 * s**3) / DURATION**2
    return q, qd, qdd
