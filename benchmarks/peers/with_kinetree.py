"""Kinetree itself: one call for a state and for a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol import FORWARD, FORWARD_DERIVATIVES, INVERSE, INVERSE_DERIVATIVES, MASS, Way, run

import kinetree as kt


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    robot = kt.Robot.from_urdf(urdf, strict=False)
    kt.threads(1)

    def one(call):
        return Way(call, call, "the same call with arrays of states")

    return robot.joint_names, {
        INVERSE: one(lambda q, qd, qdd: robot.inverse_dynamics(q, qd, qdd)),
        FORWARD: one(lambda q, qd, tau: robot.forward_dynamics(q, qd, tau)),
        MASS: one(lambda q, _, __: robot.mass_matrix(q)),
        INVERSE_DERIVATIVES: one(lambda q, qd, qdd: robot.inverse_dynamics_derivatives(q, qd, qdd)[:2]),
        FORWARD_DERIVATIVES: one(lambda q, qd, tau: robot.forward_dynamics_derivatives(q, qd, tau)[:2]),
    }


if __name__ == "__main__":
    run(functions, "kinetree", "numpy", "llvmlite")
