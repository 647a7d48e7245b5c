"""MuJoCo's reading of an MJCF file, and the comparison of Kinetree's with it.

Coordinates stand in the same order on both sides; how free joints and quaternions are converted is in
test_mujoco.py. What Kinetree does not read is taken out of MuJoCo's model: constraints, actuators, tendons, fluids,
gravity compensation and nonlinear springs. Where there are meshes the inertias are compared by themselves, since
MuJoCo finds their axes by iteration, and then Kinetree's robot gets MuJoCo's.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mujoco_model import MujocoModel
from strategies import States, on_floats, states, with_joints

import kinetree as kt
from kinetree.spatial.transform import Transform

mujoco = pytest.importorskip("mujoco")

Array = np.ndarray

# MuJoCo diagonalises inertias by iteration; its accelerations of ill-conditioned chains miss ours by the rest
AGREEMENT = 1e-9
AXES = 1e-6  # rad, of the principal axes of meshes
OFF = ("CONSTRAINT", "CONTACT", "ACTUATION")


class Oracle(MujocoModel):
    """MuJoCo's reading of a file, without what Kinetree does not read."""

    def __init__(self, robot: kt.Robot, model: Any) -> None:
        self.robot, self.model = robot, model
        moving = [i for i, body in enumerate(robot.bodies) if body.joint.kind.nv]
        self.q_there = {i: int(model.jnt_qposadr[k]) for k, i in enumerate(moving)}
        self.v_there = {i: int(model.jnt_dofadr[k]) for k, i in enumerate(moving)}
        for bit in OFF:
            model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{bit}")
        model.opt.density, model.opt.viscosity, model.opt.wind = 0.0, 0.0, np.zeros(3)
        unread = ("body_gravcomp", "tendon_stiffness", "tendon_damping", "tendon_armature", "actuator_armature")
        unread += ("actuator_damping", "dof_dampingpoly", "jnt_stiffnesspoly")
        for name in unread:
            if hasattr(model, name):  # some are newer than the oldest MuJoCo that we test with
                getattr(model, name)[:] = 0
        self.data = mujoco.MjData(model)

    def gravity_forces(self, q: Array) -> Array:
        """With those of springs."""
        A = self.set(q, np.zeros(self.robot.nv))
        mujoco.mj_forward(self.model, self.data)
        return A.T @ (self.data.qfrc_bias - self.data.qfrc_passive)

    def passive(self, q: Array, qd: Array) -> Array:
        """What overcomes springs and dampers."""
        A = self.set(q, qd)
        mujoco.mj_forward(self.model, self.data)
        return -A.T @ self.data.qfrc_passive

    def poses(self, q: Array) -> dict[str, Array]:
        """Of all bodies and sites, by their names here."""
        self.set(q, np.zeros(self.robot.nv))
        mujoco.mj_kinematics(self.model, self.data)
        bodies = {body_name(self.model, i): i for i in range(1, self.model.nbody)}
        found = {name: pose(self.data.xpos[i], self.data.xmat[i]) for name, i in bodies.items()}
        for i in range(self.model.nsite):
            if name := self.model.site(i).name:
                found[f"{name}_site" if name in bodies else name] = pose(self.data.site_xpos[i], self.data.site_xmat[i])
        return found

    @property
    def mass(self) -> float:
        """Of all that moves."""
        moving = (self.model.body_weldid != 0) & (self.model.body_mocapid < 0)
        return float(self.model.body_mass[moving].sum())


def body_name(model: Any, i: int) -> str:
    return model.body(i).name or f"body{i}"


def pose(p: Array, R: Array) -> Array:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R.reshape(3, 3), p
    return X


def transform(p: Array, quat: Array) -> Transform:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quat)
    return Transform(R.reshape(3, 3).tolist(), p.tolist())


def read(source: Path | str, **options: Any) -> tuple[kt.Robot, str]:
    """The robot, and the warning that it came with."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        robot = kt.Robot.from_mjcf(source, **options)
    assert [w.category for w in found] in ([], [kt.errors.ModelWarning])
    return robot, "".join(str(w.message) for w in found)


def loaded(source: Path | str) -> Any:
    reader = mujoco.MjModel.from_xml_string if isinstance(source, str) else mujoco.MjModel.from_xml_path
    return reader(str(source))


def with_masses_of(model: Any, robot: kt.Robot) -> kt.Robot:
    """The robot with the masses that MuJoCo has, and with the springs that depend on them."""
    inertias = {body.name: kt.Inertia() for body in robot.bodies}
    for i in range(1, model.nbody):
        frame = robot.frames[body_name(model, i)]
        if frame.body is not None:
            own = kt.Inertia(float(model.body_mass[i]), (0, 0, 0), model.body_inertia[i].tolist())
            inertias[frame.body] += own.moved(frame.pose @ transform(model.body_ipos[i], model.body_iquat[i]))
    bodies = tuple(dataclasses.replace(body, inertia=inertias[body.name]) for body in robot.bodies)
    robot = dataclasses.replace(robot, bodies=bodies)
    springs = [
        dataclasses.replace(
            body.joint, stiffness=float(model.jnt_stiffness[k]), damping=float(model.dof_damping[vs.start])
        )
        for k, (body, vs) in enumerate(zip(robot.bodies, robot.v_slices))
    ]
    return with_joints(robot, springs)


# -- comparisons -------------------------------------------------------------------------------------------------------


def error(ours: Any, theirs: Any, scale: float = 0.0) -> float:
    """max |a - b| / max |b|; parts of a whole are measured by its size."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape
    assert np.isfinite(ours).all()
    scale = max(scale, np.abs(theirs).max(initial=0.0))
    return float(np.abs(ours - theirs).max(initial=0.0) / (scale or 1.0))


