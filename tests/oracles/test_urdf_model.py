"""The URDF reader against Pinocchio's: joints and their order, places, axes, inertias, limits and frames.

Every URDF file of the example-robot-data wheel that Pinocchio loads is compared, on both bases. Only the
model is compared; the poses are composed of plain floats, no function is compiled.
"""

from __future__ import annotations

import functools
import importlib.metadata
import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest

from kinetree.errors import InertiaError
from kinetree.joints import Free, Planar, Revolute
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.model.urdf import mechanism_from_urdf
from kinetree.parameter import Parameter, bound
from kinetree.spatial.transform import Transform

pin = pytest.importorskip("pinocchio")

# twenty turns of accumulated rounding on lengths of metres are 1e-14; rpy goes through different formulas
LENGTH = 1e-12
# masses reach 200 kg and merged inertias lose digits of m c^2
MASS = 1e-11

UNREADABLE = {"falcon.urdf", "ur3.urdf"}  # one names a link that is not there, the other has no link at all
NOT_STRICT = {  # inertias that no body can have
    "romeo_laas_small.urdf": "LHipPitch_link",
    "romeo_small.urdf": "RShoulderYawLink",
}


def _files() -> list[Path]:
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


FILES = _files()
READABLE = [file for file in FILES if file.name not in UNREADABLE]
each_robot = pytest.mark.parametrize(
    ("file", "base"),
    [pytest.param(f, b, id=f"{f.stem}-{b}") for f in READABLE for b in ("fixed", "floating")],
)


def file_called(name: str) -> Path:
    found = [file for file in FILES if file.name == name]
    if not found:
        pytest.skip(f"example-robot-data has no {name}")
    return found[0]


@functools.cache
def load(file: Path, base: str) -> tuple[Mechanism, pin.Model]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mimic joints, which Pinocchio takes for independent ones too
        ours = mechanism_from_urdf(file, base=base, strict=False)
    free = [pin.JointModelFreeFlyer(), "base"] if base == "floating" else []
    return ours, pin.buildModelFromUrdf(str(file), *free)


def random_q(robot: Mechanism, seed: int) -> np.ndarray:
    q = np.random.default_rng(seed).uniform(-3.0, 3.0, robot.nq)
    for _, start in robot.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


def pinocchio_q(robot: Mechanism, model: pin.Model, q: np.ndarray) -> np.ndarray:
    """The same configuration with Pinocchio's (cos, sin) for angles without limits."""
    out = np.empty(model.nq)
    for joint, s in zip(model.joints[1:], robot.q_slices, strict=True):
        *others, angle = values = q[s]
        split = joint.nq > len(values)
        values = [*others, np.cos(angle), np.sin(angle)] if split else values
        out[joint.idx_q : joint.idx_q + joint.nq] = values
    return out


def body_poses(robot: Mechanism, q: np.ndarray) -> list[Transform]:
    poses: list[Transform] = []
    for body, parent, s in zip(robot.bodies, robot.parents, robot.q_slices, strict=True):
        pose = body.joint.pose([float(x) for x in q[s]])
        poses.append(pose if parent == WORLD else poses[parent] @ pose)
    return poses


def homogeneous(X: Transform) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = [list(row) for row in X.R.matrix]
    matrix[:3, 3] = list(X.p)
    return matrix


def assert_same_bodies(ours: Mechanism, model: pin.Model) -> None:
    """Parents, places at the neutral configuration, axes and inertias."""
    neutral = pin.neutral(model)
    for i, (body, parent) in enumerate(zip(ours.bodies, ours.parents, strict=True), 1):
        assert parent + 1 == model.parents[i]
        pose = body.joint.pose(body.joint.kind.neutral)
        np.testing.assert_allclose(homogeneous(pose), model.jointPlacements[i].homogeneous, atol=LENGTH)
        data = model.joints[i].createData()
        model.joints[i].calc(data, neutral)
        columns = np.reshape(np.array(data.S), (6, -1))
        columns = np.roll(columns, 3, axis=(0, 1) if columns.shape[1] == 6 else 0)  # angular first
        axes = [[*column.ang, *column.lin] for column in body.joint.subspace(body.joint.kind.neutral)]
        np.testing.assert_allclose(np.transpose(axes), columns, atol=LENGTH)
        assert_same_inertia(body.inertia, model.inertias[i])


def assert_same_inertia(ours, theirs) -> None:
    assert ours.mass == pytest.approx(theirs.mass, abs=MASS)
    moment = ours.mass * np.array([*ours.com])
    np.testing.assert_allclose(moment, theirs.mass * theirs.lever, atol=MASS)
    about_com = [list(row) for row in ours.about_com.full]
    np.testing.assert_allclose(about_com, theirs.inertia, atol=MASS)


