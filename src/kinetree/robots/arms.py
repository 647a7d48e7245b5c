"""Serial arms, each a table of modified DH parameters: metres, radians, kilograms.

The columns are those of `DH`: the centre of mass is in the frame of the link, the inertia (xx, yy, zz, or xx, yy, zz,
xy, xz, yz) is about it, rotor inertia, damping and limits are on the joint side.
"""

from __future__ import annotations

from math import pi
from typing import Any

from kinetree.model import Limits
from kinetree.model.dh import DH
from kinetree.robot import Robot


def stanford() -> Robot:
    """The Stanford arm: five revolute joints and a prismatic one.

    The column of inertias that the print lost is restored from Paul's data.

    Source: table II of Guarino Lo Bianco; Paul.

    Example:
        >>> stanford().nv
        6
    """
    table = (
        (0.0, 0.412, 0.0, "revolute", 9.29, (0.0, -0.1105, -0.0175), (0.276, 0.071, 0.255)),
        (-pi / 2, 0.154, 0.0, "revolute", 5.01, (0.0, 0.0, -0.1054), (0.108, 0.100, 0.018)),
        (pi / 2, 0.0, -pi / 2, "prismatic", 4.25, (0.0, 0.0, -0.6447), (2.51, 2.51, 0.006)),
        (0.0, 0.0, 0.0, "revolute", 1.08, (0.0, -0.0054, -0.0092), (0.002, 0.001, 0.001)),
        (-pi / 2, 0.0, 0.0, "revolute", 0.63, (0.0, -0.0566, 0.0), (0.003, 0.0004, 0.003)),
        (pi / 2, 0.263, 0.0, "revolute", 0.51, (0.0, 0.0, 0.1554), (0.013, 0.013, 0.0003)),
    )
    return _arm("stanford", "alpha d theta joint mass com inertia", table)


def puma560() -> Robot:
    """The PUMA 560 with the masses and inertias that Armstrong, Khatib and Burdick measured.

    Two of their tensors can't be those of bodies. Of link 1, which turns about the vertical, they give the inertia
    about that axis only; here the others are half of it, the least that a body can have, and do no work. Of link 3 the
    measured 0.066, 0.0125 and 0.086 kg m^2 miss the triangle inequality by 0.0075; here 0.004 kg m^2 about x and y are
    those of link 3 and not of link 2. The axes of the two joints are parallel, so that only the sum is felt: forces
    and motions are those of the measured numbers.

    Source: Armstrong, Khatib and Burdick (1986), tables 4 to 6.

    Example:
        >>> puma560().check()
        ()
    """
    table = (
        (0.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.175, 0.175, 0.35), 1.14),
        (-pi / 2, 0.0, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.126, 0.520, 0.539), 4.71),
        (0.0, 0.4318, -0.0934, 4.8, (0.0, -0.070, 0.014), (0.070, 0.0165, 0.086), 0.83),
        (pi / 2, -0.0203, 0.4331, 0.82, (0.0, 0.0, -0.019), (0.0018, 0.0018, 0.0013), 0.2),
        (-pi / 2, 0.0, 0.0, 0.34, (0.0, 0.0, 0.0), (0.0003, 0.0003, 0.0004), 0.179),
        (pi / 2, 0.0, 0.0, 0.09, (0.0, 0.0, 0.032), (0.00015, 0.00015, 0.00004), 0.193),
    )
    return _arm("puma560", "alpha a d mass com inertia rotor_inertia", table)


