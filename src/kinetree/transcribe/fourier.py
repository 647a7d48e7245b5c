"""Finite Fourier series as a space of motions.

    q(s) = q0 + sum_k a_k sin(2 pi k s) + b_k cos(2 pi k s),        s = t / T,        k = 1 ... harmonics

The variables, called control points as those of splines, are q0 first and then combinations of the a_k and b_k. For a
motion that starts and ends at rest these leave out what moves there: sum_k k a_k = 0 and sum_k k^2 b_k = 0.
Reference: [Swevers1997].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.transcribe.basis import Array, Indices

_INTERVALS = 4  # for each harmonic


@dataclass(frozen=True)
class Fourier:
    """A space of finite Fourier series.

    Args:
        harmonics: how many; one more where the motion rests at its ends.
        rest: whether velocity and acceleration are zero at the start and the end.
    """

    harmonics: int
    rest: bool = True
    continuity = math.inf

    def __post_init__(self) -> None:
        least = 2 if self.rest else 1
        integer = isinstance(self.harmonics, (int, np.integer)) and not isinstance(self.harmonics, bool)
        if not integer or self.harmonics < least:
            raise InputError(f"the number of harmonics is {least} or more, got {self.harmonics!r}")

    @cached_property
    def orders(self) -> Array:
        """k of each harmonic."""
        return np.arange(1.0, self.harmonics + 1.0)

    @cached_property
    def combinations(self) -> Array:
        """The coefficients (q0, a_1 ..., b_1 ...) of each control point: (2 harmonics + 1, size).

        A control point of 1 gives about the same velocity, whatever its harmonics.
        """
        k, parts = self.orders, [np.ones((1, 1))]
        for power in (1, 2):
            condition = k**power / k if self.rest else np.zeros(0)
            parts.append(_free(condition, self.harmonics) / k[:, None])
        made = np.zeros((2 * self.harmonics + 1, sum(part.shape[1] for part in parts)))
        row = column = 0
        for part in parts:
            made[row : row + len(part), column : column + part.shape[1]] = part
            row, column = row + len(part), column + part.shape[1]
        return made

    @property
    def size(self) -> int:
        return self.combinations.shape[1]

    @property
    def breakpoints(self) -> Array:
        return np.linspace(0.0, 1.0, _INTERVALS * self.harmonics + 1)

    def samples(self, per_interval: int) -> Array:
        return np.linspace(0.0, 1.0, _INTERVALS * self.harmonics * per_interval + 1)

    def quadrature(self, per_interval: int) -> tuple[Array, Array]:
        """The trapezoidal rule of a periodic function, which has equal weights."""
        count = _INTERVALS * self.harmonics * per_interval
        return np.arange(count) / count, np.full(count, 1.0 / count)

    def evaluate(self, s: ArrayLike, order: int) -> tuple[Array, Indices]:
        s = np.asarray(s, float)
        w = 2.0 * np.pi * self.orders
        angle = s[:, None] * w
        table = np.zeros((len(s), order + 1, 2 * self.harmonics + 1))
        table[:, 0, 0] = 1.0
        for r in range(order + 1):
            phase = angle + 0.5 * np.pi * r
            table[:, r, 1:] = np.concatenate([w**r * np.sin(phase), w**r * np.cos(phase)], axis=1)
        return table @ self.combinations, np.broadcast_to(np.arange(self.size), (len(s), self.size))

    def curve(self, points: Array, s: ArrayLike, order: int) -> Array:
        return (self.evaluate(s, order)[0] @ points).transpose(1, 0, 2)

    def coefficients(self, points: Array) -> tuple[Array, Array, Array]:
        """q0 (n,), a and b (harmonics, n) of a curve with these control points."""
        found = self.combinations @ points
        return found[0], found[1 : self.harmonics + 1], found[self.harmonics + 1 :]


def _free(condition: Array, count: int) -> Array:
    """An orthonormal basis of what a condition leaves free."""
    if not len(condition):
        return np.eye(count)
    return np.linalg.qr(np.c_[condition, np.eye(count)])[0][:, 1:count]
