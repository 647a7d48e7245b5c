"""Mutated files give robots or errors of Kinetree, in bounded time and memory, and no other file is opened.

Random graphs compute what the interpreter says, in every layout. ``make fuzz`` goes on with further ones.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import fuzz
import numpy as np
import pytest
from error_bounds import bounds
from file_cases import HANGS, checksum
from fuzz_worker import WORKER, data_of, save
from graph_cases import DifferenceError, GraphCase
from random_programs import Program

import kinetree as kt
from kinetree.graph import interpret
from kinetree.scalar import floor, sin

SEED = 0
BLOCK, QUICK, ALL = 500, 2, 30  # files in a block, and blocks: in every run, in the long one
GRAPHS, MORE = 8, 300
# a process that finds the modules that this one finds
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "KINETREE_CACHE_DIR": ""}

can_be_stopped = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="a reader that hangs can't be stopped here")


def worker(*args: object, code: int = 0) -> dict[str, Any]:
    """What a process with a block of cases, or a case that was kept, prints."""
    command = [sys.executable, "-X", "utf8", str(WORKER), *map(str, args)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=20 * HANGS, encoding="utf-8", env=ENVIRONMENT
    )
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


# -- files -------------------------------------------------------------------------------------------------------------


@can_be_stopped
@pytest.mark.parametrize("block", [pytest.param(i, marks=[pytest.mark.slow] if i >= QUICK else []) for i in range(ALL)])
def test_mutated_files_give_robots_or_errors_of_kinetree(block: int, tmp_path: Path) -> None:
    tally = worker("files", SEED, block * BLOCK, BLOCK, tmp_path)
    # mutations that always break the file, or never, would test nothing
    assert tally["robots"] > BLOCK / 20
    assert tally["refused"] > BLOCK / 4
    # and a number stands for the same file in every process
    assert tally["content"] == checksum(SEED, block * BLOCK, BLOCK)


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
        "import os, socket, sys\nfrom pathlib import Path\nfrom file_cases import Watch\n"
        "inside, outside, folder = sys.argv[1:]\nwatch = Watch(Path(folder))\n"
        f"watch.on = True\n{act}\nwatch.on = False\nprint(*watch.seen)"
    )
    paths = [str(folder / "model.urdf"), str(tmp_path / "secret.xml"), str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout.startswith(seen) if seen else not done.stdout.strip()


# -- graphs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "count"), [(0, GRAPHS), pytest.param(GRAPHS, MORE, marks=pytest.mark.slow)], ids=["quick", "more"]
)
def test_random_graphs_compute_what_the_interpreter_says(first: int, count: int, tmp_path: Path) -> None:
    tally = worker("graphs", SEED, first, count, tmp_path)
    assert tally["graphs"] == count
    assert tally["states"] > 10_000 * count
    # bounds that are always zero would not be true, and bounds that are often infinite would test nothing
    assert tally["numbers"] / 4 < tally["exact"] < tally["numbers"]
    assert tally["open"] < tally["numbers"] / 2


def test_a_bound_is_zero_where_nothing_is_contracted_and_infinite_where_a_rounding_decides() -> None:
    def function(x: Any) -> Any:
        return [x + 1.0, x * x + 1.0, floor(x * x + 1.0), sin(x), (x + 1.0) / (x - 1.0), (x - x * 1.0) / 3.0]

    traced = kt.trace(function, signature="()->(6)")
    values = interpret.computed(traced.outputs, {"x0": np.array([[0.1, 1.0]])})
    sums, squares, floors, sines, quotients, _ = bounds(traced.outputs, values, np.float64)
    assert not sums.any()
    assert (squares > 0).all()
    assert (squares < 1e-15).all()
    assert floors.tolist() == [0.0, np.inf]
    assert (sines > 0).all()
    assert quotients.tolist() == [0.0, np.inf]  # the sign of the zero below it is not defined


def test_nothing_is_certain_behind_an_error_that_may_have_become_infinite() -> None:
    # contracted, the first sum is not zero, its product with a large number infinite, and that times zero not a number
    traced = kt.trace(lambda x: ((x[0] * x[1] + x[2] * x[3]) * x[0]) * x[4] + x[1], signature="(5)->()")
    x = np.array([5.4e35, 0.03, -5.4e35, 0.03, 0.0], np.float32)
    values = interpret.computed(traced.outputs, {"x0": x[:, None]}, np.float32)
    assert not np.isfinite(bounds(traced.outputs, values, np.float32)[0]).any()


def test_a_wrong_result_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(((3,),), 0, ((),), (("mul", 0, 1), ("sub", 3, 2)), (4,))
    GraphCase(SEED, 0, program).run()
    monkeypatch.setitem(interpret.MEANING, "sub", lambda a, b: np.nextafter(np.subtract(a, b * 1.001), np.inf))
    with pytest.raises(DifferenceError, match="numbers are wrong"):
        GraphCase(SEED, 0, program).run()


def test_a_case_that_was_kept_is_run_again(tmp_path: Path) -> None:
    kept = save(tmp_path / "kept", data_of("graphs", SEED, 0), "as a trial")
    assert fuzz.replay(kept) == 0
    case = json.loads(kept.read_text("utf-8"))
    case["program"]["outputs"][0] = 10**6  # no such value
    kept.write_text(json.dumps(case), encoding="utf-8")
    assert fuzz.replay(kept) == 1


# -- the run -----------------------------------------------------------------------------------------------------------


@can_be_stopped
def test_a_process_that_dies_is_noticed_and_its_case_kept(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    worker = fuzz.Worker(SEED, tmp_path / "kept")
    worker.start("files", 0)
    assert worker.process is not None
    while worker.status["files"] < 3:
        assert worker.process.poll() is None
    worker.process.send_signal(signal.SIGSEGV)
    worker.process.wait()
    assert worker.check()
    assert worker.counts()["failures"] == 1
    (kept,) = (tmp_path / "kept").iterdir()
    assert json.loads(kept.read_text("utf-8"))["kind"] == "files"
    assert fuzz.replay(kept) == 0
    assert "kept" in capfd.readouterr().out
