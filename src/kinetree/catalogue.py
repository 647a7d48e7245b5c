"""The algorithms by name: what each takes, what it gives, and which optional inputs it has.

A `Variant` is one algorithm with a choice of optional inputs; it is what gets compiled. The algorithms themselves are
imported when they are traced; code from the cache needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from kinetree.lower.operand import Operand
from kinetree.model import Mechanism
from kinetree.signature import Signature, parse


@dataclass(frozen=True)
class Algorithm:
    """The signature of a function over scalars, and its optional inputs.

    Args:
        text: the signature.
        external: whether it takes external wrenches on the bodies.
        base: whether it takes a prescribed motion of the base.
        rates: whether it also takes the rates of external wrenches and of base accelerations.
        regrouped: whether it runs on regrouped inertias; see `Variant.model`.
    """

    text: str
    external: bool = False
    base: bool = False
    rates: bool = False
    regrouped: bool = False


_MOTION = "q(nq), qd(nv), qdd(nv)"
_JERK = f"{_MOTION}, qddd(nv)"

CATALOGUE: dict[str, Algorithm] = {
    "inverse_dynamics": Algorithm(f"{_MOTION} -> tau(nv)", external=True, base=True, regrouped=True),
    # on the inertias as they are: regrouped ones would save 6 to 10 % of the operations, but a heavy tip on a light arm
    # would lose a digit
    "forward_dynamics": Algorithm("q(nq), qd(nv), tau(nv) -> qdd(nv)", external=True, base=True),
    "mass_matrix": Algorithm("q(nq) -> M(nv,nv)", regrouped=True),
    "bias_forces": Algorithm("q(nq), qd(nv) -> h(nv)", external=True, base=True, regrouped=True),
    "gravity_forces": Algorithm("q(nq) -> g(nv)", external=True, regrouped=True),
    "joint_wrenches": Algorithm(f"{_MOTION} -> w(nbodies,6)", external=True, base=True),
    "pose": Algorithm("q(nq) -> X(4,4)"),
    "jacobian": Algorithm("q(nq) -> J(6,nv)"),
    "kinetic_energy": Algorithm("q(nq), qd(nv) -> T()", base=True),
    "potential_energy": Algorithm("q(nq) -> V()"),
    "rates": Algorithm("q(nq), qd(nv) -> dq(nq)"),
    "integrate": Algorithm("q(nq), v(nv), dt() -> q1(nq)"),
    "difference": Algorithm("q0(nq), q1(nq) -> v(nv)"),
    "frame_velocity": Algorithm("q(nq), qd(nv) -> twist(6)"),
    "frame_acceleration": Algorithm(f"{_MOTION} -> acceleration(6)"),
    "jacobian_rate": Algorithm("q(nq), qd(nv) -> Jd(6,nv)"),
    "center_of_mass": Algorithm("q(nq) -> c(3)"),
    "momentum": Algorithm("q(nq), qd(nv), about(3) -> momentum(6)"),
    "centroidal_momentum": Algorithm("q(nq), qd(nv) -> momentum(6)"),
    "centroidal_momentum_matrix": Algorithm("q(nq) -> A(6,nv)"),
    "coriolis_matrix": Algorithm("q(nq), qd(nv) -> C(nv,nv)", regrouped=True),
    "regressor": Algorithm(f"{_MOTION} -> Y(nv,nparameters)", base=True),
    "force_rates": Algorithm(f"{_JERK} -> taud(nv)", external=True, base=True, rates=True, regrouped=True),
    "forces_and_rates": Algorithm(
        f"{_JERK} -> tau(nv), taud(nv)", external=True, base=True, rates=True, regrouped=True
    ),
    "inverse_dynamics_derivatives": Algorithm(
        f"{_MOTION} -> dtau_dq(nv,nv), dtau_dqd(nv,nv), M(nv,nv)", external=True, base=True, regrouped=True
    ),
    "forward_dynamics_derivatives": Algorithm(
        "q(nq), qd(nv), tau(nv) -> dqdd_dq(nv,nv), dqdd_dqd(nv,nv), Minv(nv,nv)", external=True, base=True
    ),
    "joint_wrench_derivatives": Algorithm(
        f"{_MOTION} -> dw_dq(nbodies,6,nv), dw_dqd(nbodies,6,nv), dw_dqdd(nbodies,6,nv)", external=True, base=True
    ),
    "force_rate_derivatives": Algorithm(
        f"{_JERK} -> dtaud_dq(nv,nv), dtaud_dqd(nv,nv), dtaud_dqdd(nv,nv), dtaud_dqddd(nv,nv)",
        external=True, base=True, rates=True, regrouped=True,
    ),
    "inverse_dynamics_hessian_product": Algorithm(
        f"{_MOTION}, weights(nv) -> H(3*nv,3*nv)", external=True, base=True, regrouped=True
    ),
}  # fmt: skip

# algorithms that not every robot has, or that need to know more than a frame
PARTICULAR: dict[str, Algorithm] = {
    "hybrid_dynamics": Algorithm("q(nq), qd(nv), given(nv) -> qdd(nv), tau(nv)", external=True, base=True),
    "free_base_inverse_dynamics": Algorithm(
        "q(nq), qd(nv), qdd_joints(nv-nbase) -> base_acceleration(nbase), tau(nv-nbase)", external=True, regrouped=True
    ),
}


@cache
def function_of(name: str) -> Callable[..., Any]:
    """The algorithm of this name; its module alone is imported."""
    match name:
        case "bias_forces" | "gravity_forces":
            from kinetree.algorithms import bias_forces as module
        case "pose" | "jacobian" | "rates" | "integrate" | "difference":
            from kinetree.algorithms import kinematics as module
        case "frame_velocity" | "frame_acceleration" | "jacobian_rate":
            from kinetree.algorithms import frame_motion as module
        case "center_of_mass" | "momentum" | "centroidal_momentum" | "centroidal_momentum_matrix":
            from kinetree.algorithms import momentum as module
        case "coriolis_matrix":
            from kinetree.algorithms import coriolis_matrix as module
        case "kinetic_energy" | "potential_energy":
            from kinetree.algorithms import energy as module
        case "force_rates" | "forces_and_rates":
            from kinetree.algorithms import force_rates as module
        case "inverse_dynamics":
            from kinetree.algorithms import inverse_dynamics as module
        case "forward_dynamics":
            from kinetree.algorithms import forward_dynamics as module
        case "mass_matrix":
            from kinetree.algorithms import mass_matrix as module
        case "joint_wrenches":
            from kinetree.algorithms import joint_wrenches as module
        case "regressor":
            from kinetree.algorithms import regressor as module
        case "inverse_dynamics_derivatives":
            from kinetree.algorithms import inverse_dynamics_derivatives as module
        case "forward_dynamics_derivatives":
            from kinetree.algorithms import forward_dynamics_derivatives as module
        case "joint_wrench_derivatives":
            from kinetree.algorithms import joint_wrench_derivatives as module
        case "force_rate_derivatives":
            from kinetree.derivatives import force_rate_derivatives as module
        case "inverse_dynamics_hessian_product":
            from kinetree.derivatives import hessian_product as module
        case "hybrid_dynamics":
            from kinetree.algorithms import hybrid_dynamics as module
        case _:
            from kinetree.algorithms import free_base as module
    return getattr(module, name)


def load_operands(robot: Any, external: bool, base: bool, rates: bool) -> list[Operand]:
    """The operands of external wrenches and of a prescribed base, perhaps with their rates."""
    names = ["external"] * external + ["external_rate"] * (external and rates)
    motion = ["base_velocity", "base_acceleration"] * base + ["base_jerk"] * (base and rates)
    return [*(Operand(name, (robot.nbodies, 6)) for name in names), *(Operand(name, (6,)) for name in motion)]


def with_loads(
    robot: Any, args: Sequence[Any], external: bool, base: bool, rates: bool
) -> tuple[list[Any], dict[str, Any]]:
    """An algorithm's own arguments, and the options that the last ones of args make: see `load_operands`."""
    inputs, options = list(args), {}
    if base:
        from kinetree.algorithms.base_motion import BaseMotion

        count = 3 if rates else 2
        options["base"] = BaseMotion.prescribed(robot, *inputs[-count:])
        del inputs[-count:]
    if external and rates:
        options["external_rate"] = inputs.pop()
    if external:
        options["external"] = inputs.pop()
    return inputs, options


