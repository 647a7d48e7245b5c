"""From the arguments of `simulate` to initial states and compiled functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.compile import compile, compiled
from kinetree.errors import InputError, ModelWarning, SingularConfigurationWarning, check_names
from kinetree.robot import Robot
from kinetree.robot.functions import check_quaternions
from kinetree.runtime.arrays import Array
from kinetree.runtime.function import Function
from kinetree.simulation.adaptive import Adaptive
from kinetree.simulation.batch import Batch, checked
from kinetree.simulation.controller import Controller
from kinetree.simulation.motion import Motion
from kinetree.simulation.options import ADAPTIVE, OPTIONS, Options
from kinetree.simulation.partition import Partition, Split
from kinetree.simulation.run import StepFunctions
from kinetree.simulation.sampling import measurement, native_sampler, python_sampler
from kinetree.simulation.system import System
from kinetree.simulation.traced import ControllerSample, DrivenWrenches, EmbeddedStep, IntegratorStep
from kinetree.traceable import cache_key

_CLOSED = 1e-9  # the error [m, rad] up to which the loops of a start count as closed
_CLOSED_VELOCITY = 1e-6  # [m/s, rad/s], likewise


class Setup:
    """What is simulated, and with what; arguments as for `simulate`."""

    def __init__(self, robot: Robot | ClosedChain, controller: Any, options: Options) -> None:
        self.chain = robot if isinstance(robot, ClosedChain) else None
        model = robot.robot if isinstance(robot, ClosedChain) else robot
        if not isinstance(model, Robot):
            raise InputError(
                f"simulate takes a Robot or a ClosedChain, got {robot!r}; a ParallelRobot p is one as "
                "kinetree.ClosedChain(p.robot, p.actuated)"
            )
        if self.chain is not None and options.method == "implicit_midpoint":
            raise InputError(
                "implicit_midpoint is not available for closed chains; take rk4, semi_implicit or adaptive"
            )
        if controller is not None and not callable(controller) and not isinstance(controller, Controller):
            raise InputError(f"a controller is a kinetree.control.Controller or a function, got {controller!r}")
        self.robot: Robot = model
        self.options = options
        self.native = controller if isinstance(controller, Controller) else None
        self.python: Any = None if self.native is not None else controller
        chain: Any = () if self.chain is None else (self.chain.actuation, self.chain.column_lengths)
        self.system = System(model, self.native, *chain, stabilisation=options.stabilisation, base=options.base_motion)
        self._of_splits: dict[Any, Callable[[Split], Function]] = {}
        # controllers and base motions of the user may change without notice: they are traced each time
        self.cacheable = cache_key(self.system) is not None

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """A name for each velocity, position and force."""
        velocities = self.robot.coordinate_names
        forces = velocities if self.chain is None else tuple(velocities[k] for k in self.chain.actuation.actuated)
        return {"joints": velocities, "positions": self.robot.position_names, "forces": forces}

    # -- states ----------------------------------------------------------------------------------------------------

    def batch(self, q0: Any, qd0: Any, parameters: dict[str, Any]) -> Batch:
        """The runs, with closed loops where the robot is a closed chain."""
        values = self.parameter_values(parameters)
        q, qd = checked("q0", q0, (self.robot.nq,)), checked("qd0", qd0, (self.robot.nv,))
        if self.robot.quaternions:
            check_quaternions(self.robot, q)
        if self.chain is not None:
            q, qd = self._closed(self.chain, q, qd, self.robot_parameters(parameters))
        external = self.options.external
        loads = None if external is None else checked("external", external, (self.robot.nbodies, 6))
        return Batch.of(q, qd, loads, values)

    def robot_parameters(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """The parameters of the robot, without those of the controller."""
        return {name: value for name, value in parameters.items() if name in self.robot.parameters}

    def _closed(self, chain: ClosedChain, q: Array, qd: Array, parameters: dict[str, Any]) -> tuple[Array, Array]:
        J, gap = chain.constraint_jacobian(q, **parameters)
        error = float(np.max(gap, initial=0.0)), float(np.max(np.abs(J @ qd[..., None]), initial=0.0))
        if error[0] <= _CLOSED and error[1] <= _CLOSED_VELOCITY:
            return q, qd
        what = f"the loops of the initial state are open by {error[0]:.3g} (m or rad), its velocities by {error[1]:.3g}"
        if not self.options.project:
            raise InputError(f"{what}; close them with chain.close and chain.velocities, or leave project=True")
        warnings.warn(f"{what}; they are closed, with the independent joints kept", ModelWarning, stacklevel=5)
        slices = {body.joint.name: qs for body, qs in zip(chain.robot.bodies, chain.robot.q_slices)}
        indices = [k for name in chain.independent for k in range(chain.robot.nq)[slices[name]]]
        closed: Any = chain.close(q[..., indices], guess=q, **parameters).check()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularConfigurationWarning)  # an error says it
            velocities: Any = chain.velocities(closed, qd, **parameters)
        if not np.isfinite(velocities).all():
            joints = ", ".join(chain.independent)
            raise InputError(
                f"{what}, and those of {joints} don't say what the others are: the start is singular for them"
            )
        return closed, velocities

    def parameter_values(self, given: dict[str, Any], made: Callable[[str, Any], Any] | None = None) -> list[Any]:
        """The values of the named parameters of the robot and the controller, each (...)."""
        known = self.system.parameters
        check_names("parameter or keyword", given, [*known, *OPTIONS])
        missing = [name for name, p in known.items() if name not in given and p.default is None]
        if missing:
            raise InputError(f"parameters without a default: give {', '.join(f'{n}=...' for n in missing)}")
        return [(made or _finite)(name, given.get(name, p.default)) for name, p in known.items()]

    # -- functions -------------------------------------------------------------------------------------------------

    def functions(self, batch: Batch) -> StepFunctions:
        """The compiled functions of the loop over time."""
        method, extra, sample = self.options.method, batch.step_inputs, self._sampler(batch)
        held, nforces = sample is not None, self.system.nforces
        common = (nforces, held, batch.external is not None)
        step = IntegratorStep(*common, "semi_implicit" if method == ADAPTIVE else method)
        partition = self._partition(batch.count, batch.parameters)

        def native(function: Any, outputs: Sequence[int] | None) -> Callable[..., Any]:
            call = self._evaluated(function, outputs, partition)
            if held:
                return lambda t, h, q, qd, tau: call(np.array(t), np.array(h), q, qd, tau, *extra)
            return lambda t, h, q, qd, tau: call(np.array(t), np.array(h), q, qd, *extra)

        if method == ADAPTIVE:
            adaptive = Adaptive(native(EmbeddedStep(*common), None), self.options.tolerance)
            rates = native(step, (2, 3))
            return StepFunctions(adaptive, lambda *args: (*adaptive(*args), *rates(*args)), rates, sample)
        whole = native(step, None)
        return StepFunctions(native(step, (0, 1)), whole, lambda *args: whole(*args)[2:], sample)

    def _sampler(self, batch: Batch) -> Callable[..., Array] | None:
        """From the time and the states to forces; None for a controller that is evaluated inside the step."""
        measure = measurement(self.options.noise, self.options.seed, self.robot)
        if self.python is not None:
            return python_sampler(self.python, batch.shape, self.system.nforces, measure)
        if self.native is None:
            return None
        memory = self.native.memory(self.robot)
        if self.options.sample is None and not memory and self.options.noise is None:
            return None
        function = self.compiled(ControllerSample(self.system.nforces, len(memory)), self.system, None)
        return native_sampler(function, np.tile(np.array(memory, float), (batch.count, 1)), batch, measure)

    def driven_wrenches(self, motion: Motion, parameters: dict[str, Any]) -> Array:
        """The joint wrenches of a motion of a closed chain (..., n, nbodies, 6)."""
        external = self.options.external
        loads = None if external is None else np.asarray(external, float)[..., None, :, :]
        values = [x[..., None] for x in self.parameter_values(parameters)]
        states: Any = motion
        rows = Batch.of(motion.q, states.qd, loads, values)
        qdd, tau = (x.reshape(rows.count, -1) for x in (states.qdd, states.tau))
        partition: Any = self._partition(rows.count, rows.parameters)
        partition.warned = True  # the simulation did
        function = DrivenWrenches(self.system.nforces, external is not None)
        call = self._evaluated(function, None, partition)
        t = np.broadcast_to(motion.t, motion.q.shape[:-1]).ravel()
        return call(rows.q, rows.qd, qdd, tau, t, *rows.step_inputs)[0].reshape(*motion.q.shape[:-1], -1, 6)

    def _partition(self, runs: int, parameters: Sequence[Array]) -> Partition | None:
        """The independent joints of a closed chain in each run, for the values of the named parameters."""
        if (chain := self.chain) is None:
            return None
        values = self.robot_parameters(dict(zip(self.system.parameters, parameters)))

        def at(rows: Any, q: Array) -> Any:
            J = chain.constraint_jacobian(q, **{name: x[rows] for name, x in values.items()})[0]
            return J / np.array(chain.column_lengths)

        return Partition(chain.model_independent, runs, at)

    def _evaluated(
        self, function: Any, outputs: Sequence[int] | None, partition: Partition | None
    ) -> Callable[..., Any]:
        """A compiled function; of a closed chain the one whose independent joints are those of the run."""
        if partition is None or self.system.actuation is None:
            return self.compiled(function, self.system, outputs)
        actuation = self.system.actuation

        def of_split(split: Split) -> Function:
            return self.compiled(function, replace(self.system, actuation=replace(actuation, independent=split)), None)

        # code for closed chains is long: it is compiled once, with all results
        functions = self._of_splits.setdefault(function, cache(of_split))
        return partition.evaluated(functions, slice(-1) if outputs is None else slice(outputs[0], outputs[-1] + 1))

    def compiled(self, function: Any, system: System, outputs: Sequence[int] | None) -> Function:
        """A function of the system, kept by the robot where nothing of it may change."""
        if not self.cacheable:
            return compile(function, system, outputs=outputs)
        return compiled(function, system, outputs=outputs, keeper=self.robot)


def _finite(name: str, value: Any) -> Array:
    """A parameter as an array."""
    x = np.asarray(value, float)
    if not np.isfinite(x).all():
        raise InputError(f"the parameter {name} is not finite: {value!r:.60}")
    return x
