"""Harmonic motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.control.reference import Reference, Target
from kinetree.control.validation import numbers, same_sizes
from kinetree.scalar import cos, sin


@dataclass(frozen=True)
class Sinusoid(Reference):
    """q = offset + amplitude sin(omega t + phase), without beginning and end.

    Each is one number, or one for each coordinate.

    Args:
        amplitude: [rad, m].
        omega: the angular frequency [rad/s]; 2 pi times the frequency in Hz.
        phase: [rad].
        offset: the middle of the motion [rad, m].

    Example:
        >>> Sinusoid([0.5, 0.1], omega=2.0).at(0.0).qd
        [1.0, 0.2]
    """

    amplitude: Any
    omega: Any
    phase: Any = 0.0
    offset: Any = 0.0

    def __post_init__(self) -> None:
        given = {name: numbers(getattr(self, name), name) for name in ("amplitude", "omega", "phase", "offset")}
        size = max(map(len, given.values()))
        given = {name: values * size if len(values) == 1 else values for name, values in given.items()}
        same_sizes(**given)
        for name, values in given.items():
            object.__setattr__(self, name, values)

    @property
    def size(self) -> int:
        return len(self.amplitude)

    def at(self, t: Any) -> Target:
        target = Target([], [], [], [], [])
        for A, w, phase, offset in zip(self.amplitude, self.omega, self.phase, self.offset):
            angle, w2 = w * t + phase, w * w
            s, c = A * sin(angle), A * w * cos(angle)
            for values, x in zip(target, (offset + s, c, -w2 * s, -w2 * c, w2 * w2 * s)):
                values.append(x)
        return target
