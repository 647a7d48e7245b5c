"""A Kinetree mechanism as a Pinocchio model, and the conversion of states and results between the two.

What differs, and is converted here:

- Pinocchio's joints are numbered depth first (its composite-body algorithm needs that), ours as they stand.
- Its 6-vectors are linear first, ours angular first; so are the velocities of a free joint.
- Its planar joint has (x, y, cos, sin) and velocities in body axes; ours has (x, y, angle) and their rates.
- It has no cylindrical joint and a universal one for perpendicular axes only: both are composites of two joints.
- A body on a fixed joint is part of the body that carries it. It has no joint wrench of its own there.
- It has no gears: a rotor is a revolute joint there, whose angle is gear_ratio * q.
- It knows no friction. Rotor inertia is its `armature`; on a planar joint that would act in other axes.

With v the velocities here and v' = A(q) v those in Pinocchio, A invertible:
    a' = A a + dA/dt v,   tau = A^T tau',   M = A^T M' A,   J = J' A.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.joints import Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Rotor, Spherical, Universal
from kinetree.joints.joint import JointKind
from kinetree.model.mechanism import WORLD, Mechanism

pin = pytest.importorskip("pinocchio")

Array = np.ndarray


def angular_first(x: Array) -> Array:
    """Six rows, linear first, the other way round."""
    return np.concatenate([x[3:], x[:3]])


class PinocchioModel:
    """The model and its data, with functions that take and give numbers in Kinetree's conventions, one state a call."""

    def __init__(self, robot: kt.Robot) -> None:
        self.robot = robot
        self.model = pin.Model()
        self.model.gravity.linear = np.array([*robot.gravity])
        self.joint: dict[int, int] = {WORLD: 0}  # body here -> joint there that carries it
        self.place: dict[int, Any] = {WORLD: pin.SE3.Identity()}  # and the body's frame in that joint's
        for body in _depth_first(robot):
            self._add(body)
        self._align_with_pinocchio()
        self.data = self.model.createData()

    @classmethod
    def of_file(cls, robot: kt.Robot, model: Any) -> PinocchioModel:
        """A model that Pinocchio has read itself; joints are matched by name, bodies and joints share a frame."""
        self = cls.__new__(cls)
        self.robot, self.model = robot, model
        names = {"base": "root_joint"}
        self.joint = {i: model.getJointId(names.get(b.joint.name, b.joint.name)) for i, b in enumerate(robot.bodies)}
        self.place = {i: pin.SE3.Identity() for i in range(robot.nbodies)}
        assert max(self.joint.values()) < model.njoints, "every joint should be in Pinocchio's model"
        self._align_with_pinocchio()
        self.data = model.createData()
        return self

    def _add(self, i: int) -> None:
        body, parent = self.robot.bodies[i], self.robot.parents[i]
        placement = self.place[parent] * _se3(body.joint.placement)
        if isinstance(body.joint.kind, Fixed):
            self.joint[i], self.place[i] = self.joint[parent], placement
        else:
            kind = body.joint.kind
            if isinstance(kind, Revolute):
                turn = pin.AngleAxis(kind.offset, np.array([*kind.axis])).matrix()
                placement = placement * pin.SE3(turn, np.zeros(3))
            self.joint[i] = self.model.addJoint(self.joint[parent], _joint_model(kind), placement, body.joint.name)
            self.place[i] = pin.SE3.Identity()
        I = body.inertia
        about_com = np.array([list(row) for row in I.about_com.full])
        inertia = pin.Inertia(I.mass, np.array([*I.com]), about_com)
        self.model.appendBodyToJoint(self.joint[i], inertia, self.place[i])
        frame = pin.Frame(body.name, self.joint[i], 0, self.place[i], pin.FrameType.OP_FRAME)
        self.model.addFrame(frame, False)

    def _align_with_pinocchio(self) -> None:
        """Where each moving body's coordinates stand there, and the rotor inertias."""
        joints = self.model.joints
        self.moving = [i for i, b in enumerate(self.robot.bodies) if b.joint.kind.nv]
        self.q_there = {i: slice(joints[j].idx_q, joints[j].idx_q + joints[j].nq) for i, j in self.joint.items() if j}
        self.v_there = {i: slice(joints[j].idx_v, joints[j].idx_v + joints[j].nv) for i, j in self.joint.items() if j}
        armature = np.zeros(self.model.nv)
        for i in self.moving:
            joint = self.robot.bodies[i].joint
            armature[self.v_there[i]] = np.array(joint.rotor_inertia) / _gear(joint.kind) ** 2
        self.model.armature = armature

    # -- states ------------------------------------------------------------------------------------------------------

    def q(self, q: Array) -> Array:
        there = np.zeros(self.model.nq)
        for i in self.moving:
            part = q[self.robot.q_slices[i]]
            if isinstance(self.robot.bodies[i].joint.kind, Planar):
                part = [part[0], part[1], math.cos(part[2]), math.sin(part[2])]
            there[self.q_there[i]] = _gear(self.robot.bodies[i].joint.kind) * np.array(part)
        return there

    def A(self, q: Array, qd: Array | None = None) -> Array:
        """A(q), or with velocities its rate."""
        A = np.zeros((self.model.nv, self.robot.nv))
        for i in self.moving:
            qs, vs = self.robot.q_slices[i], self.robot.v_slices[i]
            rate = None if qd is None else qd[vs]
            A[self.v_there[i], vs] = _block(self.robot.bodies[i].joint.kind, q[qs], rate)
        return A

    def motion(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        A, dA = self.A(q), self.A(q, qd)
        return self.q(q), A @ qd, A @ qdd + dA @ qd

    # -- quantities --------------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array, external: Array | None = None) -> Array:
        args = self.motion(q, qd, qdd)
        extra = [] if external is None else [self.loads(q, external)]
        return self.A(q).T @ pin.rnea(self.model, self.data, *args, *extra)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array, external: Array | None = None) -> Array:
        A, dA = self.A(q), self.A(q, qd)
        extra = [] if external is None else [self.loads(q, external)]
        a = pin.aba(self.model, self.data, self.q(q), A @ qd, np.linalg.solve(A.T, tau), *extra)
        return np.linalg.solve(A, a - dA @ qd)

    def mass_matrix(self, q: Array) -> Array:
        A, M = self.A(q), pin.crba(self.model, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return A.T @ M @ A

    def bias_forces(self, q: Array, qd: Array) -> Array:
        return self.inverse_dynamics(q, qd, np.zeros(self.robot.nv))

    def gravity_forces(self, q: Array) -> Array:
        return self.A(q).T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def pose(self, q: Array, frame: str) -> Array:
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.model.getFrameId(frame)].homogeneous

    def jacobian(self, q: Array, frame: str) -> Array:
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.computeFrameJacobian(self.model, self.data, self.q(q), self.model.getFrameId(frame), axes)
        return angular_first(J.reshape(6, self.model.nv)) @ self.A(q)

    def frame_velocity(self, q: Array, qd: Array, frame: str) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.A(q) @ qd)
        return angular_first(pin.getFrameVelocity(self.model, self.data, *self._of_frame(frame)).vector)

    def frame_acceleration(self, q: Array, qd: Array, qdd: Array, frame: str) -> Array:
        pin.forwardKinematics(self.model, self.data, *self.motion(q, qd, qdd))
        return angular_first(pin.getFrameClassicalAcceleration(self.model, self.data, *self._of_frame(frame)).vector)

    def jacobian_rate(self, q: Array, qd: Array, frame: str) -> Array:
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.A(q) @ qd)
        pin.updateFramePlacements(self.model, self.data)
        dJ = pin.getFrameJacobianTimeVariation(self.model, self.data, *self._of_frame(frame))
        J = pin.getFrameJacobian(self.model, self.data, *self._of_frame(frame))
        there = dJ.reshape(6, self.model.nv) @ self.A(q) + J.reshape(6, self.model.nv) @ self.A(q, qd)
        return angular_first(there)

    def _of_frame(self, frame: str) -> tuple[int, Any]:
        return self.model.getFrameId(frame), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def center_of_mass(self, q: Array) -> Array:
        """With the bodies welded to the world, which Pinocchio leaves out."""
        welded = [(self.place[i], b.inertia) for i, b in enumerate(self.robot.bodies) if self.joint[i] == 0]
        mass, moment = pin.computeTotalMass(self.model), np.zeros(3)
        if mass:
            moment = mass * pin.centerOfMass(self.model, self.data, self.q(q))
        moment = sum((I.mass * X.act(np.array([*I.com])) for X, I in welded), moment)
        return moment / sum((I.mass for _, I in welded), mass)

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        h = pin.computeCentroidalMap(self.model, self.data, self.q(q)).reshape(6, self.model.nv) @ self.A(q)
        lever = pin.skew(self.data.com[0] - self.center_of_mass(q))
        return np.concatenate([h[3:] + lever @ h[:3], h[:3]])

    def centroidal_momentum(self, q: Array, qd: Array) -> Array:
        return self.centroidal_momentum_matrix(q) @ qd

    def kinetic_energy(self, q: Array, qd: Array) -> float:
        """The rotors are added here: Pinocchio 4.1 counts them for most joints, not for unaligned revolute ones."""
        v, armature = self.A(q) @ qd, self.model.armature.copy()
        self.model.armature = np.zeros(self.model.nv)
        bodies = pin.computeKineticEnergy(self.model, self.data, self.q(q), v)
        self.model.armature = armature
        return bodies + 0.5 * armature @ v**2

    def potential_energy(self, q: Array) -> float:
        """But for that of the bodies welded to the world, which Pinocchio leaves out: a constant."""
        return pin.computePotentialEnergy(self.model, self.data, self.q(q))

    def joint_wrenches(self, q: Array, qd: Array, qdd: Array, external: Array | None = None) -> Array:
        """Of the bodies on moving joints only."""
        self.inverse_dynamics(q, qd, qdd, external)
        return np.array([angular_first(self.data.f[self.joint[i]].vector) for i in self.moving]).reshape(-1, 6)

    def loads(self, q: Array, external: Array) -> Any:
        """World axes at each body's origin, to Pinocchio's: the carrying joint's axes at its origin."""
        pin.forwardKinematics(self.model, self.data, self.q(q))
        loads = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for i, wrench in enumerate(external):
            there = self.place[i]
            turn = (self.data.oMi[self.joint[i]] * there).rotation.T
            loads[self.joint[i]] += there.act(pin.Force(turn @ wrench[3:], turn @ wrench[:3]))
        return pin.StdVec_Force(loads)


