"""Timing: the best of many repeats, so that other work on the machine disturbs little."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any


def best(work: Callable[[], Any], seconds: float = 0.4, least: int = 7) -> float:
    """The shortest time of one call [s], repeated for about this long."""
    work()
    shortest, repeats, end = float("inf"), 0, time.perf_counter() + seconds
    while repeats < least or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - start)
        repeats += 1
    return shortest


def best_in_turns(*works: Callable[[], Any], rounds: int = 5, least: int = 3) -> list[float]:
    """The shortest times of several calls, taken in turns so that all meet the same machine."""
    times = [[best(work, 0.1, least) for work in works] for _ in range(rounds)]
    return [min(of_one) for of_one in zip(*times)]


def best_pair(a: Callable[[], Any], b: Callable[[], Any]) -> tuple[float, float]:
    """The same for two."""
    first, second = best_in_turns(a, b)
    return first, second


def in_new_process(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    import os

    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()
