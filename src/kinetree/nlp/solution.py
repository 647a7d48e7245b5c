"""What solvers start from and what they give back."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetree.nlp.problem import Problem

Array = NDArray[np.float64]
# gets iteration, objective and violation; says whether to go on
Callback = Callable[[int, float, float], bool]


class Termination(enum.Enum):
    """Why a solver stopped; the value is the sentence."""

    CONVERGED = "the conditions of optimality hold to the tolerance"
    ACCEPTABLE = "the conditions of optimality hold to the acceptable tolerance"
    LOCALLY_INFEASIBLE = "no point near here satisfies all constraints"
    ITERATION_LIMIT = "the limit of iterations was reached"
    STALLED = "steps became too short to go on"
    USER_STOP = "interrupted, or stopped by the callback"
    EVALUATION_ERROR = "the functions gave values that are not finite"
    FAILED = "the solver failed"

    @property
    def solved(self) -> bool:
        """Whether the point is (locally) optimal."""
        return self in (Termination.CONVERGED, Termination.ACCEPTABLE)


class Multipliers(NamedTuple):
    """Of constraints, positive at upper sides; of lower and upper bounds of all variables, these not negative."""

    constraints: Array
    lower: Array
    upper: Array


@dataclass(frozen=True)
class Start:
    """Where a solver starts.

    Args:
        x: all variables; moved inside their bounds.
        multipliers: of a solution of nearly the same problem, for a warm start.
        barrier: that a warm start begins with: the smaller, the nearer the solution must be; None for the solver's own.
    """

    x: Array
    multipliers: Multipliers | None = None
    barrier: float | None = None


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped, and what it took.

    Args:
        x: all variables: the solution, or the best feasible point that was seen where it stopped before.
        termination: why it stopped.
        objective, violation: of the problem at x; the violation is that of the constraints.
        iterations, seconds: what it took.
        multipliers: of the last iterate.
    """

    x: Array
    termination: Termination
    objective: float
    violation: float
    iterations: int
    seconds: float
    multipliers: Multipliers


class Solver(Protocol):
    """A method with its tolerances; a frozen value."""

    def unavailable(self) -> str:
        """Why it can't run here; empty where it can."""
        ...

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        """The solution from a start. Ctrl-C stops it as the callback would."""
        ...
