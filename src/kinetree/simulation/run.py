"""The loop over time of a simulation: native steps, the controller between them, and what is kept of it all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.simulation.interpolation import Turn
from kinetree.simulation.outcome import Occurrence, Outcome

Array = NDArray[np.float64]
_RUNAWAY = 1e6  # [rad/s, m/s]: beyond, no controller is to blame for forces that overflow


@dataclass(frozen=True)
class Plan:
    """What a run does, step by step; all arrays have the runs of the batch as their first axis.

    Args:
        step: (t, h, q, qd, tau) -> next q, next qd.
        probe: the same, and the accelerations and forces at the start besides.
        rates: these two alone.
        sample: (t, q, qd) -> forces; None where the controller is inside the step.
        hold: steps between two samples.
        steps, h: how many, and how long [s].
        every: steps between two records.
        watches: look at the state before and after a step; see `kinetree.simulation.events`.
        tell: is told how many steps are done.
        joints: a name for each velocity.
        turns: the unit quaternions among the positions.
        implicit: whether a step is the solution of equations, which may not be found.
    """

    step: Callable[..., Any]
    probe: Callable[..., Any]
    rates: Callable[..., Any]
    sample: Callable[..., Array] | None
    hold: int
    steps: int
    h: float
    every: int
    watches: Sequence[Any] = ()
    tell: Callable[[int], None] = lambda done: None
    joints: Sequence[str] = ()
    turns: Sequence[Turn] = ()
    implicit: bool = False


class Tape:
    """What is kept: time first, so that a record is one piece of memory."""

    def __init__(self, records: int, batch: int, sizes: dict[str, int]) -> None:
        self.t = np.zeros(records)
        self.arrays = {name: np.empty((records, batch, size)) for name, size in sizes.items()}
        self.count = 0

    def write(self, t: float, values: dict[str, Any], log: Log) -> None:
        self.t[self.count] = t
        for name, array in self.arrays.items():
            if log.everybody:
                array[self.count] = values[name]
            else:
                array[self.count] = math.nan
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
    start = q, qd
    tau: Any = None
    t, k = 0.0, 0

    def sampled() -> Any:
        """The forces until the next sample; runs that have ended are shown to the controller as they began."""
        if plan.sample is None or k % plan.hold:
            return tau
        shown = (q, qd) if log.everybody else (np.where(log.alive[:, None], x, x0) for x, x0 in zip((q, qd), start))
        return plan.sample(t, *shown)

    try:
        with np.errstate(all="ignore"):
            for k in range(plan.steps):
                t = k * plan.h
                tau = sampled()
                if k % plan.every == 0:
                    next_q, next_qd, qdd, forces = plan.probe(t, plan.h, q, qd, tau)
                    tape.write(t, {"q": q, "qd": qd, "qdd": qdd, "tau": forces}, log)
                else:
                    next_q, next_qd = plan.step(t, plan.h, q, qd, tau)
                if not math.isfinite(np.add.reduce(next_qd, axis=None)):
                    _look_for_divergence(plan, log, t, tau, (q, qd), (next_q, next_qd))
                for watch in plan.watches:
                    watch(log, t, plan.h, (q, qd), (next_q, next_qd), plan.turns)
                q, qd = next_q, next_qd
                if not log.everybody:
                    q[~log.alive], qd[~log.alive] = math.nan, math.nan
                    if not log.alive.any():
                        break
                plan.tell(k + 1)
            else:
                t, k = plan.steps * plan.h, plan.steps
                tau = sampled()
                qdd, forces = plan.rates(t, plan.h, q, qd, tau)
                tape.write(t, {"q": q, "qd": qd, "qdd": qdd, "tau": forces}, log)
    except KeyboardInterrupt:
        log.stop(np.flatnonzero(log.alive).tolist(), Outcome.INTERRUPTED, t, f"at {t:.6g} s")
    return log


def _look_for_divergence(plan: Plan, log: Log, t: float, tau: Any, before: Any, after: Any) -> None:
    """End the runs whose state is not a number, and say why."""
    lost: NDArray[np.bool_] = log.alive & ~(np.isfinite(after[0]).all(axis=1) & np.isfinite(after[1]).all(axis=1))
    if not lost.any():
        return
    _, forces = plan.rates(t, plan.h, *before, tau)
    driven = np.broadcast_to(np.isfinite(forces).all(axis=-1), lost.shape)
    for row in np.flatnonzero(lost).tolist():
        speeds = before[1][row]
        fastest = int(np.argmax(np.abs(speeds)))
        if not driven[row] and abs(speeds[fastest]) < _RUNAWAY:
            log.stop([row], Outcome.CONTROLLER, t, f"at {t:.6g} s")
            continue
        where = f", the fastest joint before is {plan.joints[fastest]!r} with {speeds[fastest]:.3g}"
        outcome = Outcome.UNSOLVED if plan.implicit else Outcome.DIVERGED
        log.stop([row], outcome, t + plan.h, f"at {t + plan.h:.6g} s{where}")