def _depth_first(robot: Mechanism) -> list[int]:
    def below(parent: int) -> list[int]:
        return [k for i, p in enumerate(robot.parents) if p == parent for k in (i, *below(i))]

    return below(WORLD)


def _se3(X: kt.Transform) -> Any:
    return pin.SE3(np.array([list(row) for row in X.R.matrix]), np.array([*X.p]))


def _joint_model(kind: JointKind) -> Any:
    if isinstance(kind, Revolute | Rotor):
        return pin.JointModelRevoluteUnaligned(np.array([*kind.axis]))
    if isinstance(kind, Prismatic):
        return pin.JointModelPrismaticUnaligned(np.array([*kind.axis]))
    if isinstance(kind, Helical):
        return pin.JointModelHelicalUnaligned(np.array([*kind.axis]), kind.pitch)
    if isinstance(kind, Cylindrical):
        return _composite(Revolute(kind.axis), Prismatic(kind.axis))
    if isinstance(kind, Universal):
        if kind.first.dot(kind.second) == 0:
            return pin.JointModelUniversal(np.array([*kind.first]), np.array([*kind.second]))
        return _composite(Revolute(kind.first), Revolute(kind.second))
    models = {Spherical: pin.JointModelSpherical, Planar: pin.JointModelPlanar, Free: pin.JointModelFreeFlyer}
    return models[type(kind)]()


def _composite(*kinds: JointKind) -> Any:
    joint = pin.JointModelComposite()
    for kind in kinds:
        joint.addJoint(_joint_model(kind))
    return joint


def _block(kind: JointKind, q: Array, rate: Array | None) -> Array:
    """The part of A that belongs to one joint, or of its rate."""
    if isinstance(kind, Planar):
        c, s = math.cos(q[2]), math.sin(q[2])
        if rate is None:
            return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        return rate[2] * np.array([[-s, c, 0.0], [-c, -s, 0.0], [0.0, 0.0, 0.0]])
    if isinstance(kind, Free):
        return np.roll(np.eye(6), 3, axis=0) * (rate is None)
    return np.eye(kind.nv) * (rate is None) * _gear(kind)


def _gear(kind: JointKind) -> float:
    return kind.gear_ratio if isinstance(kind, Rotor) else 1.0
