"""Motions: other times, single runs, files and pictures give back what was put in."""

from __future__ import annotations

import csv
import json
import sys
import tracemalloc
import xml.etree.ElementTree as ET
import zipfile
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, MissingExtraError, UnknownNameError
from kinetree.simulation import Event
from kinetree.simulation.interpolation import QuaternionCoordinates, rates

CUBIC = 1e-7  # rad, m: polynomials over 10 ms of motions of some rad/s


def craft() -> kt.Robot:
    """A free body, a hinge and a ball joint."""
    inertia = kt.Inertia(2.0, (0.1, 0.0, 0.2), (0.5, 0.6, 0.7))
    bodies = (
        kt.Body("hull", kt.Joint("free", kt.joints.Free()), inertia),
        kt.Body("arm", kt.Joint("hinge", kt.joints.Revolute((0, 1, 0))), inertia, "hull"),
        kt.Body("ball", kt.Joint("ball", kt.joints.Spherical()), inertia, "arm"),
    )
    return kt.Robot(bodies, "craft", gravity=(0, 0, 0))


@cache
def flight() -> kt.Motion:
    """Two runs of three of which the second stops early."""
    robot = craft()
    qd0 = np.random.default_rng(0).normal(size=(3, robot.nv))
    qd0[1, 6] = 3.0
    turned = Event(lambda t, q, qd: q[:, 7] - 0.7, "turned")
    record = ("q", "qd", "qdd", "tau", "wrenches")
    return kt.simulate(robot, robot.neutral, qd0, 0.3, dt=1e-2, events=[turned], record=record)


@cache
def swing() -> kt.Motion:
    return kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, -2.0], 0.5, dt=1e-2)


def same(one: kt.Motion, other: kt.Motion) -> None:
    for name in ("t", "q", "qd", "qdd", "tau", "wrenches", "status", "end"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert np.array_equal(a, b, equal_nan=True), name
    for name in ("reason", "joints", "positions", "forces", "quaternions", "events", "robot"):
        assert getattr(one, name) == getattr(other, name), name


def test_rates_of_a_record_are_those_of_the_robot():
    robot, motion = craft(), flight()[0]
    expected = robot.function("rates")(motion.q, motion.qd)
    assert np.abs(rates(motion.q, motion.qd, QuaternionCoordinates.of(robot)) - expected).max() < 1e-14
    assert motion.positions == (*(f"free[{k}]" for k in range(7)), "hinge", *(f"ball[{k}]" for k in range(4)))


def test_a_motion_at_other_times_is_the_same_motion():
    robot = craft()
    fine = kt.simulate(robot, robot.neutral, flight().qd[0, 0], 0.3, dt=1e-3)
    times = np.linspace(0.0, 0.3, 301)
    found = flight()[0].resample(times)
    for name in ("q", "qd"):
        assert np.abs(getattr(found, name) - getattr(fine, name)).max() < CUBIC, name
    assert np.abs(np.linalg.norm(found.q[:, 3:7], axis=1) - 1.0).max() < 1e-15
    assert np.abs(found.q - fine.q).max() > 0  # it is another way
    assert found.wrenches is not None
    assert found.wrenches.shape == (301, 3, 6)


def test_a_motion_at_its_own_times_is_itself():
    motion = flight()
    found = motion.resample(motion.t)
    assert np.array_equal(np.isnan(found.q), np.isnan(motion.q))
    assert np.nanmax(np.abs(found.q - motion.q)) < 1e-15
    assert np.array_equal(found.wrenches, motion.wrenches, equal_nan=True)
    assert swing().resample(0.1).t.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    bare = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.05, record=("q",))
    assert np.allclose(bare.resample([0.025]).q[0], bare.q[:2].mean(axis=0))


@pytest.mark.parametrize("times", [0.0, -0.1, 2.0, [0.2, 0.1], [-0.1, 0.2], [0.1, 0.6], [[0.1]], [np.nan]])
def test_times_outside_of_a_motion_are_refused(times):
    with pytest.raises(InputError, match=r"must be above 0|one rising row"):
        swing().resample(times)


def test_runs_of_a_batch_are_taken_by_index():
    motion = flight()
    assert motion.batch == (3,)
    assert motion[1].batch == ()
    assert motion[1].reason == (motion.reason[1],)
    assert [e.row for e in motion[1].events] == [()]
    assert [e.row for e in motion.events] == [(1,)]
    assert [e.row for e in motion[1:].events] == [(0,)]
    assert motion[[2, 1]].events[0].row == (1,)
    assert motion[0].events == ()
    assert np.array_equal(motion[motion.status == 0].q, motion.q[[0, 2]])
    assert [run.end.item() for run in motion] == motion.end.tolist()
    with pytest.raises(InputError, match="no run 3"):
        motion[3]
    with pytest.raises(InputError, match="one run"):
        iter(motion[0])


