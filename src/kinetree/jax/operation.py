"""A compiled function in one precision as XLA knows it: by a name, under which its code is registered when needed.

Names tell what is computed, the same in every process, since JAX keeps programs on disk in which the name is all that
is left of a function. XLA forgets no name, and so nothing here is ever freed.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (JAX need not be installed where types are checked)

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import jax
import numpy as np

from kinetree.compile import product
from kinetree.derivatives.products import Pullback, Pushforward
from kinetree.emit.llvm import xla
from kinetree.emit.llvm.entries import HANDLER, HANDLER_BIND
from kinetree.errors import InputError
from kinetree.jax import gpu, header
from kinetree.runtime import fixed_code, locks
from kinetree.runtime.function import Function

_KNOWN: dict[str, Operation] = {}


class Operation:
    """What a call in a program of JAX computes; there is one for each name.

    Args:
        function: compiled when a program is.
        single: whether in float32.
        name: XLA's.
        of: where this is a product with a derivative, the operation that is differentiated.
        kind, wrt: with which of its sides, and with respect to which arguments; see `kinetree.compile.product`.
    """

    def __init__(
        self, function: Function, single: bool, name: str, of: Operation | None = None, kind: Any = None, wrt: Any = ()
    ) -> None:
        self.function, self.single, self.name = function, single, name
        self.of, self.kind, self.wrt = of, kind, tuple(wrt)
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self.operands = [o.shape for o in function.operands]
        self.results = [r.shape for r in function.results]
        self._registered: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"{self.function.name} {self.dtype}"

    @property
    def linear(self) -> range:
        """The positions of the arguments in which a product is linear: behind its own, before named parameters."""
        if self.of is None:
            return range(0)
        first = len(self.of.function.source.signature.operands)
        return range(first, first + len(self.operands) - len(self.of.operands))

    def pushforward(self, wrt: tuple[int, ...]) -> Operation:
        """J v: the derivatives of the results along directions of some arguments."""
        return self._product(Pushforward, wrt)

    def pullback(self, wrt: tuple[int, ...]) -> Operation:
        """w J: the derivatives of weighted results with respect to some arguments."""
        return self._product(Pullback, wrt)

    def _product(self, kind: Any, wrt: tuple[int, ...]) -> Operation:
        name = f"{self.name}_{kind.word}_{'_'.join(map(str, wrt))}"
        if name not in _KNOWN:
            if getattr(self.function.source.function, "repeats", False):
                raise InputError(f"{self.function.name} is an iteration, which has no derivatives here")
            made = product(self.function, kind, wrt)
            _KNOWN.setdefault(name, Operation(made, self.single, name, self, kind, wrt))
        return _KNOWN[name]

    def target(self, platform: str = "cpu") -> str:
        """The name, under which XLA finds the code for a platform, "cpu" or "CUDA", from now on."""
        with locks.compiling(self):
            if platform not in self._registered:
                layout, on_gpu = header.layout(), platform != "cpu"
                address, traits, code = gpu.table(self.function, self.single) if on_gpu else self._loop()
                make = partial(xla.module, layout, gpu=on_gpu)
                own = fixed_code.load(f"handler {on_gpu} {layout}", make, HANDLER, HANDLER_BIND)
                kind = layout["DataType_F32" if self.single else "DataType_F64"]
                shapes = self.operands, self.results
                known = gpu.words(xla.description(address, *shapes, self.dtype.itemsize, kind, traits))
                handler, bind = own.addresses
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(bind)(ctypes.addressof(known))
                jax.ffi.register_ffi_target(self.name, jax.ffi.pycapsule(ctypes.c_void_p(handler)), platform=platform)
                self._registered[platform] = code, own, known
                _KNOWN[self.name] = self  # XLA has the address for ever, and threads may come late
        return self.name

    def _loop(self) -> tuple[int, int, Any]:
        code = self.function.source.code(self.single)
        return code.addresses[0], 0, code


def operation(function: Function, single: bool) -> Operation:
    """The operation of a compiled function."""
    key, _ = function.source.key(single)
    name = f"kinetree_{function.__name__}_{'f32' if single else 'f64'}_{key[:32]}"
    return _KNOWN.setdefault(name, Operation(function, single, name))
