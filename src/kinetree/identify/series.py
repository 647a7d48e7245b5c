"""A finite Fourier series as a reference for controllers, over scalars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from kinetree.control import Reference, Target
from kinetree.control.piecewise import ORDERS, normalised_time
from kinetree.scalar import cos, select, sin

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class FourierMotion(Reference):
    """q = offset + sum_k sines_k sin(2 pi k t / period) + cosines_k cos(2 pi k t / period) from ``begin`` on.

    Before and after, the target is the position at the ends, and does not move.

    Args:
        offset: the middle of each coordinate [rad, m].
        sines, cosines: for each harmonic, one number for each coordinate [rad, m].
        period: [s].
        periods: after how many it ends.
        begin: when it starts [s].

    Example:
        >>> FourierMotion((0.1,), ((0.0,), (0.5,)), ((0.0,), (0.0,)), period=2.0).at(0.25).q
        [0.6]
    """

    offset: tuple[float, ...]
    sines: Rows
    cosines: Rows
    period: float
    periods: float = 1.0
    begin: Any = 0.0

    @property
    def finish(self) -> Any:
        return self.begin + self.periods * self.period

    @property
    def size(self) -> int:
        return len(self.offset)

    def at(self, t: Any) -> Target:
        part, within = normalised_time(t, self.begin, self.periods * self.period)
        angle = part * (2.0 * math.pi * self.periods)
        target = Target(*([x if r == 0 else 0.0 for x in self.offset] for r in range(ORDERS)))
        for k, (a, b) in enumerate(zip(self.sines, self.cosines), 1):
            s, c, w = sin(angle * k), cos(angle * k), 2.0 * math.pi * k / self.period
            for r, values in enumerate(target):
                for j in range(self.size):
                    values[j] = values[j] + w**r * (a[j] * s + b[j] * c)
                s, c = c, -s
        return Target(target.q, *([select(within, x, 0.0) for x in values] for values in target[1:]))
