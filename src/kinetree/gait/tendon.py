"""Ankles whose muscles pull through a tendon: what the muscles shorten by, and the power that this takes.

A tendon of stiffness k is longer by tau / k than at rest, as an angle of the ankle, so the muscle in series turns by
q + tau / k for a moment tau that is positive in dorsiflexion. It gives the power

    P = tau (qd + d tau/dt / k):

what the tendon stores while the load rises and returns while it falls costs nothing, and more than that it cannot give.

Reference: [Hof1998].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.ground_reaction import GroundReaction
from kinetree.algorithms.kinematics import world_poses
from kinetree.gait.passive import passive_moments
from kinetree.gait.phases import FOOT_LOADS
from kinetree.gait.quantities import ANKLE, metabolic, reaction
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Vector
from kinetree.plan.quantity import Quantity
from kinetree.spatial import Vec3


@dataclass(frozen=True)
class AnklePower(Quantity):
    """What the mechanical work of the muscles of both ankles costs [W]; see `metabolic`.

    Args:
        height: of the ground [m].
        scale: of moments: mass times stature over those of the tables' man.
        stiffness: of the tendon [N m/rad], of the tables' man.
    """

    order, label = 3, "power of the ankles"
    needs_parameters = includes_contact = True
    height: float = 0.0
    scale: float = 1.0
    stiffness: float = 1.0

    def names(self, robot: Mechanism) -> list[str]:
        return ["metabolic power of the ankles"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        loads, rates = parameters[0][:FOOT_LOADS], parameters[0][FOOT_LOADS:]
        ankles = [k for k, name in enumerate(robot.joint_names) if ANKLE in name]
        against_ground = ankle_moments(robot, q, reaction(robot, q, qd, qdd, loads, self.height), ankles)
        passive = passive_moments(robot, q, qd)
        moments = [x - self.scale * passive[k] for x, k in zip(against_ground, ankles)]
        changing = [(x, d) for x, d in zip((*q, *qd, *qdd, *loads), (*qd, *qdd, *qddd, *rates)) if isinstance(x, Node)]
        stretch = [rate / (self.scale * self.stiffness) for rate in pushforward(moments, *zip(*changing))]
        powers = [moment * (qd[k] + x) for k, moment, x in zip(ankles, moments, stretch)]
        return [sum((metabolic(power, self.scale) for power in powers), 0.0)]


def ankle_moments(robot: Mechanism, q: Vector, ground: GroundReaction, ankles: Sequence[int]) -> list[Any]:
    """The moments of the ankles against the ground's forces on their feet, whose own mass counts for nothing [N m]."""
    X, found = world_poses(robot, q), []
    for k in ankles:
        ankle = next(i for i, own in enumerate(robot.v_slices) if k in range(robot.nv)[own])
        (axis,) = robot.bodies[ankle].joint.subspace(q[robot.q_slices[ankle]])
        moment: Any = 0.0
        for i, load in enumerate(ground.loads):
            if ankle in robot.path(i):
                about = Vec3.of(load[:3]) + (X[i].p - X[ankle].p).cross(Vec3.of(load[3:]))
                moment = moment - (X[ankle].R @ axis.ang).dot(about)
        found.append(moment)
    return found
