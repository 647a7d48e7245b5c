"""Tall linear systems J x = b with independent columns, solved inside the graph.

By the normal equations N = J^T J = L D L^T, which need no pivoting and keep the zeros between uncoupled parts;
one step of iterative refinement restores the digits that squaring the matrix costs. Reference: [GolubVanLoan] 5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from kinetree.algorithms.symmetric import Factorisation
from kinetree.scalar import Real, Vector, dot, is_zero, minimum

Matrix = Sequence[Sequence[Any]]


class LeastSquares:
    """The pseudoinverse of a tall matrix.

    Args:
        J: the rows.
        damping: relative; each diagonal element of N is enlarged by this part of itself.
    """

    def __init__(self, J: Matrix, damping: Real = 0.0) -> None:
        self.J, self.columns = J, [*map(list, zip(*J))]
        N = [[dot(a, b) for b in self.columns] for a in self.columns]
        for k in range(len(N)):
            N[k][k] = N[k][k] + damping * N[k][k]
        self._factors = Factorisation(N, _sparse_order(N))
        # the squared sine of the angle between a column and those eliminated before it, the smallest of all
        self.margin: Any = self.least_pivot([N[k][k] for k in range(len(N))])

    def least_pivot(self, squares: Vector) -> Any:
        """The smallest pivot of N, relative to squared lengths of the columns; 1 at the most."""
        ratios = [1.0 / (x * squares[k]) for x, k in zip(self._factors.inverse_pivots, self._factors.order)]
        return reduce(minimum, ratios, 1.0)

    def solve(self, b: Vector) -> list[Any]:
        """The x with the least |J x - b|."""
        return _refined(self.solve_once, self.J, b)

    def solve_once(self, b: Vector) -> list[Any]:
        """The same without refinement."""
        return self._factors.solve([dot(column, b) for column in self.columns])

    def solve_transposed(self, c: Vector) -> list[Any]:
        """The shortest y with J^T y = c."""
        return _refined(self._shortest, self.columns, c)

    def _shortest(self, c: Vector) -> list[Any]:
        x = self._factors.solve(c)
        return [dot(row, x) for row in self.J]


def _refined(solve: Callable[[Vector], list[Any]], rows: Matrix, b: Vector) -> list[Any]:
    """A solution with one step of iterative refinement."""
    x = solve(b)
    residual = [y - dot(row, x) for y, row in zip(b, rows)]
    return [u + v for u, v in zip(x, solve(residual))]


def _sparse_order(N: Matrix) -> list[int]:
    """An order of elimination with little fill-in: minimum degree."""
    neighbours = {i: {j for j, x in enumerate(row) if j != i and not is_zero(x)} for i, row in enumerate(N)}
    order: list[int] = []
    while neighbours:
        k = min(neighbours, key=lambda i: (len(neighbours[i]), i))
        touched = neighbours.pop(k)
        for i in touched:
            neighbours[i] = (neighbours[i] | touched) - {i, k}
        order.append(k)
    return order
