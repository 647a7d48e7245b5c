"""Gaits at several speeds, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.gait.gait import Gait
from kinetree.gait.predict import check, predict
from kinetree.gait.sweep_result import Sweep
from kinetree.gait.usual import usual_length
from kinetree.gait.walker import Walker
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.solution import Termination
from kinetree.workers import answers, counted

_LINE = "gaits: {} predicted of {} speeds"


def sweep(
    speeds: ArrayLike = (0.8, 1.0, 1.2, 1.4, 1.6),
    walker: Walker | None = None,
    lengths: ArrayLike | None = None,
    *,
    progress: bool | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Sweep:
    """Predict gaits at several speeds, on all cores.

    The middle one is predicted first, from rest, and compiles what the others, each in a process of its own, find in
    the cache. These start from its motion, so that gaits of different speeds are alike; where constraints are violated
    then, from gaits of other speeds, the nearest first, and finally from rest.
    Ctrl-C ends those that run with what they have, and leaves out the rest.
    Each effort is that of a local optimum: from rest it may be twice that of another start at the same speed.

    Args:
        speeds: [m/s].
        walker: who walks; a man of 73 kg and 1.741 m by default.
        lengths: of the steps [m], one for each speed; the usual ones by default.
        progress: whether a line on the terminal counts them; by default where there is one.
        executor: of `concurrent.futures`, or Dask's ``client.get_executor()``, that all but the first run in; by
            default processes on this machine.
        options: those of `predict`: width, timing, control_points, symmetric, time_limit, ...

    Returns:
        A `Sweep`, the gaits in the order of the speeds.

    Example:
        >>> import kinetree as kt
        >>> print(kt.gait.sweep([1.0, 1.2, 1.4]))  # doctest: +SKIP
    """
    walker = Walker() if walker is None else walker
    at = [float(v) for v in np.atleast_1d(np.asarray(speeds, float))]
    usual = [usual_length(v, walker.stature) for v in at] if lengths is None else lengths
    steps = [float(x) for x in np.atleast_1d(np.asarray(usual, float))]
    if not at or len(steps) != len(at):
        raise InputError(f"as many step lengths as speeds are needed, and one or more; got {len(steps)} and {len(at)}")
    for v, x in zip(at, steps):
        check(walker, v, x, options.get("width"))
    tasks = [{"speed": v, "length": x, "walker": walker} | options for v, x in zip(at, steps)]
    found: dict[int, Gait] = {}
    with interruptions() as stopped, counted(_LINE, len(tasks), progress) as done:
        middle = int(np.argsort(at)[len(at) // 2])
        found[middle] = predicted(tasks[middle])
        done()
        if found[middle].plan.termination is not Termination.USER_STOP:
            ask = partial(answers, predicted, stopped=stopped, executor=executor, what="gait", done=done)
            _predict_others(tasks, found, stopped, ask)
    return Sweep(tuple(found[k] for k in sorted(found)))


def _predict_others(
    tasks: Sequence[dict[str, Any]], found: dict[int, Gait], stopped: Callable[[], bool], ask: Callable[..., list[Any]]
) -> None:
    """Start each from gaits that satisfy their constraints, the nearest speed first, and finally from rest."""
    tried: set[tuple[int, int | None]] = {(k, None) for k in found}
    while not stopped():
        good = [k for k, gait in found.items() if gait.ok]
        asked: dict[int, dict[str, Any]] = {}
        for k, task in enumerate(tasks):
            if k in good:
                continue
            untried = [m for m in good if (k, m) not in tried]
            near = min(untried, key=lambda m: abs(tasks[m]["speed"] - task["speed"]), default=None)
            if (k, near) not in tried:
                tried.add((k, near))
                asked[k] = task if near is None else task | {"start": found[near]}
        if not asked:
            return
        for k, answer in zip(asked, ask([(task,) for task in asked.values()])):
            if answer is not None and (k not in found or answer.ok):
                found[k] = answer


def predicted(task: dict[str, Any]) -> Gait:
    """The gait of a task, without a line on the terminal."""
    return predict(**task, progress=False)
