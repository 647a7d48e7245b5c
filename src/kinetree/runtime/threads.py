"""Large batches over several threads; the compiled code runs without the interpreter lock."""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import operator
import os
import sys
import threading
import weakref
from _queue import SimpleQueue  # that of queue, which takes longer to import
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from kinetree.errors import InputError

LARGE = 1 << 17  # numbers in an operand; below this a second thread costs more than it brings

_state: dict[str, Any] = {"count": None, "pool": None, "lock": threading.RLock()}


def _forget_pool() -> None:
    """A forked child has the pool but not its threads, and perhaps a lock that nobody will release."""
    _state.update(pool=None, lock=threading.RLock())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def threads(count: int | None = None) -> int:
    """The number of threads for large batches; with an argument, set it first.

    Args:
        count: 1 or more; left out, nothing changes. The default is the number of usable cores.

    Returns:
        The number now in force.

    Example:
        >>> import kinetree as kt
        >>> kt.threads(1)
        1
        >>> kt.threads(2)
        2
    """
    if count is not None:
        if isinstance(count, bool) or not hasattr(count, "__index__") or operator.index(count) < 1:
            raise InputError(f"the number of threads must be an integer from 1 up, got {count!r}")
        with _state["lock"]:
            if count != _state["count"]:
                # calls under way keep the old pool, whose threads end with the last of them
                _state.update(count=operator.index(count), pool=None)
    if _state["count"] is None:
        affinity = getattr(os, "sched_getaffinity", None)
        _state["count"] = len(affinity(0)) if affinity else os.cpu_count() or 1
    return _state["count"]


class _Pool:
    """Threads that do what is put into a queue, until nobody needs them; the interpreter ends without waiting."""

    def __init__(self, count: int) -> None:
        self.jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        for k in range(count):
            threading.Thread(target=_work, args=(self.jobs,), name=f"kinetree_{k}", daemon=True).start()
            weakref.finalize(self, self.jobs.put, None).atexit = False  # functions that run at exit need them


def _work(jobs: SimpleQueue[Callable[[], None] | None]) -> None:
    while job := jobs.get():
        job()
        del job  # with the arrays that it holds


def _pool() -> _Pool:
    count = threads()
    with _state["lock"]:
        if _state["pool"] is None:
            _state["pool"] = _Pool(count)
        return _state["pool"]


def run(pieces: Sequence[Callable[[], None]]) -> None:
    """Run pieces in the pool. None of them runs any more when this returns or raises, whatever interrupts it."""
    waiting, ended, errors = [*enumerate(pieces)], list[int](), dict[int, BaseException]()
    changed: SimpleQueue[None] = SimpleQueue()

    def stop(k: int, error: BaseException) -> None:
        errors[k] = error
        while waiting:
            with contextlib.suppress(IndexError):  # a thread of the pool may be faster
                ended.append(waiting.pop()[0])

    def job() -> None:
        while waiting:
            with contextlib.suppress(IndexError):
                k, piece = waiting.pop()
                try:
                    piece()
                except BaseException as error:
                    stop(k, error)
                ended.append(k)
                changed.put(None)

    try:
        pool = _pool()
        for _ in pieces:
            pool.jobs.put(job)
    except RuntimeError:  # no new threads, as when the interpreter ends: this one does it alone
        job()
    except BaseException as error:
        stop(-1, error)
    while len(ended) < len(pieces):
        try:
            changed.get()
        except BaseException as error:  # Ctrl-C, or what the handler of another signal raises
            stop(-1, error)
    if errors:
        raise errors[min(errors)]


def call(
    ufunc: np.ufunc,
    args: Sequence[np.ndarray],
    cores: Sequence[int],
    results: Sequence[tuple[int, ...]],
    dtype: Any,
    out: tuple[np.ndarray, ...] | None,
) -> Any:
    """The ufunc on broadcast arguments, split along the longest batch axis.

    Args:
        ufunc: the compiled function.
        args: arrays.
        cores: how many trailing axes of each argument are its core.
        results: the core shapes of the results.
        dtype: of the results.
        out: arrays for the results, or None.
    """
    shapes = [a.shape[: a.ndim - core] for a, core in zip(args, cores)]
    batch = np.broadcast_shapes(*shapes)
    count = threads()
    alone = count == 1 or max(batch, default=0) < count or sys.is_finalizing()  # which ends the threads of the pool
    if alone or not _can_split(args, batch, results, out):
        return ufunc(*args) if out is None else ufunc(*args, out=out)
    axis = int(np.argmax(batch))
    targets = out or tuple(np.empty(batch + core, dtype) for core in results)
    cuts = [batch[axis] * k // count for k in range(count + 1)]

    def part(array: np.ndarray, core: int, piece: slice) -> np.ndarray:
        position = axis - (len(batch) - (array.ndim - core))  # this axis, counted in the array itself
        if position < 0 or array.shape[position] == 1:
            return array
        return array[(slice(None),) * position + (piece,)]

    def work(piece: slice) -> None:
        inputs = [part(a, core, piece) for a, core in zip(args, cores)]
        ufunc(*inputs, out=tuple(part(t, len(core), piece) for t, core in zip(targets, results)))

    # each piece in a copy of this thread's context, which holds np.errstate
    pieces: list[Any] = [
        partial(contextvars.copy_context().run, work, slice(a, b)) for a, b in itertools.pairwise(cuts)
    ]
    run(pieces)
    return targets[0] if len(targets) == 1 else targets


def _can_split(
    args: Sequence[np.ndarray], batch: tuple[int, ...], results: Sequence[tuple[int, ...]], out: Any
) -> bool:
    """Whether no piece writes what another one reads; NumPy itself copes with the rest, or refuses it."""
    if out is None:
        return True
    if len(out) != len(results) or not all(isinstance(t, np.ndarray) for t in out):
        return False
    if any(t.shape != batch + core for t, core in zip(out, results)):
        return False
    others = [(t, x) for k, t in enumerate(out) for x in (*args, *out[:k])]
    return all(t is x or not np.may_share_memory(t, x) for t, x in others)
