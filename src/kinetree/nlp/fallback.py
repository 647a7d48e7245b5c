"""When a second solver is asked: the one place that says so.

`Interior` is several times faster than IPOPT on problems with condensed matrices, but it has no restoration phase:
where it stalls, or may have been led astray, another solver has a look.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinetree.nlp.problem import Problem, violation
from kinetree.nlp.solution import Callback, Solution, Solver, Start, Termination

_AGAIN = 1e-3  # the barrier with which the first solver goes on
_FEASIBLE = 1e-5  # violation of a start that the solution must be better than


@dataclass(frozen=True)
class Fallback:
    """A solver, and a second one that is asked where the first does not find the solution.

    That is where the first stops before it, other than by the user's wish; or where it was led astray, from a start
    without multipliers that is feasible and has a lower objective than what it found. From a start with multipliers the
    first goes on once more from where it stopped, with a larger barrier. A second solver that is unavailable is not
    asked.

    Args:
        first, second: the solvers.
        compare_start: whether what the first finds must be better than a feasible start.

    Example:
        >>> from kinetree.nlp import Ipopt, Interior
        >>> Fallback(Interior(), Ipopt()).unavailable()
        ''
    """

    first: Solver
    second: Solver
    compare_start: bool = True

    def unavailable(self) -> str:
        return self.first.unavailable()

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        """The better one of two solutions, with the iterations and the time of both."""
        first = self.first.solve(problem, start, callback)
        if start.multipliers is not None and first.violation <= _FEASIBLE and not _ended(first):
            again = self.first.solve(problem, Start(first.x, first.multipliers, _AGAIN), callback)
            first = _with_both(_better(first, again), first, again)
        enough = first.termination.solved and not (self.compare_start and _astray(problem, start, first))
        if enough or first.termination is Termination.USER_STOP or self.second.unavailable():
            return first
        second = self.second.solve(problem, start, callback)
        return _with_both(_better(first, second), first, second)


def _ended(found: Solution) -> bool:
    return found.termination.solved or found.termination is Termination.USER_STOP


def _with_both(found: Solution, first: Solution, second: Solution) -> Solution:
    """A solution with the iterations and the time of two."""
    spent = first.seconds + second.seconds
    return replace(found, iterations=first.iterations + second.iterations, seconds=spent)


def _astray(problem: Problem, start: Start, found: Solution) -> bool:
    """Whether the start was feasible and better."""
    if start.multipliers is not None:
        return False
    x = start.inside(problem.bounds)
    return violation(problem, x) <= _FEASIBLE and found.objective > problem.objective(x)


def _better(first: Solution, second: Solution) -> Solution:
    if first.termination.solved != second.termination.solved:
        return first if first.termination.solved else second
    one, other = (found.termination.solved or found.violation <= _FEASIBLE for found in (first, second))
    if one and other:
        return second if second.objective < first.objective else first
    return first if one else second
