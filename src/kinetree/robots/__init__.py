"""The built-in robots: data and short builders, each saying where its numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.errors import UnknownRobotError
from kinetree.robots.arms import puma560, rx90, scara, seven_link, stanford
from kinetree.robots.eel import eel, planar_eel
from kinetree.robots.human import human55
from kinetree.robots.legged import atlas, hyq
from kinetree.robots.linkages import five_bar, four_bar
from kinetree.robots.mixed_elastic import mixed_elastic
from kinetree.robots.parallel import delta, gough_stewart, planar_3rrr
from kinetree.robots.products import iiwa14, panda, ur5, ur10
from kinetree.robots.quadruped import quadruped
from kinetree.robots.shuttle import shuttle_rms
from kinetree.robots.textbook import prismatic_revolute, two_link
from kinetree.robots.trees import random_tree

__all__ = [
    "atlas", "delta", "eel", "five_bar", "four_bar", "gough_stewart", "human55", "hyq", "iiwa14", "mixed_elastic",
    "names", "panda", "planar_3rrr", "planar_eel", "prismatic_revolute", "puma560", "quadruped", "random_tree", "rx90",
    "scara", "seven_link", "shuttle_rms", "stanford", "two_link", "ur5", "ur10",
]  # fmt: skip


def names() -> tuple[str, ...]:
    """The built-in robots, each a function of this module.

    Example:
        >>> "stanford" in names()
        True
    """
    return tuple(sorted({*__all__} - {"names"}))


if not TYPE_CHECKING:  # type checkers know all names, and which are wrong

    def __getattr__(name: str) -> object:
        """What a robot that there is not is answered with: the nearest name, and all of them."""
        raise UnknownRobotError("built-in robot", name, names())
