"""What a solution tells a search nearby: where constraints were enforced, how tightly, and their multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import InputError
from kinetree.nlp import Multipliers, Solution, Start
from kinetree.plan.obstacles.avoidance import Held
from kinetree.runtime.arrays import Array
from kinetree.transcribe.transcription import Transcription

if TYPE_CHECKING:
    from kinetree.plan.constraints import PointConstraint
    from kinetree.plan.transcriber import Transcriber


@dataclass(frozen=True)
class WarmStart:
    """The state of the solver at the end of a search.

    Args:
        s: where path constraints were enforced (k,).
        margins: by which they were tightened there (k, rows), as parts of their scales.
        multipliers: of their rows (k, rows), positive at upper bounds; zero where they are not active.
        others: of all other constraints, equalities and those at points.
        duration: those of the bounds of the duration, below and above.
        barrier: of the interior-point method in the end.
        held: the pairs that obstacles held apart, with their multipliers, which are not among the others; None without.
    """

    s: Array
    margins: Array
    multipliers: Array
    others: Array
    duration: tuple[float, float]
    barrier: float
    held: Held | None = None

    @staticmethod
    def of(
        transcription: Transcription, margins: Array, path: bool, best: Solution, held: Held | None = None
    ) -> WarmStart | None:
        """From the solution of a transcription, of which the first block is that of the path constraints or not."""
        if not (best.termination.solved and np.isfinite(best.multipliers.constraints).all()):
            return None
        y, count = best.multipliers.constraints, 0
        s, full = np.zeros(0), np.zeros((0, 0))
        if path:
            first = transcription.blocks[0]
            s, count, full = first.block.s, first.count, np.zeros(first.used.shape)
            full[first.used] = y[:count]
        ends = float(best.multipliers.lower[-1]), float(best.multipliers.upper[-1])
        others, near = held.split(y[count:]) if held is not None else (y[count:], None)
        return WarmStart(s, margins.copy(), full, others.copy(), ends, best.barrier, near)

    def rest(self, passed: float, s: Array, margin: float) -> WarmStart:
        """Of the same motion without its first part, at other points (k,) of the rest, with margins not below one.

        Multipliers belong to as much time as is between their points.
        """
        if not len(self.s):
            return self
        at = passed + (1.0 - passed) * s
        k = np.clip(np.searchsorted(self.s, at, side="right") - 1, 0, len(self.s) - 2)
        share = ((at - self.s[k]) / (self.s[k + 1] - self.s[k]))[:, None]
        margins, multipliers = (x[k] + share * (x[k + 1] - x[k]) for x in (self.margins, self.multipliers))
        denser = (1.0 - passed) * len(self.s) / len(s)
        held = None if self.held is None else self.held.rest(passed)
        return replace(self, s=s, margins=np.maximum(margins, margin), multipliers=denser * multipliers, held=held)

    def start(
        self, x: Array, transcription: Transcription, barrier: float | None = None, more: Array | None = None
    ) -> Start | None:
        """For a transcription with the path constraints at the same points; None where it has other rows.

        ``more`` are multipliers of rows after all others.
        """
        first = transcription.blocks[0] if len(self.s) else None
        path = np.zeros(0) if first is None else self.multipliers[first.used] if self._fits(first) else None
        others = self.others if more is None else np.append(self.others, more)
        if path is None or len(path) + len(others) != len(transcription.constraint_bounds.lower):
            return None
        lower, upper = np.zeros(len(x)), np.zeros(len(x))
        lower[-1], upper[-1] = self.duration
        return Start(x, Multipliers(np.append(path, others), lower, upper), barrier or self.barrier)

    def _fits(self, first: Any) -> bool:
        return first.used.shape == self.multipliers.shape and np.array_equal(first.block.s, self.s)

    def check(self, rows: int) -> None:
        """Refuse numbers of a file that belong to no search."""
        shapes = {self.margins.shape, self.multipliers.shape}
        known = not len(self.s) or shapes == {(len(self.s), rows)}
        numbers = (self.s, self.margins, self.multipliers, self.others, np.array((*self.duration, self.barrier)))
        if not known or not all(np.isfinite(x).all() for x in numbers) or not self.barrier > 0.0:
            raise InputError("its warm start has numbers that belong to no search")


def warm_start(transcriber: Transcriber, plan: Any, ends: bool = True) -> WarmStart | None:
    """That of a plan, where it is of the same task: on the same knots, with the same quantities, and the same ends."""
    problem, warm, other = transcriber.problem, getattr(plan, "warm", None), getattr(plan, "problem", None)
    if warm is None or other is None or plan.spline != transcriber.basis or plan.robot != problem.robot:
        return None
    here = problem.coordinates
    if plan.coordinates is not here and plan.coordinates.to_json() != here.to_json():
        return None
    if [c.quantity for c in plan.constraints] != [c.quantity for c in problem.constraints]:
        return None
    return warm if not ends or _same(other.point_constraints, problem.point_constraints) else None


def _same(some: Sequence[PointConstraint], others: Sequence[PointConstraint]) -> bool:
    """Whether constraints at points say the same."""
    return len(some) == len(others) and all(
        (a.s, a.quantity) == (b.s, b.quantity) and np.array_equal(a.lower, b.lower) and np.array_equal(a.upper, b.upper)
        for a, b in zip(some, others)
    )
