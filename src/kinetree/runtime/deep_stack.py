"""Room on the stack for LLVM, whose code generator takes half a MiB in one function on ARM.

That function steps over the guard page of a small stack, and writes to memory of others. Threads have 128 KiB on musl,
512 KiB on macOS where Python has not started them, and what `threading.stack_size` says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

STACK = 2 << 20  # bytes: four times the most that was seen

_T = TypeVar("_T")
_LOCK = threading.Lock()  # while the size of new stacks is another one


def with_deep_stack(work: Callable[[], _T]) -> _T:
    """What a function returns or raises; it runs in a thread with a deep stack, unless this is the main thread."""
    if threading.current_thread() is threading.main_thread():
        return work()
    results, errors = list[_T](), list[BaseException]()

    def kept() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=kept, name="kinetree_llvm", daemon=True)
    if not _started(thread):
        return work()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def _started(thread: threading.Thread) -> bool:
    with _LOCK:
        before = threading.stack_size(STACK)
        try:
            thread.start()
        except RuntimeError:  # no new threads, as when the interpreter ends
            return False
        finally:
            threading.stack_size(before)
    return True
