"""Values that are kept in double precision inside float32 code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.scalar import narrow, select, widen

X = np.linspace(-3.0, 3.0, 21, dtype=np.float32)
Y = np.linspace(0.1, 2.0, 21, dtype=np.float32)
WIDE = np.float64

CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "wide times narrow": (lambda x, y: narrow(widen(x) * y), X.astype(WIDE) * Y.astype(WIDE)),
    "narrow of narrow": (lambda x, y: narrow(x) + y, X + Y),
    "widened twice": (lambda x, y: narrow(widen(widen(x)) * 3.0), X.astype(WIDE) * 3.0),
    "select of both": (lambda x, y: narrow(select(x > 0.0, widen(x) * 1.1, y)), np.where(X > 0, X * WIDE(1.1), Y)),
    "wide output": (lambda x, y: widen(x) * 1.1, X.astype(WIDE) * 1.1),
    "wide comparison": (lambda x, y: select(widen(x) * 1.1 < y, x, y), np.where(X * WIDE(1.1) < Y, X, Y)),
}


@pytest.mark.parametrize("name", CASES)
def test_operations_on_both_widths_are_done_in_the_wider_one(name: str) -> None:
    function, expected = CASES[name]
    result = kt.compile(function, signature="(),()->()")(X, Y)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, np.asarray(expected).astype(np.float32))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_cancels_while_it_is_lowered_becomes_a_number(kind: type) -> None:
    function = kt.compile(lambda x: ((narrow(widen(x)) - x) + 1.0) + 2.0, signature="()->()")
    np.testing.assert_array_equal(function(X.astype(kind)), 3.0)


def test_a_constant_negative_zero_keeps_its_sign() -> None:
    function = kt.compile(lambda x: [x, -0.0], signature="()->(2)")
    assert np.signbit(function(1.0)[1])
