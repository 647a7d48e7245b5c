"""Both sides of the pages for users of other libraries run, and give the same numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGES = Path(__file__).resolve().parents[1] / "docs" / "coming_from"
# the results of both sides; all other arrays and texts of our side are given to theirs
COMPARED = {
    "pinocchio": "tau qdd M h g dtau_dq dtau_dqd X J C velocity tau_loaded elbow_wrench "
    "tau_floating M_floating com momentum q_next",
    "mujoco": "tau back M X J com pushed free_qdd",
}


def executed(page: str, kind: str, names: dict[str, Any]) -> dict[str, Any]:
    """What the code of a page leaves behind: "python" is their side, "{code-cell}" ours."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    for code in re.findall(rf"^```{re.escape(kind)}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(code, names)
    return names


@pytest.mark.parametrize("page", COMPARED)
def test_both_sides_give_the_same_numbers(page: str) -> None:
    pytest.importorskip(page)
    compared = COMPARED[page].split()
    ours = executed(page, "{code-cell}", {})
    given = {k: x for k, x in ours.items() if isinstance(x, np.ndarray | str) and k not in compared}
    theirs = executed(page, "python", {k: x for k, x in given.items() if not k.startswith("__")})
    for name in compared:
        assert theirs[name] == pytest.approx(ours[name], rel=1e-9, abs=1e-9 * np.abs(ours[name]).max()), name


@pytest.mark.parametrize("page", sorted(p.stem for p in PAGES.glob("*.md") if p.stem not in {"index", *COMPARED}))
def test_our_side_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    executed(page, "{code-cell}", {})
