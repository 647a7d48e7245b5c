"""A line on the terminal while a long search goes on."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from kinetree.nlp.solution import Callback

_AFTER, _EVERY = 0.5, 0.1  # s, before a line is shown at all, and between two of them


class ProgressLine:
    """Shows iteration, cost and violation on the terminal, and passes them on.

    Args:
        shown: whether there is a line; None where the output is a terminal.
        callback: gets the same, and says whether to go on.
        time_limit: how long it may go on [s].
    """

    def __init__(
        self, shown: bool | None = None, callback: Callback | None = None, time_limit: float = math.inf
    ) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._callback, self._next, self._wrote, self._count = callback, 0.0, False, 0
        self._limit = self._end = time_limit

    def __enter__(self) -> ProgressLine:
        now = time.perf_counter()
        self._next, self._end = now + _AFTER, now + self._limit
        return self

    def __exit__(self, *_: Any) -> None:
        if self._wrote:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def callback(self, iteration: int, cost: float, violation: float) -> bool:
        self._count += 1
        if self._shown and time.perf_counter() >= self._next:
            line = f"planning: iteration {self._count}, cost {cost:.6g}, violation {violation:.1e} (Ctrl-C stops)"
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
            self._wrote, self._next = True, time.perf_counter() + _EVERY
        in_time = time.perf_counter() < self._end
        return in_time and (self._callback is None or bool(self._callback(iteration, cost, violation)))
