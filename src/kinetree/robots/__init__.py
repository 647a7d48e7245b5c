"""The built-in robots: data and short builders, each saying where its numbers come from."""

from __future__ import annotations

from kinetree.robots.delta import delta as delta
from kinetree.robots.eel import eel as eel
from kinetree.robots.eel import planar_eel as planar_eel
from kinetree.robots.hexapod import gough_stewart as gough_stewart
from kinetree.robots.human import human55 as human55
from kinetree.robots.linkages import five_bar as five_bar
from kinetree.robots.linkages import four_bar as four_bar
from kinetree.robots.mixed_elastic import mixed_elastic as mixed_elastic
from kinetree.robots.planar_3rrr import planar_3rrr as planar_3rrr
from kinetree.robots.puma import puma560 as puma560
from kinetree.robots.quadruped import quadruped as quadruped
from kinetree.robots.rx90 import rx90 as rx90
from kinetree.robots.scara import scara as scara
from kinetree.robots.seven import seven_link as seven_link
from kinetree.robots.shuttle import shuttle_rms as shuttle_rms
from kinetree.robots.stanford import stanford as stanford
from kinetree.robots.textbook import prismatic_revolute as prismatic_revolute
from kinetree.robots.textbook import two_link as two_link
from kinetree.robots.trees import random_tree as random_tree


def names() -> tuple[str, ...]:
    """The built-in robots, each a function of this module.

    Example:
        >>> "stanford" in names()
        True
    """
    return tuple(sorted(name for name, x in globals().items() if callable(x) and x is not names))
