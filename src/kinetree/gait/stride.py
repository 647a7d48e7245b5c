"""`StrideGait`: a predicted stride of a walker whose sides differ, with curves for either leg."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinetree.gait.gait import SAMPLES, Array, Gait


@dataclass(frozen=True, eq=False, repr=False)
class StrideGait(Gait):
    """A predicted stride; its curves are those of one leg, from its own heel strike to the next.

    Args:
        side: whose curves, "left" or "right"; ``gait.left`` and ``gait.right`` are the same stride seen from each.

    The others are those of `Gait`; ``effort`` is that of both steps.
    """

    side: str = "left"

    @property
    def left(self) -> StrideGait:
        """With the curves of the left leg."""
        return replace(self, side="left")

    @property
    def right(self) -> StrideGait:
        """With the curves of the right leg."""
        return replace(self, side="right")

    @property
    def legs(self) -> Mapping[str, Gait]:
        return {"Left leg": self.left, "Right leg": self.right}

    def stride(self, count: int = SAMPLES) -> tuple[Array, Array]:
        """Times [s] and positions (k, nv) [rad, m] of both steps."""
        s = np.linspace(0.0, 1.0, 2 * ((count + 1) // 2) - 1)
        return self.step.duration * s, self.motion(s)[0]

    def _stride(self, count: int, values: Callable[[str, Array], Array]) -> tuple[Array, Array]:
        """Percent of the stride, and values of one side: the right heel strikes at s = 1/2."""
        s = np.linspace(0.0, 1.0, count)
        return 100.0 * s, values("L", s) if self.side == "left" else values("R", (s + 0.5) % 1.0)