def assert_same_frames(ours: Mechanism, model: pin.Model, seed: int) -> int:
    """The poses of all links at a random configuration; returns how many."""
    q = random_q(ours, seed)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pinocchio_q(ours, model, q))
    poses = body_poses(ours, q)
    compared = 0
    for frame, theirs in zip(model.frames, data.oMf, strict=True):
        if frame.type != pin.FrameType.BODY:
            continue
        name = frame.name
        if name == "world" and "world_link" in ours.frames:
            name = "world_link"
        carrier, pose = ours.frame(name)
        pose = pose if carrier == WORLD else poses[carrier] @ pose
        np.testing.assert_allclose(homogeneous(pose), theirs.homogeneous, atol=LENGTH, err_msg=name)
        compared += 1
    return compared


@each_robot
def test_joints_stand_in_the_order_of_pinocchio(file: Path, base: str) -> None:
    ours, model = load(file, base)
    assert [*ours.joint_names] == [*model.names][1:]
    assert ours.nv == model.nv


@each_robot
def test_places_axes_and_inertias_are_those_of_pinocchio(file: Path, base: str) -> None:
    ours, model = load(file, base)
    assert_same_bodies(ours, model)
    total = sum(body.inertia.mass for body in ours.bodies)
    assert total == pytest.approx(pin.computeTotalMass(model), abs=MASS)


@each_robot
def test_every_link_is_where_pinocchio_has_it(file: Path, base: str) -> None:
    ours, model = load(file, base)
    links = [frame for frame in model.frames if frame.type == pin.FrameType.BODY]
    assert assert_same_frames(ours, model, seed=1) == len(links) > 0
    named = {"world"} | {frame.name for frame in links} | ({"world_link"} & set(ours.frames))
    assert set(ours.frames) == named


@each_robot
def test_limits_and_friction_are_those_of_pinocchio(file: Path, base: str) -> None:
    ours, model = load(file, base)
    for body, joint in zip(ours.bodies, model.joints[1:], strict=True):
        if joint.nv > 1:
            continue
        limits, v = body.joint.limits, joint.idx_v
        assert body.joint.damping == (model.damping[v],)
        assert body.joint.coulomb == (model.friction[v],)
        assert limits.velocity == model.velocityLimit[v]
        assert limits.effort == model.effortLimit[v]
        if joint.nq == 1:
            assert limits.lower == model.lowerPositionLimit[joint.idx_q]
            assert limits.upper == model.upperPositionLimit[joint.idx_q]
        else:
            assert (limits.lower, limits.upper) == (-np.inf, np.inf)


def test_strict_refuses_just_the_robots_with_impossible_inertias() -> None:
    refused = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file in READABLE:
            try:
                mechanism_from_urdf(file)
            except InertiaError as error:
                refused[file.name] = str(error)
    assert {*refused} == {*NOT_STRICT} & {file.name for file in READABLE}
    for name, message in refused.items():
        assert message.startswith(name)
        assert repr(NOT_STRICT[name]) in message


def test_enough_robots_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    if not FILES:
        pytest.skip("example-robot-data is not installed")
    robots = [load(file, base)[0] for file in READABLE for base in ("fixed", "floating")]
    joints = sum(len(robot.joint_names) for robot in robots)
    frames = sum(len(robot.frames) for robot in robots)
    with capsys.disabled():
        print(
            f" {len(READABLE)} URDF files, {len(robots)} models, {joints} joints, {frames} frames compared ",
            end="",
        )
    assert len(READABLE) >= 12


# -- what the files of the wheel do not have -----------------------------------------------------------------


def chain(*joints: str) -> str:
    """URDF text of links 0, 1, 2, ... with the joint elements between them."""
    inertial = (
        '<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="2"/>'
        '<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>'
    )
    links = "".join(f'<link name="l{i}">{inertial}</link>' for i in range(len(joints) + 1))
    between = "".join(
        f'<joint name="j{i}" {joint}<parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i, joint in enumerate(joints)
    )
    return f'<robot name="chain">{links}{between}</robot>'


LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def test_planar_and_floating_joints_are_those_of_pinocchio() -> None:
    text = chain(
        'type="planar"><axis xyz="0 0 2"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>',
        'type="floating"><origin xyz="0 1 0" rpy="-1 0 2"/>',
        'type="prismatic"><axis xyz="1 2 -2"/>' + LIMIT,
    )
    ours, model = mechanism_from_urdf(text), pin.buildModelFromXML(text)
    kinds = [type(body.joint.kind) for body in ours.bodies]
    assert kinds[:2] == [Planar, Free]
    assert_same_bodies(ours, model)
    assert assert_same_frames(ours, model, seed=2) == 4


ANGLES = (0.0, 0.7, np.pi / 2, -np.pi, 1.57079632679)
AXES = ("1 0 0", "0 -1 0", "0 0 1", "0 0 -3", "1 1 0", "6e-17 0 1")


