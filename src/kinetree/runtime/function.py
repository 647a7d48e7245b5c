"""A compiled function: what `kinetree.compile` returns.

It behaves like a NumPy generalized ufunc with fixed core sizes: leading dimensions broadcast, any strides work,
``out=`` works, the interpreter lock is released. float32 in gives float32 out; everything else is computed in float64.
Each precision is compiled when it is first needed.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy import ndarray

from kinetree.errors import InputError
from kinetree.lower.operand import Operand
from kinetree.runtime import elsewhere, gufunc, locks, memory, threads as _threads
from kinetree.runtime.arrays import plain
from kinetree.runtime.elsewhere import is_elsewhere
from kinetree.runtime.threads import LARGE
from kinetree.status import waiting

if TYPE_CHECKING:
    from kinetree.runtime.cuda.code import KernelSource, LoadedKernels
    from kinetree.runtime.cuda.plans import CallPlan
    from kinetree.runtime.native import LoadedCode

_EFFORT: Any = 10_000  # of NumPy, to find out whether two arrays share memory


class CodeSource(Protocol):
    """What a function is compiled from."""

    def code(self, single: bool) -> LoadedCode:
        """The inner loop and the direct call, whose address is 0 where there is none."""
        ...

    def kernels(self, single: bool, dense: bool, capability: Any, ptx_version: Any) -> KernelSource:
        """The same for a GPU; dense: where every core is row-major without gaps."""
        ...

    def coordinate_names(self, operand: Operand) -> Sequence[str]:
        """The names of an operand's numbers, where they have any."""
        ...

    def rebuilt(self, name: str, dtype: Any, target: str) -> Callable[[], Function]:
        """How a pickle makes the function again."""
        ...


# functions that came out of pickles lately, by what tells them apart: each task of a cluster brings its function along
_UNPICKLED: dict[bytes, Function] = {}
_MOST_UNPICKLED = 32


def _unpickled(token: bytes, make: Callable[[], Function]) -> Function:
    """The function of a pickle, whose code is loaded once in this process."""
    found = _UNPICKLED.pop(token, None) or make()
    found._token = token
    _UNPICKLED[token] = found
    for old in [*_UNPICKLED][:-_MOST_UNPICKLED]:
        _UNPICKLED.pop(old, None)
    return found


