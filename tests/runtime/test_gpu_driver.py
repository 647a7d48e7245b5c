"""NVIDIA's driver behind its interface in C: a stand-in for the library, whose functions write where they are told."""

from __future__ import annotations

import ctypes
import types
from collections.abc import Callable
from typing import Any

import pytest

from kinetree.errors import DeviceError
from kinetree.runtime.cuda import driver as module
from kinetree.runtime.cuda.driver import Driver

PRIMARY, FOREIGN, MODULE, ENTRY = 0x1000, 0x2000, 0x3000, 0x4000
CODE = b"\x7fELF and more"


class Library:
    """libcuda: one H200; `contexts` is the stack of this thread, `errors` what functions return."""

    def __init__(self, version: int = 13000) -> None:
        self.contexts, self.errors, self.calls = [FOREIGN], dict[str, int](), list[str]()
        self.launched: list[tuple[Any, ...]] = []
        self.kept = ctypes.create_string_buffer(CODE)
        numbers = {75: 9, 76: 0, 97: 232448, 16: 132}
        put: dict[str, Callable[..., Any]] = {
            "cuDriverGetVersion": lambda p: self.write(p, version),
            "cuDeviceGetCount": lambda p: self.write(p, 1),
            "cuDeviceGet": lambda p, k: self.write(p, k),
            "cuDeviceGetName": lambda text, n, k: setattr(text, "value", b"H200"),
            "cuDeviceTotalMem_v2": lambda p, k: self.write(p, 1 << 37),
            "cuDeviceGetAttribute": lambda p, what, k: self.write(p, numbers[what]),
            "cuDevicePrimaryCtxRetain": lambda p, k: self.write(p, PRIMARY),
            "cuPointerGetAttribute": lambda p, what, pointer: self.write(p, 0),
            "cuCtxGetCurrent": lambda p: self.write(p, self.contexts[-1]),
            "cuCtxPushCurrent_v2": self.contexts.append,
            "cuCtxPopCurrent_v2": lambda p: self.contexts.pop(),
            "cuModuleLoadData": lambda p, code: self.write(p, MODULE),
            "cuModuleGetFunction": lambda p, m, name: self.write(p, ENTRY),
            "cuLinkComplete": lambda state, p, n: (
                self.write(p, ctypes.addressof(self.kept)),
                self.write(n, len(CODE)),
            ),
            "cuLaunchKernel": lambda *args: self.launched.append((*args[:9], self.contexts[-1], _parameters(args[10]))),
            "cuGetErrorName": lambda k, p: self.write(p, f"CUDA_ERROR_{k}".encode()),
            "cuGetErrorString": lambda k, p: self.write(p, b"in words"),
        }
        for name in module._FUNCTIONS:
            setattr(self, name, self.function(name, put.get(name)))

    def function(self, name: str, work: Callable[..., Any] | None) -> Callable[..., int]:
        def called(*args: Any) -> int:
            self.calls.append(name)
            if work is not None and not self.errors.get(name):
                work(*args)
            return self.errors.get(name, 0)

        return called

    @staticmethod
    def write(*pairs: Any) -> None:
        for pointer, value in zip(pairs[::2], pairs[1::2]):
            pointer._obj.value = value


def _parameters(extra: Any) -> list[int]:
    """Of a launch: how they are given is fixed by CUDA."""
    assert (extra[0], extra[2], extra[4]) == (1, 2, None)
    size = ctypes.c_size_t.from_address(extra[3]).value
    return [*(ctypes.c_int64 * (size // 8)).from_address(extra[1])]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setattr(module, "_library", lambda: made)
    return made


def test_a_device_is_described(library: Library) -> None:
    driver = Driver()
    assert (driver.version, driver.newest_ptx, driver.count) == ((13, 0), (9, 0), 1)
    device = driver.device(0)
    assert (device.name, device.capability, device.memory, device.shared) == ("H200", (9, 0), 1 << 37, 232448)
    assert driver.device_of(0x10) == 0
    assert library.calls.count("cuDevicePrimaryCtxRetain") == 1


def test_work_is_done_in_the_primary_context_and_that_of_the_caller_comes_back(library: Library) -> None:
    driver = Driver()
    assert driver.compile(0, "ptx") == CODE
    entry = driver.entry(0, driver.load(0, CODE), "kernel", 100 << 10)
    assert (entry, "cuFuncSetAttribute" in library.calls, "cuLinkDestroy" in library.calls) == (ENTRY, True, True)
    values = (ctypes.c_int64 * 3)(5, -1, 1 << 40)
    driver.launch(0, entry, 7, 128, 64, 9, values)
    library.contexts[:] = [PRIMARY]
    driver.launch(0, entry, 7, 128, 64, 9, values)
    assert library.launched == [(ENTRY, 7, 1, 1, 128, 1, 1, 64, 9, PRIMARY, [5, -1, 1 << 40])] * 2
    driver.unload(0, MODULE)
    assert library.contexts == [PRIMARY]
    assert library.calls.index("cuCtxSynchronize") < library.calls.index("cuModuleUnload")


def test_errors_have_the_names_of_the_driver(library: Library) -> None:
    driver = Driver()
    library.errors["cuLaunchKernel"] = 701
    driver.device(0)
    with pytest.raises(DeviceError, match="refused cuLaunchKernel: CUDA_ERROR_701, in words"):
        driver.launch(0, ENTRY, 1, 32, 0, 0, (ctypes.c_int64 * 1)(1))
    library.errors["cuLinkAddData_v2"] = 218
    with pytest.raises(DeviceError, match="cuLinkAddData_v2: CUDA_ERROR_218"):
        driver.compile(0, "ptx")
    assert "cuLinkDestroy" in library.calls
    assert library.contexts == [FOREIGN]


def test_no_device_and_a_forked_process_are_said(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.errors["cuInit"] = 100
    with pytest.raises(DeviceError, match="finds no GPU"):
        Driver()
    library.errors.clear()
    driver = Driver()
    monkeypatch.setattr(module.os, "getpid", lambda: -1)
    library.errors["cuDeviceGet"] = 3
    with pytest.raises(DeviceError, match="start processes by spawn"):
        driver.device(0)


def test_old_drivers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_library", lambda: Library(10020))
    with pytest.raises(DeviceError, match=r"CUDA 10\.2"):
        Driver()
    monkeypatch.setattr(module, "_library", lambda: Library(11040))  # a card that is newer than the driver
    with pytest.raises(DeviceError, match=r"knows PTX 7\.4; H200 needs a newer one"):
        Driver().device(0)
    monkeypatch.setattr(module, "_library", lambda: types.SimpleNamespace())
    with pytest.raises(DeviceError, match="too old: it has no cuInit"):
        Driver()
