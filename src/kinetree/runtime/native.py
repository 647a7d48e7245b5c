"""LLVM in this process: from IR text to object code, and from object code to an address.

llvmlite is imported on the first use, not with the package.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from typing import Any

from kinetree.errors import CompileError

_LONG = 1_000_000  # characters of a module from which a quarter of the compile time is worth 2 % of the speed
_LOCK = threading.RLock()  # llvmlite's objects are not made for several threads
_LOADED: list[Any] = []  # engines own the code and must outlive every function


@cache
def _llvm() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in ("PyMem_RawMalloc", "PyMem_RawFree"):
        llvm.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    return llvm


@cache
def target() -> tuple[str, str, str, str]:
    """What the code is made for: LLVM version, triple, CPU, features."""
    with _LOCK:
        llvm = _llvm()
        version = ".".join(map(str, llvm.llvm_version_info))
        features = llvm.get_host_cpu_features().flatten()
        return version, llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@cache
def vector_bytes() -> int:
    """The width of the host's vector registers."""
    features = target()[3].split(",")
    if "+avx512f" in features and "+avx512dq" in features and "+avx512vl" in features:
        return 64
    return 32 if "+avx2" in features or "+avx" in features else 16


def _machine(effort: int = 2) -> Any:
    """A target machine; an engine takes over the one that it is given."""
    llvm = _llvm()
    _, triple, cpu, features = target()
    return llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=effort, jit=True)


def compile_object(ir: str) -> bytes:
    """Object code for a module. The graph is optimised already, so no passes run before code generation."""
    with _LOCK:
        llvm = _llvm()
        try:
            module = llvm.parse_assembly(ir)
        except RuntimeError as error:
            raise CompileError(f"LLVM refused the generated code: {error}") from error
        return _machine(1 if len(ir) > _LONG else 2).emit_object(module)


def load(code: bytes, *names: str) -> tuple[int, ...]:
    """The addresses of functions in object code, 0 for one that is not there. The code stays loaded."""
    with _LOCK:
        llvm = _llvm()
        empty = llvm.parse_assembly(f'target triple = "{target()[1]}"')
        engine = llvm.create_mcjit_compiler(empty, _machine())
        engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _LOADED.append(engine)
        return tuple(engine.get_function_address(name) for name in names)
