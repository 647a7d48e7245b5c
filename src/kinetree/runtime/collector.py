"""Python's collector of garbage, which looks at all objects again and again while their number grows."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()
_paused = {"depth": 0, "before": False}


@contextmanager
def collector_paused() -> Iterator[None]:
    """Within it, no garbage is looked for: a graph grows by many nodes, none of which is garbage yet.

    Example:
        >>> import gc
        >>> with collector_paused():
        ...     gc.isenabled()
        False
    """
    with _LOCK:
        if not _paused["depth"]:
            _paused["before"] = gc.isenabled()
            gc.disable()
        _paused["depth"] += 1
    try:
        yield
    finally:
        with _LOCK:
            _paused["depth"] -= 1
            if not _paused["depth"] and _paused["before"]:
                gc.enable()
