"""Small symmetric positive definite systems, factored as L D L^T inside the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.scalar import Real
from kinetree.spatial.motion import Force


class Factorisation:
    """A = L D L^T, unrolled; only divisions by the pivots."""

    def __init__(self, A: Sequence[Sequence[Real]]) -> None:
        n = len(A)
        self.n = n
        self.L: list[list[Any]] = [[0.0] * n for _ in range(n)]
        self.inverse_pivots: list[Any] = []
        pivots: list[Any] = []
        for j in range(n):
            scaled = [self.L[j][k] * pivots[k] for k in range(j)]
            pivot: Any = A[j][j]
            for k in range(j):
                pivot = pivot - self.L[j][k] * scaled[k]
            pivots.append(pivot)
            self.inverse_pivots.append(1.0 / pivot)
            for i in range(j + 1, n):
                total: Any = A[i][j]
                for k in range(j):
                    total = total - self.L[i][k] * scaled[k]
                self.L[i][j] = total * self.inverse_pivots[j]

    def solve(self, b: Sequence[Real]) -> list[Any]:
        """A^-1 b."""
        x: list[Any] = list(b)
        for i in range(self.n):
            for k in range(i):
                x[i] = x[i] - self.L[i][k] * x[k]
        x = [value * inverse for value, inverse in zip(x, self.inverse_pivots)]
        for i in reversed(range(self.n)):
            for k in range(i + 1, self.n):
                x[i] = x[i] - self.L[k][i] * x[k]
        return x

    def columns(self, U: Sequence[Force]) -> list[Force]:
        """The columns of U A^-1."""
        rows = [self.solve(row) for row in zip(*([*u.ang, *u.lin] for u in U))]
        return [Force.of(column) for column in zip(*rows)]
