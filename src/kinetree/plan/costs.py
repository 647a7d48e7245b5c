"""Costs by name: integrals over time of one number."""

from __future__ import annotations

from kinetree.plan.quantity import Derivative, Energy, Force, ForceRate, Quantity, Reactions
from kinetree.plan.squares import Squares

COSTS: dict[str, Quantity] = {
    "effort": Squares(Force()),
    "energy": Energy(),
    "jerk": Squares(Derivative(3)),
    "acceleration": Squares(Derivative(2)),
    "force_rate": Squares(ForceRate()),
    "reaction": Squares(Reactions()),
}
