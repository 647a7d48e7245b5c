"""The algorithms by name: what each takes, what it gives, and which further inputs it knows.

A `Variant` is one algorithm with a choice of further inputs; it is what gets compiled. The algorithms themselves are
loaded when they are traced; code from the cache needs none of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Algorithm:
    """A function over scalars with its signature and its optional inputs.

    Args:
        place: the module and the name of the function, which takes the robot and one argument for each input.
        inputs, results: their names and shapes.
        external: whether it knows loads on the bodies.
        base: whether it knows a prescribed motion of the base.
        rates: whether it needs to know how loads and base accelerations change.
    """

    place: tuple[str, str]
    inputs: str
    results: str
    external: bool = False
    base: bool = False
    rates: bool = False

    @property
    def function(self) -> Callable[..., Any]:
        """The algorithm itself."""
        module, name = self.place
        return getattr(importlib.import_module(module), name)


def _algorithm(module: str, *rest: Any, name: str | None = None) -> Algorithm:
    """An algorithm of the file with this name; the function is called like the file unless said otherwise."""
    return Algorithm((f"kinetree.algorithms.{module}", name or module), *rest)


def _sensitivity(module: str, *rest: Any, name: str | None = None) -> Algorithm:
    return Algorithm((f"kinetree.sensitivities.{module}", name or module), *rest)


_MOTION = "q(nq), qd(nv), qdd(nv)"
_JERK = f"{_MOTION}, qddd(nv)"

CATALOGUE: dict[str, Algorithm] = {
    "inverse_dynamics": _algorithm("inverse_dynamics", _MOTION, "tau(nv)", True, True),
    "forward_dynamics": _algorithm("forward_dynamics", "q(nq), qd(nv), tau(nv)", "qdd(nv)", True, True),
    "mass_matrix": _algorithm("mass_matrix", "q(nq)", "M(nv,nv)"),
    "bias_forces": _algorithm("bias_forces", "q(nq), qd(nv)", "h(nv)", True, True),
    "gravity_forces": _algorithm("bias_forces", "q(nq)", "g(nv)", True, name="gravity_forces"),
    "joint_wrenches": _algorithm("joint_wrenches", _MOTION, "w(nbodies,6)", True, True),
    "pose": _algorithm("kinematics", "q(nq)", "X(4,4)", name="pose"),
    "jacobian": _algorithm("kinematics", "q(nq)", "J(6,nv)", name="jacobian"),
    "kinetic_energy": _algorithm("energy", "q(nq), qd(nv)", "T()", False, True, name="kinetic_energy"),
    "potential_energy": _algorithm("energy", "q(nq)", "V()", name="potential_energy"),
    "rates": _algorithm("kinematics", "q(nq), qd(nv)", "dq(nq)", name="rates"),
    "regressor": _algorithm("regressor", _MOTION, "Y(nv,nparameters)", False, True),
    "force_rates": _algorithm("force_rates", _JERK, "taud(nv)", True, True, True),
    "forces_and_rates": _algorithm(
        "force_rates", _JERK, "tau(nv), taud(nv)", True, True, True, name="forces_and_rates"
    ),
    "inverse_dynamics_derivatives": _algorithm(
        "inverse_dynamics_derivatives", _MOTION, "dtau_dq(nv,nv), dtau_dqd(nv,nv), M(nv,nv)", True, True
    ),
    "forward_dynamics_derivatives": _algorithm(
        "forward_dynamics_derivatives",
        "q(nq), qd(nv), tau(nv)",
        "dqdd_dq(nv,nv), dqdd_dqd(nv,nv), Minv(nv,nv)",
        True,
        True,
    ),
    "joint_wrench_derivatives": _algorithm(
        "joint_wrench_derivatives",
        _MOTION,
        "dw_dq(nbodies,6,nv), dw_dqd(nbodies,6,nv), dw_dqdd(nbodies,6,nv)",
        True,
        True,
    ),
    "force_rate_derivatives": _sensitivity(
        "force_rate_derivatives",
        _JERK,
        "dtaud_dq(nv,nv), dtaud_dqd(nv,nv), dtaud_dqdd(nv,nv), dtaud_dqddd(nv,nv)",
        True,
        True,
        True,
    ),
    "inverse_dynamics_hessian_product": _sensitivity(
        "hessian_product",
        f"{_MOTION}, weights(nv)",
        "H(3*nv,3*nv)",
        True,
        True,
        name="inverse_dynamics_hessian_product",
    ),
}

# Joint forces alone, so that regrouped inertias give the same for less. Direct dynamics keeps the inertias as they are:
# regrouped ones would save it 6 to 10 % of the operations, but a heavy tip on a light arm would lose a digit.
REGROUPED = frozenset((
    "inverse_dynamics", "mass_matrix", "bias_forces", "gravity_forces", "force_rates", "forces_and_rates",
    "inverse_dynamics_derivatives", "force_rate_derivatives", "inverse_dynamics_hessian_product",
    "free_base_inverse_dynamics",
))  # fmt: skip


# algorithms that not every robot has, or that must be told more than a frame
PARTICULAR: dict[str, Algorithm] = {
    "hybrid_dynamics": _algorithm(
        "hybrid_dynamics", "q(nq), qd(nv), given(nv)", "qdd(nv), tau(nv)", True, True
    ),
    "free_base_inverse_dynamics": _algorithm(
        "free_base", "q(nq), qd(nv), qdd_joints(nv-nbase)", "base_acceleration(nbase), tau(nv-nbase)", True,
        name="free_base_inverse_dynamics",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """An algorithm with a choice of frame, external loads, prescribed base motion and joints whose force is known."""

    name: str
    frame: str | None = None
    external: bool = False
    base: bool = False
    known_forces: tuple[str, ...] | None = None

    @property
    def algorithm(self) -> Algorithm:
        return CATALOGUE.get(self.name) or PARTICULAR[self.name]

    @property
    def signature(self) -> str:
        algorithm = self.algorithm
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

    def __call__(self, robot: Any, *args: Any) -> Any:
        algorithm = self.algorithm
        options: dict[str, Any] = {} if self.frame is None else {"frame": self.frame}
        if self.known_forces is not None:
            options["known_forces"] = self.known_forces
        inputs = list(args)
        if self.base:
            from kinetree.algorithms.base_motion import BaseMotion

            count = 3 if algorithm.rates else 2
            options["base"] = BaseMotion.prescribed(robot, *inputs[-count:])
            del inputs[-count:]
        if self.external:
            if algorithm.rates:
                options["external_rate"] = inputs.pop()
            options["external"] = inputs.pop()
        if self.name in REGROUPED:
            from kinetree.model.regroup import regrouped

            robot = regrouped(robot, base_moves=self.base)
        return algorithm.function(robot, *inputs, **options)
