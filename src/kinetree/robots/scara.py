"""A SCARA: two horizontal links, a vertical quill that slides and turns."""

from __future__ import annotations

from math import pi

from kinetree.robot import Robot

# modified DH; inertia (xx, yy, zz) about the centre of mass
_COLUMNS: tuple[str, ...] = ("alpha", "a", "d", "joint", "mass", "com", "inertia", "rotor_inertia", "lower", "upper")
_TABLE = (
    (0.0, 0.000, 0.38, "revolute", 11.0, (0.15, 0.0, -0.03), (0.060, 0.220, 0.230), 0.90, -2.3, 2.3),
    (0.0, 0.325, 0.05, "revolute", 9.0, (0.12, 0.0, 0.05), (0.050, 0.120, 0.110), 0.35, -2.5, 2.5),
    (pi, 0.275, 0.00, "prismatic", 1.2, (0.00, 0.0, -0.05), (0.012, 0.012, 0.0002), 8.00, 0.0, 0.2),
    (0.0, 0.000, 0.10, "revolute", 0.4, (0.00, 0.0, -0.01), (0.0003, 0.0003, 0.0002), 0.01, -6.3, 6.3),
)


def scara() -> Robot:
    """A SCARA of 600 mm reach, joints R-R-P-R; the quill moves downwards. All numbers are our own.

    Example:
        >>> scara().joint_names
        ('joint1', 'joint2', 'joint3', 'joint4')
    """
    rows = [dict(zip(_COLUMNS, row)) for row in _TABLE]
    return Robot.from_dh(rows, "modified", name="scara")
