"""`Options`: how a planning problem is solved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from typing import Any

from kinetree.errors import InputError
from kinetree.nlp.solution import Callback
from kinetree.renamed import check_keywords
from kinetree.workers import checked_executor


@dataclass(frozen=True)
class Options:
    """How a planning problem is solved; `Problem.solve` and the functions of `kinetree.plan` take these as keywords.

    Args:
        tolerance: how far constraints may be violated anywhere, relative to their bounds.
        optimality: how far the conditions of optimality may be off.
        collocation: points in each knot interval where constraints are enforced at first.
        margin: of the bounds, kept free there at first.
        elastic: whether constraints may be violated on the way, at a penalty: elastic mode comes from far away, or
            finds that no motion nearby satisfies all constraints, and which of them it helps to loosen. It stays near a
            guess that is a motion.
        barrier: of elastic mode, the first one: a large one comes from far away, a small one stays near the guess; by
            default it depends on the guess.
        iterations: of the solver, at the most, in each round.
        rounds: how often constraints are tightened between collocation points.
        time_limit: how long the search may take [s], without compiling; with several starts, each of them.
        callback: gets iteration, cost and violation; says whether to go on.
        progress: whether a line with the same is shown; by default on a terminal and in a notebook.
        guesses: how many are tried roughly, where only the most promising one is followed to its optimum: by default
            24 where forces are limited and velocities are not, for such motions have many local optima, 8 where
            velocities are limited too and the start or the goal has a velocity, and 1 otherwise.
        starts: how many guesses are tried, on all cores; the first is the usual one, the others sway at random.
        seed: of the random guesses.
        executor: of `concurrent.futures`, or Dask's ``client.get_executor()``, that the starts after the first run in;
            by default processes on this machine.
    """

    tolerance: float = 1e-6
    optimality: float = 1e-7
    collocation: int = 4
    margin: float = 2e-7
    elastic: bool = False
    barrier: float | None = None
    iterations: int = 400
    rounds: int = 40
    time_limit: float = math.inf
    callback: Callback | None = None
    progress: bool | None = None
    guesses: int | None = None
    starts: int = 1
    seed: int = 0
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if not self.time_limit > 0.0:
            raise InputError(f"a time limit is a positive number of seconds, got {self.time_limit!r}")
        if self.barrier is not None and not 0.0 < self.barrier < math.inf:
            raise InputError(f"a barrier is a positive number, got {self.barrier!r}")
        if not isinstance(self.starts, int) or self.starts < 1:
            raise InputError(f"the number of starts is 1 or more, got {self.starts!r}")
        if self.guesses is not None and (not isinstance(self.guesses, int) or self.guesses < 1):
            raise InputError(f"the number of guesses is 1 or more, got {self.guesses!r}")
        if self.executor is not None:
            checked_executor(self.executor)

    @staticmethod
    def of(given: Mapping[str, Any], beside: Sequence[str] = ()) -> Options:
        """From keywords; unknown ones are a TypeError that names the known, and those that may stand beside them."""
        check_keywords("kinetree.plan.Options", given)
        known = [field.name for field in fields(Options)]
        if unknown := [name for name in given if name not in known]:
            raise TypeError(f"there is no keyword {unknown[0]!r}; known are {', '.join((*beside, *known))}")
        return Options(**given)
