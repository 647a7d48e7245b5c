"""A robot of Kinetree in MuJoCo.

MuJoCo's quaternions are (w, x, y, z). The velocities of its free joint are linear in world axes, then angular in body
axes, so that with R the orientation of the base v' = (R lin, ang) and a' = (R (lin' + ang x lin), ang').
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import kinetree as kt
from kinetree.joints import Fixed, Free, Prismatic, Revolute, Spherical

mujoco = pytest.importorskip("mujoco")

TYPES = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", Free: "free"}


def mjcf(robot: kt.Robot) -> str:
    """The mechanism as MJCF text."""
    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    option = ElementTree.SubElement(root, "option", gravity=text(robot.gravity))
    ElementTree.SubElement(option, "flag", contact="disable", energy="enable")
    elements = {None: ElementTree.SubElement(root, "worldbody")}
    for body in robot.bodies:
        joint, kind, I = body.joint, body.joint.kind, body.inertia
        place = joint.placement
        if isinstance(kind, Revolute):  # the offset belongs to the body's place
            place = place @ Revolute(kind.axis).transform([kind.offset])
        turn = np.array([list(row) for row in place.R.matrix]).ravel()
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, turn)
        place_text = {"pos": text(place.p), "quat": text(quaternion)}
        element = ElementTree.SubElement(elements[body.parent], "body", name=body.name, **place_text)
        if not isinstance(kind, Fixed):
            axis = {"axis": text(kind.axis)} if isinstance(kind, Revolute | Prismatic) else {}
            losses = {"damping": text(joint.damping[:1]), "armature": text(joint.rotor_inertia[:1])}
            ElementTree.SubElement(element, "joint", name=joint.name, type=TYPES[type(kind)], **axis, **losses)
        mass = {"mass": text([I.mass]), "pos": text(I.com), "fullinertia": text(I.about_com)}
        ElementTree.SubElement(element, "inertial", **mass)
        elements[body.name] = element
    return ElementTree.tostring(root, encoding="unicode")


def text(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


class MujocoModel:
    """A robot in MuJoCo, with functions that take and give numbers in Kinetree's conventions, one state a call."""

    def __init__(self, robot: kt.Robot) -> None:
        self.robot = robot
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot))
        self.data = mujoco.MjData(self.model)
        ids = {i: self.model.joint(b.joint.name).id for i, b in enumerate(robot.bodies) if b.joint.kind.nv}
        self.q_there = {i: int(self.model.jnt_qposadr[j]) for i, j in ids.items()}
        self.v_there = {i: int(self.model.jnt_dofadr[j]) for i, j in ids.items()}

    def q(self, q: np.ndarray) -> np.ndarray:
        there = np.zeros(self.model.nq)
        for i, start in self.q_there.items():
            kind, part = self.robot.bodies[i].joint.kind, q[self.robot.q_slices[i]].copy()
            if kind.quaternion is not None:
                part[kind.quaternion :] = np.roll(part[kind.quaternion :], 1)
            there[start : start + kind.nq] = part
        return there

    def A(self, q: np.ndarray) -> np.ndarray:
        """v' = A(q) v; orthogonal."""
        A = np.zeros((self.model.nv, self.robot.nv))
        for i, start in self.v_there.items():
            kind, qs = self.robot.bodies[i].joint.kind, self.robot.q_slices[i]
            block = np.eye(kind.nv)
            if isinstance(kind, Free):
                R = np.array([list(row) for row in kind.transform(q[qs].tolist()).R.matrix])
                block = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
            A[start : start + kind.nv, self.robot.v_slices[i]] = block
        return A

    def transported(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """dA/dt v: the part R (ang x lin) of a free base's acceleration."""
        inside = np.zeros(self.robot.nv)
        for i, vs in enumerate(self.robot.v_slices):
            if isinstance(self.robot.bodies[i].joint.kind, Free):
                inside[vs.start + 3 : vs.stop] = np.cross(qd[vs][:3], qd[vs][3:])
        return self.A(q) @ inside

    def set(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        self.data.qpos, self.data.qvel = self.q(q), self.A(q) @ qd
        return self.A(q)

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        A = self.set(q, qd)
        self.data.qacc = A @ qdd + self.transported(q, qd)
        mujoco.mj_inverse(self.model, self.data)
        return A.T @ self.data.qfrc_inverse

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        A = self.set(q, qd)
        self.data.qfrc_applied = A @ tau
        mujoco.mj_forward(self.model, self.data)
        return A.T @ (self.data.qacc - self.transported(q, qd))

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        A = self.set(q, np.zeros(self.robot.nv))
        mujoco.mj_forward(self.model, self.data)
        return A.T @ np.array([self.times_mass(unit) for unit in np.eye(self.model.nv)]) @ A

    def bias_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """With friction, and for the rates of a free base's components."""
        A = self.set(q, qd)
        mujoco.mj_forward(self.model, self.data)
        moved = self.times_mass(self.transported(q, qd))
        return A.T @ (self.data.qfrc_bias - self.data.qfrc_passive + moved)

    def times_mass(self, x: np.ndarray) -> np.ndarray:
        """MuJoCo's mass matrix times a vector (its full form has another signature in every major version)."""
        result = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, self.data, result, x)
        return result

    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> float:
        self.set(q, qd)
        mujoco.mj_forward(self.model, self.data)
        return float(self.data.energy[1])

    def potential_energy(self, q: np.ndarray) -> float:
        self.set(q, np.zeros(self.robot.nv))
        mujoco.mj_forward(self.model, self.data)
        return float(self.data.energy[0])

    def pose(self, q: np.ndarray, frame: str) -> np.ndarray:
        self.set(q, np.zeros(self.robot.nv))
        mujoco.mj_kinematics(self.model, self.data)
        X = np.eye(4)
        X[:3, :3] = self.data.body(frame).xmat.reshape(3, 3)
        X[:3, 3] = self.data.body(frame).xpos
        return X
