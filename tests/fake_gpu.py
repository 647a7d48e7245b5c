"""A GPU that is none, for machines without one: a driver that computes by the interpreter, and arrays of libraries.

The memory of the device is that of NumPy, so that a launch reads and writes what its parameters say. Arrays refuse to
become arrays of NumPy by themselves, as those of CuPy do.
"""

from __future__ import annotations

import contextlib
import ctypes
import types
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from kinetree.emit.cuda.entries import Kernel, Kernels
from kinetree.graph.interpret import evaluate
from kinetree.lower.program import Program
from kinetree.runtime.cuda.driver import Device

PROGRAMS: list[tuple[Program, bool]] = []  # that kernels were made of
BLOCK = 32  # states
CONTEXT = 1 << 40  # of the first device
_WORDS, _POINTER, _INT = ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p, ctypes.c_int
_NATIVE = {
    "cuLaunchKernel": ctypes.CFUNCTYPE(_INT, _POINTER, *[ctypes.c_uint] * 7, _POINTER, _POINTER, _WORDS),
    "cuStreamGetCtx": ctypes.CFUNCTYPE(_INT, _POINTER, _WORDS),
    "cuCtxPushCurrent_v2": ctypes.CFUNCTYPE(_INT, _POINTER),
    "cuCtxPopCurrent_v2": ctypes.CFUNCTYPE(_INT, _WORDS),
}


def kernels(program: Program, capability: Any, ptx_version: Any, dense: bool, scratch: int = 0) -> Kernels:
    """A stand-in for the emitter: the text says which program it is."""
    PROGRAMS.append((program, dense))
    return Kernels(f"program {len(PROGRAMS) - 1}", (Kernel("kernel", 64, BLOCK, 0, scratch),))


