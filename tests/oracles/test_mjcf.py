"""Robots from MJCF files against MuJoCo, which reads the same files: those of dm_control, of MuJoCo's wheel, and texts.

Coordinates stand in the same order on both sides; how free joints and quaternions are converted is in
test_mujoco.py. What Kinetree does not read is taken out of MuJoCo's model: constraints, actuators, tendons, fluids,
gravity compensation and nonlinear springs. Where a mass is that of a mesh, Kinetree's robot gets MuJoCo's masses.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mjcf_texts import BALL, COUPLINGS, GEOM, JOINT, LINKAGE, LOOPS, TAKEN, TEXTS, WHOLE, on_world
from mujoco_model import MujocoModel
from strategies import States, compiled, on_floats, states, with_joints

import kinetree as kt
from kinetree.joints import Fixed, Spherical
from kinetree.spatial.transform import Transform

mujoco = pytest.importorskip("mujoco")

Array = np.ndarray

# MuJoCo diagonalises inertias by iteration; its accelerations of ill-conditioned chains miss ours by the rest
AGREEMENT = 1e-9
SECONDS = 0.3  # to read the largest file
OFF = ("CONSTRAINT", "CONTACT", "ACTUATION")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file where it is."""
    monkeypatch.chdir(tmp_path)


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


def compare(tally: Tally, source: Path | str, name: str, count: int = 3, evaluate=on_floats) -> None:
    robot, warning = read(source)
    model = loaded(source)
    if "mesh geom" in warning:
        robot = with_masses_of(model, robot)
    tally.add(name, robot, disagreements(robot, model, states(robot, count), evaluate))


# -- files -------------------------------------------------------------------------------------------------------------


def folder(package: str, inside: str) -> Path | None:
    """A folder of an installed package, which is not imported: dm_control loads a renderer."""
    spec = importlib.util.find_spec(package)
    return Path(next(iter(spec.submodule_search_locations))) / inside if spec else None


def files_in(package: str, inside: str = ".") -> list[Path]:
    there = folder(package, inside)
    files = sorted(there.rglob("*.xml")) if there else []
    return [file for file in files if b"<mujoco" in file.read_bytes()[:4000]]


SUITE = [file for file in files_in("dm_control", "suite") if file.parent.name == "suite"]
WHEEL = files_in("mujoco", "testdata")
with_dm_control = pytest.mark.skipif(not SUITE, reason="dm_control is not installed")


