"""A progress bar on the terminal for long runs; none where the output is not a terminal."""

from __future__ import annotations

import sys
import time

_PATIENCE = 2.0  # seconds of silence
_PAUSE = 0.1  # between two drawings
_WIDTH = 40


class Progress:
    """Called with the number of steps that are done; draws at most every tenth of a second.

    Args:
        steps: how many there are.
        shown: True always, False never, None on a terminal after two seconds.
    """

    def __init__(self, steps: int, shown: bool | None) -> None:
        self.steps, self.drawn, self.ended = steps, False, False
        self.stream = sys.stderr if shown or (shown is None and sys.stderr.isatty()) else None
        self.next = time.monotonic() + (0.0 if shown else _PATIENCE)

    def __call__(self, done: int) -> None:
        if self.stream is None or (done % 64 and done != self.steps):
            return
        now = time.monotonic()
        if now < self.next and not (self.drawn and done == self.steps):
            return
        self.next, self.drawn, self.ended = now + _PAUSE, True, done == self.steps
        full = _WIDTH * done // self.steps
        end = "\n" if done == self.steps else ""
        self.stream.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {100 * done // self.steps:3d} %{end}")
        self.stream.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        """End the line of a bar that did not come to its end."""
        if self.stream is not None and self.drawn and not self.ended:
            self.stream.write("\n")
            self.stream.flush()
