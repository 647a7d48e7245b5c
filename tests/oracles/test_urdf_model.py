"""The URDF reader against Pinocchio's: joints and their order, places, axes, inertias, limits and frames.

Every URDF file of the example-robot-data wheel that Pinocchio loads is compared, on both bases. Only the
model is compared; the poses are composed of plain floats, no function is compiled. Pinocchio takes joints that
mimic others for independent ones here: it knows the same bodies, and is given the followers' positions.
"""

from __future__ import annotations

import functools
import importlib.metadata
import itertools
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from kinetree.errors import ModelError, ModelFileError, ModelWarning
from kinetree.joints import Free, Planar, Revolute
from kinetree.model.inertia import Inertia
from kinetree.model.joint import Mimic
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.model.urdf.reader import mechanism_from_urdf
from kinetree.parameter import Parameter, bound
from kinetree.spatial.transform import Transform

pin = pytest.importorskip("pinocchio")

# twenty turns of accumulated rounding on lengths of metres are 1e-14; rpy goes through different formulas
LENGTH = 1e-12
# masses reach 200 kg and merged inertias lose digits of m c^2
MASS = 1e-11

UNREADABLE = {"falcon.urdf", "ur3.urdf"}  # one names a link that is not there, the other has no link at all
NOT_STRICT = {  # inertias that no body can have, and leaders that no joint is called
    "romeo_laas_small.urdf": "LHipPitch_link",
    "romeo_small.urdf": "RShoulderYawLink",
    "alex_psyonic_hands.urdf": "index_q1",
}
# tiago_dual takes 0.03 s here; a loaded machine takes several times that
READING = 0.3


def _files() -> list[Path]:
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


FILES = _files()
READABLE = [file for file in FILES if file.name not in UNREADABLE]
each_robot = pytest.mark.parametrize(
    ("file", "base"), [pytest.param(f, b, id=f"{f.stem}-{b}") for f in READABLE for b in ("fixed", "floating")]
)


def file_called(name: str) -> Path:
    found = [file for file in FILES if file.name == name]
    if not found:
        pytest.skip(f"example-robot-data has no {name}")
    return found[0]


@functools.cache
def load(file: Path, base: str) -> tuple[Mechanism, pin.Model]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
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
    for joint, body, s in zip(model.joints[1:], robot.bodies, robot.q_slices, strict=True):
        mimic = body.joint.mimic
        *others, angle = values = [mimic.multiplier * q[s][0] + mimic.offset] if mimic else q[s]
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
        kind = body.joint.kind
        pose = body.joint.placement @ kind.transform(kind.neutral)
        np.testing.assert_allclose(homogeneous(pose), model.jointPlacements[i].homogeneous, atol=LENGTH)
        data = model.joints[i].createData()
        model.joints[i].calc(data, neutral)
        columns = np.reshape(np.array(data.S), (6, -1))
        columns = np.roll(columns, 3, axis=(0, 1) if columns.shape[1] == 6 else 0)  # angular first
        axes = [[*column.ang, *column.lin] for column in kind.subspace(kind.neutral)]
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
    joints = [body.joint for body in ours.bodies]
    assert [joint.name for joint in joints] == [*model.names][1:]
    assert [*ours.joint_names] == [joint.name for joint in joints if joint.mimic is None]
    assert ours.nv + len(joints) - len(ours.joint_names) == model.nv


@each_robot
def test_placements_axes_and_inertias_are_those_of_pinocchio(file: Path, base: str) -> None:
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


def test_strict_refuses_just_the_robots_with_impossible_inertias_or_mimic_sources() -> None:
    refused = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        for file in READABLE:
            try:
                mechanism_from_urdf(file)
            except ModelError as error:
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
        print(f" {len(READABLE)} URDF files, {len(robots)} models, {joints} joints, {frames} frames compared ", end="")
    assert len(READABLE) >= 12


def test_just_the_files_with_something_left_out_give_a_warning() -> None:
    told = {}
    for file in READABLE:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mechanism_from_urdf(file, strict=False)
        assert len(caught) <= 1
        if caught:
            told[file.name] = str(caught[0].message)
    if FILES:
        assert {*told} == {"talos_left_arm.urdf", "alex_psyonic_hands.urdf"}
        assert told["talos_left_arm.urdf"].endswith("joints that do not exist are left out: 'arm_left_1_joint'")
        assert "'Left_index_q2', " in told["alex_psyonic_hands.urdf"]


