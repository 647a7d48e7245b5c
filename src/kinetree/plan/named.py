"""Quantities and costs by name."""

from __future__ import annotations

from kinetree.errors import UnknownNameError, check_name
from kinetree.plan.forces import Energy, Force, ForceRate, Power, Reactions
from kinetree.plan.quantity import TITLES, Derivative, Quantity
from kinetree.plan.squares import Squares

QUANTITIES: dict[str, Quantity] = {
    **{title: Derivative(degree) for degree, title in enumerate(TITLES)},
    "force": Force(),
    "force_rate": ForceRate(),
    "power": Power(),
}

# integrals over time of one number
COSTS: dict[str, Quantity] = {
    "effort": Squares(Force()),
    "energy": Energy(),
    "jerk": Squares(Derivative(3)),
    "acceleration": Squares(Derivative(2)),
    "force_rate": Squares(ForceRate()),
    "reaction": Squares(Reactions()),
}


def quantity(what: str | Quantity) -> Quantity:
    """A quantity by name, or itself."""
    if isinstance(what, Quantity):
        return what
    check_name("quantity", what, QUANTITIES)
    return QUANTITIES[what]


def cost(what: str | Quantity) -> Quantity:
    """A cost by name, or the quantity itself whose integral it is."""
    if isinstance(what, Quantity):
        return what
    if what not in COSTS:
        raise UnknownNameError("cost", what, ["time", *COSTS])
    return COSTS[what]
