"""`simulate`: a robot in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, UnknownNameError
from kinetree.robot import Robot
from kinetree.signature import MANY
from kinetree.simulation.controller import Controller
from kinetree.simulation.events import Event, joint_limits
from kinetree.simulation.interpolation import Turn
from kinetree.simulation.motion import FIELDS, Motion
from kinetree.simulation.progress import Progress
from kinetree.simulation.run import Log, Plan, Tape, run
from kinetree.simulation.setup import Setup

Array = NDArray[np.float64]
MEMORY = 8e9  # bytes that a record may take


def simulate(
    robot: Robot | ClosedChain,
    q0: ArrayLike,
    qd0: ArrayLike,
    duration: float,
    controller: Controller | Callable[..., ArrayLike] | None = None,
    *,
    dt: float = 1e-3,
    method: str = "rk4",
    external: ArrayLike | None = None,
    base_motion: Callable[[Any], Any] | None = None,
    record: Sequence[str] = ("q", "qd", "qdd", "tau"),
    every: int = 1,
    sample: float | None = None,
    noise: tuple[ArrayLike, ArrayLike] | None = None,
    seed: int | None = None,
    events: Sequence[Event] = (),
    stop_at_limits: bool = False,
    tolerance: float = 1e-8,
    stabilisation: float = 20.0,
    project: bool = True,
    progress: bool | None = None,
    **parameters: ArrayLike,
) -> Motion:
    """Move a robot from a state through time, under a controller.

    Args:
        robot: a `Robot`, or a `ClosedChain`.
        q0, qd0: where it starts (..., nq), (..., nv); leading dimensions are runs of a batch.
        duration: how long [s].
        controller: a `kinetree.control.Controller`, which runs in native code; or a Python function of the time and of
            arrays q (..., nq) and qd (..., nv) that returns forces (..., nv), for a closed chain (..., actuated). No
            forces by default.
        dt: the step [s]; made a little shorter or longer so that steps fill the duration.
        method: "rk4" (order 4), "semi_implicit" (order 1, the quickest), "implicit_midpoint" (order 2, for stiff
            springs) or "adaptive" (order 5, as many steps within dt as the tolerance asks for).
        external: a constant wrench on each body (..., nbodies, 6), as for a `Robot`.
        base_motion: over scalars, the velocity and the acceleration of a prescribed base at a time, six numbers each in
            base axes; and, for a base that turns under gravity, its orientation, a quaternion (x, y, z, w).
        record: what is kept of "q", "qd", "qdd", "tau" and "wrenches".
        every: steps from one record to the next.
        sample: the time between two samples of the controller, whose forces are held between them [s]; a multiple of
            dt. Without it a native controller acts all the time, a Python function every dt.
        noise: standard deviations of the measured positions and velocities, each a number or one for each.
        seed: of the noise.
        events: `kinetree.simulation.Event`, watched at every step.
        stop_at_limits: whether a joint at a limit of its position ends the run.
        tolerance: of "adaptive", the relative error of a step.
        stabilisation: how fast errors of the loops of a closed chain die away within a step [1/s]; after each step they
            are closed anyway.
        project: whether a start with open loops is closed, with a warning; it is refused otherwise.
        progress: a bar on the terminal; by default for runs of more than two seconds on a terminal.
        parameters: values for named parameters of the model and the controller, numbers or one for each run.

    Returns:
        A `Motion`; ``motion.status`` says how each run ended. An interrupt (Ctrl-C) returns what there is.

    Example:
        >>> import kinetree as kt
        >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.5, dt=0.01)
        >>> motion.q.shape, motion.reason
        ((51, 2), ('went to its end',))
    """
    steps, h = _steps(duration, dt)
    kept, hold = _record(record, every), _hold(sample, h)
    setup = Setup(robot, controller, method, base_motion, stabilisation, tolerance)
    model = setup.robot
    values = setup.parameters(parameters)
    q, qd = setup.start(q0, qd0, project, parameters)
    loads = [] if external is None else [_loads(external, model)]
    batch = _batch(q, qd, loads, values)
    rows = math.prod(batch)
    q, qd = _flat(q, batch, 1), _flat(qd, batch, 1)
    numbers = [_flat(x, batch, 0) for x in values]
    numbers = [np.stack(numbers, axis=-1)] if len(numbers) > MANY else numbers
    watches = _watches(events, joint_limits(model) if stop_at_limits else [], q, qd)
    sampler = setup.sampler(batch, rows, sample is not None, noise, seed, numbers)
    functions = setup.functions(sampler is not None, bool(loads), [*(_flat(x, batch, 2) for x in loads), *numbers])
    sizes = {"q": model.nq, "qd": model.nv, "qdd": model.nv, "tau": setup.system.nforces}
    written = {name: n for name, n in sizes.items() if name in kept or (name != "tau" and "wrenches" in kept)}
    records = -(-steps // every) + 1
    _check_memory(records, rows, {**written, **({"wrenches": 6 * model.nbodies} if "wrenches" in kept else {})})
    tape = Tape(records, rows, written)
    bar, turns = Progress(steps, progress), Turn.all_of(model)
    step, probe, rates = functions
    plan = Plan(step, probe, rates, sampler, hold, steps, h, every, watches, bar, setup.names["joints"], turns,
                method == "implicit_midpoint")  # fmt: skip
    try:
        log = run(plan, q, qd, tape)
    finally:
        bar.close()
    motion = _motion(tape, log, batch, setup.names, turns)
    return _with_wrenches(motion, setup, external, parameters, kept) if "wrenches" in kept else motion


def _motion(
    tape: Tape, log: Log, batch: tuple[int, ...], names: dict[str, tuple[str, ...]], turns: tuple[Turn, ...]
) -> Motion:
    arrays = {
        name: np.moveaxis(array[: tape.count], 0, 1).reshape(*batch, tape.count, array.shape[2])
        for name, array in tape.arrays.items()
    }
    status, end = log.status.reshape(batch), log.end.reshape(batch)
    places = [tuple(int(k) for k in np.unravel_index(e.row[0], batch)) if batch else () for e in log.events]
    events = tuple(replace(e, row=place) for e, place in zip(log.events, places))
    told: dict[str, Any] = {**arrays, **names, "reason": tuple(log.reasons), "events": events, "turns": turns}
    return Motion(tape.t[: tape.count], status=status, end=end, **told)


def _with_wrenches(
    motion: Motion, setup: Setup, external: Any, parameters: dict[str, Any], kept: Sequence[str]
) -> Motion:
    """The motion with its joint wrenches, and without what only they needed."""
    given: dict[str, Any] = {name: np.asarray(x)[..., None] for name, x in setup.own(parameters).items()}
    given["external"] = None if external is None else np.asarray(external, float)[..., None, :, :]
    if setup.system.base is not None:
        bases = [setup.system.base_motion(t) for t in motion.t.tolist()]
        given["base_velocity"], given["base_acceleration"] = (np.array(x, float) for x in zip(*bases))
    owner: Any = setup.robot if setup.chain is None else setup.chain
    wrenches = owner.joint_wrenches(motion.q, motion.qd, motion.qdd, **given)
    unwanted = dict.fromkeys({"qd", "qdd"} - {*kept})
    return replace(motion, wrenches=wrenches, **unwanted)


def _watches(events: Sequence[Event], limits: Sequence[Event], q: Array, qd: Array) -> list[Event]:
    for event in events:
        if not isinstance(event, Event):
            raise InputError(f"events are kinetree.simulation.Event, got {event!r}")
    for limit in limits:
        if (beyond := np.flatnonzero(limit.function(0.0, q, qd) <= 0)).size:
            raise InputError(f"the start is beyond: {limit.name}, in run {beyond[0]}")
    return [*events, *limits]


def _batch(q: Array, qd: Array, loads: Sequence[Array], values: Sequence[Array]) -> tuple[int, ...]:
    """The runs that states, loads and parameters make together."""
    shapes = {"q0": [q.shape[:-1]], "qd0": [qd.shape[:-1]], "external": [x.shape[:-2] for x in loads],
              "parameters": [x.shape for x in values]}  # fmt: skip
    try:
        return np.broadcast_shapes(*(shape for each in shapes.values() for shape in each))
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, each in shapes.items() for shape in each if shape)
        raise InputError(f"the runs don't fit each other: {told}") from None


def _steps(duration: float, dt: float) -> tuple[int, float]:
    for name, value in (("duration", duration), ("dt", dt)):
        if not (isinstance(value, Real) and 0 < value < math.inf):
            raise InputError(f"{name} must be a positive number of seconds, got {value!r}")
    if dt > duration:
        raise InputError(f"dt = {dt:g} s is longer than the duration of {duration:g} s")
    steps = max(1, round(duration / dt))
    return steps, float(duration) / steps


def _record(record: Sequence[str], every: int) -> tuple[str, ...]:
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        if name not in FIELDS:
            raise UnknownNameError("record", name, FIELDS)
    if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
        raise InputError(f"every is a number of steps, 1 or more; got {every!r}")
    return tuple(dict.fromkeys(("q", *names)))


def _hold(sample: float | None, h: float) -> int:
    if sample is None:
        return 1
    if not (isinstance(sample, Real) and 0 < sample < math.inf):
        raise InputError(f"sample must be a positive number of seconds, got {sample!r}")
    hold = round(sample / h)
    if hold < 1 or abs(hold * h - sample) > 1e-6 * sample:
        raise InputError(f"sample = {sample:g} s must be a multiple of the step of {h:g} s")
    return hold


def _loads(external: Any, model: Robot) -> Array:
    loads = np.asarray(external, float)
    if not np.isfinite(loads).all():
        raise InputError("external has numbers that are not finite")
    if loads.shape[-2:] != (model.nbodies, 6):
        raise InputError(f"external must be (..., {model.nbodies}, 6), got shape {loads.shape}")
    return loads


def _flat(x: Array, batch: tuple[int, ...], core: int) -> Array:
    """With the runs of a batch as one axis."""
    shape = x.shape[x.ndim - core :]
    return np.ascontiguousarray(np.broadcast_to(x, (*batch, *shape)).reshape(-1, *shape))


def _check_memory(records: int, rows: int, sizes: dict[str, int]) -> None:
    needed = 8.0 * records * rows * sum(sizes.values())
    if needed > MEMORY:
        raise InputError(
            f"the record of {rows} runs at {records} times would take {needed / 1e9:.1f} GB; give every= a number of "
            f"steps such as {math.ceil(needed / MEMORY) * 10}, or a shorter record="
        )
