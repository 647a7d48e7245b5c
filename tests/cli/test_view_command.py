"""``kinetree view``: the page of a robot."""

from __future__ import annotations

import webbrowser

from kinetree.cli import main


def test_a_page_is_written_or_opened(tmp_path, capsys, monkeypatch):
    page = tmp_path / "panda.html"
    assert main(["view", "zoo:panda", "-o", str(page)]) == 0
    assert capsys.readouterr().out.strip() == str(page)
    assert "<canvas" in page.read_text("utf-8")
    assert page.stat().st_size < 300_000
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["view", "zoo:two_link"]) == 0
    assert len(opened) == 1
    assert opened[0].startswith("file://")


def test_what_can_t_be_shown_is_said(tmp_path, capsys):
    assert main(["view", "zoo:panda", "-o", str(tmp_path / "panda.png")]) == 3
    assert ".html" in capsys.readouterr().err
    assert main(["view", "zoo:nobody"]) == 3
