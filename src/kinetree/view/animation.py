"""A motion as a piece of HTML, which the script of the page brings to life."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.robot import Robot
from kinetree.robot.functions import Array
from kinetree.scene import Movement, View, html
from kinetree.scene.packed import PackedArrays
from kinetree.view.skeleton import Skeleton

_THIN = 0.013  # the radius of a line, of the size of the figure


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


def figure_html(name: str, times: Array, shown: Skeleton, vertical: int = 2, caption: str = "") -> str:
    """A ``<figure>`` that shows points and lines in motion.

    Args:
        name: of what moves.
        times: (n,) [s], rising.
        shown: the points (n, k, 3) [m] and the lines between them.
        vertical: which axis of the world is vertical, along gravity.
        caption: stands below.
    """
    block = PackedArrays()
    turn = np.roll(np.eye(3), 2 - vertical, axis=0)
    size = float(np.linalg.norm(np.ptp(shown.points.reshape(-1, shown.points.shape[-2], 3)[0], axis=0))) or 1.0
    data = {
        "name": name,
        "root": [float(x) for row in turn for x in (*row, 0.0)],
        "parts": [],
        "notes": [],
        "figure": {"edges": [[a, b, _THIN * size, _THIN * size] for a, b in shown.edges]},
        "motions": [{"name": name, "t": block.add(times, "f8"), "q": block.add(shown.points, "f4")}],
    }
    return html.figure(data, block.text(), caption=caption)
