"""The algorithms of closed chains by name: what each takes and what it gives."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.closed_chain import Actuation
from kinetree.lower.operand import Operand
from kinetree.signature import Signature, parse

_CHAIN, _PARALLEL = "kinetree.algorithms.closed_chain", "kinetree.algorithms.parallel_robot"
_DERIVATIVES = "kinetree.derivatives.closed_chain_derivatives"
_MOTION = "q(nq), qd(n), qdd(n)"

# module, function and signature; n independent velocities, a actuated ones, m loops
ALGORITHMS: dict[str, tuple[str, str, str]] = {
    "step": (_CHAIN, "closing_step", "q(nq), damping() -> following(nq), error()"),
    "velocities": (_CHAIN, "closed_velocities", "q(nq), qd(n) -> qd(nv), margin()"),
    "accelerations": (_CHAIN, "closed_accelerations", f"{_MOTION} -> qdd(nv), margin()"),
    "inverse_dynamics": (_CHAIN, "closed_inverse_dynamics", f"{_MOTION} -> tau(a), margin()"),
    "loop_wrenches": (_CHAIN, "loop_wrenches", f"{_MOTION} -> w(m,6), margin()"),
    "joint_wrenches": (_CHAIN, "closed_joint_wrenches", f"{_MOTION} -> w(nbodies,6), margin()"),
    "forward_dynamics": (
        _CHAIN,
        "closed_forward_dynamics",
        "q(nq), qd(nv), tau(a), stabilisation() -> qdd(nv), margin()",
    ),
    "inverse_dynamics_derivatives": (
        _DERIVATIVES,
        "closed_inverse_dynamics_derivatives",
        f"{_MOTION} -> dtau_dq(a,n), dtau_dqd(a,n), M(a,n), margin()",
    ),
    "platform_inverse_dynamics": (
        _PARALLEL,
        "parallel_inverse_dynamics",
        "q(nq), twist(6), acceleration(6) -> tau(a), margin()",
    ),
    "platform_forward_dynamics": (
        _PARALLEL,
        "parallel_forward_dynamics",
        "q(nq), twist(6), tau(a) -> acceleration(6), margin()",
    ),
    "platform_motion": (
        _PARALLEL,
        "platform_motion",
        "q(nq), twist(6), acceleration(6) -> qd(nv), qdd(nv), margin()",
    ),
    "platform_jacobian": (_PARALLEL, "parallel_jacobian", "q(nq) -> J(6,n), margin()"),
}


@dataclass(frozen=True)
class ChainVariant:
    """An algorithm of closed chains with its actuators and, for parallel robots, the index of the platform."""

    name: str
    actuation: Actuation
    external: bool = False
    platform: int | None = None

    def signature(self, robot: Any) -> Signature:
        sizes = {"n": len(self.actuation.independent), "a": len(self.actuation.actuated), "m": len(robot.loops)}
        signature = parse(ALGORITHMS[self.name][2], robot, **sizes)
        return signature.taking(*[Operand("external", (robot.nbodies, 6))] * self.external)

    @property
    def __name__(self) -> str:
        return f"closed_{self.name}"

    def __call__(self, robot: Any, *args: Any) -> Any:
        module, name, _ = ALGORITHMS[self.name]
        function = getattr(importlib.import_module(module), name)
        inputs = list(args)
        options: dict[str, Any] = {"external": inputs.pop()} if self.external else {}
        if self.platform is not None:
            options["platform"] = self.platform
        return function(robot, *inputs, actuation=self.actuation, **options)
