"""A batch in blocks of runs, each simulated by a worker of an executor, and put together in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from kinetree.nlp.interrupt import interruptions
from kinetree.simulation.batch import Batch
from kinetree.simulation.motion import QUANTITIES, Motion
from kinetree.simulation.outcome import Occurrence, Outcome
from kinetree.simulation.setup import Setup
from kinetree.simulation.simulate import simulated_runs
from kinetree.workers import answers, counted, workers_of

_MOST = 2**16  # runs of a block
_KEPT: deque[Any] = deque(maxlen=4)  # robots of this worker's last blocks, and with them their compiled code


def in_blocks(setup: Setup, batch: Batch, duration: float) -> Motion:
    """The motion of a batch whose runs are simulated in the executor of the options.

    Runs of blocks that Ctrl-C came before are NaN, with the status INTERRUPTED.
    """
    options = setup.options
    setup.functions(batch)  # compiled here, once: workers of this machine find the code in the cache
    most = options.blocks or max(workers_of(options.executor), -(-batch.count // _MOST))
    count = min(most, batch.count)
    cuts = [batch.count * k // count for k in range(count + 1)]
    parts = [slice(a, b) for a, b in pairwise(cuts)]
    seeds = np.random.SeedSequence(options.seed).spawn(len(parts))
    tasks = [_task(setup, batch, part, duration, seed) for part, seed in zip(parts, seeds)]
    with interruptions() as stopped, counted("simulate: {} of {} blocks", len(parts), options.progress) as done:
        found = answers(simulated_block, tasks, stopped, executor=options.executor, what="block of runs", done=done)
    return _joined(found, parts, batch, options.start_time)


def _task(setup: Setup, batch: Batch, part: slice, duration: float, seed: np.random.SeedSequence) -> tuple[Any, ...]:
    external = None if batch.external is None else batch.external[part]
    number = int(seed.generate_state(1)[0]) if setup.options.noise is not None else None
    options = replace(setup.options, executor=None, blocks=None, progress=False, external=external, seed=number)
    values = {name: x[part] for name, x in zip(setup.system.parameters, batch.parameters)}
    robot, controller = setup.chain or setup.robot, setup.native or setup.python
    return robot, batch.q[part], batch.qd[part], duration, controller, options, values


def simulated_block(robot: Any, *given: Any) -> Motion:
    """In a worker: some runs, without what the caller has already; the caller warns of all that failed at once."""
    _KEPT.append(robot)
    return replace(simulated_runs(robot, *given), robot=None, parameters={})


def _joined(found: Sequence[Motion | None], parts: Sequence[slice], batch: Batch, start: float) -> Motion:
    """The runs of all blocks, NaN where a block has fewer times than another, or none."""
    there = [(part, motion) for part, motion in zip(parts, found) if motion is not None]
    t = max((motion.t for _, motion in there), key=len, default=np.zeros(0))
    arrays: dict[str, Any] = {}
    first = there[0][1] if there else Motion(t, np.zeros((0, 0, batch.q.shape[1])))
    for name in (name for name in QUANTITIES if getattr(first, name) is not None):
        core = getattr(first, name).shape[2:]
        whole = arrays[name] = np.full((batch.count, len(t), *core), np.nan)
        for part, motion in there:
            whole[part, : len(motion)] = getattr(motion, name)
        arrays[name] = whole.reshape(*batch.shape, len(t), *core)
    status, end = np.full(batch.count, Outcome.INTERRUPTED, np.int64), np.full(batch.count, float(start))
    reason = [f"{Outcome.INTERRUPTED.message}: before its start"] * batch.count
    events: list[Occurrence] = []
    for part, motion in there:
        status[part], end[part], reason[part] = motion.status, motion.end, motion.reason
        rows = (np.unravel_index(part.start + e.row[0], batch.shape) if batch.shape else () for e in motion.events)
        events += [replace(e, row=tuple(map(int, row))) for e, row in zip(motion.events, rows)]
    return Motion(
        t, **arrays, status=status.reshape(batch.shape), end=end.reshape(batch.shape), reason=tuple(reason),
        events=tuple(sorted(events, key=lambda e: (e.t, e.row))),
    )  # fmt: skip
