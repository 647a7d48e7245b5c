"""Symmetric systems whose rows begin at some column each, as NumPy functions; see `emit.llvm.skyline`."""

from __future__ import annotations

from functools import cache

import numpy as np

from kinetree.emit.llvm.entries import FACTOR, SOLVE
from kinetree.runtime import cache as disk, gufunc, native


@cache
def functions() -> tuple[np.ufunc, np.ufunc]:
    """factor: (N),(n),(n)->(N),(n) and solve: (N),(n),(n),(n)->(n); compiled once, or from the cache."""
    key = disk.digest(repr((disk.package(), native.target(), "skyline")))
    code = disk.load(key)
    if code is None:
        from kinetree.emit.llvm import skyline  # not needed where the code is in the cache

        code = native.compile_object(skyline.module(native.target()[1]))
        disk.store(key, code)
    loaded = native.load(code, FACTOR, SOLVE)
    factor, solve = loaded.addresses
    packed, vector = ("N",), ("n",)
    return (
        gufunc.make_gufunc(loaded, factor, [packed, vector, vector], [packed, vector], False, FACTOR, ""),
        gufunc.make_gufunc(loaded, solve, [packed, vector, vector, vector], [vector], False, SOLVE, ""),
    )
