"""`Motion`: what a simulation, or any other source, gives: positions, velocities and forces over time."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FIELDS = ("q", "qd", "qdd", "tau", "wrenches")


class Outcome(enum.IntEnum):
    """How a run ended."""

    DONE = 0
    STOPPED = 1
    DIVERGED = 2
    INTERRUPTED = 3
    CONTROLLER = 4

    @property
    def sentence(self) -> str:
        return {
            Outcome.DONE: "went to its end",
            Outcome.STOPPED: "was stopped by an event",
            Outcome.DIVERGED: "diverged: take a shorter step, another method, or look at the controller",
            Outcome.INTERRUPTED: "was interrupted",
            Outcome.CONTROLLER: "has a controller that gave something that is not a number",
        }[self]


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: which one, when, and in which run of a batch."""

    name: str
    t: float
    row: tuple[int, ...] = ()


@dataclass(frozen=True)
class Motion:
    """A motion, or a batch of them, sampled in time.

    Args:
        t: the times (n,) [s].
        q: positions (..., n, nq) [rad, m]; rows after the end of a run are NaN.
        qd, qdd: velocities and accelerations (..., n, nv), where they were recorded.
        tau: the forces of the actuators (..., n, nv) [N m, N], likewise.
        wrenches: joint wrenches (..., n, nbodies, 6), likewise.
        status: an `Outcome` for each run (...).
        end: when each run ended (...) [s].
        reason: for each run (flattened) a sentence on how it ended.
        events: what happened on the way.
        joints: the names of the velocities, for plots.
    """

    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    wrenches: Array | None = None
    status: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    end: Array = field(default_factory=lambda: np.zeros(()))
    reason: tuple[str, ...] = ()
    events: tuple[Occurrence, ...] = ()
    joints: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which runs went to their end, or to an event that stops (...)."""
        return self.status <= Outcome.STOPPED