def disagreements(robot: kt.Robot, model: Any, s: States, evaluate=on_floats) -> Iterator[tuple[str, float]]:
    """Each quantity that is compared, and its relative error over the states. Coulomb friction is compared directly."""
    yield from description(robot, model)
    robot = with_joints(robot, [dataclasses.replace(body.joint, coulomb=0.0) for body in robot.bodies])
    oracle = Oracle(robot, model)
    f = evaluate(robot)
    yield "total mass", error(sum(body.inertia.mass for body in robot.bodies), oracle.mass)
    if robot.nv:
        force = np.abs(f("inverse_dynamics", s.q, s.qd, s.qdd)).max()
        for name, count in (("inverse_dynamics", 3), ("bias_forces", 2), ("gravity_forces", 1), ("mass_matrix", 1)):
            args, scale = (s.q, s.qd, s.qdd)[:count], 0.0 if name == "mass_matrix" else force
            yield name, error(f(name, *args), [getattr(oracle, name)(*row) for row in zip(*args)], scale)
        still = with_joints(robot, [dataclasses.replace(b.joint, stiffness=0.0, damping=0.0) for b in robot.bodies])
        passive = f("bias_forces", s.q, s.qd) - evaluate(still)("bias_forces", s.q, s.qd)
        yield "springs and dampers", error(passive, [oracle.passive(*row) for row in zip(s.q, s.qd)], force)
    there = [oracle.poses(q) for q in s.q]
    for frame in there[0]:
        ours = on_floats(robot)("pose", s.q, frame=frame) if robot.nv else [fixed_pose(robot, frame)] * len(s.q)
        yield f"pose of {frame}", error(ours, [poses[frame] for poses in there])


def fixed_pose(robot: kt.Robot, frame: str) -> Array:
    X = robot.frames[frame].pose
    return pose(np.array([*X.p]), np.array([[*row] for row in X.R.matrix]))


def description(robot: kt.Robot, model: Any) -> Iterator[tuple[str, float]]:
    """Names, and the numbers of the joints."""
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    assert [*robot.joint_names] == [model.joint(k).name or f"joint{k}" for k in range(model.njnt)]
    gravity = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    yield "gravity", error([*robot.gravity], model.opt.gravity * gravity)
    for k, (body, qs, vs) in enumerate(zip(robot.bodies, robot.q_slices, robot.v_slices)):
        joint, name = body.joint, body.joint.name
        yield f"armature of {name}", error(joint.rotor_inertia, model.dof_armature[vs])
        friction = not model.opt.disableflags & 5  # mjDSBL_CONSTRAINT, mjDSBL_FRICTIONLOSS
        yield f"Coulomb friction of {name}", error(joint.coulomb, model.dof_frictionloss[vs] * friction)
        if any(joint.stiffness):
            rest = model.qpos_spring[qs].copy()
            if (start := joint.kind.quaternion) is not None:
                rest[start:] = np.roll(rest[start:], -1)
            sign = -1 if start is not None and rest[-1] * joint.rest[-1] < 0 else 1
            rest[start or 0 :] *= sign
            yield f"rest of {name}", error(joint.rest, rest)
        if joint.kind.nv == 1:
            limits = model.jnt_range[k] if model.jnt_limited[k] else (-np.inf, np.inf)
            assert (joint.limits.lower, joint.limits.upper) == pytest.approx(tuple(limits), rel=1e-14)
            effort = np.abs(model.jnt_actfrcrange[k]).max() if model.jnt_actfrclimited[k] else np.inf
            assert joint.limits.effort == effort


def inertias(robot: kt.Robot, theirs: kt.Robot) -> Iterator[tuple[str, float]]:
    """Of each body: mass and centre, and the moments up to the axes of MuJoCo's meshes."""
    for one, other in zip(robot.bodies, theirs.bodies):
        a, b = one.inertia, other.inertia
        yield f"mass of {one.name}", error(a.mass, b.mass)
        size = np.sqrt((b.about_com.xx + b.about_com.yy + b.about_com.zz) / (b.mass or 1.0))
        yield f"centre of {one.name}", error([*a.com], [*b.com], size) if b.mass else 0.0
        yield f"moments of {one.name}", error([*a.about_com], [*b.about_com]) * AGREEMENT / AXES


class Tally:
    """What was compared, and what differs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: dict[tuple[str, str], float] = {}

    def add(self, file: str, robot: kt.Robot, errors: Iterable[tuple[str, float]]) -> None:
        self.counts["files"] += 1
        self.counts["joints"] += len(robot.joint_names)
        for quantity, value in errors:
            self.counts["quantities"] += 1
            if not value < AGREEMENT:
                self.wrong[file, quantity] = value

    def tell(self, capsys: pytest.CaptureFixture[str], what: str) -> None:
        with capsys.disabled():
            counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
            print(f" {what}: {counts} agree with MuJoCo ", end="")


def compare(tally: Tally, source: Path | str, name: str, count: int = 3, evaluate=on_floats, **options: Any) -> None:
    robot, warning = read(source, **options)
    model = loaded(source)
    assert "mesh geom" not in warning
    if model.nmesh:
        theirs = with_masses_of(model, robot)
        tally.add(f"{name}, masses", robot, inertias(robot, theirs))
        robot = theirs
    tally.add(name, robot, disagreements(robot, model, states(robot, count), evaluate))
