"""Locks around compilation: one thread at a time for a function, one to load code, and none that a fork leaves behind.

A fork waits until no other thread compiles: a child that began in the middle would have locks that nobody releases,
modules that are half imported, and an LLVM that is in the middle of something.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Any

from kinetree.errors import CompileError, TraceError

LLVM = threading.RLock()  # llvmlite's objects are not made for several threads
_NESTED = 4  # handlers of signals may need a function that is just being compiled: it is, once more, inside
_PATIENCE = 60.0  # seconds that a fork waits for threads that trace: one of them may wait for the forking thread


class _Compilation:
    """One function that is being compiled: by which thread, and how many are in it or wait for it."""

    def __init__(self) -> None:
        self.lock, self.thread, self.depth, self.users = threading.RLock(), 0, 0, 0


_LOCK = threading.RLock()  # of what follows
_CHANGED = threading.Condition(_LOCK)
_under_way: dict[Any, _Compilation] = {}
_at_work: list[int] = []  # threads in which LLVM generates code
_held: list[Any] = []  # by the thread that forks


@contextlib.contextmanager
def compiling(function: Any) -> Iterator[None]:
    """While a function is compiled, or modules are imported for it: other threads that want the same one wait."""
    name = getattr(function, "name", "a function")
    with _LOCK:
        compilation = _under_way.setdefault(function, _Compilation())
        compilation.users += 1
    try:
        with compilation.lock:
            compilation.thread = threading.get_ident()
            compilation.depth += 1
            try:
                if compilation.depth > _NESTED:
                    raise TraceError(
                        f"{name} needs its own code while it is traced: "
                        "a function can't call what it is compiled to; call the Python function instead"
                    )
                yield
            except (ImportError, AttributeError) as error:
                if "partially initialized module" not in str(error):
                    raise
                raise CompileError(
                    f"{name} can't be compiled in the middle of an import, as the handler of a signal may try; "
                    "call it once before, or later"
                ) from error
            finally:
                compilation.depth -= 1
    finally:
        with _LOCK:
            compilation.users -= 1
            if not compilation.users:
                _under_way.pop(function, None)
                _CHANGED.notify_all()


@contextlib.contextmanager
def generating() -> Iterator[None]:
    """While LLVM generates code: no fork comes in between."""
    thread = threading.get_ident()
    try:
        with _LOCK:
            _at_work.append(thread)
        yield
    finally:
        with _LOCK:
            if thread in _at_work:
                _at_work.remove(thread)
            _CHANGED.notify_all()


def _no_other_thread_compiles() -> bool:
    return all(c.thread == threading.get_ident() for c in _under_way.values())


def _no_other_thread_generates() -> bool:
    return all(thread == threading.get_ident() for thread in _at_work)


def _take(lock: Any) -> None:
    lock.acquire()
    _held.append(lock)


def _before_fork() -> None:
    _take(_LOCK)
    _CHANGED.wait_for(_no_other_thread_compiles, _PATIENCE)
    _CHANGED.wait_for(_no_other_thread_generates)
    _take(LLVM)


def _after_fork() -> None:
    while _held:
        _held.pop().release()


def _in_child() -> None:
    _after_fork()
    _under_way.clear()
    _at_work[:] = [thread for thread in _at_work if thread == threading.get_ident()]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
