"""Motions: other times, single runs, files and pictures give back what was put in."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError
from kinetree.simulation import Event
from kinetree.simulation.between import Turn, rates

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
    for name in ("reason", "joints", "positions", "forces", "turns", "events"):
        assert getattr(one, name) == getattr(other, name), name


def test_rates_of_a_record_are_those_of_the_robot():
    robot, motion = craft(), flight()[0]
    expected = robot.function("rates")(motion.q, motion.qd)
    assert np.abs(rates(motion.q, motion.qd, Turn.all_of(robot)) - expected).max() < 1e-14
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
    path = motion().to_npz(tmp_path / "new" / "motion.npz")
    assert path.is_absolute()
    same(kt.Motion.from_npz(path), motion())
    assert [p.name for p in path.parent.iterdir()] == ["motion.npz"]


def test_other_files_are_no_motions(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", t=np.zeros(3))
    np.savez(tmp_path / "objects.npz", format=np.array([{}], dtype=object))
    np.savez(tmp_path / "part.npz", format=np.array("kinetree motion 1"), t=np.zeros(3))
    for name in ("text", "other", "objects", "part"):
        with pytest.raises(InputError, match=r"Motion\.to_npz"):
            kt.Motion.from_npz(tmp_path / f"{name}.npz")
    with pytest.raises(InputError, match="is a folder"):
        swing().to_npz(tmp_path)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = swing().to_npz(tmp_path / "motion.npz")
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda file, **arrays: file.write(b"half") / 0)
    with pytest.raises(ZeroDivisionError):
        flight().to_npz(path)
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


def test_a_picture_is_valid_and_saved_whole(tmp_path):
    picture = swing().plot(["q", "tau"], title="A <swing>")
    root = ET.fromstring(picture.svg)
    assert len(root.findall(".//{*}path")) == 4
    assert "A &lt;swing&gt;" in picture.svg
    assert picture.svg in picture._repr_html_()
    saved = picture.save(tmp_path / "new" / "swing.svg")
    assert len(ET.parse(saved).getroot().findall(".//{*}path")) == 4
    assert "<!DOCTYPE html>" in picture.save(tmp_path / "swing.html").read_text("utf-8")
    assert flight().plot("q", ["hinge"]).svg.count("<path") == 3
    with pytest.raises(InputError, match=r"\.svg or \.html"):
        picture.save(tmp_path / "swing.png")
    with pytest.raises(UnknownNameError, match="hinge"):
        flight().plot("q", ["hinges"])
    with pytest.raises(UnknownNameError, match="qdd"):
        flight().plot("force")
    with pytest.raises(InputError, match="too many"):
        flight().plot("q")


def test_what_was_not_recorded_is_reported():
    bare: Any = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 0.1, dt=0.05, record="q")
    assert bare.qd is bare.qdd is bare.tau is bare.wrenches is None
    with pytest.raises(InputError, match="tau was not recorded"):
        bare.plot("tau")
