"""The PUMA 560."""

from __future__ import annotations

from math import pi

from kinetree.robot import Robot

# modified DH; inertia (xx, yy, zz) about the centre of mass
_COLUMNS: tuple[str, ...] = ("alpha", "a", "d", "mass", "com", "inertia", "rotor_inertia")
_TABLE = (
    (0.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.35), 1.14),
    (-pi / 2, 0.0, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.13, 0.524, 0.539), 4.71),
    (0.0, 0.4318, -0.0934, 4.8, (0.0, -0.070, 0.014), (0.066, 0.0125, 0.086), 0.83),
    (pi / 2, -0.0203, 0.4331, 0.82, (0.0, 0.0, -0.019), (0.0018, 0.0018, 0.0013), 0.2),
    (-pi / 2, 0.0, 0.0, 0.34, (0.0, 0.0, 0.0), (0.0003, 0.0003, 0.0004), 0.179),
    (pi / 2, 0.0, 0.0, 0.09, (0.0, 0.0, 0.032), (0.00015, 0.00015, 0.00004), 0.193),
)


def puma560() -> Robot:
    """The PUMA 560 with the measured inertias of Armstrong, Khatib and Burdick (1986), tables 4 to 6.

    Link 1 turns about the vertical only, so just its inertia about that axis is known, and the measured moments of
    link 3 miss the triangle inequality by a little; ``strict=False`` admits both.
    """
    rows = [dict(zip(_COLUMNS, row)) for row in _TABLE]
    return Robot.from_dh(rows, "modified", name="puma560", strict=False)
