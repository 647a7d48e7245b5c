"""A system whose n-th call fails, does half of its work, is interrupted, or is the last thing that the process does."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

CALLS = ("open", "fstat", "read", "write", "close", "replace", "unlink", "utime", "scandir")


def _half(call: Callable[..., Any], name: str, args: tuple[Any, ...]) -> Any:
    """Half of the bytes; calls without bytes are whole."""
    if name == "write":
        return call(args[0], args[1][: (len(args[1]) + 1) // 2])
    return call(args[0], args[1] // 2) if name == "read" else None


class FaultyOs:
    """Stands for the module os.

    Args:
        number: of the call with the fault, from 0; calls are numbered as they come.
        fault: an exception to raise, "half" for half of the bytes, or "kill".
        when: "before" the call is made, "after" it, or "half" way through its bytes.
    """

    def __init__(self, number: int = -1, fault: Any = None, when: str = "before") -> None:
        self.number, self.fault, self.when = number, fault, when
        self.made: list[str] = []
        for name in CALLS:
            setattr(self, name, partial(self._call, name, getattr(os, name)))
        self.supports_fd = {self.utime} if os.utime in os.supports_fd else set[Any]()

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def _call(self, name: str, call: Callable[..., Any], *args: Any, **options: Any) -> Any:
        self.made.append(name)
        if len(self.made) != self.number + 1:
            return call(*args, **options)
        if self.fault == "half":
            return _half(call, name, args) if name in ("read", "write") else call(*args, **options)
        if self.when == "half":
            _half(call, name, args)
        elif self.when == "after" or name == "close":  # a descriptor is closed whatever close reports
            with contextlib.suppress(OSError):  # where the call itself fails
                given = call(*args, **options)
                if name == "open":
                    os.close(given)  # who gets an error gets no descriptor
                elif name == "scandir":
                    given.close()
        if self.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise self.fault
