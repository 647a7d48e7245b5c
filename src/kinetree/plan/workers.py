"""Work in processes of their own, one for each core: a function and what it takes go through a pipe, the answer back.

A worker imports from where this process does; the current folder, where that is among these places, comes last there,
so that no file lying in it takes the place of a package. What does not fit through a pipe, such as a function of the
user's script, is worked on in this process.
"""

from __future__ import annotations

import marshal
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# sys and marshal are parts of the interpreter, not files; -c has put the current folder first
_CHILD = (
    "import sys, marshal; sys.path[:] = marshal.load(sys.stdin.buffer); import kinetree.plan.workers as w; w.work()"
)
# all cores have work already: threads of BLAS would only stand in each other's way
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def answers(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], stopped: Callable[[], bool]
) -> Iterator[Any]:
    """What the function gives for each task, in their order; None after Ctrl-C.

    Ctrl-C reaches the workers too, which end with what they have.
    """
    with ThreadPoolExecutor(max(1, min(len(tasks), os.cpu_count() or 1))) as pool:
        asked = pool.map(lambda task: None if stopped() else _asked(function, task), tasks)
        for task, answer in zip(tasks, asked):
            yield function(*task) if answer is None and not stopped() else answer


def _asked(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    try:
        packed = pickle.dumps((function, task))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    path = sorted((x for x in sys.path if isinstance(x, str)), key=lambda x: x in ("", "."))
    command, environment = [sys.executable, *["-I"] * sys.flags.isolated, "-c", _CHILD], _ONE_THREAD | os.environ
    ran = subprocess.run(command, input=marshal.dumps(path) + packed, capture_output=True, check=False, env=environment)
    return pickle.loads(ran.stdout) if ran.returncode == 0 else None


def work() -> None:
    """In a worker: a function and a task from the pipe, the answer back."""
    function, task = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(function(*task)))
