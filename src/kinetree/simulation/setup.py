"""From the arguments of `simulate` to compiled functions and arrays of runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.closed import ClosedChain
from kinetree.compile import compile
from kinetree.errors import InputError, KinetreeError, ModelWarning, SimulationError, UnknownNameError
from kinetree.robot import Robot
from kinetree.runtime.function import Function
from kinetree.signature import MANY
from kinetree.simulation.adaptive import Adaptive
from kinetree.simulation.controller import Controller
from kinetree.simulation.steps import METHODS
from kinetree.simulation.system import System
from kinetree.simulation.variant import AdaptiveStep, Sample, Step

Array = NDArray[np.float64]
ADAPTIVE = "adaptive"
_CLOSED = 1e-9  # the error [m, rad] up to which the loops of a start count as closed


class Setup:
    """What is simulated, and with what."""

    def __init__(
        self,
        robot: Robot | ClosedChain,
        controller: Any,
        method: str,
        base_motion: Any,
        stabilisation: float,
    ) -> None:
        self.chain = robot if isinstance(robot, ClosedChain) else None
        self.robot = robot.robot if isinstance(robot, ClosedChain) else robot
        self.method = method
        if not isinstance(self.robot, Robot):
            raise InputError(f"simulate takes a Robot or a ClosedChain, got {robot!r}")
        if method not in (*METHODS, ADAPTIVE):
            raise UnknownNameError("method", method, [*METHODS, ADAPTIVE])
        if self.chain is not None and method == "implicit_midpoint":
            raise InputError("implicit_midpoint is not there for closed chains; take rk4, semi_implicit or adaptive")
        if controller is not None and not callable(controller) and not isinstance(controller, Controller):
            raise InputError(f"a controller is a kinetree.control.Controller or a function, got {controller!r}")
        self.native = isinstance(controller, Controller)
        self.controller = controller
        drives = None if self.chain is None else self.chain.drives
        inside = controller if isinstance(controller, Controller) else None
        self.system = System(self.robot, inside, drives, float(stabilisation), base_motion)
        # a controller of this package says by its repr what it does; others are traced to be known
        self.known = base_motion is None and all(x.startswith("kinetree.") for x in _modules(inside))

    @property
    def names(self) -> list[str]:
        """A name for each velocity."""
        sizes = {name: len(self.robot.velocities_of(name)) for name in self.robot.joint_names}
        return [name if n == 1 else f"{name}[{k}]" for name, n in sizes.items() for k in range(n)]

    # -- states ----------------------------------------------------------------------------------------------------

    def start(self, q0: Any, qd0: Any, project: bool) -> tuple[Array, Array]:
        """The initial state; that of a closed chain with closed loops."""
        q, qd = np.asarray(q0, float), np.asarray(qd0, float)
        for name, x, size in (("q0", q, self.robot.nq), ("qd0", qd, self.robot.nv)):
            if x.shape[-1:] != (size,):
                raise InputError(f"{name} must have {size} numbers for each run, got an array of shape {x.shape}")
            if not np.isfinite(x).all():
                raise InputError(f"{name} has numbers that are not finite")
        if self.robot.quaternions:
            self.robot._check_quaternions(q)
        return (q, qd) if self.chain is None else self._closed(self.chain, q, qd, project)

    def _closed(self, chain: ClosedChain, q: Array, qd: Array, project: bool) -> tuple[Array, Array]:
        _, gap = chain.function("step")(q, 0.0)
        whole = chain.velocities(q, qd)
        far = float(np.max(gap, initial=0.0)), float(np.max(np.abs(whole - qd), initial=0.0))
        if far[0] <= _CLOSED and far[1] <= 1e-6:
            return q, qd
        what = f"the loops of the start are open by {far[0]:.3g} (m or rad), its velocities by {far[1]:.3g}"
        if not project:
            raise InputError(f"{what}; close them with chain.close and chain.velocities, or leave project=True")
        warnings.warn(f"{what}; they are closed, with the independent joints kept", ModelWarning, stacklevel=4)
        places = [k for name in chain.independent for k in range(chain.robot.nq)[_q_slice(chain.robot, name)]]
        q = chain.close(q[..., places], guess=q).check()
        return q, chain.velocities(q, qd)

    def parameters(self, given: dict[str, Any]) -> list[Array]:
        """The values of the named parameters, each (...) or, where they are many, one array (..., n)."""
        known = self.system.parameters
        for name in given:
            if name not in known:
                raise UnknownNameError("parameter or keyword", name, known)
        missing = [name for name, p in known.items() if name not in given and p.default is None]
        if missing:
            raise InputError(f"parameters without a default: give {', '.join(f'{n}=...' for n in missing)}")
        values = [np.asarray(given.get(name, p.default), float) for name, p in known.items()]
        return [np.stack(np.broadcast_arrays(*values), axis=-1)] if len(values) > MANY else values

    # -- functions -------------------------------------------------------------------------------------------------

    def functions(self, held: bool, external: bool, extra: Sequence[Array]) -> tuple[Callable[..., Any], ...]:
        """The step, and the step that also tells accelerations and forces."""
        plain = "semi_implicit" if self.method == ADAPTIVE else self.method
        variant = Step(plain, self.system.nforces, held, external, self.known)
        probe = self._compiled(variant, None)
        if self.method != ADAPTIVE:
            return _calling(self._compiled(variant, (0, 1)), held, extra), _calling(probe, held, extra)
        inner = self._compiled(AdaptiveStep(self.system.nforces, held, external, self.known), None)
        adaptive = Adaptive(_calling(inner, held, extra))
        rates = _calling(self._compiled(variant, (2, 3)), held, extra)
        return adaptive, lambda *args: (*adaptive(*args), *rates(*args))

    def sampler(
        self, batch: tuple[int, ...], rows: int, sampled: bool, noise: Any, seed: int | None, values: Sequence[Array]
    ) -> Callable[..., Array] | None:
        """From the time and the states to forces; None for a controller that acts inside the step."""
        if self.controller is None:
            return None
        measure = _measurement(noise, seed, self.robot.nq, self.robot.nv)
        if not self.native:
            return _python(self.controller, batch, self.system.nforces, measure)
        start = self.controller.memory(self.robot)
        if not sampled and not start and noise is None:
            return None
        function = self._compiled(Sample(self.system.nforces, len(start), self.known), None)
        memory = np.tile(np.array(start, float), (rows, 1))

        def sample(t: float, q: Array, qd: Array) -> Array:
            nonlocal memory
            tau, memory = function(np.array(t), *measure(q, qd), memory, *values)
            return tau

        return sample

    def _compiled(self, variant: Any, outputs: Sequence[int] | None) -> Function:
        made = self.robot.__dict__.setdefault("_functions", {})
        key = (self.system.fingerprint, variant, outputs) if self.known else None
        if key is None or key not in made:
            function = compile(variant, self.system, signature=variant.signature, outputs=outputs)
            if key is None:
                return function
            made[key] = function
        return made[key]


def _calling(function: Function, held: bool, extra: Sequence[Array]) -> Callable[..., Any]:
    if held:
        return lambda t, h, q, qd, tau: function(np.array(t), np.array(h), q, qd, tau, *extra)
    return lambda t, h, q, qd, tau: function(np.array(t), np.array(h), q, qd, *extra)


def _python(
    controller: Callable[..., Any], batch: tuple[int, ...], forces: int, measure: Callable[..., Any]
) -> Callable[..., Array]:
    """A Python function as a sampler; what goes wrong in it is told with the time."""

    def sample(t: float, q: Array, qd: Array) -> Array:
        q, qd = measure(q, qd)
        try:
            tau = np.asarray(controller(t, q.reshape(*batch, -1), qd.reshape(*batch, -1)), float)
        except KinetreeError:
            raise
        except Exception as error:
            raise SimulationError(f"the controller raised {type(error).__name__} at {t:.6g} s: {error}") from error
        if tau.shape[-1:] != (forces,):
            raise SimulationError(f"the controller must give {forces} forces for each run, got shape {tau.shape}")
        try:
            return np.broadcast_to(tau, (*batch, forces)).reshape(-1, forces)
        except ValueError:
            raise SimulationError(f"the forces of the controller, {tau.shape}, don't fit the runs {batch}") from None

    return sample


def _measurement(noise: Any, seed: int | None, nq: int, nv: int) -> Callable[..., tuple[Array, Array]]:
    """What the controller sees of a state."""
    if noise is None:
        return lambda q, qd: (q, qd)
    of_q, of_qd = (np.broadcast_to(np.asarray(x, float), (n,)) for x, n in zip(noise, (nq, nv), strict=True))
    if not (np.isfinite([*of_q, *of_qd]).all() and min(of_q.min(initial=0.0), of_qd.min(initial=0.0)) >= 0):
        raise InputError(f"noise is two standard deviations, of positions and velocities, not below 0; got {noise!r}")
    rng = np.random.default_rng(seed)
    return lambda q, qd: (q + of_q * rng.standard_normal(q.shape), qd + of_qd * rng.standard_normal(qd.shape))


def _modules(controller: Any) -> set[str]:
    """The modules of a controller and of the parts that it is made of."""
    import dataclasses

    if not dataclasses.is_dataclass(controller) or isinstance(controller, type):
        return {type(controller).__module__} if callable(controller) else set()
    parts = (getattr(controller, f.name) for f in dataclasses.fields(controller))
    return {type(controller).__module__}.union(*(_modules(x) for x in parts))


def _q_slice(robot: Robot, joint: str) -> slice:
    return next(qs for body, qs in zip(robot.bodies, robot.q_slices) if body.joint.name == joint)
