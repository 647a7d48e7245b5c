"""The centre of mass and the momentum of a robot, as functions of NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import ModelError
from kinetree.robot.functions import Array
from kinetree.runtime.cuda.arrays import beside

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot


def center_of_mass(robot: Robot, q: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike) -> Array:
    """The centre of mass of all bodies.

    Args:
        q: positions (..., nq) [rad, m].
        out: an array for the result.

    Returns:
        c (..., 3) [m], in the world.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().center_of_mass([0.0, 0.0])
        array([0.4, 0. , 0. ])
    """
    if not robot.parameters and robot.total_mass == 0.0:
        raise ModelError(f"{robot.name!r} has no mass, so that it has no centre of mass")
    return robot._functions.call("center_of_mass", (q,), out, parameters)


def momentum(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    about: ArrayLike | None = None,
    *,
    out: Array | None = None,
    **parameters: ArrayLike,
) -> Array:
    """The momentum of all bodies. Drives that are only a rotor inertia of a joint are not in it.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        about: the point of the angular momentum (..., 3) [m] in the world; its origin by default.
        out: an array for the result.

    Returns:
        h (..., 6): angular momentum about the point [kg m^2/s], then linear momentum [kg m/s], in world axes.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().momentum([0.0, 0.0], [1.0, 0.0]).round(3) + 0.0
        array([0. , 0. , 0.4, 0. , 0.4, 0. ])
    """
    about = beside(np.zeros(3), q, qd) if about is None else about
    return robot._functions.call("momentum", (q, qd, about), out, parameters)


def centroidal_momentum(
    robot: Robot, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike
) -> Array:
    """The momentum about the centre of mass: its rate is the wrench of gravity and of everything that is touched.

    Args:
        q: positions (..., nq) [rad, m].
        qd: velocities (..., nv) [rad/s, m/s].
        out: an array for the result.

    Returns:
        h (..., 6): angular momentum [kg m^2/s], then linear momentum [kg m/s], in world axes.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().centroidal_momentum([0.0, 0.0], [1.0, 0.0]).round(3)
        array([0.  , 0.  , 0.24, 0.  , 0.4 , 0.  ])
    """
    return robot._functions.call("centroidal_momentum", (q, qd), out, parameters)


def centroidal_momentum_matrix(
    robot: Robot, q: ArrayLike, *, out: Array | None = None, **parameters: ArrayLike
) -> Array:
    """The matrix A(q) of the centroidal momentum: h = A qd.

    Args:
        q: positions (..., nq) [rad, m].
        out: an array for the result.

    Returns:
        A (..., 6, nv): angular rows first, in world axes.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().centroidal_momentum_matrix([0.0, 0.0])[4].round(3)
        array([0.4, 0.1])
    """
    return robot._functions.call("centroidal_momentum_matrix", (q,), out, parameters)
