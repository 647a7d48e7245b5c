"""One line on the terminal that the next one overwrites, for people who wait; none where there is no terminal."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

COMPILING = 1.0  # s that a compilation takes before it is shown
_EVERY = 0.1  # s between two lines


class StatusLine:
    """A line on standard error, which is gone when the work is done.

    Args:
        shown: whether there is one; None where standard error is a terminal.
        after: how long nothing is shown [s].
    """

    def __init__(self, shown: bool | None = None, after: float = 0.0) -> None:
        stream = sys.stderr
        self._stream = stream if stream is not None and (stream.isatty() if shown is None else shown) else None
        self._wrote, self._next = False, time.perf_counter() + after

    def is_due(self) -> bool:
        """Whether there is one, and the last was written a while ago."""
        return self._stream is not None and time.perf_counter() >= self._next

    def write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(f"\r\033[K{text}")
            self._stream.flush()
            self._wrote, self._next = True, time.perf_counter() + _EVERY

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._wrote:
            self.write("")


@contextlib.contextmanager
def waiting(text: str) -> Iterator[None]:
    """Say what takes long, and how many seconds it has taken."""
    line, start, ended = StatusLine(), time.perf_counter(), threading.Event()
    if line._stream is None:
        yield
        return

    def tick() -> None:
        while not ended.wait(COMPILING):
            line.write(f"{text}: {time.perf_counter() - start:.0f} s")

    thread = threading.Thread(target=tick, daemon=True)
    with line:
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
