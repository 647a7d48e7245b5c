"""What long work shows of itself: a line on the terminal, a bar in a notebook, nothing where nobody looks.

Either is overwritten in place, and gone when the work is done. This is the one place that shows progress.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, Protocol

COMPILING = 1.0  # s that a compilation takes before it is shown
PATIENCE = 2.0  # s that steps take before they are shown
_EVERY = 0.1  # s between two lines
_WIDTH = 20  # of a bar on a terminal


class StatusLine:
    """A line on standard error, or a bar in a notebook, which is gone when the work is done.

    Args:
        shown: whether there is one; None in a notebook, and where standard error is a terminal.
        after: how long nothing is shown [s].
    """

    def __init__(self, shown: bool | None = None, after: float = 0.0) -> None:
        self._place = _place(shown)
        self._wrote, self._next = False, time.perf_counter() + after

    @property
    def seen(self) -> bool:
        """Whether there is one."""
        return self._place is not None

    def is_due(self) -> bool:
        """Whether there is one, and the last was written a while ago."""
        return self._place is not None and time.perf_counter() >= self._next

    def write(self, text: str, share: float | None = None) -> None:
        """Show a text, and how much of the work is done (0 to 1) where that is known."""
        if self._place is not None:
            self._wrote = True  # first: Ctrl-C may come in between, and the line is cleared then, too
            self._place.show(text, share)
            self._next = time.perf_counter() + _EVERY

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._wrote and self._place is not None:
            self._place.clear()


@contextlib.contextmanager
def waiting(text: str) -> Iterator[None]:
    """Say what takes long, and how many seconds it has taken."""
    line, start, ended = StatusLine(), time.perf_counter(), threading.Event()
    if not line.seen:
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


@contextlib.contextmanager
def counting(text: str, total: int, shown: bool | None) -> Iterator[Callable[[int], None]]:
    """Show how many of so many steps are done; call what it gives with their number.

    Args:
        text: what is done.
        total: the number of steps.
        shown: True from the first step on, False never, None after two seconds where somebody looks.
    """
    with StatusLine(shown, 0.0 if shown else PATIENCE) as line:

        def done(count: int) -> None:
            if line.is_due():
                line.write(f"{text}: {100 * count // total} % (Ctrl-C stops)", count / total)

        yield done


# -- where it is shown -------------------------------------------------------------------------------------------------


class _Place(Protocol):
    def show(self, text: str, share: float | None) -> None: ...
    def clear(self) -> None: ...


class _Terminal:
    """A line that begins anew each time."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def show(self, text: str, share: float | None) -> None:
        full = round(_WIDTH * min(max(share, 0.0), 1.0)) if share is not None else 0
        bar = "" if share is None else f"[{'#' * full}{'.' * (_WIDTH - full)}] "
        self._write(bar + text)

    def clear(self) -> None:
        self._write("")

    def _write(self, line: str) -> None:
        self._stream.write(f"\r\033[K{line}")
        self._stream.flush()


class _Notebook:
    """One output of the cell, brought up to date; a bar without a share moves to and fro."""

    def __init__(self, display: Any) -> None:
        self._display, self._handle = display, None

    def show(self, text: str, share: float | None) -> None:
        done = "" if share is None else f' value="{min(max(share, 0.0), 1.0):.3f}"'
        bar = f'<progress{done} style="width: 14em; accent-color: #2f6fd0"></progress>'
        row = "display: flex; gap: 0.8em; align-items: center; font-variant-numeric: tabular-nums"
        self._put({"text/html": f'<div style="{row}">{bar}<span>{escape(text)}</span></div>', "text/plain": text})

    def clear(self) -> None:
        self._put({"text/html": "", "text/plain": ""})

    def _put(self, data: dict[str, str]) -> None:
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


def _place(shown: bool | None) -> _Place | None:
    if shown is False:
        return None
    if (display := _notebook_display()) is not None:
        return _Notebook(display)
    stream = sys.stderr
    return _Terminal(stream) if stream is not None and (shown or stream.isatty()) else None


def _notebook_display() -> Any:
    """The function that displays in the cell of a notebook that runs; None outside of notebooks."""
    ipython: Any = getattr(sys, "modules", {}).get("IPython")  # whoever runs in a notebook has it loaded
    if ipython is None or getattr(ipython.get_ipython(), "kernel", None) is None:
        return None
    return ipython.display.display
