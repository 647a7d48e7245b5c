"""A motion as a piece of HTML, which the script of the page brings to life."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from kinetree.robot import Robot
from kinetree.scene import Movement, View


def animation_html(robot: Robot, t: ArrayLike, q: ArrayLike, caption: str = "", **parameters: Any) -> str:
    """A ``<figure>`` that shows a motion; ``Report`` adds the script and the style that it needs.

    Args:
        robot: what moves.
        t: times (n,) [s], rising.
        q: positions (n, nq) [rad, m]; rows with NaN are gaps, and the figure says so.
        caption: stands below.
        parameters: values of the model's named parameters.

    Example:
        >>> import kinetree as kt
        >>> "<canvas" in animation_html(kt.robots.two_link(), [0.0, 1.0], [[0.0, 0.0], [1.0, 0.5]])
        True
    """
    return View(robot, movements=[Movement(t, q)], parameters=parameters).figure(caption=caption)
