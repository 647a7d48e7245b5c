"""The functions of a simulation that are traced and compiled: an integrator step, and a sample of the controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.algorithms.closed_chain import driven_joint_wrenches
from kinetree.errors import SimulationError
from kinetree.lower.operand import Operand
from kinetree.scalar import select
from kinetree.signature import Signature, parse
from kinetree.simulation.steps import METHODS, Forces, dormand_prince
from kinetree.simulation.system import System


@dataclass(frozen=True)
class TracedStep:
    """What steps of all methods share: their inputs, and the forces at any state.

    The last result of a closed chain is its margin, squared.

    Args:
        forces: how many there are.
        held: whether the forces are an input and held; else the controller of the system is evaluated at every stage.
        external: whether wrenches on the bodies are an input.
    """

    forces: int
    held: bool = False
    external: bool = False

    RESULTS: ClassVar[str] = ""

    def signature(self, system: System) -> Signature:
        inputs = "t(), h(), q(nq), qd(nv)" + ", tau(nforces)" * self.held + ", external(nbodies,6)" * self.external
        results = self.RESULTS + ", margin()" * (system.actuation is not None)
        return parse(f"{inputs} -> {results}", system.robot, nforces=self.forces)

    def external_and_forces(self, system: System, rest: Any) -> tuple[Any, Forces]:
        """The wrenches on the bodies, and the forces at any state: held, or those of the controller."""
        inputs = list(rest)
        external = inputs.pop() if self.external else None
        held = inputs.pop() if self.held else None

        def forces(t: Any, q: Any, qd: Any) -> Any:
            if held is not None:
                return held
            if system.controller is None:
                return [0.0] * self.forces
            return _checked(system, system.controller.update(system.robot, t, q, qd, [])[0])

        return external, forces


@dataclass(frozen=True)
class IntegratorStep(TracedStep):
    """A step of one of `METHODS`: the next state, and the acceleration and the forces at the start of the step."""

    method: str = "rk4"

    RESULTS: ClassVar[str] = "next_q(nq), next_qd(nv), qdd(nv), forces(nforces)"

    @property
    def __name__(self) -> str:
        return f"step_{self.method}"

    def __call__(self, system: System, t: Any, h: Any, q: Any, qd: Any, *rest: Any) -> Any:
        external, forces = self.external_and_forces(system, rest)
        at_start = forces(t, q, qd)
        qdd = system.acceleration(t, q, qd, at_start, external)
        next_state = METHODS[self.method](system, t, h, q, qd, forces, external)
        return *system.closed(*next_state), qdd, at_start, *system.margin(q)


@dataclass(frozen=True)
class RepeatedStep:
    """Many steps one after the other, from a state to a later one, with forces that are held or computed on the way."""

    step: IntegratorStep

    repeats: ClassVar[bool] = True

    @property
    def __name__(self) -> str:
        return f"{self.step.__name__}_repeated"

    def signature(self, system: System) -> Signature:
        t, h, q, qd, *rest = self.step.signature(system).operands
        steps, count, again = (Operand(name, ()) for name in ("steps", "count", "again"))
        return Signature((t, h, steps, q, qd, count, *rest), (q, qd, count, again))

    def __call__(self, system: System, t: Any, h: Any, steps: Any, q: Any, qd: Any, count: Any, *rest: Any) -> Any:
        q, qd, *_ = self.step(system, t + count * h, h, q, qd, *rest)
        return q, qd, count + 1.0, select(count + 1.0 < steps, 1.0, 0.0)


@dataclass(frozen=True)
class EmbeddedStep(TracedStep):
    """A step of Dormand and Prince with the estimate of its error."""

    RESULTS: ClassVar[str] = "next_q(nq), next_qd(nv), error_q(nq), error_qd(nv)"

    @property
    def __name__(self) -> str:
        return "step_adaptive"

    def __call__(self, system: System, t: Any, h: Any, q: Any, qd: Any, *rest: Any) -> Any:
        external, forces = self.external_and_forces(system, rest)
        next_q, next_qd, error = dormand_prince(system, t, h, q, qd, forces, external)
        errors = error[: system.robot.nq], error[system.robot.nq :]
        return *system.closed(next_q, next_qd), *errors, *system.margin(q)


@dataclass(frozen=True)
class DrivenWrenches:
    """The joint wrenches of a closed chain that the forces of its actuators moved."""

    forces: int
    external: bool = False

    def signature(self, system: System) -> Signature:
        text = "q(nq), qd(nv), qdd(nv), tau(nforces), t()" + ", external(nbodies,6)" * self.external
        return parse(f"{text} -> w(nbodies,6), margin()", system.robot, nforces=self.forces)

    @property
    def __name__(self) -> str:
        return "driven_wrenches"

    def __call__(self, system: Any, q: Any, qd: Any, qdd: Any, tau: Any, t: Any, external: Any = None) -> Any:
        return driven_joint_wrenches(system.robot, q, qd, qdd, tau, system.actuation, external, system.root(t))


def _checked(system: System, tau: Any) -> Any:
    """The forces of a controller, which must be as many as the system has actuators."""
    found = len(tau) if hasattr(tau, "__len__") else "no list"
    if found != system.nforces:
        name = type(system.controller).__name__
        raise SimulationError(f"the controller {name} must give {system.nforces} forces, it gives {found}")
    return tau


@dataclass(frozen=True)
class ControllerSample:
    """One sample of the controller: the forces, and its memory for the next one."""

    forces: int
    memory: int

    def signature(self, system: System) -> Signature:
        text = "t(), q(nq), qd(nv), memory(nmemory) -> tau(nforces), next_memory(nmemory)"
        return parse(text, system.robot, nforces=self.forces, nmemory=self.memory)

    @property
    def __name__(self) -> str:
        return "sample"

    def __call__(self, system: System, t: Any, q: Any, qd: Any, memory: Any) -> Any:
        if system.controller is None:
            raise SimulationError("there is no controller to sample")
        tau, memory = system.controller.update(system.robot, t, q, qd, memory)
        if len(memory) != self.memory:
            name = type(system.controller).__name__
            raise SimulationError(
                f"the memory of the controller {name} goes from {self.memory} to {len(memory)} numbers"
            )
        return _checked(system, tau), memory
