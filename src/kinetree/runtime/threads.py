"""Large batches over several threads; the compiled code runs without the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from kinetree.errors import InputError

LARGE = 1 << 17  # numbers in the first or last operand; below this a second thread costs more than it brings

_state: dict[str, Any] = {"count": None, "pool": None}


def _forget_pool() -> None:
    _state["pool"] = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def threads(count: int | None = None) -> int:
    """The number of threads for large batches; with an argument, set it first.

    Args:
        count: 1 or more; left out, nothing changes. The default is the number of usable cores.

    Returns:
        The number now in force.

    Example:
        >>> import kinetree as kt
        >>> kt.threads(1)
        1
        >>> kt.threads(2)
        2
    """
    if count is not None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InputError(f"the number of threads must be a whole number from 1 up, got {count!r}")
        if count != _state["count"]:
            pool, _state["pool"] = _state["pool"], None
            if pool is not None:
                pool.shutdown(wait=False)
        _state["count"] = count
    if _state["count"] is None:
        affinity = getattr(os, "sched_getaffinity", None)
        _state["count"] = len(affinity(0)) if affinity else os.cpu_count() or 1
    return _state["count"]


def _pool() -> ThreadPoolExecutor:
    if _state["pool"] is None:
        _state["pool"] = ThreadPoolExecutor(threads(), thread_name_prefix="kinetree")
    return _state["pool"]


def call(
    ufunc: np.ufunc,
    args: Sequence[np.ndarray],
    cores: Sequence[int],
    results: Sequence[tuple[int, ...]],
    dtype: Any,
    out: tuple[np.ndarray, ...] | None,
) -> Any:
    """The ufunc on broadcast arguments, split along the longest batch axis.

    Args:
        ufunc: the compiled function.
        args: arrays.
        cores: how many trailing axes of each argument are its core.
        results: the core shapes of the results.
        dtype: of the results.
        out: arrays for the results, or None.
    """
    shapes = [a.shape[: a.ndim - core] for a, core in zip(args, cores)]
    batch = np.broadcast_shapes(*shapes)
    count = threads()
    if count == 1 or not batch or max(batch) < count:
        return ufunc(*args) if out is None else ufunc(*args, out=out)
    axis = int(np.argmax(batch))
    targets = out or tuple(np.empty(batch + core, dtype) for core in results)
    cuts = [batch[axis] * k // count for k in range(count + 1)]

    def part(array: np.ndarray, core: int, piece: slice) -> np.ndarray:
        position = axis - (len(batch) - (array.ndim - core))  # this axis, counted in the array itself
        if position < 0 or array.shape[position] == 1:
            return array
        return array[(slice(None),) * position + (piece,)]

    def work(piece: slice) -> None:
        inputs = [part(a, core, piece) for a, core in zip(args, cores)]
        ufunc(*inputs, out=tuple(part(t, len(core), piece) for t, core in zip(targets, results)))

    list(_pool().map(work, [slice(a, b) for a, b in zip(cuts, cuts[1:])]))
    return targets if len(targets) > 1 else targets[0]
