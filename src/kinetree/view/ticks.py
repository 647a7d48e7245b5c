"""Axes: round numbers for the ticks, and the power of ten that keeps their labels short."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kinetree.errors import InputError

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_FLAT = 1e-9  # a range below this part of the values themselves is rounding, not a curve
_SMALL = 1e-290  # a range below this has no steps in floating point
_PLAIN = (1e-2, 1e5)  # the largest label outside of this range is written with a power of ten
_TIMES, _MINUS = "\u00d7", "\u2212"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers inside a range: multiples of 1, 2, 2.5 or 5 times a power of ten.

    Args:
        low, high: the ends of the range, finite and low < high.
        count: about how many.

    Returns:
        The ticks, rising. At least one for any count.

    Example:
        >>> nice_ticks(-0.3, 1.1)
        [-0.25, 0.0, 0.25, 0.5, 0.75, 1.0]
        >>> nice_ticks(0.0, 42.0, count=4)
        [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    if not (_SMALL <= high - low < math.inf and count >= 1):
        raise InputError(f"ticks need finite ends low < high and a count from 1 up, got {low}, {high}, {count}")
    power = 10.0 ** math.floor(math.log10((high - low) / count))
    step = min((s * power for s in _STEPS), key=lambda s: abs((high - low) / s - count))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if first > last:  # one step is longer than the range
        return nice_ticks(low, high, count + 1)
    digits = 2 - math.floor(math.log10(step))
    return [round(k * step, digits) + 0.0 for k in range(first, last + 1)]


@dataclass(frozen=True)
class Axis:
    """A range of values laid over a range of pixels.

    Example:
        >>> axis = Axis.over(0.0, 2.0, 100.0, 500.0)
        >>> axis.pixel(1.0), axis.labels
        (300.0, ['0.0', '0.5', '1.0', '1.5', '2.0'])
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, low: float, high: float, start: float, end: float, count: int = 5) -> Axis:
        """An axis over a range of values; a flat one is widened."""
        largest = max(abs(low), abs(high))
        if high - low <= max(_FLAT * largest, _SMALL):
            margin = 0.1 * largest if largest > 100 * _SMALL else 1.0
            low, high = low - margin, high + margin
        return cls(low, high, start, end, tuple(nice_ticks(low, high, count)))

    def pixel(self, value: Any) -> Any:
        """Where a value, or each of an array of them, lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def exponent(self) -> int:
        """The power of ten that the labels leave out: 0, or a multiple of three."""
        largest = max(map(abs, self.ticks))
        if largest == 0 or _PLAIN[0] <= largest < _PLAIN[1]:
            return 0
        return 3 * math.floor(math.log10(largest) / 3)

    @property
    def factor(self) -> str:
        """The power of ten as text for the axis label, such as "×10⁻⁶"; empty where there is none."""
        return f"{_TIMES}10{str(self.exponent).translate(_SUPERSCRIPTS)}" if self.exponent else ""

    @property
    def labels(self) -> list[str]:
        """The ticks as text, with as many decimals as the steps need."""
        values = [tick / 10.0**self.exponent for tick in self.ticks]
        step = min((b - a for a, b in pairwise(values)), default=abs(values[0]) or 1.0)
        decimals = next((d for d in range(12) if abs(step * 10**d - round(step * 10**d)) < 1e-6), 12)
        return [f"{value:.{decimals}f}".replace("-", _MINUS) for value in values]
