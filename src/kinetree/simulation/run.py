"""The loop over time of a simulation: native steps, the controller between them, and what is recorded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.runtime.arrays import Array
from kinetree.simulation.interpolation import Quaternions
from kinetree.simulation.outcome import Occurrence, Outcome

_RUNAWAY = 1e6  # [rad/s, m/s]: above, forces overflow because the run diverged, not because of the controller


class TimeGrid(NamedTuple):
    """The times of a run: steps, how long each is [s], steps between two records and two samples, when it starts."""

    steps: int
    h: float
    every: int
    hold: int
    start: float = 0.0

    @property
    def records(self) -> int:
        return -(-self.steps // self.every) + 1


class StepFunctions(NamedTuple):
    """Native functions of (t, h, q, qd, tau); all arrays have the runs of the batch as their first axis.

    Args:
        step: to the next q and qd.
        step_and_rates: the same, and the accelerations and forces at the start besides.
        rates: these two alone.
        sample: (t, q, qd) -> forces; None where the controller is inside the step.
    """

    step: Callable[..., Any]
    step_and_rates: Callable[..., Any]
    rates: Callable[..., Any]
    sample: Callable[..., Array] | None


@dataclass(frozen=True)
class Integration:
    """What the loop over time needs.

    Args:
        functions: native ones.
        grid: the times of steps, records and samples.
        events: called with the states before and after a step; see `kinetree.simulation.events`.
        progress: called with the number of steps that are done.
        joints: a name for each velocity.
        quaternions: the unit quaternions among the positions.
        implicit: whether a step is the solution of equations, which may not be found.
    """

    functions: StepFunctions
    grid: TimeGrid
    events: Sequence[Any] = ()
    progress: Callable[[int], None] = lambda done: None
    joints: Sequence[str] = ()
    quaternions: Quaternions = ()
    implicit: bool = False


class Recorder:
    """The recorded arrays: time first, so that a record is contiguous in memory."""

    def __init__(self, records: int, batch: int, sizes: dict[str, int]) -> None:
        self.t = np.zeros(records)
        self.arrays = {name: np.empty((records, batch, size)) for name, size in sizes.items()}
        self.count = 0

    def write(self, t: float, values: dict[str, Any], runs: RunStates) -> None:
        self.t[self.count] = t
        for name, array in self.arrays.items():
            if runs.all_alive:
                array[self.count] = values[name]
            else:
                array[self.count] = math.nan
                array[self.count, runs.alive] = np.broadcast_to(values[name], array[self.count].shape)[runs.alive]
        self.count += 1


@dataclass
class RunStates:
    """Which runs of a batch go on, and how the others ended."""

    alive: NDArray[np.bool_]
    status: NDArray[np.int64]
    end: Array
    reasons: list[str]
    events: list[Occurrence] = field(default_factory=list)
    all_alive: bool = True

    @staticmethod
    def of(batch: int, end: float) -> RunStates:
        done = [Outcome.DONE.message] * batch
        return RunStates(np.ones(batch, bool), np.zeros(batch, np.int64), np.full(batch, end), done)

    def stop(self, rows: Sequence[int], outcome: Outcome, t: float, why: str) -> None:
        for row in rows:
            self.all_alive = False
            self.alive[row], self.status[row], self.end[row] = False, outcome, t
            self.reasons[row] = f"{outcome.message}: {why}"


def run(integration: Integration, q: Array, qd: Array, recorder: Recorder) -> RunStates:
    """Run a batch; after an interrupt the recorder has what was recorded until then."""
    (step, step_and_rates, rates, sample), (steps, h, every, hold, first) = integration.functions, integration.grid
    events, progress, quaternions = integration.events, integration.progress, integration.quaternions
    runs = RunStates.of(len(q), first + steps * h)
    start = q, qd
    tau: Any = None
    t, k = first, 0

    def sampled() -> Any:
        """The forces until the next sample; for runs that have ended the controller sees their initial state."""
        if sample is None or k % hold:
            return tau
        seen = (q, qd) if runs.all_alive else (np.where(runs.alive[:, None], x, x0) for x, x0 in zip((q, qd), start))
        return sample(t, *seen)

    try:
        with np.errstate(all="ignore"):
            for k in range(steps):
                t = first + k * h
                tau = sampled()
                if k % every == 0:
                    next_q, next_qd, qdd, forces = step_and_rates(t, h, q, qd, tau)
                    recorder.write(t, {"q": q, "qd": qd, "qdd": qdd, "tau": forces}, runs)
                else:
                    next_q, next_qd = step(t, h, q, qd, tau)
                if not math.isfinite(np.add.reduce(next_qd, axis=None)):
                    _stop_diverged(integration, runs, t, tau, (q, qd), (next_q, next_qd))
                for event in events:
                    event(runs, t, h, (q, qd), (next_q, next_qd), quaternions)
                q, qd = next_q, next_qd
                if not runs.all_alive:
                    q[~runs.alive], qd[~runs.alive] = math.nan, math.nan
                    if not runs.alive.any():
                        break
                progress(k + 1)
            else:
                t, k = first + steps * h, steps
                tau = sampled()
                qdd, forces = rates(t, h, q, qd, tau)
                recorder.write(t, {"q": q, "qd": qd, "qdd": qdd, "tau": forces}, runs)
    except KeyboardInterrupt:
        runs.stop(np.flatnonzero(runs.alive).tolist(), Outcome.INTERRUPTED, t, f"at {t:.6g} s")
    return runs


def _stop_diverged(integration: Integration, runs: RunStates, t: float, tau: Any, before: Any, after: Any) -> None:
    """End the runs whose state is not finite, with the reason."""
    lost: NDArray[np.bool_] = runs.alive & ~(np.isfinite(after[0]).all(axis=1) & np.isfinite(after[1]).all(axis=1))
    if not lost.any():
        return
    h = integration.grid.h
    _, forces = integration.functions.rates(t, h, *before, tau)
    finite = np.broadcast_to(np.isfinite(forces).all(axis=-1), lost.shape)
    for row in np.flatnonzero(lost).tolist():
        speeds = before[1][row]
        fastest = int(np.argmax(np.abs(speeds)))
        if not finite[row] and abs(speeds[fastest]) < _RUNAWAY:
            runs.stop([row], Outcome.CONTROLLER, t, f"at {t:.6g} s")
            continue
        where = f", the fastest joint before is {integration.joints[fastest]!r} with {speeds[fastest]:.3g}"
        outcome = Outcome.UNSOLVED if integration.implicit else Outcome.DIVERGED
        runs.stop([row], outcome, t + h, f"at {t + h:.6g} s{where}")
