"""LLVM in this process: from IR text to object code, and from object code to functions in memory.

llvmlite is imported on the first use, not with the package. LLVM ends the process where it gets no memory, and so does
the system where a process has used up its memory maps: both are looked at before.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from kinetree.errors import CompileError
from kinetree.runtime import addresses, cache as disk, locks, processor, symbols, threads
from kinetree.runtime.deep_stack import with_deep_stack

# memory that LLVM takes [bytes]: its library; beyond that, always, and for each character of a module
_LIBRARY, _ALWAYS, _EACH_CHARACTER = 192 << 20, 24 << 20, 24
_THREAD = 128 << 20  # bytes of addresses that glibc takes for a moment when a thread first asks it for memory
_MAPS = 4  # memory maps that an object takes at most: code, constants, what is written, and a new piece of the heap
_SPARE_MAPS = 2000  # are left to everything else in the process
_COUNT_AFTER = 32  # objects: how often maps are counted

_MANY = 8  # modules, of which each is compiled with less effort: a quarter of the time is worth 2 % of the speed

_shared: dict[str, bytes] = {}  # object code of modules that many programs have
_unused: list[Any] = []  # engines whose code nobody holds any more
_left = [0]  # objects that may be loaded before maps are counted again


@cache
def _llvm() -> Any:
    _check_memory(_LIBRARY)
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in symbols.addresses():
        llvm.add_symbol(name, address)
    return llvm


@cache
def target() -> tuple[str, str, str, str]:
    """What the code is made for: LLVM version, triple, CPU, features."""
    with locks.LLVM:
        llvm = _llvm()
        version, triple = ".".join(map(str, llvm.llvm_version_info)), llvm.get_process_triple()
        here = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        return version, triple, *processor.chosen(triple, *here)


@cache
def vector_bytes() -> int:
    """The width of the target's vector registers."""
    return processor.vector_bytes(target()[3])


def has_fma() -> bool:
    """Whether the target has an instruction for a product and a sum with one rounding."""
    _, triple, _, features = target()
    return processor.has_fma(triple, features)


def _machine(effort: int = 2) -> Any:
    """A target machine; an engine takes over the one that it is given."""
    llvm = _llvm()
    _, triple, cpu, features = target()
    own = llvm.Target.from_triple(triple)
    return own.create_target_machine(cpu=cpu, features=features, opt=effort, jit=True, **addresses.options(triple))


def compile_object(modules: Sequence[Callable[[], str]], shared: str = "") -> bytes:
    """Object code for a program. The graph is optimised already, so no passes run before code generation.

    Args:
        modules: give the texts of the modules in LLVM IR; threads write and compile them.
        shared: one more module, which other programs have too: it is compiled once, or comes from the cache.
    """
    target()  # LLVM is loaded by one thread
    effort = 2 if len(modules) < _MANY else 1
    objects = [b""] * len(modules)

    def work(k: int) -> None:
        objects[k] = _object(modules[k](), effort)

    # threads begin with the last piece; the last module is the loop around the others, and short
    pieces: list[Callable[[], Any]] = [partial(work, k) for k in reversed(range(len(modules)))]
    if shared and shared not in _shared:
        pieces.append(lambda: _shared.update({shared: _kept_object(shared)}))
    together = min(len(pieces), threads.threads())
    if together > 1 and _has_memory(together * (_ALWAYS + _THREAD)):
        threads.run(pieces)
    else:
        for piece in pieces:
            piece()
    return _packed([*objects, _shared[shared]] if shared else objects)


def _object(ir: str, effort: int) -> bytes:
    """Object code for one module, for this process."""
    return _emitted(addresses.with_far_calls(ir, target()[1]), partial(_machine, effort), 1)


def assembly(ir: str, triple: str, cpu: str, features: str) -> str:
    """The text of a module in the assembly language of another processor, such as PTX."""
    return _emitted(ir, partial(_other(triple).create_target_machine, cpu, features, 2), 0).decode()


def object_file(ir: str, triple: str, cpu: str) -> tuple[bytes, str]:
    """Object code for another processor, and its text: to be linked at fixed addresses or, for Linux, at any."""
    reloc = "pic" if "linux" in triple else "static"
    machine = partial(_other(triple).create_target_machine, cpu, "", 2, reloc, "small")
    return _emitted(ir, machine, 1), _emitted(ir, machine, 0).decode()


def _other(triple: str) -> Any:
    llvm = _llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(triple)


def _emitted(ir: str, machine: Callable[[], Any], kind: int) -> bytes:
    """Code for one module, in a context of its own: others are compiled meanwhile. Kind 0 is text, 1 object code."""
    _check_memory(_ALWAYS + _EACH_CHARACTER * len(ir))
    with locks.generating():
        return with_deep_stack(partial(_emit, ir, machine, kind))


