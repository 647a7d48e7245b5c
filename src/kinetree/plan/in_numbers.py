"""A task in numbers: its unknowns, and limits, conditions and costs as blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.block import Block
from kinetree.plan.ends import open_conditions, settled
from kinetree.plan.equations import equation_rows, exact, open_sides
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.seam import Seam
from kinetree.plan.spline import Spline
from kinetree.plan.squares import Squares
from kinetree.plan.transcription import Integral, Rows, Transcription, rows_of
from kinetree.plan.way import Way

if TYPE_CHECKING:
    from kinetree.plan.conditions import Condition, Limit

Array = NDArray[np.float64]
_ALWAYS = (0.0, 1.0)  # from the start to the end


class InNumbers:
    """What `Problem` is for a solver."""

    robot: Any
    spline: Spline
    way: Way | None
    known: Callable[[Array], Array] | None
    second: str
    limits: list[Limit]
    conditions: list[Condition]
    costs: list[tuple[Quantity, float]]
    time_weight: float
    seam: int | None
    mirror: Array | None
    advance: Array

    @property
    def width(self) -> int:
        """How many numbers a control point has."""
        return self.robot.nv if self.way is None else self.way.width

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return self.spline.points * self.width + 1

    def linear(self, degree: int) -> Quantity:
        """What the spline describes (0), or a derivative of it in time."""
        raise NotImplementedError(f"{type(self).__name__} has no linear()")

    def block(self, quantities: list[Quantity], places: Array) -> Block:
        return Block(self.robot, self.spline, quantities, places, self.way, self.known, self.second)

    def limit_rows(self, places: Array) -> Rows | None:
        """The limits at places of the motion; None where there are none."""
        some = [x for x in self.limits if not exact(x).all()]
        if not some:
            return None
        # a quantity that is limited more than once, at different times, is computed once
        distinct = [*dict.fromkeys(x.quantity for x in some)]
        merged, scales = [], []
        for quantity in distinct:
            own = [x for x in some if x.quantity == quantity]
            sides = [open_sides(x) if x.during == _ALWAYS else x.sides(places, *open_sides(x)) for x in own]
            lows, highs = zip(*sides)
            merged.append((reduce(np.maximum, lows), reduce(np.minimum, highs)))
            scales.append(own[0].scale)
        return rows_of(self.block(distinct, places), merged, scales)

    def open_limits(self, places: Array) -> Rows | None:
        """The same without those that fixed control points settle."""
        limits = self.limit_rows(places)
        return None if limits is None else limits.without(settled(self, limits.block))  # type: ignore[arg-type]

    def condition_rows(self) -> list[Rows]:
        """The conditions that no fixed control point keeps."""
        rows = equation_rows(self)  # type: ignore[arg-type]
        for c in open_conditions(self):  # type: ignore[arg-type]
            rows.append(rows_of(self.block([c.quantity], np.array([c.place])), [(c.lower, c.upper)]))
        if self.seam is not None:
            names = [self.linear(degree).names(self.robot) for degree in range(self.seam + 1)]
            seam = Seam(names, self.spline, self.mirror)
            value = np.r_[self.advance, np.zeros(seam.rows - self.width)][None]
            rows.append(Rows(seam, value, value, np.ones_like(value)))
        return rows

    def transcription(self, places: Array, inwards: Array | float = 0.0) -> Transcription:
        """The optimisation problem with limits at places of the motion, moved inwards by parts of themselves."""
        return self.transcribed(self.open_limits(places), inwards)

    def transcribed(
        self, limits: Rows | None, inwards: Array | float, conditions: list[Rows] | None = None
    ) -> Transcription:
        """The same from the limits at the places, and the conditions where they are known already."""
        rows = [] if limits is None else [limits.moved_inwards(inwards)]
        rows += self.condition_rows() if conditions is None else conditions
        costs = []
        for cost, weight in self.costs:
            at, weights = self.spline.quadrature(self.spline.degree + 1)
            block = self.block([cost], at)
            if isinstance(cost, Squares) and isinstance(cost.of, Derivative):
                block.second = "compiled"  # a small function
            costs.append(Integral(block, weight * weights))
        return Transcription(self.size, rows, costs, self.time_weight)
