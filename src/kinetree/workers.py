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
_HERE = object()  # the answer where no other process could work on a task


def answers(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    stopped: Callable[[], bool] = lambda: False,
    *,
    executor: Executor | None = None,
    what: str = "task",
    done: Callable[[], object] = lambda: None,
    first_here: bool = False,
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
        first_here: whether the first task is done in this process, before the others: what it compiles, workers of this
            machine find in the cache.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor() as pool:
        ...     answers(pow, [(2, 3), (3, 2)], executor=pool)
        [8, 9]
    """
    asked = _Asked(function, tasks, what, stopped, done)
    if executor is not None:
        executor = checked_executor(executor)
    if first_here and tasks and not stopped():
        asked.store(0, lambda: function(*tasks[0]))
    if executor is not None:
        return asked.collect(executor, function, first_here)
    with ThreadPoolExecutor(max(1, min(len(tasks), os.cpu_count() or 1))) as pool:
        return asked.collect(pool, partial(_in_own_process, function), first_here)


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


def workers_of(executor: Any) -> int:
    """How many tasks an executor works on at once; as many as this machine has cores where it does not say."""
    executor = checked_executor(executor)
    known = getattr(executor, "_max_workers", None)
    client: Any = getattr(executor, "_client", None)  # Dask's
    if getattr(client, "status", "") == "running":
        known = sum(client.nthreads().values())
    return known or os.cpu_count() or 1


@contextmanager
def counted(text: str, total: int, shown: bool | None) -> Iterator[Callable[[], None]]:
    """A line or a bar such as "gaits: 3 predicted of 5 speeds", from "gaits: {} predicted of {} speeds".

    Call what it gives after each.
    """
    counts = count()
    with StatusLine(shown) as line:

        def done() -> None:
            number = next(counts)
            line.write(f"{text.format(number, total)} (Ctrl-C stops)", number / max(total, 1))

        done()
        yield done


class _Asked:
    """The tasks that an executor works on, and their results so far."""

    def __init__(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        what: str,
        stopped: Callable[[], bool],
        done: Callable[[], object],
    ) -> None:
        self.function, self.tasks, self.what, self.stopped, self.done = function, tasks, what, stopped, done
        self.results: list[Any] = [None] * len(tasks)
        self.pending: dict[Future[Any], int] = {}

    def collect(self, executor: Executor, function: Callable[..., Any], first: int) -> list[Any]:
        """The results, with those from the first on worked on by the executor."""
        try:
            for k in range(first, 0 if self.stopped() else len(self.tasks)):
                self.pending[self._submitted(executor, function, k)] = k
            while self.pending:
                if self.stopped():
                    self._cancel()
                ended, _ = wait(self.pending, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in sorted(ended, key=self.pending.__getitem__):
                    self.store(self.pending[future], future.result)
                    del self.pending[future]
        finally:
            self._cancel()
        return self.results

    def store(self, k: int, call: Callable[[], Any]) -> None:
        """Keep the result of a task, or raise an error that says which task it is of."""
        try:
            answer = call()
            if answer is _HERE:
                answer = None if self.stopped() else self.function(*self.tasks[k])
        except Exception as error:
            raise self._failed(k, error) from error
        self.results[k] = answer
        self.done()

    def _cancel(self) -> None:
        for future in [f for f in self.pending if f.cancel()]:
            del self.pending[future]

    def _submitted(self, executor: Executor, function: Callable[..., Any], k: int) -> Future[Any]:
        try:
            future = executor.submit(function, *self.tasks[k])
        except Exception as error:
            if isinstance(error, BrokenExecutor) or _can_t_be_sent(error):
                raise self._failed(k, error) from error
            raise InputError(
                f"the executor {executor!r} takes no work ({error}); give executor= one that is not shut down"
            ) from error
        if not isinstance(future, Future):
            kind = type(future).__name__
            raise InputError(f"executor= gives futures of concurrent.futures; submit of {executor!r} gave a {kind}")
        return future

    def _failed(self, k: int, error: BaseException) -> WorkerError:
        """Which task failed and why, with the results of the others that were there."""
        what = f"{self.what} {k + 1} of {len(self.tasks)}"
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            why = f"a worker died, of too little memory or because it was killed ({reason})"
        elif _can_t_be_sent(error):
            why = f"it can't be sent to a worker: define functions in a module, or take threads ({reason})"
        else:
            why = reason
        failed = WorkerError(f"{what} failed: {why}")
        failed.index, failed.results = k, self.results
        return failed


def _can_t_be_sent(error: BaseException) -> bool:
    return isinstance(error, pickle.PicklingError) or "pickle" in str(error) or "serialize" in str(error)


def _in_own_process(function: Callable[..., Any], *task: Any) -> Any:
    """The answer of a process of its own; `_HERE` where that can't be."""
    try:
        packed = pickle.dumps((function, task))
    except (pickle.PicklingError, AttributeError, TypeError):
        return _HERE
    path = sorted((x for x in sys.path if isinstance(x, str)), key=lambda x: x in ("", "."))
    command, environment = [sys.executable, *["-I"] * sys.flags.isolated, "-c", _CHILD], _ONE_THREAD | os.environ
    ran = subprocess.run(command, input=marshal.dumps(path) + packed, capture_output=True, check=False, env=environment)
    return pickle.loads(ran.stdout) if ran.returncode == 0 else _HERE


def work() -> None:
    """In a worker: a function and a task from the pipe, the answer back."""
    function, task = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(function(*task)))
