"""The algorithms of closed chains by name, as the door to compiled code wants them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.closed_chain import Drives

_CHAIN, _PARALLEL = "kinetree.algorithms.closed_chain", "kinetree.algorithms.parallel_robot"
_DERIVATIVES = "kinetree.sensitivities.closed_chain_derivatives"
_MOTION = "q(nq), qd({n}), qdd({n})"

# module, function, inputs and results; n independent velocities, a actuated ones, m loops
ALGORITHMS: dict[str, tuple[str, str, str, str]] = {
    "step": (_CHAIN, "closing_step", "q(nq), damping()", "following(nq), error()"),
    "velocities": (_CHAIN, "closed_velocities", "q(nq), qd({n})", "qd(nv), margin()"),
    "accelerations": (_CHAIN, "closed_accelerations", _MOTION, "qdd(nv), margin()"),
    "inverse_dynamics": (_CHAIN, "closed_inverse_dynamics", _MOTION, "tau({a}), margin()"),
    "loop_wrenches": (_CHAIN, "loop_wrenches", _MOTION, "w({m},6), margin()"),
    "joint_wrenches": (_CHAIN, "closed_joint_wrenches", _MOTION, "w(nbodies,6), margin()"),
    "forward_dynamics": (
        _CHAIN,
        "closed_forward_dynamics",
        "q(nq), qd(nv), tau({a}), stabilisation()",
        "qdd(nv), margin()",
    ),
    "inverse_dynamics_derivatives": (
        _DERIVATIVES,
        "closed_inverse_dynamics_derivatives",
        _MOTION,
        "dtau_dq({a},{n}), dtau_dqd({a},{n}), M({a},{n}), margin()",
    ),
    "platform_inverse_dynamics": (
        _PARALLEL,
        "parallel_inverse_dynamics",
        "q(nq), twist(6), acceleration(6)",
        "tau({a}), margin()",
    ),
    "platform_forward_dynamics": (
        _PARALLEL,
        "parallel_forward_dynamics",
        "q(nq), twist(6), tau({a})",
        "acceleration(6), margin()",
    ),
    "platform_motion": (_PARALLEL, "platform_motion", "q(nq), twist(6), acceleration(6)", "qd(nv), qdd(nv), margin()"),
    "platform_jacobian": (_PARALLEL, "parallel_jacobian", "q(nq)", "J(6,{n}), margin()"),
}


@dataclass(frozen=True)
class ChainVariant:
    """An algorithm of closed chains with its drives and, for parallel robots, the number of the platform."""

    name: str
    drives: Drives
    loops: int
    external: bool = False
    platform: int | None = None

    @property
    def signature(self) -> str:
        _, _, inputs, results = ALGORITHMS[self.name]
        sizes = {"n": len(self.drives.independent), "a": len(self.drives.actuated), "m": self.loops}
        loads = ", external(nbodies,6)" * self.external
        return f"{inputs}{loads} -> {results}".format(**sizes)

    @property
    def recipe(self) -> str:
        """Names this variant for the cache of compiled code."""
        return repr(self)

    @property
    def __name__(self) -> str:
        return f"closed_{self.name}"

    def __call__(self, robot: Any, *args: Any) -> Any:
        module, name, _, _ = ALGORITHMS[self.name]
        function = getattr(importlib.import_module(module), name)
        inputs = list(args)
        options: dict[str, Any] = {"external": inputs.pop()} if self.external else {}
        if self.platform is not None:
            options["platform"] = self.platform
        return function(robot, *inputs, drives=self.drives, **options)
