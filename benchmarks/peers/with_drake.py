"""Drake: MultibodyPlant in a loop; derivatives through its automatic differentiation."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from protocol import FORWARD, FORWARD_DERIVATIVES, INVERSE, INVERSE_DERIVATIVES, MASS, Way, run
from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, InitializeAutoDiff
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces, MultibodyForces_


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    plant = MultibodyPlant(0.0)
    (robot,) = Parser(plant).AddModels(urdf)
    tree = ET.parse(urdf)
    (root,) = {x.get("name") for x in tree.iter("link")} - {x.get("link") for x in tree.iter("child")}
    if root != "world":  # a link of this name is Drake's world
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(root))
    plant.Finalize()
    dual = plant.ToAutoDiffXd()
    n, context, dual_context = plant.num_velocities(), plant.CreateDefaultContext(), dual.CreateDefaultContext()

    def inverse(q: Any, v: Any, a: Any) -> Any:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)  # gravity
        return plant.CalcInverseDynamics(context, a, forces)

    def forward(q: Any, v: Any, tau: Any) -> Any:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        plant.get_applied_generalized_force_input_port().FixValue(context, tau)
        return plant.get_generalized_acceleration_output_port().Eval(context)

    def mass(q: Any, _: Any, __: Any) -> Any:
        plant.SetPositions(context, q)
        return plant.CalcMassMatrix(context)

    def state(q: Any, v: Any) -> None:
        both = InitializeAutoDiff(np.concatenate([q, v]))
        dual.SetPositionsAndVelocities(dual_context, both[:, 0])

    def inverse_derivatives(q: Any, v: Any, a: Any) -> Any:
        state(q, v)
        forces = MultibodyForces_[AutoDiffXd](dual)
        dual.CalcForceElementsContribution(dual_context, forces)
        gradient = ExtractGradient(dual.CalcInverseDynamics(dual_context, np.array([*map(AutoDiffXd, a)]), forces))
        return gradient[:, :n], gradient[:, n:]

    def forward_derivatives(q: Any, v: Any, tau: Any) -> Any:
        state(q, v)
        dual.get_applied_generalized_force_input_port().FixValue(dual_context, tau)
        gradient = ExtractGradient(dual.get_generalized_acceleration_output_port().Eval(dual_context))
        return gradient[:, :n], gradient[:, n:]

    joints = sorted((plant.get_joint(i) for i in plant.GetJointIndices(robot)), key=lambda j: j.velocity_start())
    return [j.name() for j in joints if j.num_velocities()], {
        INVERSE: Way(inverse),
        FORWARD: Way(forward),
        MASS: Way(mass),
        INVERSE_DERIVATIVES: Way(inverse_derivatives, how="a loop, AutoDiffXd"),
        FORWARD_DERIVATIVES: Way(forward_derivatives, how="a loop, AutoDiffXd"),
    }


if __name__ == "__main__":
    run(functions, "drake", "numpy")