def test_the_largest_file_is_read_in_a_blink(capsys: pytest.CaptureFixture[str]) -> None:
    if not FILES:
        pytest.skip("example-robot-data is not installed")
    file = max(FILES, key=lambda file: file.stat().st_size)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        mechanism_from_urdf(file)
        times.append(time.perf_counter() - start)
    with capsys.disabled():
        print(f" {file.name} is read in {min(times):.3f} s ", end="")
    assert min(times) < READING


def test_every_mesh_of_the_wheel_is_found_in_its_package() -> None:
    refused = {}
    for file in READABLE:
        share = next(folder for folder in file.parents if folder.name == "share")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            try:
                assert mechanism_from_urdf(file, strict=False, packages=[share]) == load(file, "fixed")[0]
            except ModelFileError as error:
                refused[file.name] = str(error)
    if FILES:  # the meshes of one were on its author's machine
        assert {*refused} == {"romeo_laas_small.urdf"}
        assert "line 172, link 'torso': the address 'file:///usr/Romeo/" in refused["romeo_laas_small.urdf"]


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
    ("name", "base", "count"),
    [
        ("panda.urdf", "fixed", 3),
        ("talos_reduced.urdf", "floating", 12),
        ("pr2.urdf", "fixed", 14),
        ("tiago_pro.urdf", "fixed", 20),
    ],
)
def test_locked_joints_give_the_reduced_model_of_pinocchio(name: str, base: str, count: int) -> None:
    file = file_called(name)
    full, model = load(file, base)
    rng = np.random.default_rng(4)
    names = [joint for joint in full.joint_names if joint != "base"]
    lock = {joint: rng.uniform(-1, 1) for joint in rng.choice(names, count, replace=False)}
    followers = {b.joint.name: b.joint.mimic for b in full.bodies if b.joint.mimic and b.joint.mimic.joint in lock}
    held = lock | {name: mimic.multiplier * lock[mimic.joint] + mimic.offset for name, mimic in followers.items()}
    q = pin.neutral(model)
    for joint, value in held.items():
        there = model.joints[model.getJointId(joint)]
        q[there.idx_q : there.idx_q + there.nq] = value if there.nq == 1 else (np.cos(value), np.sin(value))
    reduced = pin.buildReducedModel(model, [model.getJointId(joint) for joint in held], q)
    ours = mechanism_from_urdf(file, base=base, lock=lock)
    assert [body.joint.name for body in ours.bodies] == [*reduced.names][1:]
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


# -- what Pinocchio does not read, or reads only if told ---------------------------------------------------------


def test_a_quaternion_places_a_frame_as_urdfdom_does() -> None:
    text = chain(
        f'type="revolute"><origin xyz="1 2 3" quat_xyzw="0.1 -0.5 0.5 0.7"/><axis xyz="0 0 1"/>{LIMIT}',
        'type="fixed"><origin quat_xyzw="0 0 0.70710678 0.70710678"/>',
        f'type="prismatic"><origin xyz="1 0 0" quat_xyzw="-0.6 0 0 0.8"/><axis xyz="0 1 0"/>{LIMIT}',
    ).replace("<robot", '<robot version="1.2"')
    ours, model = mechanism_from_urdf(text), pin.buildModelFromXML(text)
    assert_same_bodies(ours, model)
    assert assert_same_frames(ours, model, seed=7) == 4


@pytest.mark.parametrize(
    ("inertial", "message"),
    [
        ('<origin xyz="1 2 3"/><mass value="2"/>', "link 'l1': <inertial> without <inertia> is a point mass"),
        ('<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>', "link 'l1': .* without <mass> counts as none"),
    ],
)
def test_half_an_inertial_is_what_urdfdom_makes_of_it(inertial: str, message: str) -> None:
    text = chain(f'type="revolute">{LIMIT}')
    before, after = text.split('<link name="l1">')
    text = f'{before}<link name="l1"><inertial>{inertial}</inertial></link>{after.partition("</link>")[2]}'
    with pytest.warns(ModelWarning, match=f"^text: line 1, {message}$"):
        ours = mechanism_from_urdf(text, strict=False)
    assert_same_bodies(ours, pin.buildModelFromXML(text))


