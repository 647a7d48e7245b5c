"""Constraints along a motion and at points of it: what they are, and which bounds make sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError, UnknownNameError
from kinetree.model import Mechanism
from kinetree.plan.forces import Force
from kinetree.plan.quantity import Coordinate, Derivative, Quantity
from kinetree.robot.configuration import per_velocity
from kinetree.runtime.arrays import Array

ALWAYS = (0.0, 1.0)  # from the start to the end
ROUNDING = 1e-9  # relative


@dataclass(frozen=True)
class PathConstraint:
    """Bounds on a quantity along the whole motion, or from one s to another."""

    quantity: Quantity
    lower: Array
    upper: Array
    during: tuple[float, float] = ALWAYS
    scale: float | None = None  # what a violation is measured by; the bounds themselves by default

    @property
    def equality(self) -> NDArray[np.bool_]:
        """Which of its numbers are equalities."""
        return self.lower == self.upper

    def inequalities(self) -> tuple[Array, Array]:
        """The bounds of what is no equality."""
        return np.where(self.equality, -np.inf, self.lower), np.where(self.equality, np.inf, self.upper)

    def equalities(self) -> tuple[Array, Array]:
        """The bounds of what is one."""
        return np.where(self.equality, self.lower, -np.inf), np.where(self.equality, self.upper, np.inf)

    def bounds_at(self, s: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Bounds at s (k, size), infinite where the constraint does not hold."""
        away = (s < self.during[0] - ROUNDING) | (s > self.during[1] + ROUNDING)
        return np.where(away[:, None], -np.inf, lower), np.where(away[:, None], np.inf, upper)


def position_limits(constraints: Sequence[PathConstraint], size: int) -> tuple[Array, Array]:
    """The bounds of so many coordinates among some constraints; infinite where there are none."""
    lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
    for c in constraints:
        if c.quantity == Derivative(0):
            lower, upper = np.maximum(lower, c.lower), np.minimum(upper, c.upper)
    return lower, upper


@dataclass(frozen=True)
class PointConstraint:
    """Bounds on a quantity at one s of the motion, 0 its start and 1 its end."""

    quantity: Quantity
    s: float
    lower: Array
    upper: Array

    @property
    def equality(self) -> bool:
        """Whether all its numbers are equalities."""
        return bool(np.array_equal(self.lower, self.upper))


def bounds(robot: Mechanism, wanted: Quantity, lower: Any, upper: Any) -> tuple[Array, Array]:
    """Both sides as arrays, one number for each of the quantity's; refuses what makes no sense."""
    wanted.check(robot)
    n = wanted.size(robot)
    sides = []
    for side, missing in ((lower, -np.inf), (upper, np.inf)):
        if sides and upper is lower is not None:
            break
        try:
            values = np.asarray(missing if side is None else side, float)
        except (TypeError, ValueError):
            raise InputError(f"a bound on {wanted.title} is one number or {n}, got {side!r}") from None
        if values.ndim > 1 or (values.ndim == 1 and values.shape != (n,)):
            raise InputError(f"{wanted.title} has {n} numbers; a bound is one number or {n}, got {side!r}")
        if np.isnan(values).any():
            raise InputError(f"a bound on {wanted.title} is not a number: {side!r}")
        sides.append(np.full(n, values))
    low, high = sides[0], sides[-1]
    if np.isfinite(low).all() and (high is low or (np.isfinite(high).all() and (low <= high).all())):
        return low, high
    if (low > high).any():
        raise InputError(f"the lower bound of {wanted.title} is above the upper one: {low} and {high}")
    if np.isposinf(low).any() or np.isneginf(high).any() or not (np.isfinite(low) | np.isfinite(high)).any():
        raise InputError(f"a limit on {wanted.title} needs a finite bound, got {low} and {high}")
    return low, high


def interval(during: tuple[float, float], scale: float | None) -> tuple[tuple[float, float], float | None]:
    """The part of a motion in which a constraint holds, and its scale, checked."""
    try:
        start, end = (float(x) for x in during)
    except (TypeError, ValueError):
        start, end = np.nan, np.nan
    if not 0.0 <= start <= end <= 1.0:
        raise InputError(f"a limit holds between two values of s from 0 to 1, got during={during!r}")
    if scale is not None and not (isinstance(scale, int | float | np.number) and 0.0 < scale < np.inf):
        raise InputError(f"the scale of a limit is a positive number, got {scale!r}")
    return (start, end), scale


def mirror_matrix(given: Any, n: int) -> Array:
    """The matrix of a mirror of n coordinates."""
    matrix = np.asarray(given, float)
    if matrix.shape != (n, n) or not np.isfinite(matrix).all():
        raise InputError(f"a mirror of {n} coordinates is a matrix ({n}, {n}), got shape {matrix.shape}")
    return matrix


def both_sides(robot: Mechanism, wanted: Quantity, bound: Any) -> tuple[Array, Array]:
    """From -bound to bound; or those of the model, where it is called "model"."""
    if isinstance(bound, str):
        if bound != "model":
            raise UnknownNameError("source of limits", bound, ["model"])
        return model_limits(robot, wanted)
    b = np.asarray(bound, float)
    if not (b > 0).all():
        raise InputError(f"a bound on {wanted.title} must be above 0, got {bound!r}; or give lower= and upper=")
    return -b, b


def model_limits(robot: Mechanism, wanted: Quantity) -> tuple[Array, Array]:
    """The limits of position, velocity or force that the model has; infinite where it has none."""
    if isinstance(wanted, Derivative | Coordinate) and wanted.degree == 0:
        return per_velocity(robot, lambda x: x.lower), per_velocity(robot, lambda x: x.upper)
    if wanted == Derivative(1):
        high = per_velocity(robot, lambda x: x.velocity)
    elif isinstance(wanted, Force):
        high = per_velocity(robot, lambda x: x.effort)[list(wanted.dynamics.actuated(robot))]
    else:
        raise InputError(f"models have limits of position, velocity and force, not of {wanted.title}; give numbers")
    return -high, high
