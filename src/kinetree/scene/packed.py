"""Arrays for a page: one block of bytes, gzipped, as base64."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

_ALIGNED = 8  # bytes


class PackedArrays:
    """Arrays one after another.

    Example:
        >>> block = PackedArrays()
        >>> block.add([1.0, 2.0], "f4")
        {'type': 'f4', 'start': 0, 'count': 2}
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: ArrayLike, kind: str) -> dict[str, Any]:
        """Where an array lies; its kind is one of "f4", "f8", "i2", "u2", "u4", "u1"."""
        content = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
        start, count = self._size, len(content) // int(kind[1])
        padded = content + bytes(-len(content) % _ALIGNED)
        self._parts.append(padded)
        self._size += len(padded)
        return {"type": kind, "start": start, "count": count}

    def text(self) -> str:
        """All of them; the same arrays give the same text."""
        return base64.b64encode(gzip.compress(b"".join(self._parts), mtime=0)).decode() if self._size else ""
