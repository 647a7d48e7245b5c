"""Results larger than the cache are written past it: the same numbers, and nothing beside them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import processors
import pytest
from large_results import in_pieces, within

import kinetree as kt
from kinetree.emit.llvm import lines, loop, stream
from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.module import kind_of_loop
from kinetree.lower.program import lower
from kinetree.runtime import cache, native

X86 = "x86_64-unknown-linux-gnu"
# shapes of results: mass matrices of arms and humanoids, vectors, a number beside a matrix, and all at once
SHAPES = {
    "6 x 6": [(6, 6)],
    "7 x 7": [(7, 7)],
    "36 x 36": [(36, 36)],
    "55 x 55": [(55, 55)],
    "vector": [(67,)],
    "whole pairs": [(64,)],
    "three axes": [(3, 5, 7)],
    "matrix and number": [(9, 9), ()],
    "vectors and matrix": [(1,), (32, 16), (3,)],
}


def results(shapes: list[tuple[int, ...]], x: list[Any]) -> Any:
    """Computed numbers, equal ones, elements of the operand, constants, and stretches of one constant."""

    def number(k: int) -> Any:
        if k % 101 in range(20, 60):
            return 0.0
        return (x[k % 3] * x[k % 2], x[k % 3] + float(k % 89), x[2], float(k % 97))[k % 4]

    def array(shape: tuple[int, ...], first: int) -> Any:
        if not shape:
            return number(first)
        size, *core = shape
        return [array(tuple(core), first + i * int(np.prod(core))) for i in range(size)]

    made = tuple(array(shape, 7 * k + 1) for k, shape in enumerate(shapes))
    return made if len(made) > 1 else made[0]


def compiled(name: str) -> Any:
    shapes = SHAPES[name]
    cores = ", ".join(f"({','.join(map(str, shape))})" for shape in shapes)
    return kt.compile(lambda x: results(shapes, x), signature=f"x(3)->{cores}", name=name)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Results are streamed as soon as there are enough for a run, and small ones too."""
    monkeypatch.setattr(stream, "LARGE", 1)
    monkeypatch.setattr(stream, "LEAST", 1)
    with cache.switched_off():
        yield


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", SHAPES)
def test_every_size_is_streamed_and_nothing_else_is_written(name: str, kind: Any, processor: str, soon: None) -> None:
    function, item = compiled(name), np.dtype(kind).itemsize
    lanes = native.vector_bytes() // item
    run, longest = stream.PAIR // item * lanes, stream.RUN * lanes
    for skew, count in enumerate((run - 1, run, run + 1, longest, 2 * longest + run + lanes - 1, longest + 5)):
        x = np.random.default_rng(count).standard_normal((count, 3)).astype(kind)
        places = [
            within((count, *shape), kind, (skew * 24 + 8 * k) % stream.PAIR) for k, shape in enumerate(SHAPES[name])
        ]
        function(x, out=tuple(array for array, _ in places))
        for (array, around), expected in zip(places, in_pieces(function, x)):
            np.testing.assert_array_equal(array, expected)
            assert (around == -7.0).sum() == around.size - array.size


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_threads_share_lines_of_one_result(kind: Any) -> None:
    """With the real size from which results are streamed, for each thread."""
    function, before = compiled("7 x 7"), kt.threads()
    count = 2 * stream.LARGE // (49 * np.dtype(kind).itemsize) + 77
    x = np.random.default_rng(1).standard_normal((count, 3)).astype(kind)
    (out, around), y = within((count, 7, 7), kind, 40), np.empty((count, 7, 7), kind)
    try:
        kt.threads(2)
        function(x, out=out)
    finally:
        kt.threads(before)
    for k in range(0, count, 997):
        function(x[k : k + 997], out=y[k : k + 997])
    np.testing.assert_array_equal(out, y)
    assert (around == -7.0).sum() == around.size - out.size


