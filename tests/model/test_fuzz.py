"""Mutated files give a robot or one of Kinetree's errors, in bounded time and memory; no other file is opened."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from read_mutations import HANGS, checksum

BLOCK = 500
QUICK, ALL = 3, 40  # blocks: 1,500 mutations in every run, 20,000 in the long one
# a process that finds the modules that this one finds
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="a reader that hangs can't be stopped here")
@pytest.mark.parametrize("block", [pytest.param(i, marks=[pytest.mark.slow] if i >= QUICK else []) for i in range(ALL)])
def test_mutated_files_give_robots_or_errors_of_kinetree(block: int, tmp_path: Path) -> None:
    done = _run(tmp_path, block * BLOCK, BLOCK)
    assert done.returncode == 0, done.stdout + done.stderr
    tally = json.loads(done.stdout)
    # mutations that always break the file, or never, would test nothing
    assert tally["robots"] > BLOCK / 20
    assert tally["refused"] > BLOCK / 4
    # and a number stands for the same file in every process
    assert tally["content"] == functools.reduce(checksum, range(block * BLOCK, (block + 1) * BLOCK), 0)


@pytest.mark.parametrize(
    ("act", "seen"),
    [
        ("open(outside)", "open secret.xml"),
        ("os.open(outside, os.O_RDONLY)", "open secret.xml"),
        ("os.listdir(os.path.dirname(outside))", "os.listdir "),
        ("__import__('socket').socket().close()", "socket.__new__"),
        ("open(inside).close()", ""),
    ],
)
def test_the_audit_hook_sees_what_is_opened_outside(act: str, seen: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for file in (folder / "model.urdf", tmp_path / "secret.xml"):
        file.write_text("<robot/>", encoding="utf-8")
    code = (
        "import os, socket, sys\nfrom pathlib import Path\nfrom read_mutations import Watch\n"
        "inside, outside, folder = sys.argv[1:]\nwatch = Watch(Path(folder))\n"
        f"watch.on = True\n{act}\nwatch.on = False\nprint(*watch.seen)"
    )
    paths = [str(folder / "model.urdf"), str(tmp_path / "secret.xml"), str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout.startswith(seen) if seen else not done.stdout.strip()


def _run(folder: Path, first: int, count: int) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    script = Path(__file__).with_name("read_mutations.py")
    command = [sys.executable, "-X", "utf8", script, folder, str(first), str(count)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=20 * HANGS, encoding="utf-8", env=ENVIRONMENT
    )
