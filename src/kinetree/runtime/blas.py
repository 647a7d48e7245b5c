"""NumPy's linear algebra, OpenBLAS: its threads, and a factorisation that is used more than once.

The matrices of solvers are small: threads cost more than they bring there, and wait for each other for long where other
programs run. Other libraries than OpenBLAS are left as they are.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Cholesky:
    """A symmetric positive definite matrix, factorised once for all right-hand sides.

    NumPy solves with each of them anew; where its OpenBLAS is not found, so does this.

    Example:
        >>> import numpy as np
        >>> Cholesky.of(np.diag([4.0, 16.0])).solve(np.array([4.0, 8.0])).tolist()
        [1.0, 0.5]
        >>> Cholesky.of(np.diag([1.0, -1.0])) is None
        True
    """

    matrix: NDArray[np.float64]  # itself, or its factor
    factorised: bool

    @staticmethod
    def of(matrix: NDArray[np.float64]) -> Cholesky | None:
        """None where the matrix is not positive definite."""
        found = _factorisation()
        if found is None:
            try:
                np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                return None
            return Cholesky(matrix, False)
        factor, integer = np.array(matrix, np.float64, order="C"), found[2]
        n, info = integer(len(factor)), integer(0)
        found[0](b"L", _at(n), factor.ctypes, _at(n), _at(info), 1)
        return None if info.value else Cholesky(factor, True)

    def solve(self, b: NDArray[np.float64]) -> NDArray[np.float64]:
        """x of A x = b, for one b (n,)."""
        found = _factorisation() if self.factorised else None
        if found is None:
            return np.asarray(np.linalg.solve(self.matrix, b), np.float64)
        x, integer = np.array(b, np.float64), found[2]
        n, one, info = integer(len(x)), integer(1), integer(0)
        found[1](b"L", _at(n), _at(one), self.matrix.ctypes, _at(n), x.ctypes, _at(n), _at(info), 1)
        return x


_at = ctypes.byref


@cache
def _factorisation() -> tuple[Any, Any, Any] | None:
    """LAPACK's dpotrf and dpotrs, and their integers."""
    for library in _libraries():
        for name, integer in (("scipy_{}_64_", ctypes.c_int64), ("{}_64_", ctypes.c_int64)):
            with suppress(AttributeError):
                return getattr(library, name.format("dpotrf")), getattr(library, name.format("dpotrs")), integer
    return None


@cache
def _functions() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Those of OpenBLAS that get and set the number of threads."""
    for library in _libraries():
        for name in _NAMES:
            with suppress(AttributeError):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None


@cache
def _libraries() -> list[ctypes.CDLL]:
    """Where the symbols of OpenBLAS may be: in NumPy's own module, or in a library beside NumPy."""
    from numpy.linalg import _umath_linalg  # type: ignore[attr-defined]

    module, found = Path(_umath_linalg.__file__), list[ctypes.CDLL]()
    for file in (module, *(module.parents[2] / "numpy.libs").glob("*openblas*")):
        with suppress(OSError):
            found.append(ctypes.CDLL(str(file)))
    return found
