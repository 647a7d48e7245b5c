"""Motions from one configuration to another, at rest at both ends: polynomials of the time.

With s the fraction of the duration that has passed, every coordinate follows start + (end - start) P(s), and

    quintic  P = 10 s^3 - 15 s^4 + 6 s^5                  velocity and acceleration are zero at both ends
    septic   P = 35 s^4 - 84 s^5 + 70 s^6 - 20 s^7        the jerk too
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from kinetree.control.piecewise import ORDERS, derivative, horner, normalised_time
from kinetree.control.reference import Reference, Target
from kinetree.control.validation import number, numbers, positive, same_sizes
from kinetree.given import Given
from kinetree.scalar import select


@dataclass(frozen=True)
class PointToPoint(Reference):
    """A polynomial between two configurations; a subclass says which."""

    start: Given[Sequence[Any], ArrayLike]
    end: Given[Sequence[Any], ArrayLike]
    duration: Any
    begin: Any = 0.0

    POLYNOMIAL: ClassVar[tuple[float, ...]] = ()

    def __post_init__(self) -> None:
        start, end = numbers(self.start, "start"), numbers(self.end, "end")
        same_sizes(start=start, end=end)
        for name, value in (("start", start), ("end", end), ("begin", number(self.begin, "begin"))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "duration", positive(self.duration, "the duration"))

    @property
    def finish(self) -> Any:
        return self.begin + self.duration

    @property
    def size(self) -> int:
        return len(self.start)

    def at(self, t: Any) -> Target:
        s, within = normalised_time(t, self.begin, self.duration)
        difference = [y - x for x, y in zip(self.start, self.end)]
        coefficients, scale = [*self.POLYNOMIAL], 1.0 / self.duration
        values: list[list[Any]] = []
        factor: Any = 1.0
        for order in range(ORDERS):
            passed = horner(coefficients, s) * factor
            passed = passed if order == 0 else select(within, passed, 0.0)
            values.append([passed * d for d in difference])
            coefficients, factor = derivative(coefficients), factor * scale
        return Target([x + d for x, d in zip(self.start, values[0])], *values[1:])


@dataclass(frozen=True)
class Quintic(PointToPoint):
    """From one configuration to another, velocity and acceleration zero at both ends.

    Args:
        start, end: of each coordinate [rad, m].
        duration: of the motion [s].
        begin: when it starts [s].

    Example:
        >>> motion = Quintic([0.0, 1.0], [1.0, 1.0], duration=2.0)
        >>> motion.at(1.0).q, motion.at(1.0).qd
        ([0.5, 1.0], [0.9375, 0.0])
    """

    POLYNOMIAL: ClassVar[tuple[float, ...]] = (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)


@dataclass(frozen=True)
class Septic(PointToPoint):
    """From one configuration to another, velocity, acceleration and jerk zero at both ends.

    Args:
        start, end: of each coordinate [rad, m].
        duration: of the motion [s].
        begin: when it starts [s].

    Example:
        >>> Septic([0.0], [1.0], duration=2.0).at(1.0).qd
        [1.09375]
    """

    POLYNOMIAL: ClassVar[tuple[float, ...]] = (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0)
