"""Distances of pairs at a point of a motion as compiled functions of its control points: all that a step needs.

With the basis B of the point q = sum_a B_a P_a, and t = s T. With the gradient g of a distance with respect to q and t,
and the matrix C = y d2d + sigma g g^T, the derivatives with respect to the variables x of the point are

    J = (B_a g_i, s g_t),        M = (B_a B_b C_ij, s B_a C_it, s^2 C_tt).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.model import Mechanism
from kinetree.plan.obstacles.distance import PairDerivatives, PairDistance, pair_size
from kinetree.signature import Signature, parse
from kinetree.transcribe.collocation import PointSample


@dataclass(frozen=True)
class _AtPoint:
    """Of so many control points, one after the other, and T."""

    points: int

    def variables(self, robot: Mechanism) -> int:
        return self.points * robot.nv + 1

    def operands(self, robot: Mechanism) -> str:
        return f"x({self.variables(robot)}), basis({self.points}), pair({pair_size(robot)})"

    def position(self, robot: Mechanism, x: Any, basis: Any) -> list[Any]:
        return PointSample(robot.nv, 1, self.points)(x, [basis])


class DistanceAtPoint(_AtPoint):
    """d of a pair."""

    __name__ = "distance_at_point"

    def signature(self, robot: Mechanism) -> Signature:
        return parse(f"{self.operands(robot)} -> distance()", robot)

    def __call__(self, robot: Mechanism, x: Any, basis: Any, pair: Any) -> Any:
        return PairDistance()(robot, self.position(robot, x, basis), pair)


class DistanceDerivativesAtPoint(_AtPoint):
    """J, and the lower triangle of M, row by row."""

    __name__ = "distance_derivatives_at_point"

    def signature(self, robot: Mechanism) -> Signature:
        u = self.variables(robot)
        return parse(f"{self.operands(robot)}, s(), y(), sigma() -> jacobian(1,{u}), matrix({u * (u + 1) // 2})", robot)

    def __call__(self, robot: Mechanism, x: Any, basis: Any, pair: Any, s: Any, y: Any, sigma: Any) -> Any:
        q, n = self.position(robot, x, basis), robot.nv
        gradient, C = PairDerivatives()(robot, q, pair, y, sigma)
        factors = [(b, i) for b in basis for i in range(n)] + [(s, n)]
        J = [b * gradient[i] for b, i in factors]
        # B_a B_b first: as many products as there are pairs of points
        M = [(b * c) * C[i][j] for k, (b, i) in enumerate(factors) for c, j in factors[: k + 1]]
        return [J], M
