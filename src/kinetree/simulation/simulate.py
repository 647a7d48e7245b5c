"""`simulate`: a robot in time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, SimulationWarning
from kinetree.robot import Robot
from kinetree.runtime.cuda.arrays import is_on_gpu
from kinetree.simulation.batch import Batch
from kinetree.simulation.controller import Controller
from kinetree.simulation.events import Event, joint_limits
from kinetree.simulation.interpolation import QuaternionCoordinates
from kinetree.simulation.motion import Motion
from kinetree.simulation.options import Options
from kinetree.simulation.outcome import FAILURES
from kinetree.simulation.run import Integration, Recorder, RunStates, TimeGrid, run
from kinetree.simulation.setup import Setup
from kinetree.status import counting

MEMORY = 8e9  # bytes that a record may take


def simulate(
    robot: Robot | ClosedChain,
    q0: ArrayLike,
    qd0: ArrayLike,
    duration: float,
    controller: Controller | Callable[..., ArrayLike] | None = None,
    *,
    options: Options | None = None,
    **keywords: Any,
) -> Motion:
    """Move a robot from a state through time, under a controller.

    Args:
        robot: a `Robot`, or a `ClosedChain`.
        q0, qd0: the initial state (..., nq), (..., nv); leading dimensions are runs of a batch. Where they are on a
            GPU, the runs are computed there, and so are the arrays of the motion; see `Motion.to_host`.
        duration: how long [s].
        controller: a `kinetree.control.Controller`, which runs in native code; or a Python function of the time and of
            arrays q (..., nq) and qd (..., nv) that returns forces (..., nv), for a closed chain (..., actuated). No
            forces by default.
        options: a `kinetree.simulation.Options`.
        keywords: the options one by one, ahead of those in ``options``: ``start_time=0.0``, ``dt=1e-3``,
            ``method="rk4"``, ``tolerance``, ``stabilisation``, ``project``, ``external``, ``base_motion``, ``sample``,
            ``noise``, ``seed``, ``events``, ``stop_at_limits``, ``record``, ``every``, ``progress``, ``executor``,
            ``blocks``; and the values of named parameters of the model and the controller, numbers or one for each run.

    Returns:
        A `Motion`; ``motion.status`` is how each run ended. Runs that diverged give a `SimulationWarning`. An interrupt
        (Ctrl-C) returns what was recorded until then.

    Example:
        >>> import kinetree as kt
        >>> motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.5, dt=0.01)
        >>> motion
        Motion of two_link: 51 times, 0 to 0.5 s; went to its end
        >>> motion.q.shape
        (51, 2)
    """
    options, parameters = Options.of(options, keywords)
    if is_on_gpu(q0) or is_on_gpu(qd0):
        from kinetree.simulation.on_gpu import simulated

        return simulated(Setup(robot, controller, options), options.grid(duration), q0, qd0, parameters)
    motion = simulated_runs(robot, q0, qd0, duration, controller, options, parameters)
    _warn_of_failures(motion)
    return motion


def simulated_runs(
    robot: Any, q0: Any, qd0: Any, duration: float, controller: Any, options: Options, parameters: dict[str, Any]
) -> Motion:
    """What `simulate` gives, without a word on runs that failed."""
    grid = options.grid(duration)
    setup = Setup(robot, controller, options)
    model, names = setup.robot, setup.names
    batch = setup.batch(q0, qd0, parameters)
    limits = _checked_limits(joint_limits(model) if options.stop_at_limits else [], batch, grid.start)
    sizes = _recorded_sizes(setup, grid, batch)
    quaternions = QuaternionCoordinates.of(model)
    if options.executor is not None and batch.count:
        from kinetree.simulation.blocks import in_blocks

        motion = in_blocks(setup, batch, duration)
    else:
        functions, recorder = setup.functions(batch), Recorder(grid.records, batch.count, sizes)
        with counting("simulating", grid.steps, options.progress) as progress:
            integration = Integration(
                functions, grid, [*options.events, *limits], progress, names["joints"], quaternions,
                options.method == "implicit_midpoint",
            )  # fmt: skip
            motion = _motion(recorder, run(integration, batch.q, batch.qd, recorder), batch.shape)
        if "wrenches" in options.record:
            motion = _with_wrenches(motion, setup, parameters)
    values = {name: x.reshape(batch.shape) for name, x in zip(setup.system.parameters, batch.parameters)}
    model_fields: dict[str, Any] = {**names, "quaternions": quaternions, "robot": model}
    return replace(motion, **model_fields, parameters=setup.robot_parameters(values))


def _warn_of_failures(motion: Motion) -> None:
    """One warning for all runs that did not go on, with the first of them in time."""
    failed, runs = np.flatnonzero(np.isin(motion.status, FAILURES)), motion.status.size
    if len(failed):
        first = int(failed[np.argmin(motion.end.ravel()[failed])])
        which = "the run" if runs == 1 else f"{len(failed)} of {runs} runs failed; run {first}"
        warnings.warn(f"simulate: {which} {motion.reason[first]}", SimulationWarning, stacklevel=3)


def _recorded_sizes(setup: Setup, grid: TimeGrid, batch: Batch) -> dict[str, int]:
    """The numbers of what is recorded at a time; wrenches are computed from the motion afterwards."""
    model, record = setup.robot, setup.options.record
    sizes = {"q": model.nq, "qd": model.nv, "qdd": model.nv, "tau": setup.system.nforces}
    needed = ("qd", "qdd", *["tau"] * (setup.chain is not None)) if "wrenches" in record else ()
    written = {name: n for name, n in sizes.items() if name in record or name in needed}
    numbers = sum(written.values()) + 6 * model.nbodies * ("wrenches" in record)
    size = 8.0 * grid.records * batch.count * numbers
    if size > MEMORY:
        raise InputError(
            f"the record of {batch.count} runs at {grid.records} times would take {size / 1e9:.1f} GB; give every= a "
            f"number of steps such as {math.ceil(size / MEMORY) * 10}, or a shorter record="
        )
    return written


def _motion(recorder: Recorder, runs: RunStates, shape: tuple[int, ...]) -> Motion:
    count = recorder.count
    arrays = {
        name: np.moveaxis(array[:count], 0, 1).reshape(*shape, count, array.shape[2])
        for name, array in recorder.arrays.items()
    }
    indices = [tuple(int(k) for k in np.unravel_index(e.row[0], shape)) if shape else () for e in runs.events]
    events = tuple(replace(e, row=index) for e, index in zip(runs.events, indices))
    ends: dict[str, Any] = {"status": runs.status.reshape(shape), "end": runs.end.reshape(shape)}
    return Motion(recorder.t[:count], **arrays, **ends, reason=tuple(runs.reasons), events=events)


def _with_wrenches(motion: Motion, setup: Setup, parameters: dict[str, Any]) -> Motion:
    """The motion with its joint wrenches, and without what only they needed."""
    unwanted = dict.fromkeys({"qd", "qdd", "tau"} - {*setup.options.record})
    if setup.chain is not None:
        return replace(motion, wrenches=setup.driven_wrenches(motion, parameters), **unwanted)
    external = setup.options.external
    given: dict[str, Any] = {name: np.asarray(x)[..., None] for name, x in setup.robot_parameters(parameters).items()}
    given["external"] = None if external is None else np.asarray(external, float)[..., None, :, :]
    if setup.system.base is not None:
        bases = [setup.system.base_motion(t) for t in motion.t.tolist()]
        given["base_velocity"], given["base_acceleration"] = (np.array(x, float) for x in zip(*bases))
    states: Any = motion
    return replace(motion, wrenches=setup.robot.joint_wrenches(motion.q, states.qd, states.qdd, **given), **unwanted)


def _checked_limits(limits: Sequence[Event], batch: Batch, t: float) -> Sequence[Event]:
    """The events of joint limits, which the start must be within."""
    for limit in limits:
        if (outside := np.flatnonzero(limit.function(t, batch.q, batch.qd) <= 0)).size:
            raise InputError(f"the initial state is beyond a limit: {limit.name}, in run {outside[0]}")
    return limits
