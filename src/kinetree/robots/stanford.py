"""The Stanford arm."""

from __future__ import annotations

from math import pi

from kinetree.robot import Robot

# modified DH, SI units; principal inertias about the centre of mass
_COLUMNS: tuple[str, ...] = ("alpha", "d", "theta", "joint", "mass", "com", "inertia")
_TABLE = (
    (0.0, 0.412, 0.0, "revolute", 9.29, (0.0, -0.1105, -0.0175), (0.276, 0.071, 0.255)),
    (-pi / 2, 0.154, 0.0, "revolute", 5.01, (0.0, 0.0, -0.1054), (0.108, 0.100, 0.018)),
    (pi / 2, 0.0, -pi / 2, "prismatic", 4.25, (0.0, 0.0, -0.6447), (2.51, 2.51, 0.006)),
    (0.0, 0.0, 0.0, "revolute", 1.08, (0.0, -0.0054, -0.0092), (0.002, 0.001, 0.001)),
    (-pi / 2, 0.0, 0.0, "revolute", 0.63, (0.0, -0.0566, 0.0), (0.003, 0.0004, 0.003)),
    (pi / 2, 0.263, 0.0, "revolute", 0.51, (0.0, 0.0, 0.1554), (0.013, 0.013, 0.0003)),
)


def stanford() -> Robot:
    """The Stanford arm: five revolute joints and a prismatic one.

    Table II of Guarino Lo Bianco with the column of inertias that the print lost restored from Paul's data.
    """
    rows = [dict(zip(_COLUMNS, row)) for row in _TABLE]
    return Robot.from_dh(rows, "modified", name="stanford")
