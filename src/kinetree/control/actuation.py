"""Which coordinates of a robot a controller acts on: those of its actuated joints.

Free joints, the base of a floating robot, and joints that the model marks as not ``actuated`` get no force. A joint
that a motor drives through an elastic transmission counts as actuated: targets are those of the joint, the force acts
on the motor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kinetree.control.orientation import angular_motion
from kinetree.control.reference import Target
from kinetree.errors import InputError
from kinetree.joints import Free, JointKind, quaternion
from kinetree.model import Transmission
from kinetree.model.mechanism import CoordinateIndex, Mechanism
from kinetree.scalar import Vector
from kinetree.spatial import Vec3


@dataclass(frozen=True)
class ActuatedJoint:
    """A joint with an actuator, its coordinates in q and qd, and its motor behind a spring, if it has one."""

    name: str
    kind: JointKind
    q: slice
    v: slice
    motor: tuple[Transmission, CoordinateIndex] | None = None


@dataclass(frozen=True)
class TrackingTarget:
    """The target of the actuated joints, and the error of the robot.

    All but q have one number for each velocity of an actuated joint.

    Args:
        q, qd, qdd: desired positions, velocities and accelerations.
        error, error_rate: desired less measured positions and velocities.
        feedforward: the desired acceleration, in the axes of the measured body where the joint is a ball.
    """

    q: list[Any]
    qd: list[Any]
    qdd: list[Any]
    error: list[Any]
    error_rate: list[Any]
    feedforward: list[Any]


class ActuatedJoints:
    """The actuated joints of a robot, in the order of their coordinates."""

    def __init__(self, robot: Mechanism) -> None:
        if robot.loops or robot.couplings:
            raise InputError(
                f"robot {robot.name!r} has closed loops, and this controller is for trees only; write the forces of "
                "the actuated joints as a kinetree.control.Law"
            )
        self.robot = robot
        motors = {spring.joint: (spring, motor) for spring, motor, _ in robot.transmissions}
        self.joints: list[ActuatedJoint] = []
        for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
            joint = body.joint
            passive = isinstance(joint.kind, Free) or joint.name in robot.base_joints or not joint.actuated
            if not joint.kind.nv or joint.mimic or joint.transmission or (passive and joint.name not in motors):
                continue
            self.joints.append(ActuatedJoint(joint.name, joint.kind, qs, vs, motors.get(joint.name)))
        if not self.joints:
            raise InputError(f"robot {robot.name!r} has no actuated joint")

    @cached_property
    def indices(self) -> list[int]:
        """The indices of the actuated joints in qd."""
        return [k for joint in self.joints for k in range(self.robot.nv)[joint.v]]

    @cached_property
    def actuator_indices(self) -> list[int]:
        """Where the forces act in tau, in the same order: at the joints, or at their motors behind springs."""
        motors = {joint.v.start: joint.motor[1].v for joint in self.joints if joint.motor}
        return [motors.get(k, k) for k in self.indices]

    @cached_property
    def passive(self) -> list[str]:
        """The joints without an actuator."""
        names = {joint.name for joint in self.joints}
        return [name for name in self.robot.joint_names if name not in names]

    @property
    def elastic(self) -> bool:
        """Whether motors drive joints through springs."""
        return any(joint.motor for joint in self.joints)

    # -- targets ---------------------------------------------------------------------------------------------------

    def tracking_target(self, target: Target, q: Vector, qd: Vector) -> TrackingTarget:
        """A target of the actuated joints, or of all coordinates, with the error of the state (q, qd)."""
        found = TrackingTarget([], [], [], [], [], [])
        for joint, x, xd, xdd in self._split(target):
            v, a, v_body, a_body = xd, xdd, xd, xdd
            if joint.kind.quaternion is not None:  # a ball: the axes of the target are not those of the body
                w, wd = angular_motion(x, xd, xdd)
                R = quaternion.rotation(q[joint.q]).T.then(quaternion.rotation(x))
                w_body = R @ w
                v, a, v_body, a_body = w, wd, w_body, R @ wd - Vec3.of(qd[joint.v]).cross(w_body)
            found.q.extend(x)
            found.qd.extend(v)
            found.qdd.extend(a)
            found.error.extend(-d for d in joint.kind.displacement(q[joint.q], x))
            found.error_rate.extend(x - y for x, y in zip(v_body, qd[joint.v]))
            found.feedforward.extend(a_body)
        return found

    def _split(self, target: Target) -> list[tuple[ActuatedJoint, Vector, Vector, Vector]]:
        sizes = [joint.kind.nq for joint in self.joints]
        given = len(target.q)
        if given == sum(sizes):
            ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
            slices = [slice(end - size, end) for end, size in zip(ends, sizes)]
        elif given == self.robot.nq:
            slices = [joint.q for joint in self.joints]
        else:
            names = ", ".join(joint.name for joint in self.joints)
            raise InputError(
                f"the reference has {given} coordinates; robot {self.robot.name!r} takes {sum(sizes)}, those of its "
                f"actuated joints ({names}), or all {self.robot.nq}"
            )
        return [(joint, target.q[s], target.qd[s], target.qdd[s]) for joint, s in zip(self.joints, slices)]

    # -- from the actuated joints to all coordinates ---------------------------------------------------------------

    def configuration(self, target: TrackingTarget, q: Vector) -> list[Any]:
        """The positions q with those of the target in them; a motor is where its joint is."""
        found, start = [*q], 0
        for joint in self.joints:
            found[joint.q] = target.q[start : start + joint.kind.nq]
            start += joint.kind.nq
            if joint.motor:
                found[joint.motor[1].q] = found[joint.q][0]
        return found

    def expand(self, values: Vector, others: Vector | None = None) -> list[Any]:
        """One number for each velocity, from those of the actuated joints; elsewhere zero, or those of ``others``."""
        return _placed(self.indices, values, [0.0] * self.robot.nv if others is None else [*others])

    def forces(self, values: Vector) -> list[Any]:
        """The forces of the actuators at the coordinates where they act; zeros elsewhere."""
        return _placed(self.actuator_indices, values, [0.0] * self.robot.nv)


def _placed(indices: Sequence[int], values: Vector, among: list[Any]) -> list[Any]:
    for k, x in zip(indices, values):
        among[k] = x
    return among