@pytest.mark.parametrize("axis", AXES)
def test_folding_a_turn_into_the_joint_keeps_every_pose(axis: str) -> None:
    joints = [
        f'type="revolute"><origin xyz="1 2 3" rpy="{r!r} {p!r} {y!r}"/><axis xyz="{axis}"/>{LIMIT}'
        for r, p, y in itertools.product(map(float, ANGLES), repeat=3)
    ]
    for some in (joints[i : i + 5] for i in range(0, len(joints), 5)):
        text = chain(*some)
        ours, model = mechanism_from_urdf(text), pin.buildModelFromXML(text)
        assert_same_bodies(ours, model)
        assert_same_frames(ours, model, seed=3)


def test_a_turn_about_the_own_axis_is_an_offset() -> None:
    for rpy, axis, offset, rest in (
        ("0 1.57079632679 0", "0 1 0", 1.57079632679, 0),
        ("0 1.57079632679 0", "0 -1 0", -1.57079632679, 0),
        ("0.25 0 0.5", "1 0 0", 0.25, 1),
        ("0.25 0 0.5", "0 0 1", 0.0, 1),  # the roll comes between the yaw and the axis
        ("0 0 1.570796326794897", "0 0 1", np.pi / 2, 0),  # sixteen digits of pi / 2
    ):
        text = chain(f'type="continuous"><origin rpy="{rpy}"/><axis xyz="{axis}"/>')
        joint = mechanism_from_urdf(text).bodies[0].joint
        assert isinstance(joint.kind, Revolute)
        assert joint.kind.offset == offset
        assert len(joint.placement.R.factors) == rest


def test_ur5_has_no_rotation_left_before_the_joints_that_turn_about_their_own_axis() -> None:
    ours, _ = load(file_called("ur5_robot.urdf"), "fixed")
    for body in ours.bodies:
        assert body.joint.placement.R.factors == ()
    offsets = {body.joint.name: body.joint.kind.offset for body in ours.bodies if body.joint.kind.offset}
    assert offsets == {"shoulder_lift_joint": 1.57079632679, "wrist_1_joint": 1.57079632679}


@pytest.mark.parametrize(
    ("name", "base", "count"), [("panda.urdf", "fixed", 3), ("talos_reduced.urdf", "floating", 12)]
)
def test_locked_joints_give_the_reduced_model_of_pinocchio(name: str, base: str, count: int) -> None:
    file = file_called(name)
    full, model = load(file, base)
    rng = np.random.default_rng(4)
    names = [joint for joint in full.joint_names if joint != "base"]
    lock = {joint: rng.uniform(-1, 1) for joint in rng.choice(names, count, replace=False)}
    q = pin.neutral(model)
    for joint, value in lock.items():
        q[model.joints[model.getJointId(joint)].idx_q] = value
    reduced = pin.buildReducedModel(model, [model.getJointId(joint) for joint in lock], q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = mechanism_from_urdf(file, base=base, lock=lock)
    assert [*ours.joint_names] == [*reduced.names][1:]
    assert len(ours.joint_names) == len(full.joint_names) - count
    assert {*ours.frames} == {*full.frames}
    assert_same_bodies(ours, reduced)
    assert_same_frames(ours, reduced, seed=5)


def test_a_locked_joint_keeps_the_sign_of_its_axis_and_its_offset() -> None:
    text = chain(
        f'type="revolute"><origin xyz="0 0 1" rpy="0 0.3 0"/><axis xyz="0 -1 0"/>{LIMIT}',
        f'type="revolute"><origin xyz="0 1 0" rpy="0 0 0.4"/><axis xyz="0 0 1"/>{LIMIT}',
        f'type="prismatic"><origin xyz="1 0 0" rpy="0.5 0 0"/><axis xyz="-1 0 0"/>{LIMIT}',
        f'type="revolute"><origin xyz="1 0 0"/><axis xyz="1 -1 0"/>{LIMIT}',
        f'type="revolute"><axis xyz="1 0 0"/>{LIMIT}',
    )
    lock = {"j0": 0.5, "j1": -0.6, "j2": 0.7, "j3": 0.8}
    model = pin.buildReducedModel(pin.buildModelFromXML(text), [1, 2, 3, 4], np.array([*lock.values(), 0.0]))
    ours = mechanism_from_urdf(text, base="fixed", lock=lock)
    assert ours.joint_names == ("j4",)
    assert_same_bodies(ours, model)
    assert assert_same_frames(ours, model, seed=6) == 6


def test_a_joint_can_be_locked_at_a_parameter() -> None:
    text = chain(*['type="revolute"><origin xyz="0 0 1" rpy="0.3 0 0"/><axis xyz="0 1 0"/>' + LIMIT] * 2)
    by_name = mechanism_from_urdf(text, lock={"j1": Parameter("angle")})
    by_number = mechanism_from_urdf(text, lock={"j1": 0.4})
    assert [*by_name.parameters] == ["angle"]
    frame = bound(by_name.frames["l2"], {"angle": 0.4}).pose
    np.testing.assert_allclose(homogeneous(frame), homogeneous(by_number.frames["l2"].pose), atol=LENGTH)
