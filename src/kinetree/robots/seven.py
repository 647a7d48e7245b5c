"""A seven-joint arm with spherical shoulder and wrist."""

from __future__ import annotations

from math import pi

from kinetree.model import Limits
from kinetree.robot import Robot

# modified DH, numbers of our own; inertia (xx, yy, zz, xy, xz, yz) about the centre of mass
_COLUMNS: tuple[str, ...] = ("alpha", "d", "mass", "com", "inertia")
_TABLE = (
    (0.0, 0.34, 4.2, (0.0, -0.03, -0.07), (0.034, 0.031, 0.011, 0.0, 0.0, -0.004)),
    (-pi / 2, 0.0, 4.0, (0.0, -0.06, 0.04), (0.033, 0.011, 0.030, 0.0, 0.0, 0.004)),
    (pi / 2, 0.40, 3.1, (0.0, 0.03, -0.07), (0.026, 0.024, 0.007, 0.0, 0.0, 0.003)),
    (pi / 2, 0.0, 2.7, (0.0, 0.07, 0.03), (0.019, 0.006, 0.018, 0.0, 0.0, 0.002)),
    (-pi / 2, 0.40, 1.8, (0.0, 0.02, -0.08), (0.013, 0.012, 0.004, 0.0, 0.0, -0.002)),
    (-pi / 2, 0.0, 1.7, (0.0, 0.0, 0.01), (0.005, 0.004, 0.004, 0.0, 0.0, 0.0)),
    (pi / 2, 0.126, 0.3, (0.0, 0.0, 0.02), (0.0003, 0.0003, 0.0004, 0.0, 0.0, 0.0)),
)
_REACH = Limits(-2.9, 2.9, 1.7, 180.0)


def seven_link() -> Robot:
    """Seven revolute joints in the arrangement of the light arms for cooperation (800 mm reach, 18 kg).

    The geometry is that of an iiwa-like arm; masses and inertias are our own round numbers, not a product's.
    """
    rows = [{**dict(zip(_COLUMNS, row)), "limits": _REACH} for row in _TABLE]
    return Robot.from_dh(rows, "modified", name="seven_link")
