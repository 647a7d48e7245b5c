"""Simulation on a GPU: whole runs stay there, from one record or sample of the controller to the next in one launch.

All arrays are those of the caller's library (CuPy, PyTorch). Nothing is looked at on the way: a run that diverges is
found in the records at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.errors import InputError, SimulationError
from kinetree.runtime.cuda.arrays import is_on_gpu, joined, library_of
from kinetree.runtime.cuda.libraries import Library
from kinetree.signature import MANY
from kinetree.simulation.interpolation import QuaternionCoordinates
from kinetree.simulation.motion import Motion
from kinetree.simulation.options import ADAPTIVE
from kinetree.simulation.outcome import Outcome
from kinetree.simulation.run import TimeGrid
from kinetree.simulation.setup import Setup
from kinetree.simulation.traced import ControllerSample, IntegratorStep, RepeatedStep
from kinetree.status import counting


class GpuRuns:
    """The runs of a batch, on the device where their initial states are; arguments as for `simulate`."""

    def __init__(self, setup: Setup, q0: Any, qd0: Any, parameters: dict[str, Any]) -> None:
        _check(setup)
        self.setup, robot = setup, setup.robot
        external: Any = setup.options.external
        self.external = [] if external is None else [external]
        self.parameters = setup.parameter_values(parameters, lambda _, x: x)
        shapes = [x.shape[:-1] for x in (q0, qd0)] + [x.shape[:-2] for x in self.external]
        self.shape = np.broadcast_shapes(*shapes, *(tuple(getattr(x, "shape", ())) for x in self.parameters))
        self.library: Library = library_of(q0) or _no_library(q0)
        for name, x, n in (("q0", q0, robot.nq), ("qd0", qd0, robot.nv)):
            if x.shape[-1] != n:
                raise InputError(f"{name} must have {n} numbers for each run, got an array of shape {tuple(x.shape)}")
        self.device, self.kind = self.library.device(q0), self.library.view(q0).kind
        self.q, self.qd = (self.library.spread(x, (*self.shape, x.shape[-1])) for x in (q0, qd0))
        many = len(self.parameters) > MANY
        self.values = [joined(self.parameters, [self.q])] if many else self.parameters
        self.tau: list[Any] = []
        self.sample = self._sampler()
        held = self.sample is not None
        step = IntegratorStep(setup.system.nforces, held, bool(self.external), setup.options.method)
        self.steps = setup.compiled(RepeatedStep(step), setup.system, None)
        self.rates = setup.compiled(step, setup.system, (2, 3))

    def _sampler(self) -> Callable[[float], Any] | None:
        """The forces until the next sample, from the time; None for a controller inside the step."""
        setup = self.setup
        if setup.python is not None:
            return self._python_sample
        memory = setup.native.memory(setup.robot) if setup.native is not None else ()
        if setup.native is None or (setup.options.sample is None and not memory):
            return None
        function = setup.compiled(ControllerSample(setup.system.nforces, len(memory)), setup.system, None)
        kept = self.library.upload(np.array(memory, self.kind), self.device)
        kept = self.library.spread(kept, (*self.shape, len(memory)))

        def sample(t: float) -> Any:
            nonlocal kept
            tau, kept = function(t, self.q, self.qd, kept, *self.values)
            return tau

        return sample

    def _python_sample(self, t: float) -> Any:
        tau = self.setup.python(t, self.q, self.qd)
        expected = (*self.shape, self.setup.system.nforces)
        if not is_on_gpu(tau) or tuple(tau.shape) != expected:
            given = f"a {type(tau).__name__}" if not is_on_gpu(tau) else f"one of shape {tuple(tau.shape)}"
            raise SimulationError(f"the controller must give an array on the GPU of shape {expected}, got {given}")
        return tau

    def move(self, t: float, h: float, steps: int) -> None:
        """So many steps from a time on, the forces held where the controller is sampled."""
        given = [*self.tau, *self.external, *self.values]
        self.q, self.qd, _ = self.steps(t, h, float(steps), self.q, self.qd, 0.0, *given)

    def quantities(self, t: float, h: float) -> dict[str, Any]:
        """What may be recorded."""
        qdd, tau = self.rates(t, h, self.q, self.qd, *self.tau, *self.external, *self.values)
        return {"q": self.q, "qd": self.qd, "qdd": qdd, "tau": tau}


def simulated(setup: Setup, grid: TimeGrid, q0: Any, qd0: Any, parameters: dict[str, Any]) -> Motion:
    """The motion of all runs, with arrays on the device."""
    runs, names = GpuRuns(setup, q0, qd0, parameters), setup.options.record
    t, records = np.zeros(grid.records), {name: list[Any]() for name in names}
    count = done = 0
    interrupted = False
    try:
        with counting("simulating", grid.steps, setup.options.progress) as progress:
            while True:
                now = grid.start + done * grid.h
                if runs.sample is not None and done % grid.hold == 0:
                    runs.tau = [runs.sample(now)]
                if done % grid.every == 0 or done == grid.steps:
                    found = runs.quantities(now, grid.h) if {"qdd", "tau"} & {*names} else {"q": runs.q, "qd": runs.qd}
                    for name, kept in records.items():
                        kept.append(found[name])
                    t[count], count = now, count + 1
                if done == grid.steps:
                    break
                hold = grid.hold if runs.sample is not None else grid.steps
                ahead = min(grid.every - done % grid.every, hold - done % hold, grid.steps - done)
                runs.move(now, grid.h, ahead)
                done += ahead
                progress(done)
    except KeyboardInterrupt:
        if not count:
            raise
        interrupted = True
    arrays = {name: runs.library.joined(kept[:count]) for name, kept in records.items()}
    arrays = {name: x.swapaxes(-1, -2) for name, x in arrays.items()}
    return _motion(runs, t[:count], arrays, interrupted)


def _motion(runs: GpuRuns, t: Any, arrays: dict[str, Any], interrupted: bool) -> Motion:
    setup, batch = runs.setup, runs.shape
    # a product with zero is zero, or no number
    lost = ~np.isfinite(runs.library.host((arrays["q"] * 0.0).sum(-1)))
    diverged = lost.any(axis=-1)
    end = np.where(diverged, t[np.argmax(lost, axis=-1)], t[-1])
    last = Outcome.INTERRUPTED if interrupted else Outcome.DONE
    status, reason = np.where(diverged, Outcome.DIVERGED, last), [last.message] * diverged.size
    for k in np.flatnonzero(diverged):
        reason[k] = f"{Outcome.DIVERGED.message}: before {end.flat[k]:.6g} s"
    known = zip(setup.system.parameters, runs.parameters)
    values: dict[str, Any] = {name: x if is_on_gpu(x) else np.broadcast_to(x, batch) for name, x in known}
    fields: dict[str, Any] = {**setup.names, "quaternions": QuaternionCoordinates.of(setup.robot), "robot": setup.robot}
    ends: dict[str, Any] = {"status": status.astype(np.int64), "end": end, "reason": tuple(reason)}
    return Motion(t, **arrays, **ends, **fields, parameters=setup.robot_parameters(values))


def _check(setup: Setup) -> None:
    """Refuse what is done on the host alone."""
    options = setup.options
    refused = {
        "closed chains": setup.chain is not None,
        'method="adaptive"': options.method == ADAPTIVE,
        "events= and stop_at_limits=": bool(options.events) or options.stop_at_limits,
        "executor=": options.executor is not None,
        "noise=": options.noise is not None,
        'record="wrenches"': "wrenches" in options.record,
    }
    if wrong := [name for name, given in refused.items() if given]:
        raise InputError(
            f"simulate on a GPU: {', '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} not available there; give "
            "arrays of the host, or leave it out"
        )


def _no_library(q0: Any) -> Any:
    raise InputError(f"simulate: qd0 is on a GPU, and q0 is not ({type(q0).__name__}); copy it there")
