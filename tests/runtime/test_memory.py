"""Compiled code touches its arrays and nothing else: guard pages around them, canaries between their elements."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import guard_pages
import numpy as np
import processors
import pytest

from kinetree.runtime import direct

SCRIPT = Path(guard_pages.__file__)
# no element of a result ends in these bytes: repeated, they are -1e-62 (float64) or -8e-8 (float32)
CANARY = 0xB3

pages = pytest.mark.skipif(sys.platform == "win32", reason="pages are protected by mprotect")


def in_a_child(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *args], capture_output=True, text=True, timeout=300)


@pages
@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("processor", processors.NAMES)
def test_no_layout_and_no_tail_reaches_a_guard_page(processor: str, kind: str) -> None:
    child = in_a_child(processor, kind)
    assert child.returncode == 0, f"died or was wrong at: {child.stderr[-2000:]}"
    # five functions; 9 layouts with 41 lengths and 90 pairs of layouts with 5, each on both sides
    assert child.stdout.startswith(f"{5 * 2 * (9 * 41 + 90 * 5)} calls, ")
    assert child.stdout.endswith(f" {0 if direct._table() is None else 2} direct calls\n")


@pages
@pytest.mark.parametrize("where", ["before", "after", "loop"])
def test_the_guard_pages_are_real(where: str) -> None:
    child = in_a_child("trap", where)
    assert child.returncode < 0, f"survived: {child.stdout}"


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("layout", guard_pages.WRITABLE)
@pytest.mark.parametrize("name", guard_pages.FUNCTIONS)
def test_the_bytes_between_the_elements_stay(name: str, layout: str, kind: Any, processor: str) -> None:
    function = guard_pages.compiled(name)
    item = np.dtype(kind).itemsize
    for rows in (0, 1, 7, 8, 9, 16, 17, 40):
        args = guard_pages.inputs(function, rows, kind)
        before = [a.copy() for a in args]
        buffers, outs, own = [], [], []
        for r in function.results:
            shape = (rows, *r.shape)
            strides = guard_pages.WRITABLE[layout](shape, item)
            buffers.append(np.full(4 * 41 * (r.size + 4) * item, CANARY, np.uint8))
            outs.append(guard_pages.placed(buffers[-1][64:-64], shape, strides, kind, at_end=False))
            own.append(np.zeros(buffers[-1].size, np.uint8))
            guard_pages.placed(own[-1][64:-64], shape, strides, f"u{item}", at_end=False)[...] = -1 % 2 ** (8 * item)
        function(*args, out=tuple(outs))
        for buffer, mine, out, wanted in zip(buffers, own, outs, guard_pages.results(function, args)):
            np.testing.assert_array_equal(out, wanted)
            assert (buffer[mine == 0] == CANARY).all()
        for a, b in zip(args, before):
            np.testing.assert_array_equal(a, b)
