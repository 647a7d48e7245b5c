"""The handler that XLA calls: its layout from the header, its arrays as they are, its threads, its errors."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import CompileError

pytest.importorskip("jaxlib")
import jax
import jax.numpy as jnp

from kinetree.emit.llvm import xla
from kinetree.jax import header, primitive
from kinetree.jax.operation import Operation, operation

jax.config.update("jax_enable_x64", True)

WORDS = ctypes.POINTER(ctypes.c_int64)
LOOP = ctypes.CFUNCTYPE(None, WORDS, WORDS, WORDS, WORDS)
numbers = itertools.count()


class PythonLoop:
    """The source of a function whose inner loop is written in Python."""

    def __init__(self, loop: Callable[..., None]) -> None:
        self.loop = LOOP(loop)
        self.addresses = (ctypes.cast(self.loop, ctypes.c_void_p).value,)

    def code(self, single: bool) -> Any:
        return self


def with_loop(loop: Callable[..., None]) -> Callable[[Any, Any], Any]:
    """A function of two arrays (..., 3) with a loop."""
    made = kt.compile(lambda x, y: x, signature="(3),(3)->(3)")
    made.source = PythonLoop(loop)  # type: ignore[assignment]
    op = Operation(made, False, f"kinetree_test_{next(numbers)}")
    return jax.jit(lambda x, y: primitive.bound(op, [x, y])[0])


def test_arrays_are_not_copied() -> None:
    seen = []
    f = with_loop(lambda args, count, steps, states: seen.append((args[0], args[1], args[2], count[0], *steps[:6])))
    x, y = jnp.ones((64, 3)), jnp.ones(3)
    result = f(x, y).block_until_ready()
    pointers = [a.unsafe_buffer_pointer() for a in (x, y, result)]
    assert seen == [(*pointers, 64, 24, 0, 24, 8, 8, 8)]


@pytest.mark.parametrize(("shape", "other", "steps"), [((4, 1), (1, 5), (0, 24, 24)), ((5, 1), (1, 4), (24, 0, 96))])
def test_arrays_that_broadcast_are_not_copied_either(shape: Any, other: Any, steps: Any) -> None:
    """There are four rows of five states, along the longer dimension."""
    seen = []
    f = with_loop(lambda args, count, steps, states: seen.append((args[0], args[1], args[2], count[0], *steps[:3])))
    x, y = jnp.ones((*shape, 3)), jnp.ones((*other, 3))
    result = f(x, y).block_until_ready()
    a, b, c = (z.unsafe_buffer_pointer() for z in (x, y, result))
    rows = [(24 * k, 0, 120 * k) if steps[0] == 0 else (0, 24 * k, 24 * k) for k in range(4)]
    assert seen == [(a + i, b + j, c + k, 5, *steps) for i, j, k in rows]


def test_pieces_are_the_whole_batch_once() -> None:
    pieces, whole, lock = [], [], threading.Lock()

    def loop(args: Any, count: Any, steps: Any, states: Any) -> None:
        with lock:
            pieces.append((args[2], count[0]))
            whole.append(states[0])

    count = 10 * (xla.PIECE // 9) + 1
    result = with_loop(loop)(jnp.ones((count, 3)), jnp.ones(3)).block_until_ready()
    start = result.unsafe_buffer_pointer()
    ends = []
    for address, length in sorted(pieces):
        assert address == (ends[-1] if ends else start)
        ends.append(address + 24 * length)
    assert ends[-1] == start + 24 * count
    assert {*whole} == {count}
    assert all(length % xla.ROWS == 0 for _, length in sorted(pieces)[:-1])


@pytest.mark.parametrize("count", [5, 50_000])
def test_a_loop_without_memory_is_an_error_of_xla(count: int) -> None:
    def loop(args: Any, count: Any, steps: Any, states: Any) -> None:
        states[0] = -1

    with pytest.raises(jax.errors.JaxRuntimeError, match=r"RESOURCE_EXHAUSTED.*kinetree: no memory"):
        with_loop(loop)(jnp.ones((count, 3)), jnp.ones(3)).block_until_ready()


SCRATCH = """
import ctypes, jax, numpy as np, kinetree as kt
from kinetree.emit.llvm import loop
from kinetree.runtime import native

loop.STACK = 0  # all scratch memory comes from the heap
made = kt.compile(lambda x: [x[0] * float(k) for k in range(5)], signature="(1)->(5)")
assert (kt.jax.function(made)(np.ones((9, 1), np.float32)) == np.arange(5.0)).all()
fails = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
native._llvm().add_symbol("PyMem_RawMalloc", ctypes.cast(fails, ctypes.c_void_p).value)
f = kt.jax.function(kt.compile(lambda x: [x[0] * float(k) for k in range(6)], signature="(1)->(6)"))
for count in (1, 9, 50_000):
    try:
        f(np.ones((count, 1), np.float32)).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        print(str(error).split(":")[0])
