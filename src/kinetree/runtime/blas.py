"""The threads of NumPy's linear algebra, OpenBLAS.

The matrices of solvers are small: threads cost more than they bring there, and wait for each other for long where other
programs run. Other libraries than OpenBLAS are left as they are.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_NAMES = [
    f"{prefix}openblas_{{}}_num_threads{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", "_64_", "64", "")
]
_LOCK = threading.Lock()
_nested = {"depth": 0, "before": 0}


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, linear algebra runs in the thread that asks for it.

    Example:
        >>> import numpy as np
        >>> with one_blas_thread():
        ...     float(np.linalg.det(np.eye(100)))
        1.0
    """
    found = _functions()
    if found is None:
        yield
        return
    get, set = found
    with _LOCK:
        if not _nested["depth"]:
            _nested["before"] = get()
            set(1)
        _nested["depth"] += 1
    try:
        yield
    finally:
        with _LOCK:
            _nested["depth"] -= 1
            if not _nested["depth"]:
                set(_nested["before"])


@cache
def _functions() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Those of OpenBLAS that get and set the number of threads."""
    from numpy.linalg import _umath_linalg  # type: ignore[attr-defined]

    module = Path(_umath_linalg.__file__)  # symbols are found through it, or in a library beside NumPy
    for file in (module, *(module.parents[2] / "numpy.libs").glob("*openblas*")):
        with suppress(OSError):
            library = ctypes.CDLL(str(file))
            for name in _NAMES:
                with suppress(AttributeError):
                    return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None
