"""`PlanStatus`: what a search for a motion found."""

from __future__ import annotations

import enum

from kinetree.nlp.solution import Termination
from kinetree.renamed import RenamedMembers


class PlanStatus(enum.Enum, metaclass=RenamedMembers):
    """What a search found; the value is the sentence. Why it stopped is the ``termination`` of the solver."""

    OPTIMAL = "the motion is (locally) optimal and satisfies all constraints"
    FEASIBLE = "stopped before it was optimal; the motion satisfies all constraints"
    VIOLATED_BETWEEN = "optimal, but constraints are violated between collocation points; allow more rounds"
    INFEASIBLE = "no motion nearby satisfies all constraints"
    NOT_FOUND = "stopped before a motion that satisfies all constraints was found"
    FAILED = "the solver failed"

    @property
    def ok(self) -> bool:
        """Whether all constraints are satisfied."""
        return self in (PlanStatus.OPTIMAL, PlanStatus.FEASIBLE)

    def message(self, termination: Termination, worst: str) -> str:
        """In words; with why the search stopped early, and with the constraint that is violated most."""
        early = self in (PlanStatus.FEASIBLE, PlanStatus.NOT_FOUND) and not termination.solved
        why = f" ({termination.value})" if early else ""
        return self.value + why + (f"; {worst}" if worst and not self.ok else "")
