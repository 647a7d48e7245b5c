"""Events: zero crossings of functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array
from kinetree.simulation.interpolation import Quaternions, cubic, normalised, rates
from kinetree.simulation.outcome import Occurrence, Outcome
from kinetree.simulation.run import RunStates

_BISECTIONS = 40
_TOUCH = 1e-12  # [rad, m], so that a joint that starts at its limit has not crossed it yet


@dataclass(frozen=True)
class Event:
    """An event: where function(t, q, qd) crosses zero.

    Args:
        function: of the time and of arrays (runs, nq) and (runs, nv); gives one number for each run.
        name: for the record.
        stops: whether the run ends there.
        direction: 1 for rising zero crossings only, -1 for falling ones, 0 for both.

    Example:
        >>> import kinetree as kt
        >>> upright = kt.simulation.Event(lambda t, q, qd: q[:, 0] - 1.57, "upright", stops=False)
    """

    function: Callable[[Any, Array, Array], Array]
    name: str = "event"
    stops: bool = True
    direction: int = 0

    def __call__(
        self, runs: RunStates, t: float, h: float, before: Any, after: Any, quaternions: Quaternions = ()
    ) -> None:
        """Find the event in a step from t to t + h, between the states before and after."""
        start, end = self._values(t, *before), self._values(t + h, *after)
        up, down = (start < 0) & (end >= 0), (start > 0) & (end <= 0)
        crossed = runs.alive & ((up & (self.direction >= 0)) | (down & (self.direction <= 0)))
        for row in np.flatnonzero(crossed).tolist():
            ends = [x[row : row + 1] for x in (*before, *after)]
            time, q, qd = self._crossing(t, h, ends, quaternions)
            runs.events.append(Occurrence(self.name, time, (row,), q, qd))
            if self.stops:
                runs.stop([row], Outcome.STOPPED, time, f"{self.name!r} at {time:.6g} s")

    def _values(self, t: float, q: Array, qd: Array) -> Array:
        values = np.asarray(self.function(t, q, qd), float)
        if values.shape != (len(q),):
            raise InputError(f"event {self.name!r} must give {len(q)} numbers, one a run; got shape {values.shape}")
        return values

    def _crossing(
        self, t: float, h: float, ends: Sequence[Array], quaternions: Quaternions
    ) -> tuple[float, Array, Array]:
        """The time and the state, by bisection; positions are cubic between the ends, velocities linear."""
        q0, v0, q1, v1 = ends
        slopes = rates(q0, v0, quaternions), rates(q1, v1, quaternions)
        low, high = 0.0, 1.0
        rising = self._values(t, q0, v0)[0] < 0

        def state(s: float) -> tuple[Array, Array]:
            q = cubic(np.array(s), np.array(h), q0, slopes[0], q1, slopes[1])
            return normalised(q, quaternions), v0 + s * (v1 - v0)

        for _ in range(_BISECTIONS):
            s = 0.5 * (low + high)
            value = self._values(t + s * h, *state(s))[0]
            low, high = (s, high) if (value < 0) == rising else (low, s)
        q, qd = state(high)
        return t + high * h, q[0], qd[0]


def joint_limits(robot: Mechanism, stops: bool = True) -> list[Event]:
    """An event for each joint with one coordinate that has limits of position."""
    events: list[Event] = []
    for body, qs in zip(robot.bodies, robot.q_slices):
        limits, k = body.joint.limits, qs.start
        if body.joint.kind.nq != 1 or body.joint.mimic:
            continue
        for bound, sign in ((limits.lower, 1.0), (limits.upper, -1.0)):
            if np.isfinite(bound):
                side = "lower" if sign > 0 else "upper"
                name = f"{body.joint.name} at its {side} limit"
                events.append(Event(_beyond(k, bound, sign), name, stops, -1))
    return events


def _beyond(k: int, bound: float, sign: float) -> Callable[[Any, Array, Array], Array]:
    return lambda t, q, qd: sign * (q[:, k] - bound) + _TOUCH
