"""Compiled values, first and second derivatives of quantities, for many instants at once.

An instant is z = (q, qd, ..., up to the order that is needed), one after the other. Where a spline describes something
else, such as the way along a path, a `Mapping` says how the motion of the joints follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kinetree.compile import compile
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.model.mechanism import Mechanism
from kinetree.plan.quantity import Quantity
from kinetree.runtime.function import Function

HIGHEST = 3  # derivatives of q that quantities may use


class Mapping(Protocol):
    """How the motion of all joints follows from what a spline describes, and from numbers given for each instant."""

    def width(self, robot: Mechanism) -> int:
        """How many numbers the spline describes."""
        ...

    def operand(self, robot: Mechanism) -> str:
        """The numbers given for each instant, as an operand of a signature."""
        ...

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], given: Any) -> list[list[Any]]:
        """q, qd, qdd, qddd of all joints."""
        ...


@dataclass(frozen=True)
class Traced:
    """Quantities as one function of z: values (0), also the Jacobian (1), or gradient and Hessian of their sum (2)."""

    quantities: tuple[Quantity, ...]
    order: int
    derivatives: int
    mapping: Mapping | None = None

    @property
    def recipe(self) -> str | None:
        return None if any(q.private for q in self.quantities) else repr(self)

    @property
    def __name__(self) -> str:
        return ("values", "jacobian", "hessian")[self.derivatives]

    def signature(self, robot: Mechanism) -> str:
        mapping, m = self.mapping, sum(q.size(robot) for q in self.quantities)
        nz = (robot.nv if mapping is None else mapping.width(robot)) * (self.order + 1)
        given = "" if mapping is None else f", {mapping.operand(robot)}"
        return (
            f"z({nz}){given} -> values({m})",
            f"z({nz}){given} -> values({m}), jacobian({m},{nz})",
            f"z({nz}), weights({m}){given} -> gradient({nz}), hessian({nz},{nz})",
        )[self.derivatives]

    def __call__(self, robot: Mechanism, z: Sequence[Any], *more: Any) -> Any:
        n = len(z) // (self.order + 1)
        parts = [z[n * r : n * (r + 1)] for r in range(self.order + 1)]
        parts += [[0.0] * n] * (HIGHEST - self.order)
        if self.mapping is not None:
            parts = self.mapping.motion(robot, parts, more[-1])
        values = [x for q in self.quantities for x in q.values(robot, *parts)]
        if self.derivatives == 0:
            return values
        if self.derivatives == 1:
            columns = [pushforward(values, [x], [1.0]) for x in z]
            return values, [list(row) for row in zip(*columns)]
        gradient = pullback(values, more[0], z)
        H: list[list[Any]] = [[0.0] * len(z) for _ in z]
        for j, x in enumerate(z):
            for i, value in enumerate(pushforward(gradient[: j + 1], [x], [1.0])):
                H[i][j] = H[j][i] = value
        return gradient, H


class Kernel:
    """The three functions of some quantities of a robot, compiled when first needed."""

    def __init__(self, robot: Any, quantities: Sequence[Quantity], order: int, mapping: Mapping | None = None) -> None:
        self.robot, self.size = robot, sum(q.size(robot) for q in quantities)
        self.traced = [Traced(tuple(quantities), order, k, mapping) for k in range(3)]
        self._own: list[Function | None] = [None, None, None]

    def function(self, derivatives: int) -> Function:
        own = self._own[derivatives]
        if own is None:
            made = self.robot.__dict__.setdefault("_functions", {})
            traced = self.traced[derivatives]
            if traced not in made:
                made[traced] = compile(traced, self.robot, signature=traced.signature(self.robot))
            own = self._own[derivatives] = made[traced]
        return own
