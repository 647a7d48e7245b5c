"""Events: when something that is watched goes through zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.model.mechanism import Mechanism
from kinetree.simulation.motion import Occurrence, Outcome
from kinetree.simulation.run import Log

Array = NDArray[np.float64]
_HALVINGS = 40


@dataclass(frozen=True)
class Event:
    """Something to watch: it happens where function(t, q, qd) goes through zero.

    Args:
        function: of the time and of arrays (runs, nq) and (runs, nv); gives one number for each run.
        name: for the record.
        stops: whether the run ends there.
        direction: 1 only upwards, -1 only downwards, 0 both.

    Example:
        >>> import kinetree as kt
        >>> upright = kt.simulation.Event(lambda t, q, qd: q[:, 0] - 1.57, "upright", stops=False)
    """

    function: Callable[[Any, Array, Array], Array]
    name: str = "event"
    stops: bool = True
    direction: int = 0

    def __call__(self, log: Log, t: float, h: float, before: Any, after: Any) -> None:
        start, end = self._values(t, *before), self._values(t + h, *after)
        up, down = (start < 0) & (end >= 0), (start > 0) & (end <= 0)
        crossed = log.alive & ((up & (self.direction >= 0)) | (down & (self.direction <= 0)))
        for row in np.flatnonzero(crossed).tolist():
            moment = self._moment(t, h, *(x[row : row + 1] for x in (*before, *after)))
            log.events.append(Occurrence(self.name, moment, (row,)))
            if self.stops:
                log.stop([row], Outcome.STOPPED, moment, f"{self.name!r} at {moment:.6g} s")

    def _values(self, t: float, q: Array, qd: Array) -> Array:
        values = np.asarray(self.function(t, q, qd), float)
        if values.shape != (len(q),):
            raise InputError(f"event {self.name!r} must give {len(q)} numbers, one a run; got shape {values.shape}")
        return values

    def _moment(self, t: float, h: float, q0: Array, v0: Array, q1: Array, v1: Array) -> float:
        """By halving, between the two states."""
        low, high = 0.0, 1.0
        rising = self._values(t, q0, v0)[0] < 0
        for _ in range(_HALVINGS):
            s = 0.5 * (low + high)
            value = self._values(t + s * h, q0 + s * (q1 - q0), v0 + s * (v1 - v0))[0]
            low, high = (s, high) if (value < 0) == rising else (low, s)
        return t + high * h


def joint_limits(robot: Mechanism, stops: bool = True) -> list[Event]:
    """An event for each joint with one coordinate that has limits of position."""
    events = []
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
    return lambda t, q, qd: sign * (q[:, k] - bound)
