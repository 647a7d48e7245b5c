"""The two planar arms of Barman's thesis, tables 4.1 to 4.4: horizontal, without gravity."""

from __future__ import annotations

from math import pi

from kinetree.model.dh import DH
from kinetree.robot import Robot

_LINK = {"mass": 0.5, "inertia": (0.1, 0.1, 0.1)}  # kg, kg m^2 about the centre of mass; only zz matters
_LENGTH = 0.4  # m


def two_link() -> Robot:
    """Two revolute joints about parallel vertical axes, links of 0.4 m.

    Source: Barman's thesis, tables 4.1 and 4.2.

    Example:
        >>> two_link().nv
        2
    """
    link = DH(a=_LENGTH, com=(-_LENGTH / 2, 0.0, 0.0), **_LINK)
    return Robot.from_dh([link, link], "standard", name="two_link", gravity=(0.0, 0.0, 0.0))


def prismatic_revolute() -> Robot:
    """A slider that carries a revolute link of 0.4 m.

    Source: Barman's thesis, tables 4.3 and 4.4; the literal DH table.

    Example:
        >>> prismatic_revolute().joint_names
        ('joint1', 'joint2')
    """
    rows = [
        DH(joint="prismatic", theta=pi / 2, d=_LENGTH, alpha=pi / 2, com=(0.0, -_LENGTH / 2, 0.0), **_LINK),
        DH(theta=pi / 2, a=_LENGTH, com=(-_LENGTH / 2, 0.0, 0.0), **_LINK),
    ]
    return Robot.from_dh(rows, "standard", name="prismatic_revolute", gravity=(0.0, 0.0, 0.0))
