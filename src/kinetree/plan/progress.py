"""A line on the terminal, or a bar in a notebook, while a long search goes on."""

from __future__ import annotations

import math
import time
from typing import Any

from kinetree.nlp.solution import Callback
from kinetree.status import StatusLine

_AFTER = 0.5  # s, before a line is shown at all


class ProgressLine:
    """Shows iteration, cost and violation, and passes them on.

    Args:
        shown: whether there is a line; None on a terminal and in a notebook.
        callback: gets the same, and says whether to go on.
        time_limit: how long it may go on [s].
    """

    def __init__(
        self, shown: bool | None = None, callback: Callback | None = None, time_limit: float = math.inf
    ) -> None:
        self._line, self._callback, self._count = StatusLine(shown, _AFTER), callback, 0
        self._end = time.perf_counter() + time_limit

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: Any) -> None:
        self._line.__exit__()

    def callback(self, iteration: int, cost: float, violation: float) -> bool:
        self._count += 1
        if self._line.is_due():
            self._line.write(
                f"planning: iteration {self._count}, cost {cost:.6g}, violation {violation:.1e} (Ctrl-C stops)"
            )
        in_time = time.perf_counter() < self._end
        return in_time and (self._callback is None or bool(self._callback(iteration, cost, violation)))
