"""Processors that this one can stand in for: itself, and older ones with narrower vectors. A script lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from kinetree.runtime import native, processor

_, _TRIPLE, _, _FEATURES = native.target()
LEVELS = processor.levels_of(_TRIPLE, _FEATURES)  # that can be forced here
# 16 bytes without fused multiply-add, and 32 bytes; those between differ from these in few instructions
NAMES = ["host", *(level for level in ("x86-64", "x86-64-v3") if level in LEVELS)]
FUSED = [name for name in NAMES if name == "host" or processor.has_fma(_TRIPLE, LEVELS[name])]


@contextmanager
def code_for(name: str) -> Iterator[None]:
    """Functions that are compiled meanwhile are made for that processor."""
    if name == "host":
        yield
        return
    before = os.environ.get(processor.VARIABLE)
    os.environ[processor.VARIABLE] = name
    _forget()
    try:
        yield
    finally:
        os.environ.pop(processor.VARIABLE)
        if before is not None:
            os.environ[processor.VARIABLE] = before
        _forget()


def _forget() -> None:
    """What the runtime remembers of the processor."""
    native.target.cache_clear()
    native.vector_bytes.cache_clear()


if __name__ == "__main__":
    print(*LEVELS)
