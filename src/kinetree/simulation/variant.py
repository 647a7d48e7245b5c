"""The functions of a simulation that are compiled: a step in time, and a sample of the controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.errors import SimulationError
from kinetree.lower.operand import Operand
from kinetree.signature import Signature, parse
from kinetree.simulation.steps import METHODS, Forces, dormand_prince
from kinetree.simulation.system import System


@dataclass(frozen=True)
class Step:
    """A step of one method; results are the next state, then acceleration and forces at its start.

    Args:
        method: one of `METHODS`.
        forces: how many there are.
        held: whether the forces are given and held; else the controller of the system is asked at every stage.
        external: whether loads on the bodies are given.
    """

    method: str
    forces: int
    held: bool = False
    external: bool = False

    def signature(self, system: System) -> Signature:
        held = ", tau(nforces)" * self.held
        loads = ", external(nbodies,6)" * self.external
        results = "next_q(nq), next_qd(nv), qdd(nv), forces(nforces)"
        return parse(f"t(), h(), q(nq), qd(nv){held}{loads} -> {results}", system, nforces=self.forces)

    @property
    def __name__(self) -> str:
        return f"step_{self.method}"

    def __call__(self, system: System, t: Any, h: Any, q: Any, qd: Any, *rest: Any) -> Any:
        external, forces = _external_and_forces(self, system, rest)
        at_start = forces(t, q, qd)
        qdd = system.acceleration(t, q, qd, at_start, external)
        next_state = METHODS[self.method](system, t, h, q, qd, forces, external)
        return *system.closed(*next_state), qdd, at_start


def _external_and_forces(step: Any, system: System, rest: Any) -> tuple[Any, Forces]:
    """The loads on the bodies, and the forces at any state: held, or those of the controller."""
    inputs = list(rest)
    external = inputs.pop() if step.external else None
    held = inputs.pop() if step.held else None

    def forces(t: Any, q: Any, qd: Any) -> Any:
        if held is not None:
            return held
        if system.controller is None:
            return [0.0] * step.forces
        return _fitting(system, system.controller.update(system.robot, t, q, qd, [])[0])

    return external, forces


def _fitting(system: System, tau: Any) -> Any:
    """The forces of a controller, if they are as many as drive the system."""
    found = len(tau) if hasattr(tau, "__len__") else "no list"
    if found != system.nforces:
        name = type(system.controller).__name__
        raise SimulationError(f"the controller {name} must give {system.nforces} forces, it gives {found}")
    return tau


@dataclass(frozen=True)
class Sample:
    """One sample of the controller: the forces, and what it keeps for the next one."""

    forces: int
    kept: int

    def signature(self, system: System) -> Signature:
        text = "t(), q(nq), qd(nv), memory(nkept) -> tau(nforces), kept(nkept)"
        return parse(text, system, nforces=self.forces, nkept=self.kept)

    @property
    def __name__(self) -> str:
        return "sample"

    def __call__(self, system: System, t: Any, q: Any, qd: Any, memory: Any) -> Any:
        if system.controller is None:
            raise SimulationError("there is no controller to sample")
        tau, kept = system.controller.update(system.robot, t, q, qd, memory)
        if len(kept) != self.kept:
            name = type(system.controller).__name__
            raise SimulationError(f"the controller {name} starts with {self.kept} numbers and keeps {len(kept)}")
        return _fitting(system, tau), kept


@dataclass(frozen=True)
class AdaptiveStep:
    """A step of Dormand and Prince with its error."""

    forces: int
    held: bool = False
    external: bool = False

    def signature(self, system: System) -> Signature:
        plain = Step("rk4", self.forces, self.held, self.external).signature(system)
        sizes = {"next_q": system.nq, "next_qd": system.nv, "error_q": system.nq, "error_qd": system.nv}
        return plain.giving(*(Operand(name, (size,)) for name, size in sizes.items()))

    @property
    def __name__(self) -> str:
        return "step_adaptive"

    def __call__(self, system: System, t: Any, h: Any, q: Any, qd: Any, *rest: Any) -> Any:
        external, forces = _external_and_forces(self, system, rest)
        next_q, next_qd, error = dormand_prince(system, t, h, q, qd, forces, external)
        return *system.closed(next_q, next_qd), error[: system.nq], error[system.nq :]
