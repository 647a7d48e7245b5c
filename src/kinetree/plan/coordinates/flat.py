"""Elastic joints: curves of the links, from which the motors behind springs follow.

A robot whose joints are driven through springs is differentially flat: the motion of its links determines that of its
motors. With the spring force K (theta - q) = tau(q, qd, qdd), the force that the link needs,

    theta = q + tau / K,        thetad = qd + taud / K,        thetadd = qdd + taudd / K,

and the motor forces follow as for any robot, from the fourth derivative of q. Where the axis of a rotor is carried and
turned by an elastic joint, tau of that joint has thetad and thetadd of the rotor in it; motors are then found one
after the other from the tips on, and each such step needs two derivatives more.
Reference: [Hua] section II for the model; [Guarino] (3)-(21) for the rates of forces, here taken from the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.errors import InputError
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism
from kinetree.model.motors import without_transmissions
from kinetree.plan.coordinates.coordinates import Array, PlanCoordinates
from kinetree.plan.dynamics import Loads
from kinetree.plan.quantity import Quantity
from kinetree.robot import Robot
from kinetree.scalar import is_zero

_COUPLED = 1e-11  # relative; what a motor changes in the force of a joint if it is not coupled to it


@dataclass(frozen=True)
class Springs:
    """Which coordinates are those of links and of elastic motors, and in which order the motors are found."""

    links: tuple[int, ...]
    motors: tuple[int, ...]
    driven: tuple[int, ...]  # the joint of each motor
    steps: tuple[tuple[int, ...], ...]  # indices of motors that can be found at once, the tips first
    loose: Mechanism  # with the transmissions cut

    @staticmethod
    @lru_cache(maxsize=16)
    def of(robot: Mechanism) -> Springs:
        motors = tuple(motor.v for _, motor, _ in robot.transmissions)
        driven = tuple(joint.v for _, _, joint in robot.transmissions)
        links = tuple(k for k in range(robot.nv) if k not in motors)
        loose = without_transmissions(robot)
        return Springs(links, motors, driven, _steps(loose, motors, driven), loose)


def _steps(loose: Mechanism, motors: Sequence[int], driven: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Motors in the order in which they can be found: those first whose joints no other motor acts on."""
    random = np.random.default_rng(0)
    q, qd, qdd = random.uniform(0.3, 1.2, (3, loose.nv))
    qd[list(motors)] = qdd[list(motors)] = 0.0
    still = np.array(inverse_dynamics(loose, q.tolist(), qd.tolist(), qdd.tolist()), float)
    depends: dict[int, set[int]] = {n: set() for n in range(len(motors))}
    for m, k in enumerate(motors):
        moves = (np.arange(loose.nv) == k) * 1.0
        moved = inverse_dynamics(loose, q.tolist(), (qd + moves).tolist(), (qdd + moves).tolist())
        change = np.abs(np.array(moved, float) - still) > _COUPLED * (1.0 + np.abs(still))
        for n, joint in enumerate(driven):
            if n != m and change[joint]:
                depends[n].add(m)
    steps: list[tuple[int, ...]] = []
    while depends:
        found = tuple(n for n, others in depends.items() if not others & depends.keys())
        steps.append(found)
        depends = {n: others for n, others in depends.items() if n not in found}
    return tuple(steps)


@dataclass(frozen=True)
class FlatMap:
    """The motion of all coordinates from that of the links; the stiffnesses are an operand."""

    external: Loads | None = None

    def operand(self, robot: Mechanism) -> str:
        return f"stiffness({len(robot.transmissions)})"

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], operand: Any) -> list[list[Any]]:
        springs = Springs.of(robot)
        known = [x for part in parts for x in part]
        after = [x for part in parts[1:] for x in part] + [0.0] * len(parts[-1])
        pairs = [(x, rate) for x, rate in zip(known, after) if isinstance(x, Node)]

        def rates(values: Sequence[Any]) -> list[Any]:
            return pushforward(values, [x for x, _ in pairs], [rate for _, rate in pairs])

        motion: list[list[Any]] = []
        for part in parts[:4]:
            whole: list[Any] = [0.0] * robot.nv
            for k, x in zip(springs.links, part):
                whole[k] = x
            motion.append(whole)
        q, qd, qdd, _ = motion
        for step in springs.steps:
            tau = inverse_dynamics(springs.loose, q, qd, qdd, self.external)
            theta = [q[springs.driven[n]] + tau[springs.driven[n]] / operand[n] for n in step]
            thetad = rates(theta)
            for n, *x in zip(step, theta, thetad, rates(thetad)):
                q[springs.motors[n]], qd[springs.motors[n]], qdd[springs.motors[n]] = x
        return motion


class FlatCoordinates(PlanCoordinates):
    """The links of a robot with elastic transmissions.

    Args:
        robot: with springs between motors and joints, without dampers beside them.
        external: constant loads on its bodies.
    """

    kind, open_loop = "elastic", True

    def __init__(self, robot: Robot, external: Loads | None) -> None:
        _check(robot)
        self.robot, self.springs, self.map = robot, Springs.of(robot), FlatMap(external)
        self.extra_order = 2 * len(self.springs.steps)
        self.stiffness = np.array([float(spring.stiffness) for spring, _, _ in robot.transmissions])
        self.labels = tuple(robot.coordinate_names[k] for k in self.springs.links)

    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]:
        return z, self.stiffness

    def quantity(self, wanted: Quantity) -> Quantity:
        if wanted.order > 2:
            what = "third derivatives, which robots with elastic joints don't have in planning"
            raise InputError(f"{wanted.title} needs {what}")
        return wanted

    def rest(self) -> Array:
        return np.zeros(self.size)

    def check_degree(self, degree: int) -> None:
        """Motor forces depend on the highest derivative; they must be continuous."""
        needed = 3 + self.extra_order
        if degree < needed:
            coupled = "" if self.extra_order == 2 else ", because rotors are carried by elastic joints"
            raise InputError(
                f"robot {self.robot.name!r} has elastic transmissions: its motor forces need derivative {needed - 1} "
                f"of the motion of its links{coupled}; give splines of degree={needed} or more, got {degree}"
            )


def _check(robot: Robot) -> None:
    joints = {body.joint.name: body.joint for body in robot.bodies}
    for spring, _, _ in robot.transmissions:
        if not is_zero(spring.damping):
            raise InputError(
                f"the transmission of joint {spring.joint!r} has a damper: its motor depends on the past, not on the "
                "motion of the link alone; plan with damping=0"
            )
        if not all(is_zero(x) for x in joints[spring.joint].coulomb):
            raise InputError(
                f"joint {spring.joint!r} has Coulomb friction behind a spring: no motor can follow its jumps; "
                "plan with coulomb=0"
            )
