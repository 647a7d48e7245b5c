"""Processors that this one can stand in for: itself, and older ones with narrower vectors."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager

from kinetree.runtime import native

# name -> LLVM's name of the processor, and those of its features that the package looks at
OLDER = {
    "sse2": ("x86-64", ""),  # 16 bytes; no fused multiply-add: LLVM calls the C library's
    "avx2": ("x86-64-v3", "+avx,+avx2,+fma"),  # 32 bytes
}


def _names() -> list[str]:
    if platform.machine() not in ("x86_64", "AMD64"):
        return ["host"]
    here = native.target()[3].split(",")
    return ["host", *(name for name, (_, features) in OLDER.items() if {*features.split(",")} <= {*here, ""})]


NAMES = _names()
FUSED = [name for name in NAMES if name != "sse2"]


@contextmanager
def code_for(name: str) -> Iterator[None]:
    """Functions that are compiled meanwhile are made for that processor."""
    if name == "host":
        yield
        return
    original = native.target
    version, triple, _, _ = original()
    cpu, features = OLDER[name]
    try:
        native.target = lambda: (version, triple, cpu, features)
        _forget()
        yield
    finally:
        native.target = original
        _forget()


def _forget() -> None:
    """What the module remembers of the processor."""
    for name, value in vars(native).items():
        if hasattr(value, "cache_clear") and name not in ("_llvm", "target"):
            value.cache_clear()
