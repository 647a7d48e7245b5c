"""The loop over time of a simulation: native steps, the controller between them, and what is kept of it all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.simulation.motion import Occurrence, Outcome

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """What a run does, step by step; all arrays have the runs of the batch as their first axis.

    Args:
        step: (t, h, q, qd, tau) -> next q, next qd.
        probe: the same, and the accelerations and forces at the start besides.
        sample: (t, q, qd) -> forces; None where the controller is inside the step.
        hold: steps between two samples.
        steps, h: how many, and how long [s].
        every: steps between two records.
        watches: look at the state before and after a step; see `kinetree.simulation.events`.
        tell: is told how many steps are done.
        joints: a name for each velocity.
    """

    step: Callable[..., Any]
    probe: Callable[..., Any]
    sample: Callable[..., Array] | None
    hold: int
    steps: int
    h: float
    every: int
    watches: Sequence[Any] = ()
    tell: Callable[[int], None] = lambda done: None
    joints: Sequence[str] = ()


class Tape:
    """What is kept: time first, so that a record is one piece of memory."""

    def __init__(self, records: int, batch: int, sizes: dict[str, int]) -> None:
        self.t = np.zeros(records)
        self.arrays = {name: np.full((records, batch, size), np.nan) for name, size in sizes.items()}
        self.count = 0

    def write(self, t: float, values: dict[str, Any], log: Log) -> None:
        self.t[self.count] = t
        for name, array in self.arrays.items():
            if log.everybody:
                array[self.count] = values[name]
            else:
                array[self.count, log.alive] = np.broadcast_to(values[name], array[self.count].shape)[log.alive]
        self.count += 1


@dataclass
class Log:
    """How the runs of a batch are doing."""

    alive: NDArray[np.bool_]
    status: NDArray[np.int64]
    end: Array
    reasons: list[str]
    events: list[Occurrence] = field(default_factory=list)
    everybody: bool = True

    @staticmethod
    def of(batch: int, end: float) -> Log:
        done = [Outcome.DONE.sentence] * batch
        return Log(np.ones(batch, bool), np.zeros(batch, np.int64), np.full(batch, end), done)

    def stop(self, rows: Sequence[int], outcome: Outcome, t: float, why: str) -> None:
        for row in rows:
            self.everybody = False
            self.alive[row], self.status[row], self.end[row] = False, outcome, t
            self.reasons[row] = f"{outcome.sentence}: {why}"


def run(plan: Plan, q: Array, qd: Array, tape: Tape) -> Log:
    """Run a batch; what was recorded until an interrupt is on the tape."""
    log = Log.of(len(q), plan.steps * plan.h)
    tau: Any = None
    t = 0.0
    try:
        with np.errstate(all="ignore"):
            for k in range(plan.steps):
                t = k * plan.h
                if plan.sample is not None and k % plan.hold == 0:
                    tau = plan.sample(t, q, qd)
                if k % plan.every == 0:
                    next_q, next_qd, qdd, forces = plan.probe(t, plan.h, q, qd, tau)
                    tape.write(t, {"q": q, "qd": qd, "qdd": qdd, "tau": forces}, log)
                else:
                    next_q, next_qd = plan.step(t, plan.h, q, qd, tau)
                if not math.isfinite(np.add.reduce(next_qd, axis=None)):
                    _look_for_divergence(plan, log, t + plan.h, tau, (q, qd), (next_q, next_qd))
                for watch in plan.watches:
                    watch(log, t, plan.h, (q, qd), (next_q, next_qd))
                q, qd = next_q, next_qd
                if not log.everybody and not log.alive.any():
                    break
                plan.tell(k + 1)
            else:
                t = plan.steps * plan.h
                if plan.sample is not None and plan.steps % plan.hold == 0:
                    tau = plan.sample(t, q, qd)
                *_, qdd, forces = plan.probe(t, plan.h, q, qd, tau)
                tape.write(t, {"q": q, "qd": qd, "qdd": qdd, "tau": forces}, log)
    except KeyboardInterrupt:
        log.stop(np.flatnonzero(log.alive).tolist(), Outcome.INTERRUPTED, t, f"at {t:.6g} s")
    return log


def _look_for_divergence(plan: Plan, log: Log, t: float, tau: Any, before: Any, after: Any) -> None:
    q, qd = after
    lost = log.alive & ~(np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1))
    for row in np.flatnonzero(lost).tolist():
        if tau is not None and not np.isfinite(np.broadcast_to(tau, (len(q), np.shape(tau)[-1]))[row]).all():
            log.stop([row], Outcome.CONTROLLER, t, f"at {t:.6g} s")
            continue
        fastest = int(np.argmax(np.abs(before[1][row]))) if before[1].shape[1] else 0
        where = f"{plan.joints[fastest]!r} at {before[1][row, fastest]:.3g}" if len(plan.joints) else "a position"
        log.stop([row], Outcome.DIVERGED, t, f"at {t:.6g} s, the fastest joint before is {where}")
