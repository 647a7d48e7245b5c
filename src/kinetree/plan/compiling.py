"""What a search needs is compiled before it begins: so that its time is its own, and Ctrl-C ends the wait at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.runtime import barrier, blocks, skyline
from kinetree.runtime.function import Function
from kinetree.transcribe.block import CollocationBlock

if TYPE_CHECKING:
    from kinetree.plan.transcriber import Transcriber

_LOOK = 0.1  # s, how often the wait looks for Ctrl-C


def compile_for(transcriber: Transcriber) -> float:
    """Compile all functions of a transcription that have not been; gives how long that took [s]."""
    began = time.perf_counter()
    for loops in (barrier, blocks, skyline):  # of the solver, the same for all problems
        loops.functions()
    path = transcriber.path_constraints(np.array([0.0, 1.0]))
    bounded = [*([] if path is None else [path]), *transcriber.point_blocks, *transcriber.costs]
    own = [some.block for some in bounded if isinstance(some.block, CollocationBlock)]
    missing = [f for block in own for f in block.needed_functions() if not f.is_compiled()]
    if not missing:
        return 0.0
    if threading.current_thread() is threading.main_thread():
        _in_a_thread(missing)
    else:
        _compile(missing, [])
    return time.perf_counter() - began


def _in_a_thread(functions: Sequence[Function]) -> None:
    """LLVM does not hear Ctrl-C; who waits for it does. What it was at is finished, and kept for the next time."""
    failures: list[BaseException] = []
    thread = threading.Thread(target=_compile, args=(functions, failures), name="kinetree compiles", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK)
    if failures:
        raise failures[0]


def _compile(functions: Sequence[Function], failures: list[BaseException]) -> None:
    try:
        for function in functions:
            function.ufunc()
    except Exception as error:  # told where the wait is
        failures.append(error)
