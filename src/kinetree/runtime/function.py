"""A compiled function: what `kinetree.compile` returns.

It behaves like a NumPy generalized ufunc with fixed core sizes: leading dimensions broadcast, any strides work, ``out=``
works, the interpreter lock is released. float32 in gives float32 out; everything else is computed in float64. Each
precision is compiled when it is first needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.lower.program import Operand
from kinetree.runtime import gufunc
from kinetree.runtime import threads as _threads


class Function:
    """A function of arrays, compiled for this processor."""

    def __init__(
        self,
        name: str,
        operands: Sequence[Operand],
        results: Sequence[Operand],
        build: Callable[[bool], int],
        *,
        dtype: Any = None,
        doc: str = "",
        origin: tuple[Any, ...] = (),
    ) -> None:
        self.name, self.__doc__ = name, doc
        self.operands, self.results = tuple(operands), tuple(results)
        self.dtype = None if dtype is None else np.dtype(dtype)
        self._build, self._origin, self._doc = build, origin, doc
        self._lock = threading.Lock()
        self._compiled: dict[bool, np.ufunc] = {}
        self._fast: np.ufunc | None = None  # the float64 ufunc, once compiled, where plain calls may use it

    @property
    def signature(self) -> str:
        """The core shapes in NumPy's notation, such as "(6),(6),(6)->(6)"."""
        return gufunc.signature([o.shape for o in self.operands], [r.shape for r in self.results])

    def __repr__(self) -> str:
        names = ", ".join(o.name for o in self.operands)
        return f"<kinetree function {self.name}({names}) {self.signature}>"

    def __reduce__(self) -> Any:
        if not self._origin:
            raise TypeError(f"{self!r} was not made by kinetree.compile and can't be pickled")
        return self._origin

    def ufunc(self, dtype: Any = np.float64) -> np.ufunc:
        """The NumPy ufunc itself, for code that speaks the ufunc protocol."""
        return self._ufunc(np.dtype(dtype) == np.float32)

    def _ufunc(self, single: bool) -> np.ufunc:
        with self._lock:
            if single not in self._compiled:
                shapes = [o.shape for o in self.operands], [r.shape for r in self.results]
                made = gufunc.make_gufunc(self._build(single), *shapes, single, self.name, self._doc)
                self._compiled[single] = made
                if not single and self.dtype is None and self.operands:
                    self._fast = made
            return self._compiled[single]

    def __call__(self, *args: Any, out: Any = None) -> Any:
        ufunc = self._fast
        if ufunc is not None:
            try:
                first, last = args[0], args[-1]
                if first.dtype.char == "d" and first.size < _threads.LARGE and last.size < _threads.LARGE:
                    return ufunc(*args) if out is None else ufunc(*args, out=out)
            except (AttributeError, IndexError):
                pass
        return self._general(args, out)

    def _general(self, args: tuple[Any, ...], out: Any) -> Any:
        if len(args) != len(self.operands):
            names = ", ".join(o.name for o in self.operands)
            raise InputError(f"{self.name} takes {len(self.operands)} arguments ({names}), got {len(args)}")
        if any(hasattr(a, "__dask_graph__") for a in args):
            return self._dask(args)
        arrays = [a if isinstance(a, np.ndarray) else np.asarray(a) for a in args]
        single = self._is_single(arrays)
        kind = np.float32 if single else np.float64
        if self.dtype is not None:
            arrays = [a.astype(kind, copy=False, casting="same_kind") for a in arrays]
        if any(size == 0 for o in (*self.operands, *self.results) for size in o.shape):
            return self._degenerate(arrays, kind, out)
        ufunc = self._ufunc(single)
        outs = out if out is None or isinstance(out, tuple) else (out,)
        fits = all(a.shape[a.ndim - len(o.shape) :] == o.shape for a, o in zip(arrays, self.operands))
        if fits and max(a.size for a in arrays) >= _threads.LARGE and (outs is None or None not in outs):
            cores, results = [len(o.shape) for o in self.operands], [r.shape for r in self.results]
            return _threads.call(ufunc, arrays, cores, results, kind, outs)
        return ufunc(*arrays) if out is None else ufunc(*arrays, out=out)

    def _is_single(self, arrays: Sequence[np.ndarray]) -> bool:
        if self.dtype is not None:
            return self.dtype == np.float32
        return bool(arrays) and all(a.dtype == np.float32 for a in arrays)

    def _degenerate(self, arrays: Sequence[np.ndarray], kind: Any, out: Any) -> Any:
        """NumPy has no core dimension of size zero, so a robot without joints never reaches the ufunc."""
        batches = []
        for a, o in zip(arrays, self.operands):
            core = a.shape[a.ndim - len(o.shape) :]
            if core != o.shape:
                raise InputError(f"{self.name}: {o.name} must end in the shape {o.shape}, got {a.shape}")
            batches.append(a.shape[: a.ndim - len(o.shape)])
        batch = np.broadcast_shapes(*batches)
        flat = [np.broadcast_to(a, batch + o.shape) for a, o in zip(arrays, self.operands)]
        results = tuple(np.zeros(batch + r.shape, kind) for r in self.results)
        del flat
        if out is not None:
            for target, result in zip(out if isinstance(out, tuple) else (out,), results):
                target[...] = result
        return results if len(results) > 1 else results[0]

    def _dask(self, args: tuple[Any, ...]) -> Any:
        """Dask infers dtypes by calling with arrays of length 1, which fixed core sizes refuse: hand them over."""
        import dask.array as da

        names = iter(range(10**6))

        def group(operands: Sequence[Operand]) -> str:
            return ",".join("(" + ",".join(f"d{next(names)}" for _ in o.shape) + ")" for o in operands)

        sizes: dict[str, int] = {}
        inputs, results = group(self.operands), group(self.results)
        for text, operands in ((results, self.results),):
            labels = [x for x in text.replace("(", "").replace(")", "").split(",") if x]
            sizes.update(zip(labels, (n for o in operands for n in o.shape)))
        single = all(getattr(a, "dtype", None) == np.float32 for a in args)
        kinds = [np.float32 if single else np.float64] * len(self.results)
        return da.apply_gufunc(
            self,
            f"{inputs}->{results}",
            *args,
            output_dtypes=kinds if len(kinds) > 1 else kinds[0],
            output_sizes=sizes,
        )