def test_a_payload_is_a_body_that_pinocchio_appends() -> None:
    file = file_called("ur5_robot.urdf")
    payload = Inertia(1.5, (0.1, -0.2, 0.3), (0.05, 0.06, 0.07, 0.001, 0.002, 0.003))
    ours = mechanism_from_urdf(file, attach={"tool0": payload, "base_link": payload})
    model = pin.buildModelFromUrdf(str(file))
    frame = model.frames[model.getFrameId("tool0")]
    about_com = np.array([list(row) for row in payload.about_com.full])
    body = pin.Inertia(payload.mass, np.array([*payload.com]), about_com)
    model.appendBodyToJoint(frame.parentJoint, body, frame.placement)
    assert_same_bodies(ours, model)


def test_mimics_are_those_of_pinocchio() -> None:
    compared = 0
    for file in READABLE:
        try:
            model = pin.buildModelFromUrdf(str(file), mimic=True)
        except ValueError:  # a leader that comes after its follower, or is not there
            continue
        ours, _ = load(file, "fixed")
        theirs = {}
        for i, leader in zip(model.mimicking_joints, model.mimicked_joints, strict=True):
            joint = model.joints[i].extract()
            theirs[model.names[i]] = Mimic(model.names[leader], joint.scaling, joint.offset)
        mimics = {body.joint.name: body.joint.mimic for body in ours.bodies if body.joint.mimic}
        assert mimics == theirs
        assert all(body.joint.actuated == (body.joint.mimic is None) for body in ours.bodies)
        compared += len(mimics)
    assert compared >= 24 or not FILES


def test_a_mimic_of_a_mimic_follows_the_first_source() -> None:
    text = chain(
        f'type="prismatic"><mimic joint="j2" multiplier="-2" offset="0.5"/>{LIMIT}',
        f'type="continuous"><mimic joint="j0" multiplier="3" offset="-1"/>{LIMIT}',
        f'type="revolute"><mimic joint="j3"/>{LIMIT}',
        f'type="revolute">{LIMIT}',
    )
    mimics = {body.joint.name: body.joint.mimic for body in mechanism_from_urdf(text).bodies}
    assert mimics == {"j0": Mimic("j3", -2.0, 0.5), "j1": Mimic("j3", -6.0, 0.5), "j2": Mimic("j3"), "j3": None}
    assert mechanism_from_urdf(text).joint_names == ("j3",)


def test_mimic_joints_of_a_locked_source_are_held_where_it_puts_them() -> None:
    text = chain(
        f'type="revolute"><origin xyz="1 0 0" rpy="0 0.3 0"/><axis xyz="0 -1 0"/>'
        f'<mimic joint="j2" multiplier="-2" offset="0.5"/>{LIMIT}',
        f'type="revolute"><origin xyz="0 1 0"/>{LIMIT}',
        f'type="revolute"><origin xyz="0 0 1" rpy="0.2 0 0"/><axis xyz="-1 0 0"/>{LIMIT}',
    )
    free = text.replace('<mimic joint="j2" multiplier="-2" offset="0.5"/>', "")
    for value in (0.7, [0.7], np.float64(0.7)):
        ours = mechanism_from_urdf(text, lock={"j2": value})
        assert ours == mechanism_from_urdf(free, lock={"j0": -2 * 0.7 + 0.5, "j2": 0.7})
    assert ours.joint_names == ("j1",)


def test_gear_ratios_of_real_robots_are_read() -> None:
    for name, expected in (
        ("xarm7.urdf", {f"joint{i}": 100.0 for i in range(1, 8)}),
        ("pr2.urdf", {"torso_lift_joint": -52143.33, "head_pan_joint": 6.0, "l_elbow_flex_joint": -36.167452007}),
        ("talos_reduced.urdf", {"arm_left_6_joint": 1.0, "torso_1_joint": 1.0}),  # differentials have no such number
    ):
        ratios = {body.joint.name: body.joint.gear_ratio for body in load(file_called(name), "fixed")[0].bodies}
        assert {joint: ratios[joint] for joint in expected} == expected
