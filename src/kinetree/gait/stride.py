"""`StrideGait`: a predicted stride of a walker whose sides differ, with curves for either leg."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinetree.gait.gait import Gait
from kinetree.gait.states import StrideStates
from kinetree.gait.walk import SAMPLES
from kinetree.runtime.arrays import Array


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
    def leg(self) -> str:
        """Whose curves: "L" or "R"."""
        return "L" if self.side == "left" else "R"

    @property
    def legs(self) -> Mapping[str, Gait]:
        return {"Left leg": self.left, "Right leg": self.right}

    def stride(self, count: int = SAMPLES) -> tuple[Array, Array]:
        """Times [s] and positions (k, nv) [rad, m] of both steps, from the strike of the left heel."""
        s = np.linspace(0.0, 1.0, 2 * ((count + 1) // 2) - 1)
        return self.step.duration * s, self.motion(s)[0]

    @property
    def jump(self) -> float:
        """By how much the ground force jumps at the heel strikes, in body weights."""
        near = 1e-9  # the force is continuous where it does not jump
        force = self.reaction([1.0, 0.0, 0.5 - near, 0.5 + near])["force"]
        return float(np.linalg.norm(force[::2] - force[1::2], axis=1).max()) / self.walker.weight

    def states(self, count: int = SAMPLES) -> StrideStates:
        """From the heel strike of the leg on: the right heel strikes at s = 1/2, and then all is one stride ahead."""
        s = np.linspace(0.0, 1.0, 2 * ((count + 1) // 2) - 1)
        if self.side == "left":
            return self._states(s)
        half, advance = len(s) // 2, self.walker.advance(2.0 * self.step.length)
        first, second = self._states(s[: half + 1]), self._states(s[half:])
        return second.then(replace(first, q=first.q + advance))