@pytest.mark.parametrize("motion", [flight, swing], ids=["batch", "one run"])
def test_an_npz_file_loses_nothing(motion, tmp_path):
    path = motion().save(tmp_path / "new" / "motion.npz")
    assert path.is_absolute()
    same(kt.Motion.load(path), motion())
    assert [p.name for p in path.parent.iterdir()] == ["motion.npz"]


def test_other_files_are_no_motions(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", t=np.zeros(3))
    np.savez(tmp_path / "objects.npz", format=np.array([{}], dtype=object))
    np.savez(tmp_path / "part.npz", format=np.array("kinetree motion 2"), t=np.zeros(3))
    for name in ("text", "other", "objects", "part"):
        with pytest.raises(InputError, match=r"Motion\.save"):
            kt.Motion.load(tmp_path / f"{name}.npz")
    with pytest.raises(InputError, match="is a folder"):
        swing().save(tmp_path)


def test_a_small_file_does_not_take_much_memory(tmp_path):
    with np.load(swing().save(tmp_path / "motion.npz")) as file:
        whole = dict(file)
    np.savez_compressed(tmp_path / "large.npz", **whole, more=np.zeros(10_000_000))
    assert (tmp_path / "large.npz").stat().st_size < 200_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"takes 80\d{6} bytes in memory; if you trust it, .* largest=80\d{6}"):
            kt.Motion.load(tmp_path / "large.npz", largest=79_000_000)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    same(kt.Motion.load(tmp_path / "large.npz"), swing())


def header(description: str) -> bytes:
    """The beginning of an array in NumPy's format."""
    return b"\x93NUMPY\x01\x00" + len(description).to_bytes(2, "little") + description.encode()


@pytest.mark.parametrize(
    ("content", "method", "match"),
    [
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000,)}\n"), zipfile.ZIP_STORED, "only"),
        (header("{'descr': '<U0', 'fortran_order': False, 'shape': (9000000000,)}\n"), zipfile.ZIP_STORED, "only"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}\n"), zipfile.ZIP_STORED, ""),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}\n"), zipfile.ZIP_BZIP2, "compressed by"),
        (b"\x93NUMPY\x07\x00", zipfile.ZIP_STORED, "version"),
        (b"text", zipfile.ZIP_DEFLATED, ""),
    ],
)
def test_the_header_of_an_array_is_not_believed(content, method, match, tmp_path):
    with zipfile.ZipFile(tmp_path / "motion.npz", "w", method) as file:
        file.writestr("t.npy", content)
    with pytest.raises(InputError, match=rf"is not a file of Motion\.save: .*{match}"):
        kt.Motion.load(tmp_path / "motion.npz")