class FakeDriver:
    """Two devices; `launches` has a row for each launch: device, stream, number of states, program is dense."""

    def __init__(self, version: tuple[int, int] = (12, 8)) -> None:
        self.version, self.newest_ptx, self.count = version, (8, 7), 2
        self.compiled: list[str] = []
        self.launches: list[tuple[int, int, int, bool]] = []
        self.unloaded: list[int] = []
        self.lazy = False  # whether launches are counted only

        self.error = 0  # that a launch by native code finds
        self.contexts: list[int] = []  # that native code entered
        self.context_of = {0: CONTEXT}  # by stream; the first device where it is not known
        self._native = {name: kind(getattr(self, f"_{name}")) for name, kind in _NATIVE.items()}

    _modules: ClassVar[list[str]] = []  # of all drivers: functions that are shared keep their kernels

    def device(self, ordinal: int) -> Device:
        return self.describe(ordinal)

    def describe(self, ordinal: int) -> Device:
        return Device(ordinal, "Fake GPU", (9, 0), 1 << 30, 227 << 10, 132)

    def device_of(self, pointer: int) -> int:
        return 0

    # -- for native code -------------------------------------------------------------------------------------------

    def context(self, ordinal: int) -> int:
        return CONTEXT + ordinal

    def address(self, name: str) -> int:
        return ctypes.cast(self._native[name], ctypes.c_void_p).value or 0

    def _cuLaunchKernel(self, entry: Any, *numbers: Any) -> int:
        blocks, _, _, threads, _, _, shared, stream, _, extra = numbers
        assert [extra[0], extra[2], extra[4]] == [1, 2, 0]
        size = ctypes.c_int64.from_address(extra[3]).value
        values = (ctypes.c_int64 * (size // 8)).from_address(extra[1])
        if not self.error:
            self.launch(self.contexts[-1] - CONTEXT, entry or 0, blocks, threads, shared, stream or 0, values)
        return self.error

    def _cuStreamGetCtx(self, stream: Any, found: Any) -> int:
        found[0] = self.context_of.get(stream, CONTEXT)
        return 0

    def _cuCtxPushCurrent_v2(self, context: Any) -> int:
        self.contexts.append(context)
        return 0

    def _cuCtxPopCurrent_v2(self, found: Any) -> int:
        found[0] = self.contexts.pop()
        return 0

    # -- code ------------------------------------------------------------------------------------------------------

    def compile(self, ordinal: int, ptx: str) -> bytes:
        self.compiled.append(ptx)
        return b"\x7fcode\n" + ptx.encode()

    def load(self, ordinal: int, code: bytes) -> int:
        self._modules.append(code.split(b"\n")[1].decode())
        return len(self._modules) - 1

    def unload(self, ordinal: int, module: int) -> None:
        self.unloaded.append(module)

    def entry(self, ordinal: int, module: int, name: str, shared: int) -> int:
        assert name == "kernel"
        return module

    def launch(
        self, ordinal: int, entry: int, blocks: int, threads: int, shared: int, stream: int, values: Any
    ) -> None:
        program, dense = PROGRAMS[int(self._modules[entry].split()[1])]
        count, numbers = values[0], list(values[2:])
        assert (blocks - 1) * BLOCK < count <= blocks * BLOCK < 2**31 * BLOCK
        self.launches.append((ordinal, stream, count, dense))
        if self.lazy:
            return
        kind = np.dtype(np.float32 if program.single else np.float64)
        arrays = []
        for o in (*program.operands, *program.written):
            pointer, stride = numbers[:2]
            del numbers[:2]
            core = np.empty(o.shape, kind).strides if dense else numbers[: len(o.shape)]
            if not dense:
                del numbers[: len(o.shape)]
            arrays.append(memory(pointer, (count, *o.shape), (stride, *core), kind))
        assert not numbers
        split = len(program.operands)
        inputs = {o.name: a.reshape(count, -1).T for o, a in zip(program.operands, arrays)}
        values_of = iter(computed(program, inputs, kind))
        for r, a in zip(program.written, arrays[split:]):
            if dense and count > 1:
                assert a.flags.c_contiguous or not a.size, "results without gaps"
            for index in np.ndindex(*r.shape):
                a[(slice(None), *index)] = next(values_of)


def computed(program: Program, inputs: dict[str, np.ndarray], kind: Any) -> list[np.ndarray]:
    """All numbers of the results, those of a program that repeats after the last step of each state."""
    values, count = (
        {name: x.copy() for name, x in inputs.items()},
        max((x.shape[1] for x in inputs.values()), default=1),
    )
    found: list[np.ndarray] = []
    going = np.ones(count, bool)
    while not found or going.any():
        flat = [np.broadcast_to(x, count) for x in evaluate(program.outputs, values, kind)]
        found = [np.where(going, x, before) for x, before in zip(flat, found or flat)]
        if not program.repeats:
            break
        going &= flat[-1] > 0
        places = dict(zip(program.outputs, found))
        for name, k, node in program.fed_back:
            values[name][k] = places[node]
    return found


def memory(pointer: int, shape: tuple[int, ...], strides: Any, kind: np.dtype[Any]) -> np.ndarray:
    """An array at an address."""
    interface = {"data": (pointer, False), "shape": shape, "strides": tuple(strides), "typestr": kind.str, "version": 3}
    return np.asarray(types.SimpleNamespace(__array_interface__=interface))


class _Array:
    """What arrays on the fake device have in common."""

    def __init__(self, host: np.ndarray, device: int = 0) -> None:
        self.on_device, self.number = host, device

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    @property
    def shape(self) -> Any:
        return self.on_device.shape

    @property
    def ndim(self) -> int:
        return self.on_device.ndim

    @property
    def dtype(self) -> Any:
        return self.on_device.dtype

    def __getitem__(self, key: Any) -> Any:
        return type(self)(self.on_device[key], self.number)

    def __gt__(self, number: float) -> Any:
        return type(self)(np.asarray(self.on_device > number), self.number)

    def __mul__(self, factor: Any) -> Any:
        return type(self)(self.on_device * getattr(factor, "on_device", factor), self.number)

    def sum(self, axis: int) -> Any:
        return type(self)(np.asarray(self.on_device.sum(axis)), self.number)

    def swapaxes(self, a: int, b: int) -> Any:
        return type(self)(self.on_device.swapaxes(a, b), self.number)


# -- CuPy --------------------------------------------------------------------------------------------------------------


class CuPyArray(_Array):
    __module__ = "cupy"

    @property
    def data(self) -> Any:
        return types.SimpleNamespace(ptr=self.on_device.ctypes.data, device_id=self.number)

    @property
    def strides(self) -> Any:
        return self.on_device.strides

    def astype(self, kind: Any) -> Any:
        return CuPyArray(self.on_device.astype(kind), self.number)

    def copy(self) -> Any:
        return CuPyArray(self.on_device.copy(), self.number)

    def get(self) -> np.ndarray:
        return self.on_device.copy()


def cupy() -> Any:
    """The module, with `stream` that is current."""
    module = types.ModuleType("cupy")
    current = [0]

    @contextlib.contextmanager
    def device(number: int) -> Iterator[None]:
        before, current[0] = current[0], number
        yield
        current[0] = before

    made: Any = module
    made.stream = 7
    made.cuda = types.SimpleNamespace(
        runtime=types.SimpleNamespace(getDevice=lambda: current[0]),
        Device=device,
        get_current_stream=lambda device=0: types.SimpleNamespace(ptr=made.stream),
    )
    made.ndarray = CuPyArray
    made.empty = lambda shape, kind: CuPyArray(np.full(shape, np.nan, kind), current[0])
    made.asarray = lambda x: CuPyArray(np.array(x), current[0])
    made.broadcast_to = lambda a, shape: CuPyArray(np.broadcast_to(a.on_device, shape), a.number)
    made.broadcast_arrays = lambda *a: [CuPyArray(x) for x in np.broadcast_arrays(*(b.on_device for b in a))]
    made.stack = lambda a, axis: CuPyArray(np.stack([x.on_device for x in a], axis))
    return made


# -- PyTorch -----------------------------------------------------------------------------------------------------------


class _TorchKind(str):
    def __str__(self) -> str:
        return f"torch.{self[:]}"


class TorchTensor(_Array):
    __module__ = "torch"
    is_cuda, requires_grad, layout = True, False, "strided"

    @property
    def dtype(self) -> Any:
        return _TorchKind(self.on_device.dtype.name)

    def get_device(self) -> int:
        return self.number

    def is_neg(self) -> bool:
        return False

    def data_ptr(self) -> int:
        return self.on_device.ctypes.data

    def stride(self) -> Any:
        return tuple(s // self.on_device.itemsize for s in self.on_device.strides)

    def element_size(self) -> int:
        return self.on_device.itemsize

    def detach(self) -> Any:
        return TorchTensor(self.on_device, self.number)

    def to(self, what: Any) -> Any:
        if str(what).startswith("cuda:"):
            return TorchTensor(self.on_device, int(what[5:]))
        return TorchTensor(self.on_device.astype(str(what)[6:]), self.number)

    def expand(self, shape: Any) -> Any:
        return TorchTensor(np.broadcast_to(self.on_device, shape), self.number)

    def clone(self, memory_format: Any) -> Any:
        return TorchTensor(self.on_device.copy(), self.number)

    def cpu(self) -> Any:
        return types.SimpleNamespace(numpy=self.on_device.copy)


def torch() -> Any:
    """The module."""
    made: Any = types.ModuleType("torch")
    made.Tensor, made.strided, made.contiguous_format = TorchTensor, "strided", None
    made.float32, made.float64 = _TorchKind("float32"), _TorchKind("float64")
    made.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=9))
    made.is_grad_enabled = lambda: True
    made.empty = lambda shape, dtype, device: TorchTensor(np.full(shape, np.nan, dtype[:]), device)
    made.device = lambda kind, number: number
    made.from_numpy = TorchTensor
    made.broadcast_tensors = lambda *a: [TorchTensor(x) for x in np.broadcast_arrays(*(b.on_device for b in a))]
    made.stack = lambda a, dim: TorchTensor(np.stack([x.on_device for x in a], dim))
    return made


# -- Numba -------------------------------------------------------------------------------------------------------------


class NumbaArray(_Array):
    __module__ = "numba.cuda.cudadrv.devicearray"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        x = self.on_device
        strides = None if x.flags.c_contiguous else x.strides
        data = x.ctypes.data, False
        return {"data": data, "shape": x.shape, "strides": strides, "typestr": x.dtype.str, "version": 3, "stream": 11}

    def copy_to_host(self) -> np.ndarray:
        return self.on_device.copy()


def numba() -> Any:
    """The module."""
    made: Any = types.ModuleType("numba")
    made.cuda = types.SimpleNamespace(
        gpus=[contextlib.nullcontext()] * 2,
        device_array=lambda shape, kind: NumbaArray(np.full(shape, np.nan, kind)),
        to_device=lambda x: NumbaArray(np.array(x)),
    )
    return made


ARRAYS = {"cupy": CuPyArray, "torch": TorchTensor, "numba": NumbaArray}
MODULES = {"cupy": cupy, "torch": torch, "numba": numba}
STREAMS = {"cupy": 7, "torch": 9, "numba": 11}
