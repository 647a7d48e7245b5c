"""The best feasible point that a solver has seen: what it returns where it stops before the solution."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kinetree.nlp.solution import Termination
from kinetree.runtime.arrays import Array

FEASIBLE = 1e-6  # violation up to which a point is one


@dataclass
class Best:
    """The point, None where there was none, and its objective.

    Example:
        >>> import numpy as np
        >>> best = Best()
        >>> for x, objective, violation in ((1.0, 3.0, 0.0), (2.0, 1.0, 0.1), (3.0, 2.0, 0.0), (4.0, 2.5, 0.0)):
        ...     best.consider(np.array([x]), objective, violation)
        >>> best.x, best.objective
        (array([3.]), 2.0)
    """

    x: Array | None = None
    objective: float = math.inf

    def consider(self, x: Array, objective: float, violation: float) -> None:
        """A point that may be the best one; an array that nobody changes any more."""
        if violation <= FEASIBLE and objective < self.objective:
            self.x, self.objective = x, objective

    def returned(self, x: Array, termination: Termination) -> Array:
        """What a solver returns that stopped at x."""
        stopped_there = termination.solved or termination is Termination.LOCALLY_INFEASIBLE
        return x if stopped_there or self.x is None else self.x
