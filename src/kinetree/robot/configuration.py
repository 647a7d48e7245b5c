"""The configurations of a robot as arrays: its limits, random ones, and the way from one to another."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.joints import JointKind
from kinetree.model import Limits, Mechanism
from kinetree.robot.functions import Array, check_quaternions

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot

_FAR = 1.0  # [m]: how far from the origin random positions are where there are no limits


def lower(robot: Robot) -> Array:
    """The lower limits of the positions (nq,) [rad, m]; -inf where there is none, as for quaternions.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().lower
        array([-inf, -inf])
    """
    return _of_positions(robot, lambda limits: limits.lower, -math.inf)


def upper(robot: Robot) -> Array:
    """The upper limits of the positions (nq,) [rad, m]; inf where there is none, as for quaternions.

    Joints that mimic others have no position of their own, and their limits are not among these.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().upper
        array([inf, inf])
    """
    return _of_positions(robot, lambda limits: limits.upper, math.inf)


def velocity_limits(robot: Robot) -> Array:
    """The largest speeds (nv,) [rad/s, m/s]; inf where there is no limit.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().velocity_limits
        array([inf, inf])
    """
    return per_velocity(robot, lambda limits: limits.velocity)


def effort_limits(robot: Robot) -> Array:
    """The largest joint forces (nv,) [N m, N]; inf where there is no limit.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().effort_limits
        array([inf, inf])
    """
    return per_velocity(robot, lambda limits: limits.effort)


def total_mass(robot: Robot) -> float:
    """The mass of all bodies [kg].

    Raises `InputError` where a mass is a named parameter.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().total_mass
        1.0
    """
    from kinetree.algorithms.momentum import total_mass as total

    try:
        return float(total(robot))
    except TypeError as error:
        raise InputError(f"the mass depends on open parameters ({', '.join(robot.parameters)})") from error


def random(robot: Robot, n: int | None = None, *, seed: int | np.random.Generator | None = None) -> Array:
    """Random configurations, uniform inside the limits of the joints.

    Where there is no limit, angles are within pi of the other limit or of zero, lengths within 1 m. Orientations are
    uniform over all rotations.

    Args:
        n: how many; one, without a leading dimension, by default.
        seed: a number, or a generator of NumPy, for the same ones again.

    Returns:
        q (n, nq) or (nq,) [rad, m].

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> arm.random(1000, seed=0).shape
        (1000, 2)
        >>> bool((arm.random(3, seed=1) == arm.random(3, seed=1)).all())
        True
    """
    if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0):
        raise InputError(f"n is how many configurations, an integer not below 0, got {n!r}")
    rng = np.random.default_rng(seed)
    shape = () if n is None else (int(n),)
    low, high = _finite(robot)
    q = rng.uniform(low, high, (*shape, robot.nq))
    np.clip(q, low, high, out=q)  # rounding may have brought it past
    for _, start in robot.quaternions:
        x = rng.standard_normal((*shape, 4))
        q[..., start : start + 4] = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return q


def integrate(robot: Robot, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0, *, out: Array | None = None) -> Array:
    """The positions after moving from q for the time dt with constant velocities v.

    The sum q + v dt, but for orientations: these turn by the rotation vector of their angular velocity, and a floating
    body moves along the screw of its twist. Quaternions stay of length one.

    Args:
        q: positions (..., nq) [rad, m].
        v: velocities (..., nv) [rad/s, m/s].
        dt: times (...) [s].
        out: an array for the result.

    Returns:
        q (..., nq) [rad, m].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().integrate([0.0, 1.0], [1.0, 2.0], 0.5)
        array([0.5, 2. ])
    """
    return robot._functions.call("integrate", (q, v, dt), out, _whatever(robot))


def difference(robot: Robot, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
    """The constant velocities that move the robot from q0 to q1 in one second: the inverse of `integrate`.

    The difference q1 - q0, but for orientations: there the shortest rotation, in body axes.

    Args:
        q0, q1: positions (..., nq) [rad, m].
        out: an array for the result.

    Returns:
        v (..., nv) [rad/s, m/s].

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().difference([0.0, 1.0], [0.5, 3.0])
        array([0.5, 2. ])
    """
    if robot.quaternions:
        check_quaternions(robot, q1)
    return robot._functions.call("difference", (q0, q1), out, _whatever(robot))


def _whatever(robot: Robot) -> dict[str, float]:
    """Values for named parameters without a default: coordinates depend on none."""
    return {name: 0.0 for name, p in robot.parameters.items() if p.default is None}


def _of_positions(robot: Robot, limit: Callable[[Limits], float], none: float) -> Array:
    own = (body.joint for body in robot.bodies if not body.joint.mimic)
    numbers = np.array([limit(joint.limits) for joint in own for _ in range(joint.kind.nq)], float)
    for _, start in robot.quaternions:
        numbers[start : start + 4] = none
    return numbers


def per_velocity(robot: Mechanism, limit: Callable[[Limits], float], *, actuated: bool = False) -> NDArray[np.float64]:
    """A limit of the joints, or of the actuated ones, one number for each velocity."""
    own = (body.joint for body in robot.bodies if not body.joint.mimic and (body.joint.actuated or not actuated))
    return np.array([limit(joint.limits) for joint in own for _ in range(joint.kind.nv)], float)


def _finite(robot: Robot) -> tuple[Array, Array]:
    """The limits of random positions."""
    low, high = lower(robot), upper(robot)
    own = (body.joint.kind for body in robot.bodies if not body.joint.mimic)
    far = np.array([x for kind in own for x in _reach(kind)])
    low = np.where(np.isfinite(low), low, np.minimum(high, far) - 2.0 * far)
    return low, np.where(np.isfinite(high), high, np.maximum(low, -far) + 2.0 * far)


def _reach(kind: JointKind) -> list[float]:
    """How far from zero the coordinates of a joint without limits go: half a turn, or a length."""
    if kind.quaternion is not None:
        return [_FAR] * kind.nq
    return [math.pi if any(s.ang) else _FAR for s in kind.subspace(kind.neutral)]
