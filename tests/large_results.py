"""Memory for results that are written past the cache, and the same results by ordinary stores."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.emit.llvm import stream

FEW = 31  # states that are too few to be written past the cache, on every processor


def within(shape: tuple[int, ...], kind: Any, skew: int) -> tuple[np.ndarray, np.ndarray]:
    """An array that begins so many bytes after a pair of lines, and all of the memory around it."""
    item, count = np.dtype(kind).itemsize, int(np.prod(shape))
    around = np.full(count + 4 * stream.PAIR // item, -7.0, kind)
    first = (-around.ctypes.data % stream.PAIR + stream.PAIR + skew) // item
    return around[first : first + count].reshape(shape), around


def in_pieces(function: Any, x: np.ndarray) -> list[np.ndarray]:
    """The results of batches that are too small to be streamed."""
    found = [function(x[k : k + FEW]) for k in range(0, len(x), FEW)]
    pieces = [piece if isinstance(piece, tuple) else (piece,) for piece in found]
    return [np.concatenate([np.atleast_1d(part) for part in parts]) for parts in zip(*pieces)]
