"""Both sides of the pages for users of other libraries run, and give the same numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGES = Path(__file__).resolve().parents[1] / "docs" / "coming_from"
INPUTS = {"q", "v", "a", "qd", "qdd", "free_q", "free_qd", "free_tau", "q_floating", "v_floating", "a_floating"}
COMPARED = {
    "pinocchio": (
        "tau qdd M h g dtau_dq dtau_dqd X J tau_loaded elbow_wrench tau_floating M_floating".split(),
        {"qdd"},
    ),
    "mujoco": ("tau back M X J pushed free_qdd".split(), set()),
}


def blocks(page: str) -> list[tuple[str, str]]:
    """The code of a page: "python" is theirs, "{code-cell}" ours."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^```(python|\{code-cell\})\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", COMPARED)
def test_both_sides_give_the_same_numbers(page: str) -> None:
    pytest.importorskip(page)
    compared, results = COMPARED[page]
    ours: dict[str, Any] = {}
    for kind, code in blocks(page):
        if kind == "{code-cell}":
            exec(code, ours)
    given = {name for name in ours if name in INPUTS - results or isinstance(ours[name], str)}
    theirs: dict[str, Any] = {name: ours[name] for name in given if not name.startswith("__")}
    for kind, code in blocks(page):
        if kind == "python":
            exec(code, theirs)
    for name in compared:
        largest = np.abs(ours[name]).max()
        assert theirs[name] == pytest.approx(ours[name], rel=1e-9, abs=1e-9 * largest), name


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "index"))
def test_our_side_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for kind, code in blocks(page):
        if kind == "{code-cell}":
            exec(code, names)
