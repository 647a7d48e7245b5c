"""From the arguments of `simulate` to compiled functions and arrays of runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.closed import ClosedChain
from kinetree.compile import compile, compiled
from kinetree.errors import InputError, KinetreeError, ModelWarning, SimulationError, UnknownNameError
from kinetree.robot import Robot
from kinetree.robot.functions import check_quaternions, parameter_values
from kinetree.runtime.function import Function
from kinetree.simulation.adaptive import Adaptive
from kinetree.simulation.between import Turn, normalised
from kinetree.simulation.controller import Controller
from kinetree.simulation.steps import METHODS
from kinetree.simulation.system import System
from kinetree.simulation.variant import AdaptiveStep, Sample, Step
from kinetree.traceable import cache_key

Array = NDArray[np.float64]
ADAPTIVE = "adaptive"
_CLOSED = 1e-9  # the error [m, rad] up to which the loops of a start count as closed
_CLOSED_VELOCITY = 1e-6  # [m/s, rad/s], likewise


class Setup:
    """What is simulated, and with what; arguments as for `simulate`."""

    def __init__(
        self,
        robot: Robot | ClosedChain,
        controller: Any,
        method: str,
        base_motion: Any,
        stabilisation: float,
        tolerance: float,
    ) -> None:
        self.chain = robot if isinstance(robot, ClosedChain) else None
        model = robot.robot if isinstance(robot, ClosedChain) else robot
        if not isinstance(model, Robot):
            raise InputError(
                f"simulate takes a Robot or a ClosedChain, got {robot!r}; a ParallelRobot p is one as "
                "kinetree.ClosedChain(p.robot, p.actuated)"
            )
        if method not in (*METHODS, ADAPTIVE):
            raise UnknownNameError("method", method, [*METHODS, ADAPTIVE])
        if self.chain is not None and method == "implicit_midpoint":
            raise InputError("implicit_midpoint is not there for closed chains; take rk4, semi_implicit or adaptive")
        if self.chain is not None and base_motion is not None:
            raise InputError("base_motion is not there for closed chains; give the chain a base that is a joint")
        if controller is not None and not callable(controller) and not isinstance(controller, Controller):
            raise InputError(f"a controller is a kinetree.control.Controller or a function, got {controller!r}")
        if not 0 < tolerance < 1:
            raise InputError(f"tolerance is a number between 0 and 1, got {tolerance!r}")
        if not 0 <= stabilisation < float("inf"):
            raise InputError(f"stabilisation is a rate [1/s], 0 or more, got {stabilisation!r}")
        self.robot: Robot = model
        self.method, self.tolerance = method, tolerance
        self.native = controller if isinstance(controller, Controller) else None
        given: Any = controller
        self.python: Callable[..., Any] | None = None if self.native is not None else given
        actuation = None if self.chain is None else self.chain.actuation
        self.system = System(model, self.native, actuation, float(stabilisation), base_motion)
        if base_motion is not None:
            _check_base(base_motion)
        # controllers and base motions of the user's may change without notice: they are traced each time
        self.known = cache_key(self.system) is not None

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """A name for each velocity, position and force."""
        joints = [(body.joint.name, body.joint.kind) for body in self.robot.bodies if not body.joint.mimic]
        velocities = _numbered([(name, kind.nv) for name, kind in joints])
        actuated = range(self.robot.nv) if self.chain is None else self.chain.actuation.actuated
        positions = _numbered([(name, kind.nq) for name, kind in joints])
        return {"joints": velocities, "positions": positions, "forces": tuple(velocities[k] for k in actuated)}

    # -- states ----------------------------------------------------------------------------------------------------

    def start(self, q0: Any, qd0: Any, project: bool, parameters: dict[str, Any]) -> tuple[Array, Array]:
        """The initial state; that of a closed chain with closed loops."""
        q, qd = _numbers("q0", q0, self.robot.nq), _numbers("qd0", qd0, self.robot.nv)
        if self.robot.quaternions:
            check_quaternions(self.robot, q)
        return (q, qd) if self.chain is None else self._closed(self.chain, q, qd, project, self.own(parameters))

    def own(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """The parameters of the robot, without those of the controller."""
        return {name: value for name, value in parameters.items() if name in self.robot.parameters}

    def _closed(
        self, chain: ClosedChain, q: Array, qd: Array, project: bool, own: dict[str, Any]
    ) -> tuple[Array, Array]:
        gap = chain.function("step")(q, 0.0, *parameter_values(chain.robot, own))[1]
        whole = chain.velocities(q, qd, **own)
        far = float(np.max(gap, initial=0.0)), float(np.max(np.abs(whole - qd), initial=0.0))
        if far[0] <= _CLOSED and far[1] <= _CLOSED_VELOCITY:
            return q, qd
        what = f"the loops of the start are open by {far[0]:.3g} (m or rad), its velocities by {far[1]:.3g}"
        if not project:
            raise InputError(f"{what}; close them with chain.close and chain.velocities, or leave project=True")
        warnings.warn(f"{what}; they are closed, with the independent joints kept", ModelWarning, stacklevel=4)
        slices = {body.joint.name: qs for body, qs in zip(chain.robot.bodies, chain.robot.q_slices)}
        places = [k for name in chain.independent for k in range(chain.robot.nq)[slices[name]]]
        closed: Any = chain.close(q[..., places], guess=q, **own).check()
        velocities: Any = chain.velocities(closed, qd, **own)
        return closed, velocities

    def parameters(self, given: dict[str, Any]) -> list[Array]:
        """The values of the named parameters, each (...)."""
        known = self.system.parameters
        for name in given:
            if name not in known:
                raise UnknownNameError("parameter or keyword", name, known)
        missing = [name for name, p in known.items() if name not in given and p.default is None]
        if missing:
            raise InputError(f"parameters without a default: give {', '.join(f'{n}=...' for n in missing)}")
        values = [np.asarray(given.get(name, p.default), float) for name, p in known.items()]
        if wrong := [name for name, x in zip(known, values) if not np.isfinite(x).all()]:
            raise InputError(f"parameters that are not finite: {', '.join(wrong)}")
        return values

    # -- functions -------------------------------------------------------------------------------------------------

    def functions(self, held: bool, external: bool, extra: Sequence[Array]) -> tuple[Callable[..., Any], ...]:
        """The step; the step that also tells accelerations and forces; and these alone."""
        plain = "semi_implicit" if self.method == ADAPTIVE else self.method
        variant = Step(plain, self.system.nforces, held, external)

        def calling(variant: Any, outputs: Sequence[int] | None) -> Callable[..., Any]:
            return _calling(self._compiled(variant, outputs), held, extra)

        if self.method == ADAPTIVE:
            inner = AdaptiveStep(self.system.nforces, held, external)
            adaptive, rates = Adaptive(calling(inner, None), self.tolerance), calling(variant, (2, 3))
            return adaptive, lambda *args: (*adaptive(*args), *rates(*args)), rates
        probe = calling(variant, None)
        # code for closed chains is long: it is made once, and tells more than is asked
        step = calling(variant, (0, 1)) if self.chain is None else lambda *args: probe(*args)[:2]
        return step, probe, lambda *args: probe(*args)[2:]

    def sampler(
        self, batch: tuple[int, ...], rows: int, sampled: bool, noise: Any, seed: int | None, values: Sequence[Array]
    ) -> Callable[..., Array] | None:
        """From the time and the states to forces; None for a controller that acts inside the step."""
        measure = _measurement(noise, seed, self.robot)
        if self.python is not None:
            return _python(self.python, batch, self.system.nforces, measure)
        if self.native is None:
            return None
        start = self.native.memory(self.robot)
        if not sampled and not start and noise is None:
            return None
        function = self._compiled(Sample(self.system.nforces, len(start)), None)
        memory = np.tile(np.array(start, float), (rows, 1))

        def sample(t: float, q: Array, qd: Array) -> Array:
            nonlocal memory
            tau, memory = function(np.array(t), *measure(q, qd), memory, *values)
            return tau

        return sample

    def _compiled(self, variant: Any, outputs: Sequence[int] | None) -> Function:
        if not self.known:
            return compile(variant, self.system, outputs=outputs)
        return compiled(variant, self.system, outputs=outputs, keeper=self.robot)


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


def _measurement(noise: Any, seed: int | None, robot: Robot) -> Callable[..., tuple[Array, Array]]:
    """What the controller sees of a state."""
    if noise is None:
        return lambda q, qd: (q, qd)
    try:
        of_q, of_qd = (
            np.broadcast_to(np.asarray(x, float), (n,)) for x, n in zip(noise, (robot.nq, robot.nv), strict=True)
        )
    except (TypeError, ValueError):
        raise InputError(
            f"noise is a pair, for positions and velocities: each a number, or {robot.nq} and {robot.nv} of them; "
            f"got {noise!r}"
        ) from None
    if not (np.isfinite([*of_q, *of_qd]).all() and min(of_q.min(initial=0.0), of_qd.min(initial=0.0)) >= 0):
        raise InputError(f"noise is two standard deviations, of positions and velocities, not below 0; got {noise!r}")
    rng, turns = np.random.default_rng(seed), Turn.all_of(robot)

    def measure(q: Array, qd: Array) -> tuple[Array, Array]:
        q = q + of_q * rng.standard_normal(q.shape)
        return normalised(q, turns), qd + of_qd * rng.standard_normal(qd.shape)

    return measure


def _numbers(name: str, values: Any, size: int) -> Array:
    try:
        x = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of real numbers: {error}") from None
    if x.shape[-1:] != (size,):
        raise InputError(f"{name} must have {size} numbers for each run, got an array of shape {x.shape}")
    if not np.isfinite(x).all():
        raise InputError(f"{name} has numbers that are not finite")
    return x


def _check_base(base_motion: Any) -> None:
    expected = "base_motion(t) must give two rows of 6 numbers, velocity and acceleration, and perhaps a quaternion"
    if not callable(base_motion):
        raise InputError(f"{expected}; got {base_motion!r}, which is no function")
    try:
        rows: Any = base_motion(0.0)
        sizes = [len(x) for x in rows]
    except Exception as error:
        raise InputError(f"{expected}; at 0 s it raises {type(error).__name__}: {error}") from error
    if sizes not in ([6, 6], [6, 6, 4]):
        raise InputError(f"{expected}; its rows have {sizes} numbers")


def _numbered(sizes: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(name if n == 1 else f"{name}[{k}]" for name, n in sizes for k in range(n))
