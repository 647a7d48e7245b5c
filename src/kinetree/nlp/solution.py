"""What solvers start from and what they give back."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from kinetree.errors import InputError
from kinetree.nlp.problem import Bounds, Problem, violation
from kinetree.runtime.arrays import Array

# gets iteration, objective and violation; says whether to go on
Callback = Callable[[int, float, float], bool]
BARRIER = 1e-7  # of a solution where its solver does not tell
UNBOUNDED = -1e20  # an objective that only falls without end comes so low


class Termination(enum.Enum):
    """Why a solver stopped; the value is the message.

    Example:
        >>> Termination.CONVERGED.solved, Termination.STALLED.value
        (True, 'steps became too short to go on')
    """

    CONVERGED = "the conditions of optimality hold to the tolerance"
    ACCEPTABLE = "the conditions of optimality hold to the acceptable tolerance"
    LOCALLY_INFEASIBLE = "no point near here satisfies all constraints"
    ITERATION_LIMIT = "the limit of iterations was reached"
    DIVERGED = "the objective falls without end"
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

    def inside(self, bounds: Bounds) -> Array:
        """The variables, moved inside their bounds.

        Example:
            >>> Start(np.array([5.0, 0.5])).inside(Bounds(np.zeros(2), np.ones(2)))
            array([1. , 0.5])
        """
        x = np.asarray(self.x, np.float64)
        if x.shape != bounds.lower.shape:
            raise InputError(f"a start has {len(bounds.lower)} variables, got an array of shape {x.shape}")
        return np.clip(x, bounds.lower, bounds.upper)


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped, and what it took.

    Args:
        x: all variables: the solution, or the best feasible point that was seen where it stopped before.
        termination: why it stopped.
        objective, violation: of the problem at x; the violation is that of the constraints.
        iterations, seconds: what it took.
        multipliers: of the last iterate.
        barrier: the last one.
    """

    x: Array
    termination: Termination
    objective: float
    violation: float
    iterations: int
    seconds: float
    multipliers: Multipliers
    barrier: float = BARRIER

    @staticmethod
    def at(
        x: Array, problem: Problem, why: Termination, iterations: int, began: float, y: Multipliers,
        barrier: float = BARRIER,
    ) -> Solution:  # fmt: skip
        """Of a solver that began at some time of ``time.perf_counter`` and stops now."""
        seconds = time.perf_counter() - began
        return Solution(x, why, problem.objective(x), violation(problem, x), iterations, seconds, y, barrier)


class Solver(Protocol):
    """A method with its tolerances; a frozen value."""

    def unavailable(self) -> str:
        """Why it can't run here; empty where it can."""
        ...

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        """The solution from a start. Ctrl-C stops it as the callback would."""
        ...