def rx90() -> Robot:
    """The Stäubli RX-90, six revolute joints with a spherical wrist.

    The geometry is that of Khalil and Dombre in Khalil's notation: D3 = RL4 = 0.45 m, frames 4 to 6 in the centre of
    the wrist. Masses, inertias, drives and friction are our own round numbers, not identified ones.

    Source: Khalil and Dombre for the geometry; our own numbers for the rest.

    Example:
        >>> rx90().nv
        6
    """
    table = (
        (0.0, 0.0, 0.0, 30.0, (0.00, -0.02, -0.10), (0.60, 0.55, 0.35), 3.0, 8.0, Limits(effort=320.0)),
        (pi / 2, 0.0, 0.0, 24.0, (0.20, 0.00, 0.05), (0.15, 0.75, 0.70), 3.0, 8.0, Limits(effort=320.0)),
        (0.0, 0.45, 0.0, 16.0, (0.01, 0.04, 0.02), (0.18, 0.12, 0.17), 1.0, 4.0, Limits(effort=140.0)),
        (-pi / 2, 0.0, 0.45, 7.0, (0.00, 0.01, -0.16), (0.10, 0.10, 0.02), 0.3, 1.5, Limits(effort=50.0)),
        (pi / 2, 0.0, 0.0, 2.0, (0.00, 0.01, 0.00), (0.004, 0.003, 0.004), 0.15, 1.0, Limits(effort=24.0)),
        (-pi / 2, 0.0, 0.0, 0.5, (0.00, 0.00, 0.07), (0.0006, 0.0006, 0.0004), 0.05, 0.3, Limits(effort=8.0)),
    )
    return _arm("rx90", "alpha a d mass com inertia rotor_inertia damping limits", table)


def scara() -> Robot:
    """A SCARA of 600 mm reach, joints R-R-P-R; the quill moves downwards.

    Source: our own numbers.

    Example:
        >>> scara().joint_names
        ('joint1', 'joint2', 'joint3', 'joint4')
    """
    table = (
        (0.0, 0.000, 0.38, "revolute", 11.0, (0.15, 0.0, -0.03), (0.060, 0.220, 0.230), 0.90, Limits(-2.3, 2.3)),
        (0.0, 0.325, 0.05, "revolute", 9.0, (0.12, 0.0, 0.05), (0.050, 0.120, 0.110), 0.35, Limits(-2.5, 2.5)),
        (pi, 0.275, 0.00, "prismatic", 1.2, (0.00, 0.0, -0.05), (0.012, 0.012, 0.0002), 8.00, Limits(0.0, 0.2)),
        (0.0, 0.000, 0.10, "revolute", 0.4, (0.00, 0.0, -0.01), (0.0003, 0.0003, 0.0002), 0.01, Limits(-6.3, 6.3)),
    )
    return _arm("scara", "alpha a d joint mass com inertia rotor_inertia limits", table)


def seven_link() -> Robot:
    """Seven revolute joints in the arrangement of the light arms for cooperation (800 mm reach, 18 kg).

    Shoulder and wrist are spherical. The geometry is that of an iiwa-like arm; masses and inertias are our own round
    numbers, not a product's.

    Source: our own numbers.

    Example:
        >>> seven_link().nv
        7
    """
    reach = Limits(-2.9, 2.9, 1.7, 180.0)
    table = (
        (0.0, 0.34, 4.2, (0.0, -0.03, -0.07), (0.034, 0.031, 0.011, 0.0, 0.0, -0.004), reach),
        (-pi / 2, 0.0, 4.0, (0.0, -0.06, 0.04), (0.033, 0.011, 0.030, 0.0, 0.0, 0.004), reach),
        (pi / 2, 0.40, 3.1, (0.0, 0.03, -0.07), (0.026, 0.024, 0.007, 0.0, 0.0, 0.003), reach),
        (pi / 2, 0.0, 2.7, (0.0, 0.07, 0.03), (0.019, 0.006, 0.018, 0.0, 0.0, 0.002), reach),
        (-pi / 2, 0.40, 1.8, (0.0, 0.02, -0.08), (0.013, 0.012, 0.004, 0.0, 0.0, -0.002), reach),
        (-pi / 2, 0.0, 1.7, (0.0, 0.0, 0.01), (0.005, 0.004, 0.004, 0.0, 0.0, 0.0), reach),
        (pi / 2, 0.126, 0.3, (0.0, 0.0, 0.02), (0.0003, 0.0003, 0.0004, 0.0, 0.0, 0.0), reach),
    )
    return _arm("seven_link", "alpha d mass com inertia limits", table)


def _arm(name: str, columns: str, table: tuple[tuple[Any, ...], ...]) -> Robot:
    """The arm of a table; columns that it does not have are zero, joints without a type are revolute."""
    rows = [DH(**dict(zip(columns.split(), row))) for row in table]
    return Robot.from_dh(rows, "modified", name=name)
