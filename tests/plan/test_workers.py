"""Worker processes import what this process would, and nothing that merely lies in the current folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kinetree as kt

SCRIPT = """
import os, sys
sys.path.append(sys.argv[1])
import own  # in a folder that only this process knows
from kinetree.plan.workers import answers
os.chdir(sys.argv[2])
sys.path[:0] = eval(sys.argv[3])
print([*answers(own.where, [(2,)], lambda: False)], os.getpid())
"""
OWN = "import os\ndef where(x):\n    return 10 * x, os.getpid()\n"
PLANTED = "open({!r}, 'w').close()\n"


@pytest.mark.parametrize("first", [[], [""]], ids=["script", "interactive"])
def test_files_in_the_current_folder_are_not_run(first: list[str], tmp_path: Path) -> None:
    mine, foreign = tmp_path / "mine", tmp_path / "foreign"
    mine.mkdir()
    foreign.mkdir()
    (tmp_path / "script.py").write_text(SCRIPT)
    (mine / "own.py").write_text(OWN)
    for name in ("numpy", "kinetree", "pickle", "subprocess", "own"):
        (foreign / f"{name}.py").write_text(PLANTED.format(str(tmp_path / f"ran {name}")))
    command = [sys.executable, str(tmp_path / "script.py"), str(mine), str(foreign), repr(first)]
    environment = {**os.environ, "PYTHONPATH": str(Path(kt.__file__).parents[1])}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    answers, parent = ran.stdout.rsplit(None, 1)
    ((result, worker),) = eval(answers)
    assert result == 20
    assert str(worker) != parent  # it was not done in the parent
    assert [path.name for path in tmp_path.glob("ran *")] == []
