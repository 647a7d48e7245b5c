"""NVIDIA's driver through ctypes: devices, modules and launches. No CUDA toolkit is needed.

Work is done in the primary context of a device, which CuPy, PyTorch and Numba use too; whatever context a thread had
before is current again afterwards.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from typing import Any

from kinetree.errors import DeviceError
from kinetree.runtime.cuda.versions import Pair, code_for, dotted, newest_ptx

_NAMES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")
# the driver's functions and the types of their arguments
_KINDS = {"p": c_void_p, "i": c_int, "u": c_uint, "n": c_size_t, "s": c_char_p}
_FUNCTIONS = {
    "cuInit": "u", "cuDriverGetVersion": "p", "cuGetErrorName": "ip", "cuGetErrorString": "ip",
    "cuDeviceGetCount": "p", "cuDeviceGet": "pi", "cuDeviceGetName": "pii", "cuDeviceGetAttribute": "pii",
    "cuDeviceTotalMem_v2": "pi", "cuDevicePrimaryCtxRetain": "pi", "cuPointerGetAttribute": "pin",
    "cuCtxGetCurrent": "p", "cuCtxPushCurrent_v2": "p", "cuCtxPopCurrent_v2": "p", "cuCtxSynchronize": "",
    "cuLinkCreate_v2": "uppp", "cuLinkAddData_v2": "pipnsupp", "cuLinkComplete": "ppp", "cuLinkDestroy": "p",
    "cuModuleLoadData": "pp", "cuModuleUnload": "p", "cuModuleGetFunction": "pps", "cuFuncSetAttribute": "pii",
    "cuLaunchKernel": "puuuuuuuppp", "cuStreamGetCtx": "pp",
}  # fmt: skip
_MAJOR, _MINOR, _SHARED, _PROCESSORS = 75, 76, 97, 16  # attributes of a device
_DEVICE_OF_POINTER, _DYNAMIC_SHARED, _PTX = 9, 8, 1
_ERROR_LOG, _ERROR_LOG_SIZE = 5, 6  # options of the driver's compiler
_EXTRA, _BUFFER, _BUFFER_SIZE = c_void_p * 5, 1, 2  # how the parameters of a launch are given
_STATIC = 48 << 10  # bytes of shared memory that a block gets without asking
_NOT_FOUND, _NO_DEVICE, _NOT_INITIALIZED = 500, 100, 3
_LOG = 1 << 14  # bytes


@dataclass(frozen=True)
class Device:
    """A card: its number for CUDA, its name, compute capability, memory and shared memory of a block [bytes]."""

    ordinal: int
    name: str
    capability: Pair
    memory: int
    shared: int
    processors: int


class Driver:
    """The driver of this machine; raises `DeviceError` where there is none, or none that knows a card."""

    def __init__(self) -> None:
        library = _library()
        self._functions: dict[str, Any] = {}
        for name, kinds in _FUNCTIONS.items():
            function = getattr(library, name, None)
            if function is None:
                raise DeviceError(f"the NVIDIA driver is too old: it has no {name}; update the driver")
            function.argtypes, function.restype = [_KINDS[k] for k in kinds], c_int
            self._functions[name] = function
        self._process = os.getpid()
        self._call("cuInit", 0)
        self.version = divmod(self._number("cuDriverGetVersion") // 10, 100)
        self.newest_ptx = newest_ptx(self.version)
        self._devices: dict[int, tuple[Device, int]] = {}
        self._launch, self._current = self._functions["cuLaunchKernel"], self._functions["cuCtxGetCurrent"]

    # -- devices -------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many devices there are."""
        return self._number("cuDeviceGetCount")

    def device(self, ordinal: int) -> Device:
        """A device; code can be made for it."""
        if ordinal not in self._devices:
            described, context = self.describe(ordinal), c_void_p()
            _, needed = code_for(described.capability)
            if needed > self.newest_ptx:
                raise DeviceError(f"the driver knows PTX {dotted(self.newest_ptx)}; {described.name} needs a newer one")
            handle = self._number("cuDeviceGet", ordinal)
            self._call("cuDevicePrimaryCtxRetain", byref(context), handle)
            self._devices[ordinal] = described, context.value or 0
        return self._devices[ordinal][0]

    def context(self, ordinal: int) -> int:
        """The primary context of a device."""
        self.device(ordinal)
        return self._devices[ordinal][1]

    def address(self, name: str) -> int:
        """Of a function of the driver's, for code that calls it without Python."""
        return ctypes.cast(self._functions[name], c_void_p).value or 0

    def describe(self, ordinal: int) -> Device:
        """What a device is, whether or not code can be made for it."""
        handle = self._number("cuDeviceGet", ordinal)
        name, memory = ctypes.create_string_buffer(256), c_size_t()
        self._call("cuDeviceGetName", name, len(name), handle)
        self._call("cuDeviceTotalMem_v2", byref(memory), handle)
        numbers = (_MAJOR, _MINOR, _SHARED, _PROCESSORS)
        major, minor, shared, processors = (self._number("cuDeviceGetAttribute", k, handle) for k in numbers)
        text = name.value.decode(errors="replace")
        return Device(ordinal, text, (major, minor), memory.value, shared, processors)

    def device_of(self, pointer: int) -> int:
        """The device that memory is on."""
        return self._number("cuPointerGetAttribute", _DEVICE_OF_POINTER, pointer)

    # -- code ----------------------------------------------------------------------------------------------------

    def compile(self, ordinal: int, ptx: str) -> bytes:
        """The driver's machine code for a module in PTX."""
        log, state = ctypes.create_string_buffer(_LOG), c_void_p()
        options, values = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_SIZE), (c_void_p * 2)(ctypes.addressof(log), _LOG)
        text, code, size = ptx.encode() + b"\0", c_void_p(), c_size_t()
        with self._context(ordinal):
            self._call("cuLinkCreate_v2", 2, options, values, byref(state))
            try:
                self._call("cuLinkAddData_v2", state, _PTX, text, len(text), b"kinetree", 0, None, None, log=log)
                self._call("cuLinkComplete", state, byref(code), byref(size), log=log)
                return ctypes.string_at(code.value or 0, size.value)
            finally:
                self._functions["cuLinkDestroy"](state)

    def load(self, ordinal: int, code: bytes) -> int:
        """A module in the memory of a device."""
        module = c_void_p()
        with self._context(ordinal):
            self._call("cuModuleLoadData", byref(module), code)
        return module.value or 0

    def unload(self, ordinal: int, module: int) -> None:
        """Free a module, when no launch of it is under way any more."""
        with self._context(ordinal):
            self._call("cuCtxSynchronize")
            self._call("cuModuleUnload", module)

    def entry(self, ordinal: int, module: int, name: str, shared: int) -> int:
        """A kernel of a module, which may take so many bytes of dynamic shared memory."""
        function = c_void_p()
        with self._context(ordinal):
            self._call("cuModuleGetFunction", byref(function), module, name.encode())
            if shared > _STATIC:
                self._call("cuFuncSetAttribute", function, _DYNAMIC_SHARED, shared)
        return function.value or 0

    def launch(
        self, ordinal: int, entry: int, blocks: int, threads: int, shared: int, stream: int, values: Any
    ) -> None:
        """Put a launch on a stream; its parameters are an array of ctypes: integers and addresses of 64 bits."""
        size = c_size_t(8 * len(values))
        extra = _EXTRA(_BUFFER, ctypes.addressof(values), _BUFFER_SIZE, ctypes.addressof(size), 0)
        context, current = self._devices[ordinal][1], c_void_p()
        if self._current(byref(current)) or current.value != context:
            with self._context(ordinal):
                error = self._launch(entry, blocks, 1, 1, threads, 1, 1, shared, stream, None, extra)
        else:
            error = self._launch(entry, blocks, 1, 1, threads, 1, 1, shared, stream, None, extra)
        if error:
            raise self._error("cuLaunchKernel", error)

    # -- calls ---------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _context(self, ordinal: int) -> Iterator[None]:
        """While a device's primary context is that of this thread."""
        self.device(ordinal)
        self._call("cuCtxPushCurrent_v2", self._devices[ordinal][1])
        try:
            yield
        finally:
            self._functions["cuCtxPopCurrent_v2"](byref(c_void_p()))

    def _call(self, name: str, *args: Any, log: Any = None) -> None:
        error = self._functions[name](*args)
        if error:
            raise self._error(name, error, log)

    def _number(self, name: str, *args: Any) -> int:
        number = c_int()
        self._call(name, byref(number), *args)
        return number.value

    def _error(self, name: str, error: int, log: Any = None) -> DeviceError:
        if error == _NO_DEVICE:
            return DeviceError("the NVIDIA driver finds no GPU on this machine")
        texts = [c_char_p(), c_char_p()]
        for function, text in zip(("cuGetErrorName", "cuGetErrorString"), texts):
            self._functions[function](error, byref(text))
        short, long = ((text.value or b"?").decode(errors="replace") for text in texts)
        said = f"the NVIDIA driver refused {name}: {short}, {long}"
        if error == _NOT_INITIALIZED and os.getpid() != self._process:
            said += "; a process made by fork can't use a GPU that its parent used: start processes by spawn"
        more = log.value.decode(errors="replace").strip() if log is not None else ""
        return DeviceError(f"{said}\n{more}" if more else said)


def _library() -> Any:
    for name in _NAMES:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name) if sys.platform != "win32" else ctypes.WinDLL(name)  # type: ignore[attr-defined]
    raise DeviceError(f"there is no NVIDIA driver on this machine ({_NAMES[0]} is missing), which code for GPUs needs")


_LOCK = threading.Lock()
_found: list[Driver] = []


def driver() -> Driver:
    """The driver of this machine, loaded when it is first needed."""
    if not _found:
        with _LOCK:
            if not _found:
                _found.append(Driver())
    return _found[0]