"""


def test_code_without_scratch_memory_is_an_error_of_xla(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE_DIR", "")
    done = subprocess.run([sys.executable, "-c", SCRATCH], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["RESOURCE_EXHAUSTED"] * 3, done.stderr


@pytest.mark.parametrize("wrong", ["CallFrame", "Args", "Rets", "ExecutionStage_EXECUTE", "DataType_F64"])
def test_a_layout_that_is_not_xlas_is_an_error_of_xla(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = header.layout()
    monkeypatch.setattr(header, "layout", lambda: {**layout, wrong: layout[wrong] + 8})
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"INVALID_ARGUMENT.*kinetree: structs"):
        with_loop(lambda *_: None)(jnp.ones((2, 3)), jnp.ones(3)).block_until_ready()


def test_without_a_layout_python_is_called_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> None:
        raise CompileError("unknown")

    monkeypatch.setattr(header, "layout", unknown)
    robot = kt.robots.two_link()
    f, q = kt.jax.function(robot, "mass_matrix"), np.array([[0.1, 0.2], [0.3, 0.4]])
    with pytest.warns(UserWarning, match="calls back into Python"):
        found = jax.jit(lambda q: (f(q) + 0.0, jax.vmap(jax.jacrev(f))(q)))(q)
    np.testing.assert_array_equal(np.asarray(found[0]), robot.mass_matrix(q))
    want = kt.jacobian(robot.function("mass_matrix"))(q)
    np.testing.assert_allclose(np.asarray(found[1]), want, atol=1e-14)


def test_the_header_says_where_fields_are() -> None:
    text = Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text()
    found = header.parsed(text)
    assert (found["CallFrame.api"], found["Buffer.dims"], found["Args.args"]) == (16, 40, 32)
    assert (found["DataType_F64"], found["Api_Version.minor_version"]) == (12, 20)
    names = "XLA_FFI_Extension_Base", "XLA_FFI_InternalExtension"  # before version 0.4 and since
    assert all(header.parsed(text.replace(*pair)) == found for pair in (names, names[::-1]))
    moved = header.parsed(text.replace("  int64_t rank;", "  int64_t rank;\n  uint32_t more;\n  int another;"))
    assert moved["Buffer.dims"] == found["Buffer.dims"] + 8
    for old, new in (("#define XLA_FFI_API_MAJOR 0", "#define XLA_FFI_API_MAJOR 1"), ("int64_t rank;", "int7_t rank;")):
        with pytest.raises((CompileError, KeyError)):
            header.parsed(text.replace(old, new))


def test_a_header_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jax.ffi, "include_dir", lambda: str(tmp_path))
    with pytest.raises(CompileError, match=r"can't be read from .*c_api\.h"):
        header.layout.__wrapped__()


def test_names_are_the_same_in_every_process() -> None:
    script = (
        "import kinetree as kt\nfrom kinetree.jax.operation import operation\n"
        "print(operation(kt.robots.two_link().function('mass_matrix'), False).pullback((0,)).name)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    own = operation(kt.robots.two_link().function("mass_matrix"), False)
    assert done.stdout.strip() == own.pullback((0,)).name
    assert operation(kt.robots.two_link().function("mass_matrix"), True).name != own.name
    assert operation(kt.robots.two_link().function("mass_matrix"), False) is own


@pytest.mark.skipif(sys.platform == "win32", reason="no usleep")
@pytest.mark.parametrize("locked", [False, True])
def test_no_interpreter_lock_is_needed(locked: bool) -> None:
    """While this thread keeps the lock, unlike in time.sleep; a loop in Python would need it."""
    mass_matrix = kt.jax.function(kt.robots.stanford(), "mass_matrix")
    loop = with_loop(lambda *_: None)
    f = (lambda q: loop(q[:, :3], q[0, 3:])) if locked else mass_matrix
    count = 2_000 if locked else 50  # calls that the lock would keep waiting, and calls that take no time
    often = jax.jit(lambda q: jax.lax.fori_loop(0, count, lambda _, q: q + jnp.sum(f(q)), q))
    q = jnp.ones((2000, 6))
    often(q).block_until_ready()
    result = often(q)
    ctypes.PyDLL(None).usleep(900_000)
    assert result.is_ready() != locked
    result.block_until_ready()


def test_several_threads_call_at_once() -> None:
    robot = kt.robots.stanford()
    f = jax.jit(kt.jax.function(robot, "gravity_forces"))
    inputs = np.random.default_rng(0).standard_normal((8, 3000, 6))
    wanted, wrong = robot.gravity_forces(inputs), []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.array_equal(np.asarray(f(inputs[k])), wanted[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
