"""The built-in robots: data and short builders, each saying where its numbers come from."""

from __future__ import annotations

from kinetree.robots.puma import puma560 as puma560
from kinetree.robots.seven import seven_link as seven_link
from kinetree.robots.stanford import stanford as stanford
from kinetree.robots.textbook import prismatic_revolute as prismatic_revolute
from kinetree.robots.textbook import two_link as two_link
from kinetree.robots.trees import random_tree as random_tree

_NAMES = ("prismatic_revolute", "puma560", "random_tree", "seven_link", "stanford", "two_link")


def names() -> tuple[str, ...]:
    """The built-in robots, each a function of this module.

    Example:
        >>> "stanford" in names()
        True
    """
    return _NAMES