class Function:
    """A function of arrays, compiled for this processor and, where arrays are there, for a GPU."""

    def __init__(
        self,
        name: str,
        operands: Sequence[Operand],
        results: Sequence[Operand],
        source: CodeSource,
        *,
        dtype: Any = None,
        doc: str = "",
        target: str = "cpu",
    ) -> None:
        self.name, self.__doc__ = name, doc
        self.__name__ = re.sub(r"\W+", "_", name).strip("_") or "function"
        self.operands, self.results = tuple(operands), tuple(results)
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.source, self._doc, self._token = source, doc, b""
        self._arity = len(self.operands)
        self._hollow = any(0 in o.shape for o in (*self.operands, *self.results))
        # NumPy takes an input that is also out= for one of the same core: where it is of another, it is looked at here
        self._alone = len(self.results) == 1 and all(len(o.shape) <= len(self.results[0].shape) for o in self.operands)
        # numbers in its widest operand from which the memory of results may be worth keeping
        sizes = [o.size for o in self.operands]
        self._widest = sizes.index(max(sizes)) if sizes else 0
        self._large = -(-memory.LEAST // max(8, 8 * sum(r.size for r in self.results))) * max(sizes, default=0)
        self._compiled: dict[bool, np.ufunc] = {}
        self._code: LoadedCode | None = None  # of float64
        self.target = target
        self.quick: Callable[..., Any] | None = None  # calls with arrays on a GPU that are like one before
        self.plans: dict[tuple[Any, ...], CallPlan] = {}  # of such calls
        self.kernels: dict[tuple[int, bool, bool], LoadedKernels] = {}  # by device, single precision, dense arrays
        self._fast: np.ufunc | None = None  # the float64 ufunc, once compiled, where plain calls may use it

    @property
    def signature(self) -> str:
        """The core shapes in NumPy's notation, such as "(6),(6),(6)->(6)"."""
        return gufunc.signature([o.shape for o in self.operands], [r.shape for r in self.results])

    def __repr__(self) -> str:
        names = ", ".join(o.name for o in self.operands)
        return f"<kinetree function {self.name}({names}) {self.signature}>"

    def __reduce__(self) -> Any:
        self._token = self._token or os.urandom(16)
        return _unpickled, (self._token, self.source.rebuilt(self.name, self.dtype, self.target))

    def ufunc(self, dtype: Any = np.float64) -> np.ufunc:
        """The NumPy ufunc itself, for code that speaks the ufunc protocol."""
        return self._ufunc(np.dtype(dtype) == np.float32)

    def is_compiled(self, dtype: Any = np.float64) -> bool:
        """Whether there is code for a precision already."""
        return (np.dtype(dtype) == np.float32) in self._compiled

    def direct(
        self, fallback: Callable[..., Any] | None = None, quaternions: Sequence[int] = (), tolerance: float = 0.0
    ) -> Callable[..., Any]:
        """The same function for single states, at a fraction of the cost of a call.

        Args:
            fallback: gets every call that is not one state in plain float64 arrays; this function itself by default.
            quaternions: indices in the first argument at which four numbers begin that are of length one; the fallback
                gets calls where they are not.
            tolerance: how far their squared length may be from one.

        Returns:
            A function that Python calls without the machinery of a ufunc, with the name, documentation, signature and
            pickle of the fallback; the fallback itself where this interpreter does not allow one.

        Example:
            >>> import numpy as np
            >>> import kinetree as kt
            >>> double = kt.compile(lambda x: [2.0 * x[0]], signature="(1)->(1)").direct()
            >>> double(np.array([4.0]))
            array([8.])
        """
        with locks.compiling(self):  # the import too is not for the middle of a fork
            from kinetree.runtime import direct

            self._ufunc(False)
        fallback = self if fallback is None else fallback
        cores = [o.shape for o in self.operands], [r.shape for r in self.results]
        # a number is no array; arrays of memory that is kept are made elsewhere
        applies = all(cores[1]) and not self._hollow and 8 * sum(r.size for r in self.results) < memory.LEAST
        address = self._code.addresses[1] if self._code and applies else 0
        return direct.call(self._code, address, fallback, cores, quaternions, tolerance) or fallback

    def _ufunc(self, single: bool) -> np.ufunc:
        if single not in self._compiled:
            with locks.compiling(self):
                if single not in self._compiled:
                    self._compile(single)
        return self._compiled[single]

    def _compile(self, single: bool) -> None:
        with waiting(f"compiling {self.name}"):
            code = self.source.code(single)
        shapes = [o.shape for o in self.operands], [r.shape for r in self.results]
        made = gufunc.make_gufunc(code, code.addresses[0], *shapes, single, self.name, self._doc)
        if not single:
            self._code = code
            self._fast = made if self.dtype is None and not self._hollow else None
        self._compiled[single] = made

    def __call__(self, *args: Any, out: Any = None) -> Any:
        ufunc = self._fast
        try:
            if ufunc is not None and len(args) == self._arity:
                for a in args:
                    if type(a) is not ndarray or a.size >= LARGE:
                        break
                else:
                    if args[0].dtype.char == "d":
                        if out is None:
                            outs = None if args[self._widest].size < self._large else self._kept(args, np.float64)
                            return ufunc(*args) if outs is None else ufunc(*args, out=outs)
                        if (self._alone and type(out) is ndarray) or _are_apart(args, out):
                            return ufunc(*args, out=out)
            return self._general(args, out)
        except ValueError:  # NumPy's, which knows no names
            if not any(map(is_elsewhere, args)):
                self.check_shapes(self._arrays(args))
            raise

    def _general(self, args: tuple[Any, ...], out: Any) -> Any:
        if self.quick is not None and (found := self.quick(self, args, out)) is not None:
            return found
        if len(args) != self._arity:
            names = ", ".join(o.name for o in self.operands)
            raise InputError(f"{self.name} takes {self._arity} arguments ({names}), got {len(args)}")
        if self.target == "cuda" or any(map(is_elsewhere, args)):
            return elsewhere.call(self, args, out)
        arrays = self._arrays(args)
        single = self.is_single(arrays)
        kind = np.float32 if single else np.float64
        if self.dtype is not None:
            arrays = [a.astype(kind, copy=False, casting="same_kind") for a in arrays]
        ufunc = self._ufunc(single)
        if self._hollow:
            return self._without_numbers(ufunc, arrays, kind, out)
        outs = out if out is None or isinstance(out, tuple) else (out,)
        if outs is not None:
            arrays = self._apart(arrays, outs)
        fits = all(a.shape[a.ndim - len(o.shape) :] == o.shape for a, o in zip(arrays, self.operands))
        if fits and outs is None:
            outs = self._kept(arrays, kind)
        if fits and max(a.size for a in arrays) >= LARGE and not any(o is None for o in outs or ()):
            cores, results = [len(o.shape) for o in self.operands], [r.shape for r in self.results]
            return _threads.call(ufunc, arrays, cores, results, kind, outs)
        return ufunc(*arrays) if outs is None else ufunc(*arrays, out=outs)

    def _arrays(self, args: Sequence[Any]) -> list[np.ndarray]:
        return [plain(a, f"{self.name}: {o.name}") for a, o in zip(args, self.operands)]

    def _kept(self, arrays: Sequence[np.ndarray], kind: Any) -> tuple[np.ndarray, ...] | None:
        """Arrays for results in memory that is kept; None where they are small."""
        batches = [a.shape[: a.ndim - len(o.shape)] for a, o in zip(arrays, self.operands)]
        return memory.large(batches, [r.shape for r in self.results], kind)

    def is_single(self, arrays: Sequence[np.ndarray]) -> bool:
        if self.dtype is not None:
            return self.dtype == np.float32
        return bool(arrays) and all(a.dtype == np.float32 for a in arrays)

    def _apart(self, arrays: Sequence[np.ndarray], outs: tuple[Any, ...]) -> list[np.ndarray]:
        """The inputs, copied where results would overwrite them before they are read."""
        targets = [(r, plain(t, f"{self.name}: out=")) for r, t in zip(self.results, outs) if isinstance(t, ndarray)]
        for (_, t), (_, u) in itertools.combinations(targets, 2):
            if np.may_share_memory(t, u, _EFFORT):
                raise InputError(f"{self.name}: two arrays of out= share memory; give each result one of its own")
        return [
            a.copy() if any(len(r.shape) < len(o.shape) and np.may_share_memory(a, t) for r, t in targets) else a
            for a, o in zip(arrays, self.operands)
        ]

    def check_cores(self, arrays: Sequence[Any]) -> None:
        """Raise InputError where an array does not end in the core of its operand."""
        for a, o in zip(arrays, self.operands):
            core = len(o.shape)
            if a.shape[max(a.ndim - core, 0) :] != o.shape:
                names = [*self.source.coordinate_names(o)]
                listed = f"{names[0]}..{names[-1]}" if len(names) > 2 else ", ".join(names)
                swapped = (*a.shape[:-2], *a.shape[-2:][::-1])
                raise InputError(
                    f"{self.name}: {o.name} must end in {o.shape if core > 1 else o.shape[0]}"
                    f"{f' ({listed})' if names else ''}; got {a.shape}"
                    f"{': transposed?' if swapped[max(a.ndim - core, 0) :] == o.shape else ''}"
                ) from None

    def check_shapes(self, arrays: Sequence[Any]) -> None:
        """The same where leading dimensions don't broadcast."""
        self.check_cores(arrays)
        batches = [a.shape[: a.ndim - len(o.shape)] for a, o in zip(arrays, self.operands)]
        try:
            np.broadcast_shapes(*batches)
        except ValueError:
            given = ", ".join(f"{o.name} {batch}" for o, batch in zip(self.operands, batches))
            raise InputError(f"{self.name}: the leading dimensions don't broadcast: {given}") from None

    def _without_numbers(self, ufunc: np.ufunc, arrays: Sequence[np.ndarray], kind: Any, out: Any) -> Any:
        """NumPy guards no core dimension of size zero, such as those of a robot without joints: it is done here."""
        self.check_shapes(arrays)
        if out is not None:
            return ufunc(*arrays, out=out)
        batch = np.broadcast_shapes(*(a.shape[: a.ndim - len(o.shape)] for a, o in zip(arrays, self.operands)))
        results = tuple(np.empty(batch + r.shape, kind) for r in self.results)
        ufunc(*arrays, out=results)
        results = tuple(r[()] for r in results)
        return results[0] if len(results) == 1 else results


def _are_apart(args: tuple[ndarray, ...], out: Any) -> bool:
    """Whether results are certainly in memory of their own: a quick test, which may say no."""
    outs = out if type(out) is tuple else (out,)
    owners = []
    for a in (*outs, *args):
        owner = a if type(a) is not ndarray or a.base is None else a.base
        if type(owner) is not ndarray or not owner.flags.owndata:
            return False
        owners.append(id(owner))
    return len({*owners}) == len(outs) + len({*owners[len(outs) :]})
