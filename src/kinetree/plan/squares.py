"""Sums of squares of quantities, and weighted sums of such: what most costs are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Dynamics, Vector
from kinetree.plan.quantity import Quantity


@dataclass(frozen=True)
class Squares(Quantity):
    """The weighted sum of squares of other numbers."""

    of: Quantity = Quantity()
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name in ("order", "needs_parameters", "includes_contact"):
            object.__setattr__(self, name, getattr(self.of, name))

    def check(self, robot: Mechanism) -> None:
        self.of.check(robot)
        if self.weights and len(self.weights) != self.of.size(robot):
            raise InputError(f"{self.of.title} has {self.of.size(robot)} numbers, got {len(self.weights)} weights")

    def under(self, dynamics: Dynamics) -> Quantity:
        return replace(self, of=self.of.under(dynamics))

    def names(self, robot: Mechanism) -> list[str]:
        return [f"squares of {self.of.title}"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        values = self.of.values(robot, q, qd, qdd, qddd, *parameters)
        weights = self.weights or (1.0,) * len(values)
        return [sum((w * x * x for w, x in zip(weights, values)), 0.0)]


@dataclass(frozen=True)
class WeightedSum(Quantity):
    """The weighted sum of quantities with one number each: several costs as one, compiled together."""

    terms: tuple[tuple[Quantity, float], ...] = ()

    def __post_init__(self) -> None:
        quantities = [quantity for quantity, _ in self.terms]
        object.__setattr__(self, "order", max((q.order for q in quantities), default=0))
        for name in ("needs_parameters", "includes_contact"):
            object.__setattr__(self, name, any(getattr(q, name) for q in quantities))

    def check(self, robot: Mechanism) -> None:
        for quantity, _ in self.terms:
            quantity.check(robot)
            if (size := quantity.size(robot)) != 1:
                raise InputError(f"a term of a sum is one number, {quantity.title} has {size}; take Squares")

    def under(self, dynamics: Dynamics) -> Quantity:
        return replace(self, terms=tuple((quantity.under(dynamics), weight) for quantity, weight in self.terms))

    def names(self, robot: Mechanism) -> list[str]:
        return [" + ".join(name for quantity, _ in self.terms for name in quantity.names(robot))]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        total: Any = 0.0
        for quantity, weight in self.terms:
            given = parameters if quantity.needs_parameters else ()
            total = total + weight * quantity.values(robot, q, qd, qdd, qddd, *given)[0]
        return [total]
