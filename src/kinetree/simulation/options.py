"""The options of a simulation: the integrator, the sampling of the controller, events, and what is recorded."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError, check_name, check_names
from kinetree.simulation.events import Event
from kinetree.simulation.motion import QUANTITIES
from kinetree.simulation.run import TimeGrid
from kinetree.simulation.steps import METHODS
from kinetree.workers import checked_executor

ADAPTIVE = "adaptive"


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """How to simulate. `simulate` takes each of them as a keyword too; an object of them serves several calls.

    Args:
        start_time: the time of the initial state [s], from which controllers, base motions and events count on.
        dt: the step [s]; made a little shorter or longer so that steps fill the duration.
        method: "rk4" (order 4), "semi_implicit" (order 1, the fastest), "implicit_midpoint" (order 2, for stiff
            springs) or "adaptive" (order 5, as many steps within dt as the tolerance needs).
        tolerance: of "adaptive", the relative error of a step.
        stabilisation: how fast loop-closure errors of a closed chain decay within a step [1/s]; after each step the
            loops are closed anyway.
        project: whether a start with open loops is closed, with a warning; it is refused otherwise.
        external: a constant wrench on each body (..., nbodies, 6), as for a `Robot`.
        base_motion: over scalars, the velocity and the acceleration of a prescribed base at a time, six numbers each in
            base axes; and, for a base that rotates under gravity, its orientation, a quaternion (x, y, z, w).
        sample: the time between two samples of the controller, whose forces are held between them [s]; a multiple of
            dt. Without it a native controller is evaluated at every stage of a step, a Python function every dt.
        noise: standard deviations of the measured positions and velocities, each a number or one for each.
        seed: of the noise.
        events: `kinetree.simulation.Event`, checked at every step.
        stop_at_limits: whether a joint at a limit of its position ends the run.
        record: which of "q", "qd", "qdd", "tau" and "wrenches" are recorded.
        every: steps from one record to the next.
        progress: a bar on the terminal or in the notebook; by default for runs of more than two seconds there.
        executor: of `concurrent.futures`, or Dask's ``client.get_executor()``: its workers simulate blocks of the
            batch. A controller in Python and an event then get the runs of a block (runs, nq).
        blocks: how many; by default one for each worker. With noise, the seed makes the same motions again for the same
            number of blocks.

    Example:
        >>> import kinetree as kt
        >>> accurate = kt.simulation.Options(method="adaptive", tolerance=1e-10, dt=0.01)
        >>> kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.5, options=accurate)
        Motion of two_link: 51 times, 0 to 0.5 s; went to its end
    """

    start_time: float = 0.0
    dt: float = 1e-3
    method: str = "rk4"
    tolerance: float = 1e-8
    stabilisation: float = 20.0
    project: bool = True
    external: ArrayLike | None = None
    base_motion: Callable[[Any], Any] | None = None
    sample: float | None = None
    noise: tuple[ArrayLike, ArrayLike] | None = None
    seed: int | None = None
    events: Sequence[Event] = ()
    stop_at_limits: bool = False
    record: Sequence[str] = ("q", "qd", "qdd", "tau")
    every: int = 1
    progress: bool | None = None
    executor: Executor | None = None
    blocks: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.start_time, Real) or not math.isfinite(self.start_time):
            raise InputError(f"start_time must be a finite number of seconds, got {self.start_time!r}")
        _check_seconds("dt", self.dt)
        if self.sample is not None:
            _check_seconds("sample", self.sample)
        check_name("method", self.method, [*METHODS, ADAPTIVE])
        if not 0 < self.tolerance < 1:
            raise InputError(f"tolerance is a number between 0 and 1, got {self.tolerance!r}")
        if not 0 <= self.stabilisation < math.inf:
            raise InputError(f"stabilisation is a rate [1/s], 0 or more, got {self.stabilisation!r}")
        for event in self.events:
            if not isinstance(event, Event):
                raise InputError(f"events are kinetree.simulation.Event, got {event!r}")
        names = (self.record,) if isinstance(self.record, str) else tuple(self.record)
        check_names("record", names, QUANTITIES)
        object.__setattr__(self, "record", tuple(dict.fromkeys(("q", *names))))
        for name, what, count in (("every", "steps", self.every), ("blocks", "blocks of runs", self.blocks)):
            if count is None and name == "blocks":
                continue
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
                raise InputError(f"{name} is a number of {what}, 1 or more; got {count!r}")
        if self.executor is not None:
            checked_executor(self.executor)
        if self.base_motion is not None:
            _check_base(self.base_motion, float(self.start_time))

    @classmethod
    def of(cls, options: Options | None, keywords: Mapping[str, Any]) -> tuple[Options, dict[str, Any]]:
        """Options with those among the keywords, which come first, and the other keywords: named parameters."""
        if options is not None and not isinstance(options, Options):
            raise InputError(f"options are a kinetree.simulation.Options, got {options!r}")
        own = {name: value for name, value in keywords.items() if name in OPTIONS}
        parameters = {name: value for name, value in keywords.items() if name not in OPTIONS}
        return (cls(**own) if options is None else replace(options, **own)), parameters

    def grid(self, duration: float) -> TimeGrid:
        """Steps that fill a duration [s]."""
        _check_seconds("duration", duration)
        if self.dt > duration:
            raise InputError(f"dt = {self.dt:g} s is longer than the duration of {duration:g} s")
        steps = max(1, round(duration / self.dt))
        h = float(duration) / steps
        hold = 1 if self.sample is None else round(self.sample / h)
        if self.sample is not None and (hold < 1 or abs(hold * h - self.sample) > 1e-6 * self.sample):
            raise InputError(f"sample = {self.sample:g} s must be a multiple of the step of {h:g} s")
        return TimeGrid(steps, h, self.every, hold, float(self.start_time))


OPTIONS = tuple(field.name for field in fields(Options))


def _check_seconds(name: str, value: Any) -> None:
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise InputError(f"{name} must be a positive number of seconds, got {value!r}")


def _check_base(base_motion: Any, t: float) -> None:
    expected = "base_motion(t) must give two rows of 6 numbers, velocity and acceleration, and perhaps a quaternion"
    if not callable(base_motion):
        raise InputError(f"{expected}; got {base_motion!r}, which is no function")
    try:
        rows: Any = base_motion(t)
        sizes = [len(x) for x in rows]
    except Exception as error:
        raise InputError(f"{expected}; at {t:g} s it raises {type(error).__name__}: {error}") from error
    if sizes not in ([6, 6], [6, 6, 4]):
        raise InputError(f"{expected}; its rows have {sizes} numbers")