FRAMED = ("pose", "jacobian", "frame_velocity", "frame_acceleration", "jacobian_rate")  # quantities of a named frame


@dataclass(frozen=True)
class Variant:
    """An algorithm with a choice of frame, external wrenches, prescribed base motion and joints with known forces."""

    name: str
    frame: str | None = None
    external: bool = False
    base: bool = False
    known_forces: tuple[str, ...] | None = None

    @property
    def algorithm(self) -> Algorithm:
        return CATALOGUE.get(self.name) or PARTICULAR[self.name]

    def signature(self, robot: Any) -> Signature:
        """Of the algorithm, with the operands of the optional inputs."""
        algorithm = self.algorithm
        return parse(algorithm.text, robot).taking(*load_operands(robot, self.external, self.base, algorithm.rates))

    @property
    def __name__(self) -> str:
        return self.name

    def model(self, robot: Mechanism) -> Mechanism:
        """The model that the algorithm runs on: the robot, or one with regrouped inertias.

        Regrouping moves inertial parameters that no joint force tells apart to the parent bodies, so that many become
        zero. Joint forces are the same for fewer operations; wrenches inside the joints are not, so that algorithms
        which give them keep the robot as it is.
        """
        if not self.algorithm.regrouped:
            return robot
        from kinetree.model.regroup import regrouped

        return regrouped(robot, base_moves=self.base)

    def __call__(self, robot: Any, *args: Any) -> Any:
        inputs, options = with_loads(robot, args, self.external, self.base, self.algorithm.rates)
        if self.frame is not None:
            options["frame"] = self.frame
        if self.known_forces is not None:
            options["known_forces"] = self.known_forces
        return function_of(self.name)(self.model(robot), *inputs, **options)
