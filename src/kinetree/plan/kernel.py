"""Compiled values, first and second derivatives of quantities, for many instants at once.

An instant is z = (q, qd, ..., up to the order that is needed), one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.compile import compile
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.model.mechanism import Mechanism
from kinetree.plan.quantity import Custom, Quantity, Squares
from kinetree.runtime.function import Function


@dataclass(frozen=True)
class Traced:
    """Quantities as one function of z: values (0), also the Jacobian (1), or gradient and Hessian of their sum (2)."""

    quantities: tuple[Quantity, ...]
    order: int
    derivatives: int

    @property
    def recipe(self) -> str | None:
        parts = (q.of if isinstance(q, Squares) else q for q in self.quantities)
        return None if any(isinstance(q, Custom) for q in parts) else repr(self)

    @property
    def __name__(self) -> str:
        return ("values", "jacobian", "hessian")[self.derivatives]

    def signature(self, robot: Mechanism) -> str:
        m, nz = sum(q.size(robot) for q in self.quantities), robot.nv * (self.order + 1)
        return (
            f"z({nz}) -> values({m})",
            f"z({nz}) -> values({m}), jacobian({m},{nz})",
            f"z({nz}), weights({m}) -> gradient({nz}), hessian({nz},{nz})",
        )[self.derivatives]

    def __call__(self, robot: Mechanism, z: Sequence[Any], weights: Sequence[Any] = ()) -> Any:
        n = robot.nv
        parts = [z[n * r : n * (r + 1)] for r in range(self.order + 1)]
        parts += [[0.0] * n] * (3 - self.order)
        values = [x for q in self.quantities for x in q.values(robot, *parts)]
        if self.derivatives == 0:
            return values
        if self.derivatives == 1:
            columns = [pushforward(values, [x], [1.0]) for x in z]
            return values, [list(row) for row in zip(*columns)]
        gradient = pullback(values, weights, z)
        H: list[list[Any]] = [[0.0] * len(z) for _ in z]
        for j, x in enumerate(z):
            for i, value in enumerate(pushforward(gradient[: j + 1], [x], [1.0])):
                H[i][j] = H[j][i] = value
        return gradient, H


class Kernel:
    """The three functions of some quantities of a robot, compiled when first needed."""

    def __init__(self, robot: Any, quantities: Sequence[Quantity], order: int) -> None:
        self.robot, self.quantities, self.order = robot, tuple(quantities), order
        self.size = sum(q.size(robot) for q in self.quantities)

    def function(self, derivatives: int) -> Function:
        made = self.robot.__dict__.setdefault("_functions", {})
        traced = Traced(self.quantities, self.order, derivatives)
        if traced not in made:
            made[traced] = compile(traced, self.robot, signature=traced.signature(self.robot))
        return made[traced]
