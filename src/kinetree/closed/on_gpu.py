"""Functions of closed chains with arrays on a GPU.

What NumPy does with results on the CPU is part of the compiled code there, so that no call waits for numbers: singular
rows are NaN, and nobody warns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any, NoReturn

from kinetree.algorithms.closing import OPEN
from kinetree.closed.catalogue import ChainVariant
from kinetree.closed.platform import AWAY
from kinetree.errors import InputError
from kinetree.scalar import select, sqrt
from kinetree.signature import Signature, parse

_FAR = 1e30  # beyond all positions: infinity too


@dataclass(frozen=True)
class RegularRows:
    """A function of a closed chain without its margin: NaN where that is below a threshold."""

    variant: ChainVariant
    threshold: float

    @property
    def __name__(self) -> str:
        return self.variant.__name__

    def signature(self, robot: Any) -> Signature:
        signature = self.variant.signature(robot)
        return signature.giving(*signature.results[:-1])

    def __call__(self, robot: Any, *args: Any) -> Any:
        *results, margin = self.variant(robot, *args)
        regular = margin > self.threshold

        def kept(x: Any) -> Any:
            return [kept(item) for item in x] if hasattr(x, "__iter__") else select(regular, x, nan)

        return kept(results[0]) if len(results) == 1 else tuple(map(kept, results))


@dataclass(frozen=True)
class Margin:
    """How far configurations are from singular: the smallest sine between the motions of dependent joints."""

    variant: ChainVariant  # of velocities
    __name__ = "margin"

    def signature(self, robot: Any) -> Signature:
        signature = self.variant.signature(robot)
        return Signature(signature.operands[:1], signature.results[-1:])

    def __call__(self, robot: Any, q: Any) -> Any:
        square = self.variant(robot, q, [0.0] * len(self.variant.actuation.independent))[-1]
        square = select(square > 0.0, square, 0.0)  # also where nothing moves: 0 / 0
        sine = sqrt(select(square < 1.0, square, 1.0))
        for x in q:
            sine = select(abs(x) < _FAR, sine, nan)
        return sine


@dataclass(frozen=True)
class PoseReached:
    """Closed configurations, NaN where the loops are open or the platform is away from its pose; error and status."""

    __name__ = "pose_reached"

    def signature(self, robot: Any) -> Signature:
        return parse("q(nq), error(), status(), gap() -> q(nq), error(), status()", robot)

    def __call__(self, robot: Any, q: Any, error: Any, status: Any, gap: Any) -> Any:
        away = select(gap > AWAY, gap, 0.0)
        status = select((away > 0.0) & (status < OPEN), OPEN, status)
        return [select(status < OPEN, x, nan) for x in q], sqrt(error * error + away * away), status


def refuse_on_gpu(what: str) -> NoReturn:
    """The error of what needs the host."""
    raise InputError(f"{what} runs on the host: give arrays that are there")
