"""Spaces of curves on 0 <= s <= 1, s the part of the duration that has passed."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from kinetree.runtime.arrays import Array, Indices


class Basis(Protocol):
    """Basis functions B_a(s); a curve is q(s) = sum_a B_a(s) P_a with control points P (size, n)."""

    # how many basis functions, and so control points, there are
    @property
    def size(self) -> int: ...

    # the ends of the knot intervals, rising from 0 to 1
    @property
    def breakpoints(self) -> Array: ...

    # the highest derivative that is continuous at the breakpoints
    @property
    def continuity(self) -> float: ...

    # basis functions that may not be zero and their derivatives (k, order + 1, m), and their indices (k, m)
    def evaluate(self, s: ArrayLike, order: int) -> tuple[Array, Indices]: ...

    # a curve with control points (size, n) and its derivatives with respect to s: (order + 1, k, n)
    def curve(self, points: Array, s: ArrayLike, order: int) -> Array: ...

    # values of s with so many steps in each knot interval, both ends included; a read-only array
    def samples(self, per_interval: int) -> Array: ...

    # values of s and weights of an integral from 0 to 1, so many in each knot interval
    def quadrature(self, per_interval: int) -> tuple[Array, Array]: ...
