"""Large results of short rows are written past the cache, line by line: the same numbers, and nothing beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from large_results import FEW, in_pieces, within

import kinetree as kt
from kinetree.emit.llvm import lines
from kinetree.runtime import cache, native

SHAPES: dict[str, list[tuple[int, ...]]] = {
    "a number": [()],
    "3": [(3,)],
    "7": [(7,)],
    "8": [(8,)],
    "3 x 3": [(3, 3)],
    "three of 7": [(7,), (7,), (7,)],
    "a number, none and 6": [(), (0,), (6,)],
}


def results(shapes: list[tuple[int, ...]], x: list[Any]) -> Any:
    """Computed numbers, a constant, and the operand."""
    made = []
    for k, shape in enumerate(shapes):
        row = [x[i % 3] * x[k] if i % 4 else (x[2] if k % 2 else float(i)) for i in range(int(np.prod(shape)))]
        made.append(row[0] if not shape else np.array(row, object).reshape(shape).tolist())
    return tuple(made) if len(made) > 1 else made[0]


def compiled(name: str) -> Any:
    shapes = SHAPES[name]
    cores = ", ".join(f"({','.join(map(str, shape))})" for shape in shapes)
    return kt.compile(lambda x: results(shapes, x), signature=f"x(3)->{cores}", name=name)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """From a few hundred bytes on."""
    monkeypatch.setattr(lines, "LARGE", 8 * FEW * 32)
    with cache.switched_off():
        yield


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("skew", [0, 64, 8])
def test_the_numbers_are_the_same_and_nothing_else_is_written(
    name: str, kind: Any, skew: int, processor: str, soon: None
) -> None:
    """Where results are aligned, and where they are not; blocks are full, or the last one is not."""
    function, lanes = compiled(name), native.vector_bytes() // np.dtype(kind).itemsize
    for count in (4096 * lanes, 4096 * lanes + 1, 4097 * lanes - 1):
        x = np.random.default_rng(count).standard_normal((count, 3)).astype(kind)
        places = [within((count, *shape), kind, skew) for shape in SHAPES[name]]
        function(x, out=tuple(array for array, _ in places))
        for (array, around), right in zip(places, in_pieces(function, x)):
            np.testing.assert_array_equal(array, right)
            assert (around == -7.0).sum() == around.size - array.size


def test_operands_may_be_overwritten_and_other_layouts_are_written_in_the_ordinary_way(soon: None) -> None:
    function, count = compiled("3"), 40_000
    x = np.random.default_rng(0).standard_normal((count, 3))
    (expected,) = in_pieces(function, x)
    for out in (np.empty((3, count)).T, np.empty((count, 4))[:, :3], np.empty((count, 3))[::-1], x):
        np.testing.assert_array_equal(function(x, out=out), expected)


def test_large_batches_on_threads() -> None:
    """With the real size from which results are written so."""
    robot, before = kt.robots.panda(), kt.threads()
    f, count = robot.function("inverse_dynamics"), 3 * lines.LARGE // 56 + 5
    states = np.random.default_rng(2).standard_normal((3, count, 7))
    try:
        kt.threads(2)
        tau = f(*states)
    finally:
        kt.threads(before)
    for k in range(0, count, 997):
        np.testing.assert_array_equal(f(*states[:, k : k + 997]), tau[k : k + 997])
