"""The recursion of least rows as a NumPy function; see `emit.llvm.recursion`."""

from __future__ import annotations

from functools import cache

import numpy as np

from kinetree.emit.llvm.entries import RECURSION
from kinetree.runtime import fixed_code, gufunc


@cache
def function() -> np.ufunc:
    """(k,n,r,n),(k,n,r)->(k,n); compiled once, or from the cache."""
    loaded = fixed_code.load("recursion", _module, RECURSION)
    given, results = [("k", "n", "r", "n"), ("k", "n", "r")], [("k", "n")]
    return gufunc.make_gufunc(loaded, loaded.addresses[0], given, results, False, RECURSION, "")


def _module(triple: str) -> str:
    from kinetree.emit.llvm import recursion  # not needed where the code is in the cache

    return recursion.module(triple)