@pytest.mark.parametrize("shape", ["9 rows apart", "transposed", "between the bytes", "backwards"])
def test_other_layouts_are_written_in_the_ordinary_way(shape: str, soon: None) -> None:
    function, count = compiled("7 x 7"), 3000
    x = np.random.default_rng(3).standard_normal((count, 3))
    plain, wide, raw = np.empty((count, 7, 7)), np.zeros((count, 9, 7)), np.zeros(count * 49 * 8 + 1, np.uint8)
    out = {
        "9 rows apart": wide[:, :7],
        "transposed": np.empty((7, 7, count)).T,
        "between the bytes": raw[1:].view(np.float64).reshape(plain.shape),
        "backwards": np.empty((count, 7, 7))[::-1],
    }[shape]
    function(x, out=plain)
    function(x, out=out)
    np.testing.assert_array_equal(out, plain)
    assert not wide[:, 7:].any()


def test_operands_may_be_broadcast_and_overwritten(soon: None) -> None:
    function, count = compiled("vectors and matrix"), 2500
    x = np.random.default_rng(4).standard_normal((count, 3))
    expected, matrix = in_pieces(function, x), np.empty((count, 32, 16))
    np.testing.assert_array_equal(
        function(np.broadcast_to(x[7], x.shape))[1], np.broadcast_to(expected[1][7], matrix.shape)
    )
    function(x, out=(np.empty((count, 1)), matrix, x))
    np.testing.assert_array_equal(matrix, expected[1])
    np.testing.assert_array_equal(x, expected[2])


@pytest.mark.skipif(sys.platform == "win32", reason="pages are protected by mprotect")
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_guard_pages_are_not_touched(kind: str) -> None:
    folders = [str(Path(file).parent) for file in (processors.__file__, __file__)]
    code = f"import sys; sys.path[:0] = {folders}; import test_stream; test_stream.guarded({kind!r})"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert child.returncode == 0, f"died or was wrong: {child.stderr[-2000:]}"


def guarded(kind: str) -> None:
    """Operands and results that end, and then begin, at a page that can't be touched."""
    import guard_pages

    stream.LARGE = stream.LEAST = 1
    for name, at_end, rest in product(SHAPES, (True, False), (0, 7)):
        with cache.switched_off():
            function, count = compiled(name), 2 * stream.RUN * 16 + rest
            arrays = []
            for operand in (*function.operands, *function.results):
                shape = (count, *operand.shape)
                memory = guard_pages.Guarded(int(np.prod(shape)) * 8)
                strides = guard_pages.contiguous(shape, np.dtype(kind).itemsize)
                arrays.append(guard_pages.placed(memory.buffer, shape, strides, kind, at_end))
            arrays[0][...] = np.random.default_rng(0).standard_normal((count, 3))
            function(arrays[0], out=tuple(arrays[1:]))
            for array, expected in zip(arrays[1:], in_pieces(function, arrays[0])):
                np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    ("taken", "given", "width", "triple", "kind"),
    [
        (6, 36, 64, X86, stream.Stream),  # lines as wide as vectors
        (6, 36, 32, X86, stream.Stream),  # of two vectors
        (6, 31, 64, X86, lines.Lines),  # few numbers
        (300, 256, 64, X86, lines.Lines),
        (300, 257, 64, X86, loop.InnerLoop),  # a block is too large for the nearest cache
        (6, 1, 64, X86, loop.InnerLoop),  # hardly anything is written
        (6, 1000, 64, "aarch64-linux-gnu", loop.InnerLoop),  # another processor
    ],
)
def test_how_large_results_are_written(taken: int, given: int, width: int, triple: str, kind: type) -> None:
    traced = kt.trace(lambda x: [x[k % 6] * x[0] for k in range(given)], signature=f"x({taken})->y({given})")
    program = lower(traced.operands, traced.results, traced.outputs, single=False)
    assert kind_of_loop(program, Types(width // 8, single=False), triple) is kind
