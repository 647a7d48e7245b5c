"""A motion as a nonlinear program.

Variables are the control points, one after the other, and the duration T. Costs are integrals over time,
J = T sum_k w_k c(z_k), and a multiple of T itself.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from kinetree.nlp.problem import Bounds, Linearisation
from kinetree.nlp.skyline import Skyline
from kinetree.transcribe.assembly import Assembly
from kinetree.transcribe.basis import Array, Indices
from kinetree.transcribe.constraints import BoundedBlock, Integral
from kinetree.transcribe.dependent import Dependent


class Transcription:
    """Bounded blocks and integrals as a `kinetree.nlp.Problem`.

    Args:
        bounds: of the variables.
        constraints: the bounded blocks.
        costs: the integrals.
        time_weight: of the duration in the objective.
        packed: whether the matrix of `linearise` may be packed.
        dependent: variables that follow from the duration; their bounds are of no account, but must not be free.
    """

    exact_hessian = True

    def __init__(
        self, bounds: Bounds, constraints: Sequence[BoundedBlock], costs: Sequence[Integral] = (),
        time_weight: float = 0.0, packed: bool = True, dependent: Dependent | None = None,
    ) -> None:  # fmt: skip
        self.bounds, self.blocks, self.costs, self.time_weight = bounds, [*constraints], [*costs], time_weight
        self.dependent, self.constraint_bounds = dependent, self._bounds()
        equalities = bool((self.constraint_bounds.lower == self.constraint_bounds.upper).any())
        self._packed = packed and not equalities
        self._assembly = self._assembled()

    def _assembled(self) -> Assembly:
        variables = len(self.bounds.lower), self.bounds.free
        return Assembly(*variables, self.blocks, self.costs, self.time_weight, self._packed, self.dependent)

    def _bounds(self) -> Bounds:
        lower = [b.lower[b.used] * b.factors for b in self.blocks]
        upper = [b.upper[b.used] * b.factors for b in self.blocks]
        return Bounds(np.concatenate(lower or [np.zeros(0)]), np.concatenate(upper or [np.zeros(0)]))

    def rebounded(
        self, first: BoundedBlock, bounds: Bounds | None = None, dependent: Dependent | None = None
    ) -> Transcription:
        """The same with other bounds on the rows of its first block; or also of the variables, where as many are free,
        and with others of those that follow from the duration."""
        other = copy.copy(self)
        other.blocks = [first, *self.blocks[1:]]
        other.constraint_bounds = other._bounds()
        if bounds is not None:
            other.bounds, other.dependent, other._assembly = bounds, dependent, self._assembly.depending(dependent)
        return other

    def extended(self, more: BoundedBlock) -> Transcription:
        """The same with a further block of inequalities; what is known of the others is not found out again."""
        other = copy.copy(self)
        other.blocks = [*self.blocks, more]
        other.constraint_bounds = other._bounds()
        other._assembly = self._assembly.extended(more) or other._assembled()
        return other

    def completed(self, x: Array) -> Array:
        """The variables with those that follow from the duration."""
        return x if self.dependent is None else self.dependent.completed(x)

    @property
    def skyline(self) -> Skyline | None:
        return self._assembly.skyline

    def objective(self, x: Array) -> float:
        if not x[-1] > 0.0:
            return math.inf
        x = self.completed(x) if self.costs else x
        return float(x[-1] * (self.time_weight + sum(float(c.weights @ c.values(x)) for c in self.costs)))

    def constraints(self, x: Array) -> Array:
        x = self.completed(x)
        if len(self.blocks) == 1:
            return self.blocks[0].values(x)
        return np.concatenate([b.values(x) for b in self.blocks] or [np.zeros(0)])

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        return self._assembly.linearise(self.completed(x), y, sigma, objective_weight)

    def jacobian_structure(self) -> tuple[Indices, Indices]:
        return self._assembly.structure

    def constraint_name(self, row: int) -> str:
        return self._names[row]

    @cached_property
    def _names(self) -> list[str]:
        named = ((bounded.block.names(), np.nonzero(bounded.used)[1]) for bounded in self.blocks)
        return [names[j] for names, used in named for j in used]
