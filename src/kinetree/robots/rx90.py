"""The Stäubli RX-90."""

from __future__ import annotations

from math import pi

from kinetree.robot import Robot

_D3 = _RL4 = 0.45  # m, upper arm and forearm

# modified DH; inertia (xx, yy, zz) about the centre of mass
_COLUMNS: tuple[str, ...] = ("alpha", "a", "d", "mass", "com", "inertia", "rotor_inertia", "damping", "effort")
_TABLE = (
    (0.0, 0.0, 0.0, 30.0, (0.00, -0.02, -0.10), (0.60, 0.55, 0.35), 3.0, 8.0, 320.0),
    (pi / 2, 0.0, 0.0, 24.0, (0.20, 0.00, 0.05), (0.15, 0.75, 0.70), 3.0, 8.0, 320.0),
    (0.0, _D3, 0.0, 16.0, (0.01, 0.04, 0.02), (0.18, 0.12, 0.17), 1.0, 4.0, 140.0),
    (-pi / 2, 0.0, _RL4, 7.0, (0.00, 0.01, -0.16), (0.10, 0.10, 0.02), 0.3, 1.5, 50.0),
    (pi / 2, 0.0, 0.0, 2.0, (0.00, 0.01, 0.00), (0.004, 0.003, 0.004), 0.15, 1.0, 24.0),
    (-pi / 2, 0.0, 0.0, 0.5, (0.00, 0.00, 0.07), (0.0006, 0.0006, 0.0004), 0.05, 0.3, 8.0),
)


def rx90() -> Robot:
    """The Stäubli RX-90, six revolute joints with a spherical wrist.

    The geometry is that of Khalil and Dombre in Khalil's notation: D3 = RL4 = 0.45 m, frames 4 to 6 in the centre of
    the wrist. Masses, inertias, drives and friction are our own round numbers, not identified ones.

    Example:
        >>> rx90().nv
        6
    """
    rows = [dict(zip(_COLUMNS, row)) for row in _TABLE]
    return Robot.from_dh(rows, "modified", name="rx90")
