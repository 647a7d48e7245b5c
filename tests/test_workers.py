"""Tasks in processes and executors: order, errors, interrupts; what processes of their own import."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import kinetree as kt
from kinetree.errors import WorkerError
from kinetree.workers import answers

SCRIPT = """
import os, sys
sys.path.append(sys.argv[1])
import own  # in a folder that only this process knows
from kinetree.workers import answers
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


# -- any executor ------------------------------------------------------------------------------------------------------


class Backwards(Executor):
    """Does the last task first, when somebody waits."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any]] = []

    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: function(*args, **keywords)))
        if len(self.waiting) == 3:
            for asked, task in reversed(self.waiting):
                asked.set_result(task())
        return future


def test_results_are_in_the_order_of_the_tasks_whichever_ends_first() -> None:
    counts: list[None] = []
    assert answers(pow, [(2, k) for k in range(3)], executor=Backwards(), done=lambda: counts.append(None)) == [1, 2, 4]
    assert len(counts) == 3
    with ThreadPoolExecutor(3) as pool:
        slow = answers(lambda x: (time.sleep(x), x)[1], [(0.1,), (0.05,), (0.0,)], executor=pool)
    assert slow == [0.1, 0.05, 0.0]
    assert answers(lambda: threading.get_ident(), [()], executor=Backwards(), first_here=True) == [
        threading.get_ident()
    ]
    assert answers(pow, []) == answers(pow, [], executor=Backwards()) == []


def test_an_error_says_which_task_it_is_of_and_keeps_the_others() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(WorkerError, match=r"^start 2 of 3 failed: ZeroDiv") as caught:
        answers(lambda x: 1.0 / x, [(1.0,), (0.0,), (2.0,)], executor=pool, what="start")
    assert caught.value.index == 1
    assert caught.value.results[0] == 1.0
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(WorkerError, match="task 1 of 1 failed: ValueError"):  # in a process, and then in this one
        answers(int, [("one",)])


def test_ctrl_c_keeps_what_is_done() -> None:
    done: list[None] = []
    with ThreadPoolExecutor(1) as pool:
        tasks = [(k,) for k in range(9)]
        asked = answers(lambda k: (time.sleep(0.2), k)[1], tasks, lambda: len(done) > 1, executor=pool,
                        done=lambda: done.append(None))  # fmt: skip
    count = len(done)
    assert 2 <= count < 9
    assert asked == [*range(count), *[None] * (9 - count)]


def test_a_worker_that_dies_is_a_sentence() -> None:
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        pytest.raises(WorkerError, match=r"motion 1 of 2 failed: a worker died, of too little memory"),
    ):
        answers(os._exit, [(3,), (3,)], executor=pool, what="motion")


def test_what_a_worker_cannot_get_is_a_sentence() -> None:
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        pytest.raises(WorkerError, match="define functions in a module, or take threads"),
    ):
        answers(lambda: 1, [()], executor=pool)


def test_executors_that_are_none_or_shut_down_are_refused() -> None:
    pool = ThreadPoolExecutor()
    pool.shutdown()
    with pytest.raises(kt.errors.InputError, match=r"takes no work .* one that is not shut down"):
        answers(pow, [(2, 3)], executor=pool)
    for wrong in (4, "threads", [ThreadPoolExecutor]):
        with pytest.raises(kt.errors.InputError, match=r"executor= is one of concurrent.futures, such as .* got"):
            answers(pow, [(2, 3)], executor=wrong)  # type: ignore[arg-type]

    class NoFutures:
        def submit(self, *_: Any) -> int:
            return 4

    with pytest.raises(kt.errors.InputError, match="gave a int"):
        answers(pow, [(2, 3)], executor=NoFutures())  # type: ignore[arg-type]
