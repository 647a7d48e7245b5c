"""Gaits at several speeds, on all cores.

How long steps usually are: the step frequency of adults grows with the speed to the power of 0.58, so the step length
with that of 0.42 [GrieveGear1966]; at 1.2 m/s the step length is 0.0065 m for each step per minute, the walk ratio of
healthy adults [Sekiya1998]. Bodies of another stature walk alike at the same speed over the root of stature.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.gait.gait import Gait
from kinetree.gait.predict import WIDTH, check, predict
from kinetree.gait.walker import Walker
from kinetree.plan.solver import interruptions
from kinetree.plan.status import PlanStatus
from kinetree.plan.workers import answers
from kinetree.robots.human_table import STATURE

_USUAL = 1.2  # m/s
_WALK_RATIO = 0.0065  # m per step/min
_POWER = 0.42
_STOPPED = (PlanStatus.INTERRUPTED, PlanStatus.INTERRUPTED_EARLY)
_COLUMNS = ("speed [m/s]", "step [m]", "duration [s]", "effort", "vertical force [BW]", "knee [deg]", "ends")


def usual_length(speed: float, stature: float = STATURE) -> float:
    """The step length [m] at which adults of a stature [m] usually walk at a speed [m/s].

    Example:
        >>> [round(usual_length(v), 2) for v in (0.8, 1.2, 1.6)]
        [0.58, 0.68, 0.77]

    Reference: [GrieveGear1966], [Sekiya1998].
    """
    size = stature / STATURE
    if not (speed > 0.0 and size > 0.0):
        raise InputError(f"speed and stature are positive numbers, got {speed!r} and {stature!r}")
    at_usual = (60.0 * _USUAL * _WALK_RATIO) ** 0.5  # length / (60 speed / length) is the walk ratio
    return at_usual * size * (speed / (_USUAL * size**0.5)) ** _POWER


@dataclass(frozen=True, eq=False)
class Sweep(Sequence[Gait]):
    """Gaits at several speeds; print it for a table of effort, duration and peaks."""

    gaits: tuple[Gait, ...]

    def __getitem__(self, k: Any) -> Any:
        return self.gaits[k]

    def __len__(self) -> int:
        return len(self.gaits)

    @property
    def ok(self) -> bool:
        """Whether all limits of all gaits are kept."""
        return all(gait.ok for gait in self.gaits)

    def rows(self) -> list[tuple[float, float, float, float, float, float, str]]:
        """For each gait: speed [m/s], step length [m] and duration [s], effort, the largest vertical force on a foot
        [body weights], the largest knee flexion [deg], and how the prediction ended."""
        return [
            (
                gait.step.speed,
                gait.step.length,
                gait.step.length / gait.step.speed,
                gait.effort,
                float(gait.ground_forces()["vertical"].max()),
                float(gait.angles()["knee"].max()),
                gait.status.value if gait.ok else f"{gait.status.value} ({gait.worst})",
            )
            for gait in self.gaits
        ]

    def __str__(self) -> str:
        head = "  ".join(f"{name:>{max(8, len(name))}}" for name in _COLUMNS[:-1])
        lines = [f"{head}  {_COLUMNS[-1]}"]
        for *numbers, ends in self.rows():
            cells = (f"{x:>{max(8, len(name))}.3f}" for x, name in zip(numbers, _COLUMNS))
            lines.append(f"{'  '.join(cells)}  {ends}")
        return "\n".join(lines)


def sweep(
    speeds: ArrayLike = (0.8, 1.0, 1.2, 1.4, 1.6),
    walker: Walker | None = None,
    lengths: ArrayLike | None = None,
    *,
    progress: bool | None = None,
    **options: Any,
) -> Sweep:
    """Predict gaits at several speeds, on all cores.

    The middle one is predicted here, from rest, and compiles what the others, each in a process of its own, find in the
    cache. These start from its motion, so that gaits of different speeds are of one kind; where limits are not kept
    then, from gaits of other speeds, the nearest first, and at last from rest.
    Ctrl-C ends those that run with what they have, and leaves out the rest.
    Each effort is that of a local optimum: from rest it may be twice that of another start at the same speed.

    Args:
        speeds: [m/s].
        walker: who walks; a man of 73 kg and 1.741 m by default.
        lengths: of the steps [m], one for each speed; the usual ones by default.
        progress: whether a line on the terminal counts them; by default where there is one.
        options: those of `predict`: width, timing, control_points, symmetric.

    Returns:
        A `Sweep`, the gaits in the order of the speeds.

    Example:
        >>> import kinetree as kt
        >>> print(kt.gait.sweep([1.0, 1.2, 1.4]))  # doctest: +SKIP
    """
    walker = Walker() if walker is None else walker
    at = [float(v) for v in np.atleast_1d(np.asarray(speeds, float))]
    steps = [usual_length(v, walker.stature) for v in at] if lengths is None else _numbers(lengths)
    if not at or len(steps) != len(at):
        raise InputError(f"as many step lengths as speeds are needed, and one or more; got {len(steps)} and {len(at)}")
    for v, x in zip(at, steps):
        check(walker, v, x, options.get("width", WIDTH))
    tasks = [({"speed": v, "length": x, "walker": walker} | options, {}) for v, x in zip(at, steps)]
    shown = sys.stderr.isatty() if progress is None else progress
    found: dict[int, Gait] = {}
    with interruptions() as stopped, _Count(len(tasks), shown) as count:
        middle = int(np.argsort(at)[len(at) // 2])
        found[middle] = count.one(_predicted(tasks[middle]))
        if found[middle].status not in _STOPPED:
            _go_on(tasks, at, found, stopped, count)
    return Sweep(tuple(found[k] for k in sorted(found)))


def _numbers(given: ArrayLike) -> list[float]:
    return [float(x) for x in np.atleast_1d(np.asarray(given, float))]


def _go_on(tasks: list[Any], at: list[float], found: dict[int, Gait], stopped: Any, count: _Count) -> None:
    """Start each from gaits that keep their limits, the nearest speed first, and at last from rest, until it does."""
    tried: set[tuple[int, int | None]] = {(k, None) for k in found}
    while not stopped():
        good = [k for k, gait in found.items() if gait.ok]
        which: list[int] = []
        for k in (k for k in range(len(tasks)) if k not in found or not found[k].ok):
            near = sorted((m for m in good if (k, m) not in tried), key=lambda m: abs(at[m] - at[k]))
            if near or (k, None) not in tried:
                tried.add((k, near[0] if near else None))
                tasks[k] = (tasks[k][0], {"start": found[near[0]]} if near else {})
                which.append(k)
        if not which:
            return
        _ask(tasks, which, found, stopped, count)


def _ask(tasks: list[Any], which: list[int], found: dict[int, Gait], stopped: Any, count: _Count) -> None:
    """Have tasks done in processes of their own; those that do not fit through a pipe are done here."""
    for k, answer in zip(which, answers(_predicted, [(tasks[k],) for k in which], stopped)):
        if answer is None and not stopped():
            answer = _predicted(tasks[k])
        if answer is not None and (k not in found or answer.ok):
            found[k] = answer
        count.one(answer)


def _predicted(task: Any) -> Gait:
    given, beside = task
    return predict(**given | beside, progress=False)


class _Count:
    """A line on the terminal with how many gaits are done."""

    def __init__(self, total: int, shown: bool) -> None:
        self._total, self._shown, self._done = total, shown, 0

    def __enter__(self) -> _Count:
        self._write()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def one(self, gait: Any) -> Any:
        """One more is done."""
        self._done += 1
        self._write()
        return gait

    def _write(self) -> None:
        if self._shown:
            sys.stderr.write(f"\r\033[Kgaits: {self._done} predicted of {self._total} speeds (Ctrl-C stops)")
            sys.stderr.flush()
