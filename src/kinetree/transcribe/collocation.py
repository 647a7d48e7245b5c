"""Quantities at a collocation point as compiled functions of its control points: all that a step of a solver needs.

A point depends on x, its own control points one after the other and the duration T. With the basis B (orders, points)
there, the sample is z_r = sum_a B_ra P_a / T^r, and with G = dz/dx, the Jacobian J_z of the rows, weights sigma of
their squares and multipliers y of the rows

    J = J_z G,        M = G^T (D + J_z^T sigma J_z) G + g . d2z/dx2,

where g and D are gradient and second derivative of y . rows with respect to z, d2z_r/dP dT = -r B_r / T^(r + 1) and
d2z_r/dT2 = r (r + 1) z_r / T^2. Everything is summed up in z first, where matrices are small and often sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from kinetree.compile import compile
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.model import Mechanism
from kinetree.runtime.function import Function
from kinetree.signature import Signature, parse
from kinetree.transcribe.sample import SampleFunction

LARGEST = 32  # variables of a point up to which its matrices are worth compiled code of their own


@dataclass(frozen=True)
class PointSample:
    """z of a point: x, basis -> z."""

    width: int
    orders: int
    points: int

    __name__ = "sample"

    def signature(self, robot: None) -> Signature:
        n = self.width
        return parse(f"x({self.points * n + 1}), basis({self.orders},{self.points}) -> z({self.orders * n})")

    def scaled(self, x: Sequence[Any], basis: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """B_ra / T^r."""
        by = 1.0 / x[-1]
        return [[b * by**r for b in row] if r else [*row] for r, row in enumerate(basis)]

    def __call__(self, x: Sequence[Any], basis: Sequence[Sequence[Any]]) -> list[Any]:
        P, n = x[:-1], self.width
        rows = self.scaled(x, basis)
        return [_sum(b * P[n * a + i] for a, b in enumerate(row)) for row in rows for i in range(n)]


@cache
def sample(width: int, orders: int, points: int) -> Function:
    """The compiled `PointSample`."""
    return compile(PointSample(width, orders, points))


@dataclass(frozen=True)
class _AtPoint:
    """Rows at a point: those of linear quantities, derivatives of the curve itself, and the nonlinear ones."""

    width: int
    order: int
    points: int
    linear: tuple[int, ...]  # their orders
    nonlinear: SampleFunction | None

    @property
    def sample(self) -> PointSample:
        return PointSample(self.width, self.order + 1, self.points)

    def sizes(self, robot: Mechanism) -> tuple[int, int]:
        """How many rows and variables there are."""
        quantities = () if self.nonlinear is None else self.nonlinear.quantities
        return len(self.linear) * self.width + sum(q.size(robot) for q in quantities), self.points * self.width + 1


class PointValues(_AtPoint):
    """Their values."""

    __name__ = "values_at_point"

    def signature(self, robot: Mechanism) -> Signature:
        m, u = self.sizes(robot)
        return parse(f"x({u}), basis({self.order + 1},{self.points}) -> rows({m})")

    def __call__(self, robot: Mechanism, x: Any, basis: Any) -> list[Any]:
        n, z = self.width, self.sample(x, basis)
        rows = [z[n * r + i] for r in self.linear for i in range(n)]
        return rows if self.nonlinear is None else rows + self.nonlinear(robot, z)


class PointDerivatives(_AtPoint):
    """All that a step needs of them: J, and the lower triangle of M, row by row."""

    @property
    def mapped(self) -> bool:
        """Whether the quantities take samples from somewhere else; the derivatives are the same."""
        return self.nonlinear is not None and self.nonlinear.map is not None

    __name__ = "derivatives_at_point"

    def signature(self, robot: Mechanism) -> Signature:
        m, u = self.sizes(robot)
        more = "" if self.nonlinear is None else self.nonlinear.operands(robot)
        if self.mapped:
            more = f", sample({(self.order + 1) * self.width}){more}"
        return parse(
            f"x({u}), basis({self.order + 1},{self.points}), y({m}), sigma({m}){more} -> "
            f"jacobian({m},{u}), matrix({u * (u + 1) // 2})"
        )

    def __call__(self, robot: Mechanism, x: Any, basis: Any, y: Any, sigma: Any, *more: Any) -> Any:
        n, point = self.width, self.sample
        z, B = point(x, basis), point.scaled(x, basis)
        linear = len(self.linear) * n
        here, more = (more[0], more[1:]) if self.mapped else (z, more)
        values, J = self._rows(robot, here, more)
        # in z: gradient and matrix
        curved = pullback(values, y[linear:], here) if values else [0.0] * len(z)
        D = [pushforward(curved[: j + 1], [zj], [1.0]) for j, zj in enumerate(here)]  # columns, down to the diagonal
        g = [_dot((row[k] for row in J), y) for k in range(len(z))]
        C = [[0.0] * len(z) for _ in z]
        for j in range(len(z)):
            for i in range(j + 1):
                C[i][j] = C[j][i] = D[j][i] + _sum(w * row[i] * row[j] for w, row in zip(sigma, J))
        return self._in_variables(x, z, B, J, g, C)

    def _rows(self, robot: Mechanism, z: list[Any], more: Any) -> tuple[list[Any], list[list[Any]]]:
        """Values of the nonlinear quantities, and the derivatives of all rows."""
        n = self.width
        linear = [[float(k == n * r + i) for k in range(len(z))] for r in self.linear for i in range(n)]
        if self.nonlinear is None:
            return [], linear
        values, rows = self.nonlinear.linearised(robot, z, more)
        return values, linear + rows

    def _in_variables(self, x: Any, z: list[Any], B: Any, J: Any, g: Any, C: Any) -> Any:
        n, by_T, last = self.width, -1.0 / x[-1], len(x) - 1
        order = [k // n for k in range(len(z))]
        dz_dT = [by_T * r * value for r, value in zip(order, z)]
        chain = _ChainRule(B, n, dz_dT)
        mixed = chain.transposed([by_T * r * value for r, value in zip(order, g)])  # g . d2z/dP dT
        twice = _sum(by_T * by_T * (r * (r + 1.0)) * a * b for r, a, b in zip(order, g, z))
        half = [chain.transposed(row) for row in C]  # C G
        M: list[Any] = []
        columns = [chain.transposed([row[j] for row in half], until=j) for j in range(last)]
        columns.append(chain.transposed([row[last] for row in half]))
        # columns[j][i] for i <= j in points: element (i, j); of T: all
        for i in range(last):
            M += [columns[i][j] for j in range(i + 1)]
        M += [columns[last][j] + mixed[j] for j in range(last)] + [columns[last][last] + twice]
        return [chain.transposed(row) for row in J], M


@dataclass(frozen=True)
class _ChainRule:
    """Products with G^T."""

    B: list[list[Any]]
    n: int
    rates: list[Any]  # dz/dT

    def transposed(self, v: Sequence[Any], until: int | None = None) -> list[Any]:
        """G^T v, all of it or the elements up to one."""
        n, count = self.n, len(self.B[0]) * self.n
        wanted = range(count if until is None else until + 1)
        found = [_sum(row[k // n] * v[n * r + k % n] for r, row in enumerate(self.B)) for k in wanted]
        return found if until is not None else [*found, _dot(v, self.rates)]


def _dot(a: Any, b: Any) -> Any:
    return _sum(x * y for x, y in zip(a, b))


def _sum(terms: Any) -> Any:
    """Without the terms that are known to be zero."""
    total: Any = 0.0
    for x in terms:
        if isinstance(x, float) and x == 0.0:
            continue
        total = x if isinstance(total, float) and total == 0.0 else total + x
    return total