def _emit(ir: str, machine: Callable[[], Any], kind: int) -> bytes:
    llvm = _llvm()
    emit = llvm.ffi.lib.LLVMPY_TargetMachineEmitToMemory
    emit = getattr(emit, "_cfn", emit)  # without llvmlite's lock
    with llvm.create_context() as context:
        try:
            parsed = llvm.parse_assembly(ir, context)
        except RuntimeError as error:
            raise CompileError(f"LLVM refused the generated code: {error}") from error
        with parsed as module, machine() as target_machine, llvm.ffi.OutputString() as error:
            buffer = emit(target_machine, module, kind, error)
            if not buffer:
                raise CompileError(f"LLVM could not compile the generated code: {error}")
    library = llvm.ffi.lib
    try:
        return ctypes.string_at(library.LLVMPY_GetBufferStart(buffer), library.LLVMPY_GetBufferSize(buffer))
    finally:
        library.LLVMPY_DisposeMemoryBuffer(buffer)


def _kept_object(ir: str) -> bytes:
    """Object code for a module that other processes need too: from the cache, or put there."""
    key = disk.digest(repr((target(), ir)))
    code = disk.load(key)
    if code is None:
        code = _object(ir, 2)
        disk.store(key, code)
    return code


def _packed(objects: Sequence[bytes]) -> bytes:
    """Several object files as one: their number, their sizes, and then themselves."""
    return struct.pack(f"<{1 + len(objects)}Q", len(objects), *map(len, objects)) + b"".join(objects)


def _count(code: bytes) -> int:
    """Of object files."""
    return int(struct.unpack_from("<Q", code)[0])


def _unpacked(code: bytes) -> Iterator[bytes]:
    count = _count(code)
    first = 8 + 8 * count
    for size in struct.unpack_from(f"<{count}Q", code, 8):
        yield code[first : first + size]
        first += size


class LoadedCode:
    """Functions in memory: they are there as long as this object."""

    def __init__(self, engine: Any, addresses: tuple[int, ...]) -> None:
        self._engine, self.addresses = engine, addresses

    def __del__(self, interpreter_ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if not interpreter_ends():  # when threads may still run the code
            _unused.append(self._engine)
            unload()


def unload() -> None:
    """Free code that nobody holds any more; where another thread is at work with LLVM, this is done another time."""
    if locks.LLVM.acquire(blocking=False):
        try:
            while _unused:
                _unused.pop().close()
        finally:
            locks.LLVM.release()


def load(code: bytes, *names: str) -> LoadedCode:
    """The functions in object code; the address of one that is not there is 0."""
    target()  # is asked for again where this thread waits with the lock
    with locks.generating(), locks.LLVM:
        unload()
        _check_maps(_count(code))
        _check_memory(_ALWAYS + 4 * len(code))
        return with_deep_stack(partial(_loaded, code, names))


def _loaded(code: bytes, names: Sequence[str]) -> LoadedCode:
    llvm = _llvm()
    empty = llvm.parse_assembly(f'target triple = "{target()[1]}"')
    together = addresses.are_nearby(target()[1]) or None  # None: as llvmlite has it
    engine = llvm.create_mcjit_compiler(empty, _machine(), use_lmm=together)
    for content in _unpacked(code):
        with llvm.object_file.ObjectFileRef.from_data(content) as file:
            engine.add_object_file(file)
    engine.finalize_object()
    return LoadedCode(engine, tuple(engine.get_function_address(name) for name in names))


def _has_memory(size: int) -> bool:
    """Whether this process gets so much."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        return False
    return True


def _check_memory(size: int) -> None:
    """Raise MemoryError where LLVM could not get so much memory."""
    if not _has_memory(size):
        raise MemoryError(
            f"compiling needs up to {size >> 20} MiB, which this process does not get; "
            "raise its memory limit (ulimit -v), or precompile where there is more"
        )


def _check_maps(objects: int) -> None:
    """Raise MemoryError where so many objects more could use up the memory maps of this process."""
    if _left[0] < objects:
        _left[0] = _maps_left(objects)
    if _left[0] < objects:
        gc.collect()  # robots and their functions hold each other
        unload()
        _left[0] = _maps_left(objects)
    if _left[0] < objects:
        raise MemoryError(
            "this process has hardly any memory maps left, of which each compiled function takes some; "
            "drop robots and functions that are not needed, or raise vm.max_map_count"
        )
    _left[0] -= objects


def _maps_left(objects: int) -> int:
    """How many objects have room in memory maps, or after how many to count again, these included."""
    try:
        with open("/proc/sys/vm/max_map_count") as limit, open("/proc/self/maps", "rb") as maps:
            free = int(limit.read()) - _SPARE_MAPS - sum(1 for _ in maps)
    except OSError:  # another system
        return objects + _COUNT_AFTER
    return max(0, min(free // _MAPS, objects + _COUNT_AFTER))
