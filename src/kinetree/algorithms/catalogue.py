"""The algorithms by name: what each takes, what it gives, and which further inputs it knows.

A `Variant` is one algorithm with a choice of further inputs; it is what gets compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.bias_forces import bias_forces, gravity_forces
from kinetree.algorithms.energy import kinetic_energy, potential_energy
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.algorithms.kinematics import jacobian, pose, rates
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.algorithms.root import Root
from kinetree.model.mechanism import Mechanism


@dataclass(frozen=True)
class Algorithm:
    """A function over scalars with its signature and its optional inputs."""

    function: Callable[..., Any]
    inputs: str
    result: str
    external: bool = False
    base: bool = False


EXTERNAL = "external(nbodies,6)"
BASE = "base_velocity(6), base_acceleration(6)"

CATALOGUE: dict[str, Algorithm] = {
    "inverse_dynamics": Algorithm(inverse_dynamics, "q(nq), qd(nv), qdd(nv)", "tau(nv)", True, True),
    "forward_dynamics": Algorithm(forward_dynamics, "q(nq), qd(nv), tau(nv)", "qdd(nv)", True, True),
    "mass_matrix": Algorithm(mass_matrix, "q(nq)", "M(nv,nv)"),
    "bias_forces": Algorithm(bias_forces, "q(nq), qd(nv)", "h(nv)", True, True),
    "gravity_forces": Algorithm(gravity_forces, "q(nq)", "g(nv)", True),
    "joint_wrenches": Algorithm(joint_wrenches, "q(nq), qd(nv), qdd(nv)", "w(nbodies,6)", True, True),
    "pose": Algorithm(pose, "q(nq)", "X(4,4)"),
    "jacobian": Algorithm(jacobian, "q(nq)", "J(6,nv)"),
    "kinetic_energy": Algorithm(kinetic_energy, "q(nq), qd(nv)", "T()", False, True),
    "potential_energy": Algorithm(potential_energy, "q(nq)", "V()"),
    "rates": Algorithm(rates, "q(nq), qd(nv)", "dq(nq)"),
}


@dataclass(frozen=True)
class Variant:
    """An algorithm with a choice of frame, external loads and prescribed base motion."""

    name: str
    frame: str | None = None
    external: bool = False
    base: bool = False

    @property
    def signature(self) -> str:
        algorithm = CATALOGUE[self.name]
        inputs = [algorithm.inputs, *[EXTERNAL] * self.external, *[BASE] * self.base]
        return f"{', '.join(inputs)} -> {algorithm.result}"

    @property
    def recipe(self) -> str:
        """Names this variant for the cache of compiled code."""
        return repr(self)

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, robot: Mechanism, *args: Any) -> Any:
        options: dict[str, Any] = {} if self.frame is None else {"frame": self.frame}
        inputs = list(args)
        if self.base:
            acceleration, velocity = inputs.pop(), inputs.pop()
            options["base"] = Root.moving(robot, velocity, acceleration)
        if self.external:
            options["external"] = inputs.pop()
        return CATALOGUE[self.name].function(robot, *inputs, **options)
