"""Arrays on a GPU as their libraries have them: CuPy, PyTorch, Numba.

No library is imported here: who has its arrays has imported it. All work is put on the stream that is current in the
caller's library, and memory comes from that library, so that the order of things is the one that the caller sees.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import InputError

_CUDA = 2  # as DLPack counts kinds of devices


class View(NamedTuple):
    """Where an array is: its address, shape, strides [bytes] and NumPy's letter for its type."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: str

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def is_aligned(self) -> bool:
        """Whether every float is at a multiple of its size."""
        size = 4 if self.kind == "f" else 8
        return not (self.pointer % size or any(s % size for s in self.strides))


class Library:
    """What is needed of a library; this one knows arrays by ``__cuda_array_interface__`` alone."""

    name = "another library"
    computes = False  # whether arrays can be copied, cast and joined there

    def holds(self, a: Any) -> bool:
        """Whether an array of the library is on a GPU."""
        return hasattr(a, "__cuda_array_interface__") or getattr(a, "__dlpack_device__", tuple)()[:1] == (_CUDA,)

    def check(self, a: Any, name: str) -> None:
        """Refuse what this library can't be given results in."""
        raise InputError(
            f"{name} is a {_named(type(a))}, a library in which results can't be given. Arrays of CuPy, PyTorch and "
            "Numba are taken; cupy.asarray(x) or cupy.from_dlpack(x) gives one in the same memory"
        )

    def view(self, a: Any) -> View:
        found = a.__cuda_array_interface__
        dtype, shape = np.dtype(found["typestr"]), tuple(found["shape"])
        strides = found.get("strides")
        return View(
            found["data"][0], shape, row_major(shape, dtype.itemsize) if strides is None else strides, dtype.char
        )

    def described(self, a: Any) -> tuple[int, int, Any]:
        """The address, the device, and what else there is to know about an array; None where it needs a closer look."""
        return 0, -1, None

    def address(self, a: Any) -> int:
        return self.view(a).pointer

    def device(self, a: Any) -> int:
        """The number of the device that an array is on."""
        from kinetree.runtime.cuda.driver import driver

        return driver().device_of(self.view(a).pointer) if prod(self.view(a).shape) else 0

    def stream(self, a: Any, device: int) -> int:
        """The handle of the current stream."""
        return int(a.__cuda_array_interface__.get("stream") or 0)

    def empty(self, shape: tuple[int, ...], kind: str, device: int) -> Any:
        raise NotImplementedError

    def upload(self, x: np.ndarray, device: int) -> Any:
        """A small array of numbers of the host, on the device."""
        raise NotImplementedError

    def cast(self, a: Any, kind: str) -> Any:
        """The same numbers in another type."""
        raise InputError(f"{self.name} can't convert arrays on a GPU: give float64, or float32 for all")

    def spread(self, a: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to a shape, in new memory, row by row."""
        raise InputError(f"{self.name} can't copy such arrays on a GPU: give others, or out= in memory of its own")

    def joined(self, arrays: list[Any]) -> Any:
        """Arrays of one shape with a new last axis that counts them."""
        raise InputError(f"{self.name} can't join arrays on a GPU")

    def host(self, a: Any) -> np.ndarray:
        """A copy for the host, when everything before it is done."""
        raise NotImplementedError


class CuPy(Library):
    name, computes = "CuPy", True

    @property
    def _module(self) -> Any:
        return sys.modules["cupy"]

    def holds(self, a: Any) -> bool:
        return True

    def check(self, a: Any, name: str) -> None:
        pass

    def view(self, a: Any) -> View:
        return View(a.data.ptr, a.shape, a.strides, a.dtype.char)

    def described(self, a: Any) -> tuple[int, int, Any]:
        memory = a.data
        return memory.ptr, memory.device_id, (a.shape, a.strides, a.dtype.char)

    def address(self, a: Any) -> int:
        return a.data.ptr

    def device(self, a: Any) -> int:
        return a.data.device_id

    def stream(self, a: Any, device: int) -> int:
        return self._module.cuda.get_current_stream(device).ptr

    def empty(self, shape: tuple[int, ...], kind: str, device: int) -> Any:
        module = self._module
        if module.cuda.runtime.getDevice() == device:
            return module.empty(shape, kind)
        with module.cuda.Device(device):
            return module.empty(shape, kind)

    def upload(self, x: np.ndarray, device: int) -> Any:
        with self._module.cuda.Device(device):
            return self._module.asarray(x)

    def cast(self, a: Any, kind: str) -> Any:
        return a.astype(kind)

    def spread(self, a: Any, shape: tuple[int, ...]) -> Any:
        return self._module.broadcast_to(a, shape).copy()

    def joined(self, arrays: list[Any]) -> Any:
        return self._module.stack(self._module.broadcast_arrays(*arrays), axis=-1)

    def host(self, a: Any) -> np.ndarray:
        return a.get()


class Torch(Library):
    name, computes = "PyTorch", True

    @property
    def _module(self) -> Any:
        return sys.modules["torch"]

    def holds(self, a: Any) -> bool:
        return a.is_cuda

    def check(self, a: Any, name: str) -> None:
        if a.requires_grad and self._module.is_grad_enabled():
            raise InputError(f"{name} requires a gradient, which would be lost: give {name}.detach()")
        if a.layout is not self._module.strided:
            raise InputError(f"{name} is a sparse tensor: give {name}.to_dense()")
        if a.is_neg():
            raise InputError(f"{name} is a view that is negated when it is read: give {name}.resolve_neg()")

    def view(self, a: Any) -> View:
        size = a.element_size()
        kind = _TORCH.get(str(a.dtype)[6:], "?")
        return View(a.data_ptr(), tuple(a.shape), tuple([s * size for s in a.stride()]), kind)

    def described(self, a: Any) -> tuple[int, int, Any]:
        if a.requires_grad or a.layout is not self._module.strided or a.is_neg():
            return 0, -1, None
        return a.data_ptr(), a.get_device(), (a.shape, a.stride(), a.dtype)

    def address(self, a: Any) -> int:
        return a.data_ptr()

    def device(self, a: Any) -> int:
        return a.get_device()

    def stream(self, a: Any, device: int) -> int:
        return _current_stream(self._module)(device)

    def empty(self, shape: tuple[int, ...], kind: str, device: int) -> Any:
        module = self._module
        return module.empty(shape, **_made(module, kind, device))

    def upload(self, x: np.ndarray, device: int) -> Any:
        return self._module.from_numpy(np.array(x)).to(f"cuda:{device}")

    def _kind(self, kind: str) -> Any:
        return self._module.float32 if kind == "f" else self._module.float64

    def cast(self, a: Any, kind: str) -> Any:
        return a.detach().to(self._kind(kind))

    def spread(self, a: Any, shape: tuple[int, ...]) -> Any:
        return a.detach().expand(shape).clone(memory_format=self._module.contiguous_format)

    def joined(self, arrays: list[Any]) -> Any:
        return self._module.stack(self._module.broadcast_tensors(*arrays), dim=-1)

    def host(self, a: Any) -> np.ndarray:
        return a.detach().cpu().numpy()


@lru_cache
def _current_stream(module: Any) -> Callable[[int], int]:
    """The handle of PyTorch's current stream on a device, without an object around it where that is possible."""
    found = getattr(getattr(module, "_C", None), "_cuda_getCurrentRawStream", None)
    return found or (lambda device: module.cuda.current_stream(device).cuda_stream)


@lru_cache
def _made(module: Any, kind: str, device: int) -> dict[str, Any]:
    """How PyTorch makes a tensor of a type on a device."""
    return {"dtype": module.float32 if kind == "f" else module.float64, "device": module.device("cuda", device)}


_TORCH = {"float64": "d", "float32": "f", "int64": "l", "int32": "i", "int16": "h", "int8": "b", "uint8": "B"}


class Numba(Library):
    name = "Numba"

    def check(self, a: Any, name: str) -> None:
        pass

    def empty(self, shape: tuple[int, ...], kind: str, device: int) -> Any:
        cuda = sys.modules["numba"].cuda
        with cuda.gpus[device]:
            return cuda.device_array(shape, np.dtype(kind))

    def upload(self, x: np.ndarray, device: int) -> Any:
        cuda = sys.modules["numba"].cuda
        with cuda.gpus[device]:
            return cuda.to_device(x)

    def host(self, a: Any) -> np.ndarray:
        return a.copy_to_host()


def row_major(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The strides of an array without gaps, row by row."""
    strides: list[int] = []
    for n in reversed(shape):
        strides.append(size)
        size *= max(n, 1)
    return tuple(reversed(strides))


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
