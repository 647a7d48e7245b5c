"""Code that depends on the machine alone, such as loops of linear algebra: compiled once, or from the cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kinetree.runtime import cache, locks, native
from kinetree.runtime.native import LoadedCode


def load(name: str, module: Callable[[str], str], *entries: str) -> LoadedCode:
    """The functions of a module in LLVM IR.

    Args:
        name: of the module, for the cache.
        module: its text, for the triple of a machine.
        entries: the names of its functions.
    """
    with locks.compiling(name):
        key = cache.digest(repr((cache.package(), native.target(), name)))
        code = cache.load(key)
        if code is None:
            code = native.compile_object([partial(module, native.target()[1])])
            cache.store(key, code)
        return native.load(code, *entries)
