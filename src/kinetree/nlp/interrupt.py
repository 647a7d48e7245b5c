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

    Where one is within another, all of them note it.
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

    def noted() -> None:
        nonlocal came
        came = True
        getattr(before, "noted", lambda: None)()  # those around this one stop too

    def note(number: int, frame: Any) -> None:
        if came:
            before(number, frame)
        noted()

    note.noted = noted  # type: ignore[attr-defined]
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)
