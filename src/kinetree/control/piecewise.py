"""Piecewise polynomials of the time as reference motions: what splines and planned motions become over scalars.

A target is the coefficients of one piece, chosen by bisection with `select`, and Horner's scheme for the position and
each derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.control.reference import Reference, Target
from kinetree.scalar import Scalar, Vector, maximum, minimum, select

ORDERS = 5  # the position and four derivatives


def horner(coefficients: Vector, x: Any) -> Any:
    """The polynomial with these coefficients, the constant first."""
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def derivative(coefficients: Vector) -> list[Any]:
    """The coefficients of the derivative."""
    return [k * c for k, c in enumerate(coefficients)][1:] or [0.0]


def normalised_time(t: Any, begin: Any, duration: Any) -> tuple[Any, Any]:
    """The fraction of the duration that has passed, clipped to [0, 1], and whether t is within the motion."""
    s = (t - begin) / duration
    return minimum(maximum(s, 0.0), 1.0), (s >= 0.0) & (s <= 1.0)


@dataclass(frozen=True)
class PiecewisePolynomial(Reference):
    """A polynomial of the time on each of several intervals; it is at rest before its beginning and after its end.

    Args:
        duration: of the motion [s].
        starts: where each piece begins, as a fraction of the duration, the first at 0.
        pieces: for each piece and each coordinate the coefficients, the constant first, of a polynomial of the fraction
            of the duration since the start of the piece.
        begin: when it starts [s].

    Example:
        >>> there_and_back = PiecewisePolynomial(2.0, (0.0, 0.5), (((0.0, 2.0),), ((1.0, -2.0),)))
        >>> there_and_back.at(0.5).q, there_and_back.at(1.5).qd
        ([0.5], [-1.0])
    """

    duration: Any
    starts: Sequence[float]
    pieces: Sequence[Sequence[Sequence[Any]]]
    begin: Any = 0.0

    @property
    def finish(self) -> Any:
        return self.begin + self.duration

    @property
    def size(self) -> int:
        return len(self.pieces[0])

    def at(self, t: Any) -> Target:
        s, within = normalised_time(t, self.begin, self.duration)
        x = s - _chosen(s, self.starts, self.starts)
        target = Target(*([] for _ in range(ORDERS)))
        for j in range(self.size):
            coefficients = [_chosen(s, self.starts, row) for row in zip(*(piece[j] for piece in self.pieces))]
            factor: Any = 1.0
            for order, values in enumerate(target):
                value = horner(coefficients, x) * factor
                values.append(value if order == 0 else select(within, value, 0.0))
                coefficients, factor = derivative(coefficients), factor / self.duration
        return target


def _chosen(s: Any, starts: Sequence[float], values: Vector) -> Any:
    """The value of the piece that s is in, by bisection."""
    if len(values) == 1 or (not any(isinstance(x, Scalar) for x in values) and len({*values}) == 1):
        return values[0]
    half = len(values) // 2
    right, left = (_chosen(s, starts[part], values[part]) for part in (slice(half, None), slice(half)))
    return select(s >= starts[half], right, left)
