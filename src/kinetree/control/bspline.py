"""B-splines through points, at rest at both ends.

The spline of odd degree p has its knots at the points, and (p - 1)/2 derivatives that are zero at either end. Its
control points solve a linear system that depends on the times alone. Between two knots it is a polynomial, whose
coefficients are the derivatives at the left knot over factorials. Reference: [deBoor].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.control.piecewise import PiecewisePolynomial
from kinetree.control.reference import Reference, Target
from kinetree.control.validation import number, numbers, positive
from kinetree.errors import InputError
from kinetree.given import Given
from kinetree.runtime.arrays import Array
from kinetree.scalar import Scalar, dot
from kinetree.transcribe.bspline import BSpline as SplineSpace

DEGREES = (3, 5, 7)


@dataclass(frozen=True)
class BSpline(Reference):
    """A smooth motion through points, from rest to rest.

    Velocity and acceleration are zero at the ends of a spline of degree 5, which is continuous up to the snap; with
    degree 3 the velocity alone is, with degree 7 the jerk too. The cost of a target grows with the number of points.

    Args:
        points: one row for each point (n, size), two rows at least [rad, m].
        duration: from the first point to the last [s].
        degree: 3, 5 or 7.
        begin: when it starts [s].
        fractions: at which fraction of the duration each point is passed, rising from 0 to 1; evenly by default.

    Example:
        >>> motion = BSpline([[0.0], [1.0], [0.5]], duration=2.0)
        >>> round(motion.at(1.0).q[0], 12), motion.at(5.0).qd
        (1.0, [0.0])
    """

    points: Given[Sequence[Sequence[Any]], ArrayLike]
    duration: Any
    degree: int = 5
    begin: Any = 0.0
    fractions: Any = None

    def __post_init__(self) -> None:
        if not hasattr(self.points, "__iter__"):
            raise InputError(f"points are rows of numbers, one for each point; got {self.points!r}")
        points = tuple(numbers(row, "a point") for row in self.points)
        if len(points) < 2 or len({len(row) for row in points}) > 1:
            sizes = [len(row) for row in points]
            raise InputError(f"a spline needs two points or more with as many coordinates each; got rows of {sizes}")
        if self.degree not in DEGREES:
            raise InputError(f"the degree of a spline is one of {DEGREES}, got {self.degree!r}")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "fractions", _fractions(self.fractions, len(points)))
        object.__setattr__(self, "duration", positive(self.duration, "the duration"))
        object.__setattr__(self, "begin", number(self.begin, "begin"))

    @property
    def finish(self) -> Any:
        return self.begin + self.duration

    @property
    def size(self) -> int:
        return len(self.points[0])

    @property
    def knots(self) -> Array:
        """The knots, as fractions of the duration."""
        return self._space.knots

    @cached_property
    def _space(self) -> SplineSpace:
        return SplineSpace(len(self.fractions) - 1 + self.degree, self.degree, self.fractions[1:-1])

    @cached_property
    def _polynomial(self) -> PiecewisePolynomial:
        """The same motion as a polynomial for each knot interval."""
        W = _weights(self._space, len(self.points))  # pieces, coefficients, points
        if any(isinstance(x, Scalar) for row in self.points for x in row):
            columns = [*zip(*self.points)]
            pieces = [[[dot(row, column) for row in piece.tolist()] for column in columns] for piece in W]
        else:
            pieces = np.einsum("ikn,nj->ijk", W, np.array(self.points, float)).tolist()
        return PiecewisePolynomial(self.duration, self.fractions[:-1], pieces, self.begin)

    def at(self, t: Any) -> Target:
        return self._polynomial.at(t)


def _fractions(given: Any, count: int) -> tuple[float, ...]:
    """Where the points are along the motion."""
    if given is None:
        return tuple(k / (count - 1) for k in range(count))
    values = numbers(given, "fractions")
    if any(isinstance(x, Scalar) for x in values):
        raise InputError("fractions must be known as numbers; they can't be named parameters")
    rising = all(x < y for x, y in pairwise(values))
    if len(values) != count or values[0] != 0.0 or values[-1] != 1.0 or not rising:
        raise InputError(f"fractions are {count} numbers, one for each point, that rise from 0 to 1; got {values}")
    return values


# -- once, with NumPy --------------------------------------------------------------------------------------------------


def _weights(space: SplineSpace, count: int) -> Array:
    """How the coefficients of each piece follow from the points (pieces, degree + 1, points)."""
    basis = space.curve(np.eye(space.size), space.breakpoints, space.degree)  # derivatives, points, control points
    ends = slice(1, (space.degree + 1) // 2)  # the derivatives that are zero there
    conditions = np.concatenate([basis[ends, 0], basis[0], basis[ends, -1]])
    control_points = np.linalg.solve(conditions, np.eye(space.size, count, 1 - ends.stop))
    factorials = np.array([math.factorial(k) for k in range(space.degree + 1)], float)
    return (basis[:, :-1] / factorials[:, None, None] @ control_points).transpose(1, 0, 2)
