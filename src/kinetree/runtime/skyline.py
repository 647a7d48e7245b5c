"""Symmetric systems whose rows begin at some column each, as NumPy functions; see `emit.llvm.skyline`."""

from __future__ import annotations

from functools import cache

import numpy as np

from kinetree.emit.llvm.entries import FACTOR, SOLVE
from kinetree.runtime import fixed_code, gufunc


@cache
def functions() -> tuple[np.ufunc, np.ufunc]:
    """factor: (N),(n),(n)->(N),(n) and solve: (N),(n),(n),(n)->(n); compiled once, or from the cache."""
    loaded = fixed_code.load("skyline", _module, FACTOR, SOLVE)
    factor, solve = loaded.addresses
    packed, vector = ("N",), ("n",)
    return (
        gufunc.make_gufunc(loaded, factor, [packed, vector, vector], [packed, vector], False, FACTOR, ""),
        gufunc.make_gufunc(loaded, solve, [packed, vector, vector, vector], [vector], False, SOLVE, ""),
    )


def _module(triple: str) -> str:
    from kinetree.emit.llvm import skyline  # not needed where the code is in the cache

    return skyline.module(triple)
