"""The functions of a simulation that are compiled: a step in time, and a sample of the controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.errors import SimulationError
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
        own: whether the controller is known by its text; see `kinetree.simulation.cache_key`.
    """

    method: str
    forces: int
    held: bool = False
    external: bool = False
    own: bool = True

    @property
    def signature(self) -> str:
        held = f", tau({self.forces})" * self.held
        loads = ", external(nbodies,6)" * self.external
        results = f"next_q(nq), next_qd(nv), qdd(nv), forces({self.forces})"
        return f"t(), h(), q(nq), qd(nv){held}{loads} -> {results}"

    @property
    def recipe(self) -> str | None:
        return repr(self) if self.own else None

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
    own: bool = True

    @property
    def signature(self) -> str:
        return f"t(), q(nq), qd(nv), memory({self.kept}) -> tau({self.forces}), kept({self.kept})"

    @property
    def recipe(self) -> str | None:
        return repr(self) if self.own else None

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
    own: bool = True

    @property
    def signature(self) -> str:
        return f"{self._plain.signature.split('->')[0]}-> next_q(nq), next_qd(nv), error_q(nq), error_qd(nv)"

    @property
    def _plain(self) -> Step:
        return Step("rk4", self.forces, self.held, self.external)

    @property
    def recipe(self) -> str | None:
        return repr(self) if self.own else None

    @property
    def __name__(self) -> str:
        return "step_adaptive"

    def __call__(self, system: System, t: Any, h: Any, q: Any, qd: Any, *rest: Any) -> Any:
        external, forces = _external_and_forces(self, system, rest)
        next_q, next_qd, error = dormand_prince(system, t, h, q, qd, forces, external)
        return *system.closed(next_q, next_qd), error[: system.nq], error[system.nq :]
