"""Results larger than the cache are written past it: the same numbers, and nothing beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.emit.llvm import stream
from kinetree.emit.llvm.module import module
from kinetree.lower.program import lower

ROWS, COLUMNS = 16, 32
LINE = stream.LINE


def products(x: list[Any]) -> tuple[list[list[Any]], list[Any]]:
    """A matrix with zeros, other constants, equal elements and elements of the operand; and a vector."""
    matrix = [[x[(i * j) % 8] * x[(i + j) % 8] for j in range(COLUMNS)] for i in range(ROWS)]
    for i in range(ROWS):
        matrix[i][8:20] = [0.0] * 12
        matrix[i][25] = 3.0 + i
        matrix[i][30] = x[i % 8]
    matrix[5] = [float(j) for j in range(COLUMNS)]
    return matrix, [x[k % 8] + float(k) for k in range(48)]


SIGNATURE = f"x(8)->a({ROWS},{COLUMNS}), b(48)"


@pytest.fixture(scope="module")
def function() -> Any:
    return kt.compile(products, signature=SIGNATURE)


def _between(shape: tuple[int, ...], kind: Any, skew: int) -> tuple[np.ndarray, np.ndarray]:
    """An array that begins so many bytes after a line of the cache, and all of the memory around it."""
    item, count = np.dtype(kind).itemsize, int(np.prod(shape))
    around = np.full(count + 4 * LINE // item, -7.0, kind)
    first = (-around.ctypes.data % LINE + LINE + skew) // item
    return around[first : first + count].reshape(shape), around


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize(("skew", "more"), [(0, 0), (16, 5), (56, 0), (8, 15), (40, 1)])
def test_large_results_are_those_of_small_batches(function: Any, kind: Any, skew: int, more: int) -> None:
    size = (ROWS * COLUMNS + 48) * np.dtype(kind).itemsize
    count = -(-stream.FAR // size // 16) * 16 + 16 + more
    x = np.random.default_rng(skew).standard_normal((count, 8)).astype(kind)
    (a, around_a), (b, around_b) = _between((count, ROWS, COLUMNS), kind, skew), _between((count, 48), kind, 24)
    function(x, out=(a, b))
    for first in range(0, count, 999):
        part = slice(first, min(first + 999, count))
        expected = function(x[part])
        np.testing.assert_array_equal(a[part], expected[0])
        np.testing.assert_array_equal(b[part], expected[1])
    for around, inside in ((around_a, a), (around_b, b)):
        assert (around == -7.0).sum() == around.size - inside.size


def test_other_layouts_are_written_in_the_usual_way(function: Any) -> None:
    count = stream.FAR // (8 * (ROWS * COLUMNS + 48)) + 1
    x = np.random.default_rng(3).standard_normal((count, 8))
    wide, plain = np.zeros((count, ROWS + 1, COLUMNS)), np.empty((count, ROWS, COLUMNS))
    turned, b = np.empty((COLUMNS, ROWS, count)).T.transpose(0, 1, 2), np.empty((count, 48))
    raw = np.empty(plain.nbytes + 1, np.uint8)
    crooked = raw[1:].view(np.float64).reshape(plain.shape)
    function(x, out=(plain, b))
    for out in (wide[:, :ROWS], turned, crooked):
        function(x, out=(out, b))
        np.testing.assert_array_equal(out, plain)
    assert not wide[:, ROWS:].any()


@pytest.mark.parametrize(
    ("triple", "lanes", "streams"),
    [("x86_64-unknown-linux-gnu", 8, True), ("x86_64-unknown-linux-gnu", 4, False), ("aarch64-linux-gnu", 8, False)],
)
def test_where_lines_of_the_cache_are_as_wide_as_vectors(triple: str, lanes: int, streams: bool) -> None:
    traced = kt.trace(products, signature=SIGNATURE)
    program = lower(traced.operands, traced.results, traced.outputs, False)
    assert ("!nontemporal" in module(program, lanes, triple)) is streams


def test_small_and_odd_results_are_not_streamed() -> None:
    for signature, width in (("x(8)->y(8)", 8), ("x(8)->y(1001)", 1001)):
        traced = kt.trace(lambda x, width=width: [x[k % 8] * x[0] for k in range(width)], signature=signature)
        program = lower(traced.operands, traced.results, traced.outputs, False)
        assert "!nontemporal" not in module(program, 8, "x86_64-unknown-linux-gnu")
