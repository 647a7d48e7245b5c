"""The sections of `make bench` that take no time to speak of run."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("pinocchio")


def test_operations_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import startup

    startup.operations()
    assert "407 / 347" in capsys.readouterr().out


def test_an_unknown_section_lists_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.__main__ import SECTIONS, main

    monkeypatch.setattr(sys, "argv", ["benchmarks", "nothing"])
    assert main() == 2
    said = capsys.readouterr().err
    assert all(name in said for name in SECTIONS)
