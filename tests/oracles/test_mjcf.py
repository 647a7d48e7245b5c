"""Robots from MJCF files against MuJoCo, which reads them too: those of dm_control and of MuJoCo's wheel, and texts."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mjcf_oracle import AGREEMENT, Oracle, Tally, compare, error, fixed_pose, loaded, read
from mjcf_texts import BALL, COUPLINGS, GEOM, JOINT, LINKAGE, LOOPS, TAKEN, TEXTS, WHOLE, on_world
from strategies import compiled, on_floats, states

from kinetree.joints import Fixed, Spherical

mujoco = pytest.importorskip("mujoco")

Array = np.ndarray

SECONDS, SECONDS_WITH_MESHES = 0.3, 1.5  # to read the largest files


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file where it is."""
    monkeypatch.chdir(tmp_path)


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
        compare(tally, file, str(file), count=3, packages=folder("dm_control", "."))
    tally.tell(capsys, "dm_control")
    assert tally.wrong == {}
    assert tally.counts["files"] >= 40


@with_dm_control
def test_the_largest_files_are_read_quickly() -> None:
    """One without meshes, one with 157."""

    def seconds(file: Path) -> float:
        start = time.perf_counter()
        read(file)
        return time.perf_counter() - start

    plain, meshes = (next(file for file in SUITE if file.stem == name) for name in ("humanoid_CMU", "dog"))
    assert min(seconds(plain) for _ in range(3)) < SECONDS
    assert min(seconds(meshes) for _ in range(3)) < SECONDS_WITH_MESHES


# what the files of the suite have and Kinetree does not read
UNREAD = {
    "ball_in_cup": "1 tendon ('string'), 2 actuators ('x', 'z')",
    "cheetah": "6 actuators ('bthigh', 'bshin', 'bfoot', 'fthigh', 'fshin', 1 more)",
    "dog": "38 actuators (",
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
    assert warning.startswith("text: functions of the robot ignore its 1 coupling ('j')")
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
