"""Ctrl-C while a solver runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Within it the first Ctrl-C is only noted, so that a solver can stop in order; a second one interrupts.

    Gives a function that says whether one came. Signals reach the main thread alone; elsewhere nothing changes.

    Example:
        >>> import signal
        >>> with interruptions() as interrupted:
        ...     signal.raise_signal(signal.SIGINT)
        ...     interrupted()
        True
    """
    came = False
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return

    def note(number: int, frame: Any) -> None:
        nonlocal came
        if came:
            before(number, frame)
        came = True

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)