def test_a_file_with_parts_that_do_not_fit_is_no_motion(tmp_path):
    with np.load(swing().save(tmp_path / "motion.npz")) as file:
        whole = dict(file)
    (tmp_path / "robot.json").write_text(kt.robots.two_link().to_json())
    wrong: dict[str, Any] = {
        "t": np.zeros(3),
        "q": np.array(["a"]),
        "tau": np.zeros((3, 2)),
        "status": np.array(99),
        "joints": None,
        "event_q": None,
        "quaternions": np.zeros((1, 2), int),
        "robot": np.array(json.dumps(str(tmp_path / "robot.json"))),  # no other file is read
    }
    for name, value in wrong.items():
        arrays = {**whole, name: value} if value is not None else {k: x for k, x in whole.items() if k != name}
        np.savez(tmp_path / "wrong.npz", **arrays)
        with pytest.raises(InputError, match=r"Motion\.save"):
            kt.Motion.load(tmp_path / "wrong.npz")
    np.savez(tmp_path / "more.npz", **whole, more=np.zeros(3))  # of a later version
    same(kt.Motion.load(tmp_path / "more.npz"), swing())


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = swing().save(tmp_path / "motion.npz")
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda file, **arrays: file.write(b"half") / 0)
    with pytest.raises(ZeroDivisionError):
        flight().save(path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_csv_file_has_a_row_for_each_time_of_a_run(tmp_path):
    motion = swing()
    with open(motion.to_csv(tmp_path / "one.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:4] == ["t", "q.joint1", "q.joint2", "qd.joint1"]
    numbers = np.array(rows, float)
    whole = np.hstack([motion.t[:, None], motion.q, motion.qd, motion.qdd, motion.tau])  # type: ignore[list-item]
    assert np.array_equal(numbers, whole)  # every digit
    batch = flight()
    with open(batch.to_csv(tmp_path / "batch.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:3] == ["run", "t", "q.free[0]"]
    assert len(header) == 2 + 12 + 3 * 10 + 18
    assert [int(row[0]) for row in rows].count(1) == np.isfinite(batch.q[1, :, 0]).sum() < 31


def test_a_data_frame_is_the_same_table(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    for motion in (swing(), flight()):
        frame = motion.to_dataframe()
        read = pandas.read_csv(motion.to_csv(tmp_path / "motion.csv"))
        pandas.testing.assert_frame_equal(frame, read, rtol=1e-14)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        motion.to_dataframe()


def test_a_picture_is_valid_and_saved_whole(tmp_path):
    picture = swing().plot("q", "tau", title="A <swing>")
    root = ET.fromstring(picture.svg)
    assert len(root.findall(".//{*}path")) == 4
    assert "A &lt;swing&gt;" in picture.svg
    assert picture.svg in picture._repr_html_()
    saved = picture.save(tmp_path / "new" / "swing.svg")
    assert len(ET.parse(saved).getroot().findall(".//{*}path")) == 4
    assert "<!DOCTYPE html>" in picture.save(tmp_path / "swing.html").read_text("utf-8")
    assert flight().plot("q", joints=["hinge"]).svg.count("<path") == 3
    with pytest.raises(InputError, match=r"\.svg, \.html, \.png or \.pdf"):
        picture.save(tmp_path / "swing.bmp")
    with pytest.raises(UnknownNameError, match="hinge"):
        flight().plot("q", joints=["hinges"])
    with pytest.raises(UnknownNameError, match="qdd"):
        flight().plot("force")
    with pytest.raises(InputError, match="too many"):
        flight().plot("q")
    with pytest.raises(InputError, match=r"one by one, plot\('q', 'tau'\)"):
        flight().plot(["q", "tau"])  # type: ignore[arg-type]


def test_a_motion_prints_what_moved_when_and_how_it_ended():
    assert repr(swing()) == "Motion of two_link: 51 times, 0 to 0.5 s; went to its end"
    assert repr(flight()) == "Motion of craft: 3 runs of 31 times, 0 to 0.3 s; 2 done, 1 stopped"
    assert "; was stopped by an event: 'turned' at 0." in repr(flight()[1])
    assert repr(kt.Motion(np.zeros(0), np.zeros((0, 2)))) == "Motion: 0 times"
    assert repr(kt.Motion(np.arange(3.0), np.zeros((4, 3, 2)))) == "Motion: 4 runs of 3 times, 0 to 2 s; 4 done"


def test_a_report_shows_the_motion_its_runs_and_its_events(tmp_path):
    page = flight().report(tmp_path / "flight.html").read_text("utf-8")
    assert page.count('class="plot" data-follow') == 4  # q, qd, qdd and tau of the first run
    assert "stopped by an event" in page
    assert page.count("turned") >= 2
    assert "hinge" in page
    bare = kt.Motion(np.arange(3.0), np.zeros((3, 2))).report(tmp_path / "bare.html").read_text("utf-8")
    assert "<svg" in bare
    assert "<canvas" not in bare


def test_the_parameters_of_a_motion_are_those_of_its_runs(tmp_path):
    link = kt.DH(a=kt.parameter("length"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    robot = kt.Robot.from_dh([link], "standard", name="rod")
    length = np.array([1.0, 2.0])
    motion = kt.simulate(robot, [0.0], [1.0], 0.1, dt=0.01, length=length)
    assert np.array_equal(motion.parameters["length"], length)
    again = kt.Motion.load(motion.save(tmp_path / "rod.npz"))
    assert again[1].parameters["length"] == 2.0
    assert "<canvas" in again[1].report(tmp_path / "rod.html").read_text("utf-8")


def test_joints_of_the_user_have_no_file(tmp_path):
    class Slide(kt.joints.Prismatic):
        """A joint type of a user."""

    joint = kt.Joint("slide", Slide((0, 0, 1)))
    robot = kt.Robot((kt.Body("mass", joint, kt.Inertia(1.0, about_com=(1.0,) * 3)),), "sledge")
    motion = kt.simulate(robot, [0.0], [0.0], 0.1, dt=0.05)
    assert motion.robot is robot
    assert kt.Motion.load(motion.save(tmp_path / "motion.npz")).robot is None


def test_what_was_not_recorded_is_reported():
    bare: Any = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.05, record="q")
    assert bare.qd is bare.qdd is bare.tau is bare.wrenches is None
    with pytest.raises(InputError, match="tau was not recorded"):
        bare.plot("tau")
