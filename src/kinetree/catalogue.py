"""The algorithms by name: what each takes, what it gives, and which further inputs it knows.

A `Variant` is one algorithm with a choice of further inputs; it is what gets compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.bias_forces import bias_forces, gravity_forces
from kinetree.algorithms.energy import kinetic_energy, potential_energy
from kinetree.algorithms.force_rates import force_rates, forces_and_rates
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.forward_dynamics_derivatives import forward_dynamics_derivatives
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from kinetree.algorithms.joint_wrench_derivatives import joint_wrench_derivatives
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.algorithms.kinematics import jacobian, pose, rates
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.algorithms.regressor import regressor
from kinetree.algorithms.root import Root
from kinetree.model.mechanism import Mechanism
from kinetree.sensitivities.force_rate_derivatives import force_rate_derivatives
from kinetree.sensitivities.hessian_product import inverse_dynamics_hessian_product


@dataclass(frozen=True)
class Algorithm:
    """A function over scalars with its signature and its optional inputs.

    Args:
        function: takes the robot and one argument for each input.
        inputs, results: their names and shapes.
        external: whether it knows loads on the bodies.
        base: whether it knows a prescribed motion of the base.
        rates: whether it needs to know how loads and base accelerations change.
    """

    function: Callable[..., Any]
    inputs: str
    results: str
    external: bool = False
    base: bool = False
    rates: bool = False


_MOTION = "q(nq), qd(nv), qdd(nv)"
_JERK = f"{_MOTION}, qddd(nv)"

CATALOGUE: dict[str, Algorithm] = {
    "inverse_dynamics": Algorithm(inverse_dynamics, _MOTION, "tau(nv)", True, True),
    "forward_dynamics": Algorithm(forward_dynamics, "q(nq), qd(nv), tau(nv)", "qdd(nv)", True, True),
    "mass_matrix": Algorithm(mass_matrix, "q(nq)", "M(nv,nv)"),
    "bias_forces": Algorithm(bias_forces, "q(nq), qd(nv)", "h(nv)", True, True),
    "gravity_forces": Algorithm(gravity_forces, "q(nq)", "g(nv)", True),
    "joint_wrenches": Algorithm(joint_wrenches, _MOTION, "w(nbodies,6)", True, True),
    "pose": Algorithm(pose, "q(nq)", "X(4,4)"),
    "jacobian": Algorithm(jacobian, "q(nq)", "J(6,nv)"),
    "kinetic_energy": Algorithm(kinetic_energy, "q(nq), qd(nv)", "T()", False, True),
    "potential_energy": Algorithm(potential_energy, "q(nq)", "V()"),
    "rates": Algorithm(rates, "q(nq), qd(nv)", "dq(nq)"),
    "regressor": Algorithm(regressor, _MOTION, "Y(nv,nparameters)", False, True),
    "force_rates": Algorithm(force_rates, _JERK, "taud(nv)", True, True, True),
    "forces_and_rates": Algorithm(forces_and_rates, _JERK, "tau(nv), taud(nv)", True, True, True),
    "inverse_dynamics_derivatives": Algorithm(
        inverse_dynamics_derivatives, _MOTION, "dtau_dq(nv,nv), dtau_dqd(nv,nv), M(nv,nv)", True, True
    ),
    "forward_dynamics_derivatives": Algorithm(
        forward_dynamics_derivatives,
        "q(nq), qd(nv), tau(nv)",
        "dqdd_dq(nv,nv), dqdd_dqd(nv,nv), Minv(nv,nv)",
        True,
        True,
    ),
    "joint_wrench_derivatives": Algorithm(
        joint_wrench_derivatives,
        _MOTION,
        "dw_dq(nbodies,6,nv), dw_dqd(nbodies,6,nv), dw_dqdd(nbodies,6,nv)",
        True,
        True,
    ),
    "force_rate_derivatives": Algorithm(
        force_rate_derivatives,
        _JERK,
        "dtaud_dq(nv,nv), dtaud_dqd(nv,nv), dtaud_dqdd(nv,nv), dtaud_dqddd(nv,nv)",
        True,
        True,
        True,
    ),
    "inverse_dynamics_hessian_product": Algorithm(
        inverse_dynamics_hessian_product, f"{_MOTION}, weights(nv)", "H(3*nv,3*nv)", True, True
    ),
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
        inputs = [algorithm.inputs]
        if self.external:
            inputs += ["external(nbodies,6)", *["external_rate(nbodies,6)"] * algorithm.rates]
        if self.base:
            inputs += ["base_velocity(6), base_acceleration(6)", *["base_jerk(6)"] * algorithm.rates]
        return f"{', '.join(inputs)} -> {algorithm.results}"

    @property
    def recipe(self) -> str:
        """Names this variant for the cache of compiled code."""
        return repr(self)

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, robot: Mechanism, *args: Any) -> Any:
        algorithm = CATALOGUE[self.name]
        options: dict[str, Any] = {} if self.frame is None else {"frame": self.frame}
        inputs = list(args)
        if self.base:
            count = 3 if algorithm.rates else 2
            options["base"] = Root.moving(robot, *inputs[-count:])
            del inputs[-count:]
        if self.external:
            if algorithm.rates:
                options["external_rate"] = inputs.pop()
            options["external"] = inputs.pop()
        return algorithm.function(robot, *inputs, **options)
