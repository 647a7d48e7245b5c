"""Which coordinates of a robot a controller acts on: those of its drives.

No drive moves a free joint, the base of a floating robot, and joints that the model marks as not ``actuated``; they get
no force. A motor behind an elastic transmission stands for the joint that it drives: targets are the joint's, the force
is the motor's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kinetree.control.orientation import spin
from kinetree.control.reference import Target
from kinetree.errors import InputError
from kinetree.joints import Free, JointKind, quaternion
from kinetree.model.joint import Transmission
from kinetree.model.mechanism import CoordinateIndex, Mechanism
from kinetree.spatial.vec3 import Vec3

Vector = Sequence[Any]


@dataclass(frozen=True)
class Drive:
    """A joint that is driven, where it stands in q and qd, and its motor behind a spring, if it has one."""

    name: str
    kind: JointKind
    q: slice
    v: slice
    motor: tuple[Transmission, CoordinateIndex] | None = None


@dataclass(frozen=True)
class Aim:
    """What the drives are to do: positions, velocities and accelerations, and how far the robot is from them.

    Velocities and what follows have one number for each velocity of a drive. ``ahead`` is the acceleration of the
    target, as the robot's own axes see it where they differ from those of the target.
    """

    q: list[Any]
    qd: list[Any]
    qdd: list[Any]
    error: list[Any]
    rate: list[Any]
    ahead: list[Any]


class Driven:
    """The drives of a robot, in the order of the coordinates of the joints that they move."""

    def __init__(self, robot: Mechanism) -> None:
        if robot.loops or robot.couplings:
            raise InputError(
                f"robot {robot.name!r} has closed loops, and this controller knows trees alone; write the forces of "
                "the actuated joints as a kinetree.control.Law"
            )
        self.robot = robot
        motors = {spring.joint: (spring, motor) for spring, motor, _ in robot.transmissions}
        self.drives: list[Drive] = []
        for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
            joint = body.joint
            idle = isinstance(joint.kind, Free) or joint.name in robot.base_joints or not joint.actuated
            if not joint.kind.nv or joint.mimic or joint.transmission or (idle and joint.name not in motors):
                continue
            self.drives.append(Drive(joint.name, joint.kind, qs, vs, motors.get(joint.name)))
        if not self.drives:
            raise InputError(f"robot {robot.name!r} has no drives: no joint is actuated")

    @cached_property
    def places(self) -> list[int]:
        """Where the joints with drives stand in qd."""
        return [k for drive in self.drives for k in range(self.robot.nv)[drive.v]]

    @cached_property
    def outlets(self) -> list[int]:
        """Where the forces of the drives act in tau, in the same order."""
        motors = {drive.v.start: drive.motor[1].v for drive in self.drives if drive.motor}
        return [motors.get(k, k) for k in self.places]

    @cached_property
    def undriven(self) -> list[str]:
        """The joints that no drive moves."""
        names = {drive.name for drive in self.drives}
        return [name for name in self.robot.joint_names if name not in names]

    @property
    def elastic(self) -> bool:
        """Whether motors drive joints through springs."""
        return any(drive.motor for drive in self.drives)

    def refuse_elastic(self, controller: object) -> None:
        """For controllers that need rigid drives."""
        if self.elastic:
            names = ", ".join(drive.name for drive in self.drives if drive.motor)
            raise InputError(
                f"{type(controller).__name__} needs rigid drives, but {names} of robot {self.robot.name!r} are driven "
                "through springs; take kinetree.control.ElasticTracking, or PD"
            )

    # -- targets ---------------------------------------------------------------------------------------------------

    def aim(self, target: Target, q: Vector, qd: Vector) -> Aim:
        """A target for the robot's drives, or for all its coordinates, beside the state."""
        aim = Aim([], [], [], [], [], [])
        for drive, x, xd, xdd in self._split(target):
            v, a, seen, ahead = xd, xdd, xd, xdd
            if drive.kind.quaternion is not None:  # a ball: the axes of the target are not those of the body
                w, wd = spin(x, xd, xdd)
                R = quaternion.rotation(q[drive.q]).T.then(quaternion.rotation(x))
                turned = R @ w
                v, a, seen, ahead = w, wd, turned, R @ wd - Vec3.of(qd[drive.v]).cross(turned)
            aim.q.extend(x)
            aim.qd.extend(v)
            aim.qdd.extend(a)
            aim.error.extend(-d for d in drive.kind.displacement(q[drive.q], x))
            aim.rate.extend(x - y for x, y in zip(seen, qd[drive.v]))
            aim.ahead.extend(ahead)
        return aim

    def _split(self, target: Target) -> list[tuple[Drive, Vector, Vector, Vector]]:
        sizes = [drive.kind.nq for drive in self.drives]
        given = len(target.q)
        if given == sum(sizes):
            ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
            slices = [slice(end - size, end) for end, size in zip(ends, sizes)]
        elif given == self.robot.nq:
            slices = [drive.q for drive in self.drives]
        else:
            names = ", ".join(drive.name for drive in self.drives)
            raise InputError(
                f"the reference has {given} coordinates; robot {self.robot.name!r} takes {sum(sizes)}, those of its "
                f"drives ({names}), or all {self.robot.nq}"
            )
        return [(drive, target.q[s], target.qd[s], target.qdd[s]) for drive, s in zip(self.drives, slices)]

    # -- from the drives to all coordinates ------------------------------------------------------------------------

    def posture(self, aim: Aim, q: Vector) -> list[Any]:
        """The positions q with those of the target in them; motors stand where their joints do."""
        posture, start = [*q], 0
        for drive in self.drives:
            posture[drive.q] = aim.q[start : start + drive.kind.nq]
            start += drive.kind.nq
            if drive.motor:
                posture[drive.motor[1].q] = posture[drive.q][0]
        return posture

    def spread(self, values: Vector, others: Vector | None = None) -> list[Any]:
        """One number for each velocity, from one for each velocity of a drive; zeros elsewhere, or those of others."""
        spread: list[Any] = [0.0] * self.robot.nv if others is None else [*others]
        for k, x in zip(self.places, values):
            spread[k] = x
        return spread

    def forces(self, values: Vector) -> list[Any]:
        """Forces of the drives where they act: on the joints, or on the motors behind springs."""
        forces: list[Any] = [0.0] * self.robot.nv
        for k, x in zip(self.outlets, values):
            forces[k] = x
        return forces
