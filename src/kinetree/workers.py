"""Independent pieces of work: in processes of their own, one for each core, or in any executor of `concurrent.futures`.

Results come in the order of the tasks, whichever ends first. Ctrl-C keeps what is done; an error says which task it
was of. Without an executor, a function and what it takes go through a pipe to a process, the answer back. Such a
process imports from where this one does; the current folder, where that is among these places, comes last there, so
that no file lying in it takes the place of a package. What does not fit through a pipe, such as a function of the
user's script, is worked on in this process.
"""

from __future__ import annotations

import marshal
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

from kinetree.errors import InputError, WorkerError
from kinetree.status import StatusLine

# sys and marshal are parts of the interpreter, not files; -c has put the current folder first
_CHILD = "import sys, marshal; sys.path[:] = marshal.load(sys.stdin.buffer); import kinetree.workers as w; w.work()"
# all cores have work already: threads of BLAS would only stand in each other's way
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_LOOK = 0.1  # s between two looks whether Ctrl-C came


def answers(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    stopped: Callable[[], bool] = lambda: False,
    *,
    executor: Executor | None = None,
    what: str = "task",
    done: Callable[[], object] = lambda: None,
) -> list[Any]:
    """What the function gives for each task, in their order; None for those that Ctrl-C came before.

    Args:
        function: of a module, so that other processes can import it.
        tasks: the arguments of each call.
        stopped: whether Ctrl-C came, of `kinetree.nlp.interrupt.interruptions`. Those that run are waited for: workers
            in processes of this terminal get Ctrl-C too, and end with what they have.
        executor: of `concurrent.futures`, or Dask's ``client.get_executor()``; by default processes on this machine.
        what: a task is called in messages.
        done: called after each task.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor() as pool:
        ...     answers(pow, [(2, 3), (3, 2)], executor=pool)
        [8, 9]
    """
    if executor is not None:
        return _Asked(tasks, what, stopped, done).collect(checked_executor(executor), function)
    with ThreadPoolExecutor(max(1, min(len(tasks), os.cpu_count() or 1))) as pool:
        asked = _Asked(tasks, what, stopped, done, function)
        return asked.collect(pool, partial(_in_own_process, function))


def checked_executor(executor: Any) -> Executor:
    """An executor, or a sentence on what is one."""
    if hasattr(executor, "get_executor"):  # a Dask client
        executor = executor.get_executor()
    if not callable(getattr(executor, "submit", None)):
        raise InputError(
            f"executor= is one of concurrent.futures, such as ProcessPoolExecutor(), or Dask's client.get_executor(); "
            f"got {executor!r}"
        )
    return executor


@contextmanager
def counted(text: str, total: int, shown: bool | None) -> Iterator[Callable[[], None]]:
    """A line on the terminal such as "gaits: 3 predicted of 5 speeds", from "gaits: {} predicted of {} speeds".

    Call what it gives after each.
    """
    counts = count()
    with StatusLine(shown) as line:

        def done() -> None:
            line.write(f"{text.format(next(counts), total)} (Ctrl-C stops)")

        done()
        yield done


class _Asked:
    """The tasks that an executor works on, and their results so far."""

    def __init__(
        self,
        tasks: Sequence[tuple[Any, ...]],
        what: str,
        stopped: Callable[[], bool],
        done: Callable[[], object],
        here: Callable[..., Any] | None = None,
    ) -> None:
        self.tasks, self.what, self.stopped, self.done, self.here = tasks, what, stopped, done, here
        self.results: list[Any] = [None] * len(tasks)
        self.pending: dict[Future[Any], int] = {}

    def collect(self, executor: Executor, function: Callable[..., Any]) -> list[Any]:
        try:
            for k, task in enumerate(self.tasks):
                self.pending[self._submitted(executor, function, task, k)] = k
            while self.pending:
                if self.stopped():
                    self._cancel()
                ended, _ = wait(self.pending, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in sorted(ended, key=self.pending.__getitem__):
                    self._take(future, self.pending.pop(future))
        finally:
            self._cancel()
        return self.results

    def _cancel(self) -> None:
        for future in [f for f in self.pending if f.cancel()]:
            del self.pending[future]

    def _submitted(
        self, executor: Executor, function: Callable[..., Any], task: tuple[Any, ...], k: int
    ) -> Future[Any]:
        try:
            future = executor.submit(function, *task)
        except BrokenExecutor as error:
            raise self._failed(k, error) from error
        except RuntimeError as error:  # what Python's own raise after shutdown, and Dask's without a scheduler
            raise InputError(
                f"the executor {executor!r} takes no work ({error}); give executor= one that is not shut down"
            ) from error
        if not isinstance(future, Future):
            kind = type(future).__name__
            raise InputError(f"executor= gives futures of concurrent.futures; submit of {executor!r} gave a {kind}")
        return future

    def _take(self, future: Future[Any], k: int) -> None:
        try:
            answer = None if future.cancelled() and self.stopped() else future.result()
            if answer is None and self.here is not None and not self.stopped():
                answer = self.here(*self.tasks[k])
        except Exception as error:
            raise self._failed(k, error) from error
        self.results[k] = answer
        self.done()

    def _failed(self, k: int, error: BaseException) -> WorkerError:
        """Which task failed and why, with the results of the others that were there."""
        what = f"{self.what} {k + 1} of {len(self.tasks)}"
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            why = f"a worker died, of too little memory or because it was killed ({reason})"
        elif isinstance(error, pickle.PicklingError) or "pickle" in str(error):
            why = f"it can't be sent to a worker: define functions in a module, or take threads ({reason})"
        else:
            why = reason
        failed = WorkerError(f"{what} failed: {why}")
        failed.index, failed.results = k, self.results
        return failed


def _in_own_process(function: Callable[..., Any], *task: Any) -> Any:
    """The answer of a process of its own; None where that can't be, and this process shall do it."""
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
