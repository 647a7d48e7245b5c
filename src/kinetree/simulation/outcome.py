"""How a run of a simulation ended, and the events that happened."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np

from kinetree.runtime.arrays import Array


class Outcome(enum.IntEnum):
    """How a run ended."""

    DONE = 0
    STOPPED = 1
    DIVERGED = 2
    INTERRUPTED = 3
    CONTROLLER = 4
    UNSOLVED = 5

    @property
    def message(self) -> str:
        return {
            Outcome.DONE: "went to its end",
            Outcome.STOPPED: "was stopped by an event",
            Outcome.DIVERGED: "diverged: take a shorter step, another method, or check the controller",
            Outcome.INTERRUPTED: "was interrupted",
            Outcome.CONTROLLER: "has a controller that gave NaN or an infinite force",
            Outcome.UNSOLVED: "has a step that was not solved: take a shorter one, or check for a stiff controller",
        }[self]


FAILURES = (Outcome.DIVERGED, Outcome.CONTROLLER, Outcome.UNSOLVED)


@dataclass(frozen=True)
class Occurrence:
    """An event that happened.

    Args:
        name: of the event.
        t: when [s].
        row: in which run of a batch, one number for each of its dimensions.
        q, qd: the state at that time (nq), (nv).
    """

    name: str
    t: float
    row: tuple[int, ...] = ()
    q: Array = field(default_factory=lambda: np.zeros(0), compare=False)
    qd: Array = field(default_factory=lambda: np.zeros(0), compare=False)
