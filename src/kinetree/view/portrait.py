"""A robot in one configuration as a picture, without a script: seen from the side and a little from above."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.robot import Robot
from kinetree.robot.functions import check_quaternions
from kinetree.scene.still import HEIGHT, WIDTH, drawing
from kinetree.scene.view import numeric
from kinetree.view import svg
from kinetree.view.picture import Picture


def portrait(robot: Robot, q: ArrayLike | None = None, **parameters: Any) -> Picture:
    """A picture of a robot: its links as bars, its joints as drums along their axes, and their shadow on a floor.

    Args:
        robot: what to show.
        q: positions (nq,) [rad, m]; the neutral ones by default.
        parameters: values of the model's named parameters.

    Returns:
        A `Picture`, which a notebook shows; ``save`` writes it to a file.

    Example:
        >>> import kinetree as kt
        >>> portrait(kt.robots.panda(), [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]).title
        'panda'
    """
    place = np.asarray(robot.neutral if q is None else q, dtype=np.float64)
    if place.ndim != 1:
        raise InputError(f"a portrait shows one configuration, q ({robot.nq},); got the shape {place.shape}")
    if place.shape != (robot.nq,):
        raise InputError(f"q must end in {robot.nq} coordinates for {robot.name}, got the shape {place.shape}")
    if not np.isfinite(place).all():
        raise InputError(f"q has a coordinate that is not finite: {place.tolist()}")
    check_quaternions(robot, place)
    elements = drawing(numeric(robot, parameters), place.tolist())
    return Picture(robot.name, WIDTH, HEIGHT, tuple(elements), svg.FONT)
