"""The sections of `make bench` that take no time to speak of run."""

from __future__ import annotations

import sys

import pytest

import kinetree as kt

pytest.importorskip("pinocchio")


def test_operations_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import startup

    startup.operations()
    assert "407 / 347" in capsys.readouterr().out


def test_the_robots_of_rbd_benchmarks_are_timed_on_equal_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks import rbd

    monkeypatch.setattr(rbd, "ROBOTS", {"iiwa": rbd.ROBOTS["iiwa"]})
    monkeypatch.setattr(rbd, "best_pair", lambda a, b: (a(), b(), (1e-3, 2e-3))[2])
    monkeypatch.setattr(rbd, "best", lambda a: (a(), 1e-3)[1])
    rbd.run()
    assert capsys.readouterr().out.count("| iiwa (7) mass matrix ") == 2
    robot = kt.robots.hyq()
    rbd.check(robot, rbd.Peer.of(robot))
    with pytest.raises(AssertionError, match="inverse_dynamics differs"):
        rbd.check(robot.with_gravity((0.0, 0.0, -1.62)), rbd.Peer.of(robot))


def test_an_unknown_section_lists_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.__main__ import SECTIONS, main

    monkeypatch.setattr(sys, "argv", ["benchmarks", "nothing"])
    assert main() == 2
    said = capsys.readouterr().err
    assert all(name in said for name in SECTIONS)
