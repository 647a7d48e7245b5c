"""Quantities at a place of a spline as compiled functions of its control points: all that a step of a solver needs.

A place depends on x, its own control points one after the other and the duration T. With the basis B (orders, points)
there, the instant is z_r = sum_a B_ra P_a / T^r, and with G = dz/dx, the Jacobian J_z of the rows, weights w of their
squares and multipliers v of the rows

    J = J_z G,        M = G^T (D + J_z^T w J_z) G + g . d2z/dx2,

where g and D are gradient and second derivative of v . rows with respect to z, d2z_r/dP dT = -r B_r / T^(r + 1) and
d2z_r/dT2 = r (r + 1) z_r / T^2. Everything is summed up in z first, where matrices are small and often sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from kinetree.compile import compile
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.model.mechanism import Mechanism
from kinetree.plan.kernel import Traced
from kinetree.runtime.function import Function
from kinetree.signature import Signature, parse

SMALL = 32  # unknowns of a place up to which its matrices are worth compiled code of their own


@dataclass(frozen=True)
class Instant:
    """z of a place: x, basis -> z."""

    width: int
    orders: int
    points: int

    @property
    def __name__(self) -> str:
        return "instant"

    def signature(self, robot: Mechanism | None) -> Signature:
        n = self.width
        return parse(f"x({self.points * n + 1}), basis({self.orders},{self.points}) -> z({self.orders * n})", robot)

    def scaled(self, x: Sequence[Any], basis: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """B_ra / T^r."""
        by = 1.0 / x[-1]
        return [[b * by**r for b in row] if r else [*row] for r, row in enumerate(basis)]

    def __call__(self, x: Sequence[Any], basis: Sequence[Sequence[Any]]) -> list[Any]:
        P, n = x[:-1], self.width
        rows = self.scaled(x, basis)
        return [_sum(b * P[n * a + i] for a, b in enumerate(row)) for row in rows for i in range(n)]


@cache
def instant(width: int, orders: int, points: int) -> Function:
    """The compiled `Instant`."""
    return compile(Instant(width, orders, points))


@dataclass(frozen=True)
class _OfPlace:
    """Rows at a place: those of linear quantities, derivatives of what the spline describes, and the others."""

    width: int
    order: int
    points: int
    linear: tuple[int, ...]  # their orders
    of: Traced | None  # the others

    def sizes(self, robot: Mechanism) -> tuple[int, int]:
        """How many rows and unknowns there are."""
        quantities = () if self.of is None else self.of.quantities
        return len(self.linear) * self.width + sum(q.size(robot) for q in quantities), self.points * self.width + 1


class RowsAtPlace(_OfPlace):
    """Their values."""

    @property
    def __name__(self) -> str:
        return "rows_at_place"

    def signature(self, robot: Mechanism) -> Signature:
        m, u = self.sizes(robot)
        return parse(f"x({u}), basis({self.order + 1},{self.points}) -> rows({m})", robot)

    def __call__(self, robot: Mechanism, x: Any, basis: Any) -> list[Any]:
        n, z = self.width, Instant(self.width, self.order + 1, self.points)(x, basis)
        straight = [z[n * r + i] for r in self.linear for i in range(n)]
        return straight if self.of is None else straight + self.of(robot, z)


class AtPlace(_OfPlace):
    """All that a step needs of them: J, and the lower triangle of M, row by row."""

    @property
    def moved(self) -> bool:
        """Whether the quantities want instants that count from somewhere else; slopes are the same."""
        return self.of is not None and self.of.mapping is not None

    @property
    def __name__(self) -> str:
        return "at_place"

    def signature(self, robot: Mechanism) -> Signature:
        m, u = self.sizes(robot)
        given = "" if self.of is None else self.of.given(robot)
        if self.moved:
            given = f", instant({(self.order + 1) * self.width}){given}"
        text = (
            f"x({u}), basis({self.order + 1},{self.points}), by({m}), squares({m}){given} -> "
            f"jacobian({m},{u}), matrix({u * (u + 1) // 2})"
        )
        return parse(text, robot)

    def __call__(self, robot: Mechanism, x: Any, basis: Any, by: Any, squares: Any, *given: Any) -> Any:
        n, at = self.width, Instant(self.width, self.order + 1, self.points)
        z, B = at(x, basis), at.scaled(x, basis)
        straight = len(self.linear) * n
        here, given = (given[0], given[1:]) if self.moved else (z, given)
        values, J = self._rows(robot, here, given)
        # in z: gradient and matrix
        bent = pullback(values, by[straight:], here) if values else [0.0] * len(z)
        D = [pushforward(bent[: j + 1], [zj], [1.0]) for j, zj in enumerate(here)]  # columns, down to the diagonal
        g = [_dot((row[k] for row in J), by) for k in range(len(z))]
        C = [[0.0] * len(z) for _ in z]
        for j in range(len(z)):
            for i in range(j + 1):
                C[i][j] = C[j][i] = D[j][i] + _sum(w * row[i] * row[j] for w, row in zip(squares, J))
        return self._in_unknowns(x, z, B, J, g, C)

    def _rows(self, robot: Mechanism, z: list[Any], given: Any) -> tuple[list[Any], list[list[Any]]]:
        """Values of the quantities that are not linear, and the slopes of all rows."""
        n = self.width
        straight = [[float(k == n * r + i) for k in range(len(z))] for r in self.linear for i in range(n)]
        if self.of is None:
            return [], straight
        each, slopes = self.of.each(robot, z, given)
        return [x for own in each for x in own], straight + slopes

    def _in_unknowns(self, x: Any, z: list[Any], B: Any, J: Any, g: Any, C: Any) -> Any:
        n, by_T, last = self.width, -1.0 / x[-1], len(x) - 1
        order = [k // n for k in range(len(z))]
        slope = [by_T * r * value for r, value in zip(order, z)]  # dz/dT
        chain = _Chain(B, n, slope)
        bent = chain.back([by_T * r * value for r, value in zip(order, g)])  # g . d2z/dP dT
        twice = _sum(by_T * by_T * (r * (r + 1.0)) * a * b for r, a, b in zip(order, g, z))
        half = [chain.back(row) for row in C]  # C G
        M: list[Any] = []
        columns = [chain.back([row[j] for row in half], until=j) for j in range(last)]
        columns.append(chain.back([row[last] for row in half]))
        # columns[j][i] for i <= j in points: element (i, j); of T: all
        for i in range(last):
            M += [columns[i][j] for j in range(i + 1)]
        M += [columns[last][j] + bent[j] for j in range(last)] + [columns[last][last] + twice]
        return [chain.back(row) for row in J], M


@dataclass(frozen=True)
class _Chain:
    """G^T of vectors in z."""

    B: list[list[Any]]
    n: int
    slope: list[Any]

    def back(self, v: Sequence[Any], until: int | None = None) -> list[Any]:
        """All of it, or the elements up to one."""
        n, count = self.n, len(self.B[0]) * self.n
        wanted = range(count if until is None else until + 1)
        found = [_sum(row[k // n] * v[n * r + k % n] for r, row in enumerate(self.B)) for k in wanted]
        return found if until is not None else [*found, _dot(v, self.slope)]


def _dot(a: Any, b: Any) -> Any:
    return _sum(x * y for x, y in zip(a, b))


def _sum(terms: Any) -> Any:
    """Without the zeros that are known to be zeros."""
    total: Any = 0.0
    for x in terms:
        if isinstance(x, float) and x == 0.0:
            continue
        total = x if isinstance(total, float) and total == 0.0 else total + x
    return total
