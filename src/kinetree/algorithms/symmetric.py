"""Small symmetric positive definite systems, factored as L D L^T inside the graph.

A mass matrix has zeros between the branches of its tree. Eliminated from the leaves inwards they stay zeros in L, whose
column k then has entries in the rows of its ancestors alone, and a solution needs few operations:

    y = L^-1 b,   z = D^-1 y,   x_k = z_k - sum_a L_ak x_a   over the ancestors a of k, from the root outwards.

Where z is zero on a whole branch, its unknowns are linear in those of the ancestors a of the body that the branch
stands on, x_k = sum_a V_ka x_a, and V is the same for every right-hand side.

Everything is a sum of products (`plus_products`), written row by row over several columns: neighbouring sums then have
the same first factors, which the code of a large system loads only once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinetree.scalar import Vector, is_zero, plus_products
from kinetree.spatial import Force

SIDE_BY_SIDE = 8  # columns that are solved together: few enough to stay in the cache


class Factorisation:
    """A = L D L^T, unrolled; only divisions by the pivots.

    Args:
        A: the matrix.
        order: in which the unknowns are eliminated; for a mass matrix from the leaves inwards.
    """

    def __init__(self, A: Sequence[Vector], order: Sequence[int] | None = None) -> None:
        n = len(A)
        self.order = range(n) if order is None else order
        A = [[A[i][j] for j in self.order] for i in self.order]
        self.L: list[list[Any]] = [[0.0] * n for _ in range(n)]
        self.inverse_pivots: list[Any] = []
        self._ancestors = _paths(A)
        self._following: dict[tuple[int, int], Mapping[int, Any]] = {}
        minus_LD: list[list[Any]] = [[] for _ in range(n)]
        for j in range(n):
            below = [plus_products(A[i][j], minus_LD[j], self.L[i][:j]) for i in range(j, n)]
            self.inverse_pivots.append(1.0 / below[0])
            for i in range(j + 1, n):
                self.L[i][j] = below[i - j] * self.inverse_pivots[j]
                minus_LD[i].append(-below[i - j])
        self.minus_L = [[-x for x in row] for row in self.L]

    def solve(self, b: Vector) -> list[Any]:
        """A^-1 b."""
        n, L = len(self.L), self.L
        y: list[Any] = [b[i] for i in self.order]
        for i in range(n):
            for k in range(i):
                y[i] = y[i] - L[i][k] * y[k]
        x: list[Any] = [0.0] * n
        touched = {a for k in range(n) if not is_zero(y[k]) for a in (k, *self._ancestors[k])}
        for k in reversed(range(n)):
            if k in touched:
                x[k] = y[k] * self.inverse_pivots[k] - sum((L[a][k] * x[a] for a in self._ancestors[k]), 0.0)
            elif (start := self._nearest(k, touched)) is not None:
                x[k] = sum((v * x[a] for a, v in self._follow(k, start).items()), 0.0)
        return self._restored(x)

    def minus_solved(self, B: Sequence[Vector]) -> list[list[Any]]:
        """- A^-1 B."""
        columns = [[column[i] for i in self.order] for column in zip(*B)]
        for k in range(0, len(columns), SIDE_BY_SIDE):
            self._minus_solve(columns[k : k + SIDE_BY_SIDE])
        return self._restored([list(row) for row in zip(*columns)])

    def _minus_solve(self, columns: Sequence[list[Any]]) -> None:
        """The same as `solve` for several columns in place, up to the sign."""
        n, L = len(self.L), self.minus_L
        for i in range(n):
            below = [k for k in range(i) if not is_zero(L[i][k])]
            for y in columns:
                y[i] = plus_products(y[i], [L[i][k] for k in below], [y[k] for k in below])
        touched = [{a for k in range(n) if not is_zero(x[k]) for a in (k, *self._ancestors[k])} for x in columns]
        for k in reversed(range(n)):
            path = self._ancestors[k]
            weights = [-self.inverse_pivots[k], *(L[a][k] for a in path)]
            for x, among in zip(columns, touched):
                if k in among:
                    x[k] = plus_products(0.0, weights, [x[a] for a in (k, *path)])
                elif (start := self._nearest(k, among)) is not None:
                    follow = self._follow(k, start)
                    x[k] = plus_products(0.0, follow.values(), [x[a] for a in follow])

    def inverse(self) -> list[list[Any]]:
        """A^-1, from the root outwards: K_ij = - sum_a K_ia L_aj, and 1/D_j besides on the diagonal."""
        n, L = len(self.L), self.minus_L
        K: list[list[Any]] = [[0.0] * n for _ in range(n)]
        for j in reversed(range(n)):
            above = self._ancestors[j]
            for i in reversed(range(j + 1, n)):
                start = None if i in above else self._nearest(j, {i, *self._ancestors[i]})
                weights = {a: L[a][j] for a in above} if start is None else self._follow(j, start)
                K[i][j] = K[j][i] = plus_products(0.0, weights.values(), [K[i][a] for a in weights])
            K[j][j] = plus_products(self.inverse_pivots[j], [L[a][j] for a in above], [K[j][a] for a in above])
        return self._restored([self._restored(row) for row in K])

    def columns(self, U: Sequence[Force]) -> list[Force]:
        """The columns of U A^-1."""
        rows = [self.solve(row) for row in zip(*([*u.ang, *u.lin] for u in U))]
        return [Force.of(column) for column in zip(*rows)]

    # -- the tree of the elimination -------------------------------------------------------------------------------

    def _nearest(self, k: int, among: set[int]) -> int | None:
        """The first ancestor of k in a set."""
        return next((a for a in self._ancestors[k] if a in among), None)

    def _follow(self, k: int, start: int) -> Mapping[int, Any]:
        """The weights V_ka with which x_k follows the unknown ``start`` and its ancestors."""
        if (k, start) not in self._following:
            between = [m for m in self._ancestors[k] if m < start]
            L, rows = [self.minus_L[m][k] for m in between], [self._follow(m, start) for m in between]
            up = (start, *self._ancestors[start])
            self._following[k, start] = {a: plus_products(self.minus_L[a][k], L, [row[a] for row in rows]) for a in up}
        return self._following[k, start]

    def _restored(self, x: list[Any]) -> list[Any]:
        """In the order of A."""
        return [value for _, value in sorted(zip(self.order, x), key=lambda pair: pair[0])]


def _paths(A: Sequence[Sequence[Any]]) -> list[list[int]]:
    """For each unknown those that its elimination reaches, nearest first: a path through the tree of the matrix."""
    n = len(A)
    reached: list[set[int]] = [{i for i in range(k + 1, n) if not is_zero(A[i][k])} for k in range(n)]
    parents = []
    for k in range(n):
        parents.append(min(reached[k], default=None))
        if parents[k] is not None:
            reached[parents[k]] |= reached[k] - {parents[k]}
    paths: list[list[int]] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        if parents[k] is not None:
            paths[k] = [parents[k], *paths[parents[k]]]
    return paths