@with_dm_control
def test_the_suite_agrees_with_mujoco(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    for file in SUITE:
        compare(tally, file, file.name, count=2)
    tally.tell(capsys, "dm_control suite")
    assert tally.wrong == {}
    assert tally.counts["files"] >= 19
    assert tally.counts["joints"] >= 250
    assert tally.counts["quantities"] >= 1000


def test_the_files_in_the_wheel_of_mujoco_agree() -> None:
    tally = Tally()
    for file in WHEEL:
        if file.name != "msh.xml":  # a mesh without its file
            compare(tally, file, file.name)
    assert tally.wrong == {}


@with_dm_control
def test_compiled_functions_of_the_suite_agree_with_mujoco() -> None:
    tally = Tally()
    for file in SUITE:
        if file.stem in ("quadruped", "swimmer"):
            compare(tally, file, file.name, count=9, evaluate=compiled)
    assert tally.wrong == {}
    assert tally.counts["files"] == 2


@pytest.mark.slow
@with_dm_control
def test_all_files_of_dm_control_agree_with_mujoco(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    for file in files_in("dm_control"):
        try:
            loaded(file)
        except ValueError:  # a part of a model, or one without its meshes
            continue
        compare(tally, file, str(file), count=3)
    tally.tell(capsys, "dm_control")
    assert tally.wrong == {}
    assert tally.counts["files"] >= 40


@with_dm_control
def test_the_largest_file_is_read_quickly() -> None:
    largest = max(SUITE, key=lambda file: file.stat().st_size)

    def seconds() -> float:
        start = time.perf_counter()
        read(largest)
        return time.perf_counter() - start

    assert min(seconds() for _ in range(3)) < SECONDS


# what the files of the suite have and Kinetree does not read
UNREAD = {
    "ball_in_cup": "1 tendon ('string'), 2 actuators ('x', 'z')",
    "cheetah": "6 actuators ('bthigh', 'bshin', 'bfoot', 'fthigh', 'fshin', 1 more)",
    "dog": "157 mesh geoms with mass ('L_1', 'L_2', 'L_3', 'L_4', 'L_5', 152 more)",
    "humanoid_CMU": "5 contact excludes",
    "manipulator": "1 equality of another kind ('coupling')",
    "swimmer": "1 fluid property ('density')",
}


@with_dm_control
def test_what_is_not_read_is_listed_in_one_warning() -> None:
    said = {file.stem: read(file)[1] for file in SUITE}
    assert {name: said[name] for name, part in UNREAD.items() if part not in said[name]} == {}
    assert all(text == "" or text.startswith(f"{name}.xml: not read: ") for name, text in said.items())
    assert {name for name, text in said.items() if not text} == {"lqr"}


def test_a_text_with_everything_unread_lists_it() -> None:
    """By kind, with names."""
    text = """<mujoco><option density="1.2" viscosity="1e-5" wind="1 0 0"/><worldbody>
      <body name="a" gravcomp="1"><joint name="j" damping="1 2" stiffness="1 0 3"/><geom size=".1"/><site name="s"/>
        <body name="b"><joint name="k" type="ball" range="0 30"/><geom size=".1"/></body></body>
      <body name="c"><joint name="f" type="free" armature="1"/><geom size=".1"/></body></worldbody>
      <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
      <actuator><motor name="m" joint="j"/><motor joint="j"/></actuator>
      <contact><exclude body1="a" body2="c"/><pair name="p" geom1="x" geom2="y"/></contact>
      <equality><weld name="w" body1="a" active="false"/><tendon name="e" tendon1="t"/></equality></mujoco>"""
    assert read(text)[1] == (
        "text: not read: 1 tendon ('t'), 2 actuators ('m', 1 more), 1 contact pair ('p'), 1 contact exclude, "
        "1 inactive equality ('w'), 1 equality of another kind ('e'), 1 gravity compensation ('a'), "
        "3 fluid properties ('density', 'viscosity', 'wind'), 1 nonlinear damping ('j'), 1 nonlinear stiffness ('j'), "
        "1 armature of a free joint ('f'), 1 range of a ball joint ('k')"
    )


# -- texts, one for each feature ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_agrees_with_mujoco(name: str) -> None:
    tally = Tally()
    text = f"<mujoco>{TEXTS[name]}</mujoco>"
    compare(tally, text, name)
    assert tally.wrong == {}


def test_the_armature_of_a_free_joint_is_in_the_mass_matrix_and_listed() -> None:
    """MuJoCo's moves with the world's axes, ours with the body's: they differ by armature * (w x v) only."""
    text = "<mujoco>" + on_world('<joint name="f" type="free" armature="2"/>' + GEOM) + "</mujoco>"
    robot, warning = read(text)
    assert warning == "text: not read: 1 armature of a free joint ('f')"
    s, oracle = states(robot), Oracle(robot, loaded(text))
    f, still = on_floats(robot), np.zeros_like(s.qd)
    assert error(f("mass_matrix", s.q), [oracle.mass_matrix(q) for q in s.q]) < AGREEMENT
    theirs = [oracle.inverse_dynamics(*row) for row in zip(s.q, still, s.qdd)]
    assert error(f("inverse_dynamics", s.q, still, s.qdd), theirs) < AGREEMENT


def test_the_frame_of_a_body_is_its_own_where_anchor_and_order_allow() -> None:
    joints = "<joint name='j'/><joint name='k' axis='1 0 0'/>"
    text = f"<mujoco><worldbody><body name='a'>{joints}{GEOM}</body></worldbody></mujoco>"
    assert [b.name for b in read(text)[0].bodies] == ["a/j", "a"]
    robot = read(text.replace("name='k'", "name='k' pos='1 0 0'"))[0]
    assert [b.name for b in robot.bodies] == ["a/j", "a/k"]
    assert robot.frames["a"].body == "a/k"


def test_names_that_are_taken_are_made_longer() -> None:
    robot, _ = read(TAKEN)
    assert [*robot.joint_names] == ["joint1", "joint1_", "joint0"]
    assert [body.name for body in robot.bodies] == ["body2/joint1", "body2/joint1_", "body2_"]
    assert {"body2", "body2/joint1__"} <= {*robot.frames}


def test_names_and_gravity_are_the_files_unless_given() -> None:
    text = f'<mujoco model="thing"><option gravity="0 0 -1"/>{on_world(JOINT + GEOM)}</mujoco>'
    assert (read(text)[0].name, tuple(read(text)[0].gravity)) == ("thing", (0, 0, -1))
    robot = read(text, name="other", gravity=(1, 2, 3))[0]
    assert (robot.name, tuple(robot.gravity)) == ("other", (1, 2, 3))


def test_strict_false_reads_what_no_body_can_have() -> None:
    text = "<mujoco>" + on_world('<joint range="2 1"/>' + BALL.replace("1 1 1", "1 1 9")) + "</mujoco>"
    robot = read(text, strict=False)[0]
    assert robot.bodies[0].inertia.about_com.zz == 9
    assert robot.bodies[0].joint.limits.lower > robot.bodies[0].joint.limits.upper


# -- includes ----------------------------------------------------------------------------------------------------------


def test_included_files_stand_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    main = tmp_path / "main.xml"
    main.write_text(
        '<mujoco><include file="parts/settings.xml"/><worldbody><body name="a"><joint axis="1 0 0"/>'
        f'{GEOM}<include file="parts/arm.xml"/></body></worldbody></mujoco>'
    )
    (tmp_path / "parts" / "settings.xml").write_text(
        '<mujoco><compiler angle="radian"/><default><joint damping="2"/></default></mujoco>'
    )
    (tmp_path / "parts" / "arm.xml").write_text(
        '<mujocoinclude><body name="b" euler="1 0 0"><joint/>'
        f'{GEOM}<include file="parts/deep/hand.xml"/></body></mujocoinclude>'
    )
    (tmp_path / "parts" / "deep" / "hand.xml").write_text(f'<mujoco><site name="tip"/>{WHOLE}{WHOLE}</mujoco>')
    tally = Tally()
    compare(tally, main, "main")
    assert tally.wrong == {}
    assert tally.counts["joints"] == 4


# -- locked joints -----------------------------------------------------------------------------------------------------

ARM = f"""<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos="0 0 .1" ref="20"/>
    <joint name="k" axis="1 0 0"/>{GEOM}<body name="b" pos="1 0 0"><joint name="l" type="slide" ref=".5"/>
    <joint name="m" type="ball" pos="0 1 0"/>{GEOM}<site name="tip" pos="0 0 1"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("lock", "kept"),
    [
        ({"j": 0.3}, ["a", "b/l", "b/m"]),
        ({"k": 0.3}, ["a/j", "b/l", "b/m"]),
        ({"l": 0.3, "m": (0.1, 0.2, 0.3, 0.4)}, ["a/j", "a"]),
        ({"j": 0.1, "k": 0.2, "l": 0.3}, ["b/m"]),
        ({"j": 0.1, "k": 0.2, "l": 0.3, "m": (0, 0, 0, 1)}, []),
    ],
)
def test_locked_joints_stand_still(lock: dict[str, Any], kept: list[str]) -> None:
    """The poses of all frames, and the forces of the joints that are left, are those of the whole robot."""
    whole, locked = read(ARM)[0], read(ARM, lock=lock)[0]
    assert [b.name for b in locked.bodies] == kept
    assert {"a", "b", "tip"} <= {*locked.frames}
    s = states(locked, 2)
    q, qd, qdd = (np.zeros((2, n)) for n in (whole.nq, whole.nv, whole.nv))
    rows = []
    for body, qs, vs in zip(whole.bodies, whole.q_slices, whole.v_slices):
        name = body.joint.name
        if name in lock:
            q[:, qs] = lock[name]
        else:
            there = [b.joint.name for b in locked.bodies].index(name)
            q[:, qs] = s.q[:, locked.q_slices[there]]
            for array, part in ((qd, s.qd), (qdd, s.qdd)):
                array[:, vs] = part[:, locked.v_slices[there]]
            rows += range(vs.start, vs.stop)
    ours, theirs = on_floats(locked), on_floats(whole)
    for frame in ("a", "b", "tip"):
        pose_ = ours("pose", s.q, frame=frame) if locked.nv else [fixed_pose(locked, frame)] * 2
        assert error(pose_, theirs("pose", q, frame=frame)) < AGREEMENT
    if locked.nv:
        tau = theirs("inverse_dynamics", q, qd, qdd)[:, rows]
        assert error(ours("inverse_dynamics", s.q, s.qd, s.qdd), tau) < AGREEMENT


# -- equalities --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_as_open_as_mujoco_says(name: str) -> None:
    """The distance of the two points of a pin; of a weld also the angle between the frames."""
    text = f"<mujoco>{LINKAGE}<equality>{LOOPS[name]}</equality></mujoco>"
    robot, model = read(text)[0], loaded(text)
    (loop,) = robot.loops
    assert loop.name == "equality0"
    assert loop.kind == (Spherical() if name.startswith("pin") else Fixed())
    data = mujoco.MjData(model)
    f = on_floats(dataclasses.replace(
        robot, named_frames=(*robot.named_frames, ("one", loop.predecessor), ("two", loop.successor))
    ))  # fmt: skip
    for q in states(robot, 3).q:
        data.qpos = q
        mujoco.mj_forward(model, data)
        residual = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        one, two = (f("pose", q[None], frame=frame)[0] for frame in ("one", "two"))
        assert np.linalg.norm(one[:3, 3] - two[:3, 3]) == pytest.approx(np.linalg.norm(residual[:3]), rel=AGREEMENT)
        if loop.kind == Fixed():
            # MuJoCo's is the vector part of the quaternion between them: sin(angle / 2)
            cosine = (np.trace(one[:3, :3].T @ two[:3, :3]) - 1) / 2
            assert np.sqrt((1 - cosine) / 2) == pytest.approx(np.linalg.norm(residual[3:]), rel=AGREEMENT)


@pytest.mark.parametrize("name", COUPLINGS)
def test_a_coupling_is_as_wrong_as_mujoco_says(name: str) -> None:
    follower, leader, element = COUPLINGS[name]
    text = f"<mujoco>{LINKAGE}<equality>{element}</equality></mujoco>"
    robot, model = read(text)[0], loaded(text)
    (coupling,) = robot.couplings
    assert (coupling.joint, coupling.leader) == (follower, leader)
    data = mujoco.MjData(model)
    for q in states(robot, 3).q:
        data.qpos = q
        mujoco.mj_forward(model, data)
        x = q[robot.joint_names.index(leader)] if leader else 0.0
        ours = q[robot.joint_names.index(follower)] - np.polyval(coupling.coefficients[::-1], x)
        assert ours == pytest.approx(float(data.efc_pos[0]), rel=AGREEMENT)


def test_couplings_of_locked_joints_are_constants_or_listed() -> None:
    text = f'<mujoco>{LINKAGE}<equality><joint name="e" joint1="j" joint2="k" polycoef="1 2 3"/></equality></mujoco>'
    held, warning = read(text, lock={"k": 0.5})
    assert warning == ""
    assert held.couplings[0].leader is None
    assert held.couplings[0].coefficients == pytest.approx((np.radians(30) + 1 + 2 * 0.5 + 3 * 0.25,))
    free, warning = read(text, lock={"j": 0.5})
    assert free.couplings == ()
    assert re.search(r"not read: 1 equality of a locked joint \('e'\)", warning)


def test_equalities_that_are_off_are_listed() -> None:
    text = f'<mujoco>{LINKAGE}<equality><weld name="w" body1="c"/></equality></mujoco>'
    off = "<default><equality active='false'/></default>"
    for switched in (
        off,
        '<option><flag equality="disable"/></option>',
        '<option><flag constraint="disable"/></option>',
    ):
        robot, warning = read(text.replace("<mujoco>", f"<mujoco>{switched}"))
        assert robot.loops == ()
        assert warning == "text: not read: 1 inactive equality ('w')"
