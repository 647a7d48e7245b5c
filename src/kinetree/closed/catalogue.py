"""The algorithms of closed chains by name: what each takes and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms import closed_chain, parallel_robot
from kinetree.algorithms.closed_chain import Actuation
from kinetree.catalogue import load_operands, with_loads
from kinetree.signature import Signature, parse


def _derivative(name: str) -> Callable[..., Any]:
    """A function of `derivatives`, imported when it is first traced."""

    def traced(*args: Any, **options: Any) -> Any:
        from kinetree.derivatives import closed_chain_derivatives, parallel_robot_derivatives

        module = parallel_robot_derivatives if name.startswith("parallel") else closed_chain_derivatives
        return getattr(module, name)(*args, **options)

    return traced


_MOTION, _PLATFORM = "q(nq), qd(n), qdd(n)", "q(nq), twist(6), acceleration(6)"
# functions and signatures; n independent velocities, a actuated ones, m loops with e equations
ALGORITHMS: dict[str, tuple[Callable[..., Any], str]] = {
    "step": (closed_chain.closing_step, "q(nq), damping() -> following(nq), error()"),
    "constraint_jacobian": (closed_chain.constraint_jacobian, "q(nq) -> J(e,nv), error()"),
    "velocities": (closed_chain.closed_velocities, "q(nq), qd(n) -> qd(nv), margin()"),
    "accelerations": (closed_chain.closed_accelerations, f"{_MOTION} -> qdd(nv), margin()"),
    "inverse_dynamics": (closed_chain.closed_inverse_dynamics, f"{_MOTION} -> tau(a), margin()"),
    "loop_wrenches": (closed_chain.loop_wrenches, f"{_MOTION} -> w(m,6), margin()"),
    "joint_wrenches": (closed_chain.closed_joint_wrenches, f"{_MOTION} -> w(nbodies,6), margin()"),
    "forward_dynamics": (
        closed_chain.closed_forward_dynamics, "q(nq), qd(nv), tau(a), stabilisation() -> qdd(nv), margin()"
    ),
    "inverse_dynamics_derivatives": (
        _derivative("closed_inverse_dynamics_derivatives"),
        f"{_MOTION} -> dtau_dq(a,n), dtau_dqd(a,n), M(a,n), margin()",
    ),
    "forward_dynamics_derivatives": (
        _derivative("closed_forward_dynamics_derivatives"),
        "q(nq), qd(n), tau(a) -> dqdd_dq(n,n), dqdd_dqd(n,n), dqdd_dtau(n,a), margin()",
    ),
    "force_rates": (_derivative("closed_force_rates"), f"{_MOTION}, qddd(n) -> taud(a), margin()"),
    "platform_inverse_dynamics": (parallel_robot.parallel_inverse_dynamics, f"{_PLATFORM} -> tau(a), margin()"),
    "platform_forward_dynamics": (
        parallel_robot.parallel_forward_dynamics, "q(nq), twist(6), tau(a) -> acceleration(6), margin()"
    ),
    "platform_inverse_dynamics_derivatives": (
        _derivative("parallel_inverse_dynamics_derivatives"),
        f"{_PLATFORM} -> dtau_dpose(a,6), dtau_dtwist(a,6), dtau_dacceleration(a,6), margin()",
    ),
    "platform_forward_dynamics_derivatives": (
        _derivative("parallel_forward_dynamics_derivatives"),
        "q(nq), twist(6), tau(a) -> dacceleration_dpose(6,6), dacceleration_dtwist(6,6), dacceleration_dtau(6,a),"
        " margin()",
    ),
    "platform_motion": (parallel_robot.platform_motion, f"{_PLATFORM} -> qd(nv), qdd(nv), margin()"),
    "possible_motion": (parallel_robot.possible_motion, f"{_PLATFORM} -> twist(6), acceleration(6)"),
    "platform_jacobian": (parallel_robot.parallel_jacobian, "q(nq) -> J(6,n), margin()"),
}  # fmt: skip

# those that know no forces: no external loads, and no motion of the base
KINEMATICS = (
    "step", "constraint_jacobian", "velocities", "accelerations", "platform_motion", "possible_motion",
    "platform_jacobian",
)  # fmt: skip


@dataclass(frozen=True)
class ChainVariant:
    """An algorithm of closed chains with its actuators and, for parallel robots, the index of the platform."""

    name: str
    actuation: Actuation
    external: bool = False
    platform: int | None = None
    base: bool = False

    @property
    def _loads(self) -> tuple[bool, bool, bool]:
        """Whether it takes external wrenches, a prescribed base, and the rates of both."""
        return self.external, self.base, self.name == "force_rates"

    def signature(self, robot: Any) -> Signature:
        sizes = {"n": len(self.actuation.independent), "a": len(self.actuation.actuated), "m": len(robot.loops)}
        sizes["e"] = sum(6 - loop.kind.nv for loop in robot.loops) + len(robot.couplings)
        return parse(ALGORITHMS[self.name][1], robot, **sizes).taking(*load_operands(robot, *self._loads))

    @property
    def __name__(self) -> str:
        return f"closed_{self.name}"

    def __call__(self, robot: Any, *args: Any) -> Any:
        inputs, options = with_loads(robot, args, *self._loads)
        if self.platform is not None:
            options["platform"] = self.platform
        return ALGORITHMS[self.name][0](robot, *inputs, actuation=self.actuation, **options)
