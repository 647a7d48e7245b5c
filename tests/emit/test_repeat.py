"""Programs that repeat: every state takes the steps that it needs, whatever lane it is in and whoever is beside it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from repeating import Wander, arguments, expected

import kinetree as kt


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1, 3, 40])
def test_steps_are_those_of_the_interpreter(size: int, kind: Any) -> None:
    args = arguments((21,), size, kind)
    found = kt.compile(Wander(size))(*args)
    tolerance = 1e-12 if kind is np.float64 else 2e-5
    for row in range(21):
        reference = expected(Wander(size), [x[row] for x in args], kind)
        for x, y in zip(found, reference, strict=True):
            np.testing.assert_allclose(x[row], y, rtol=tolerance, atol=tolerance)
    assert {x.dtype for x in found} == {np.dtype(kind)}
    assert found[2].min() == 1  # states differ in how long they take
    assert found[2].max() > 20


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 17, 500])
def test_a_state_is_the_same_alone_and_in_a_batch(count: int) -> None:
    function, args = kt.compile(Wander()), arguments((count,), 3, seed=count)
    whole = function(*args)
    for row in range(count):
        for x, y in zip(function(*(a[row] for a in args)), whole, strict=True):
            np.testing.assert_array_equal(x, y[row])


def test_strides_broadcasting_and_out() -> None:
    function, args = kt.compile(Wander()), arguments((6, 5), 3)
    plain = function(*args)
    turned = [np.asfortranarray(x)[::-1] for x in args]
    for x, y in zip(function(*turned), plain, strict=True):
        np.testing.assert_array_equal(x[::-1], y)
    memory = [np.full((*x.shape, 2), 9.0) for x in plain]
    out = tuple(x[..., 1] for x in memory)
    for x, y in zip(function(*args, out=out), plain, strict=True):
        np.testing.assert_array_equal(x, y)
    assert all((x[..., 0] == 9.0).all() for x in memory)  # nothing beside them is written
    one = function(args[0], *(x[0, 0] for x in args[1:]))
    for x, y in zip(one, function(args[0], *(np.broadcast_to(x[0, 0], x.shape) for x in args[1:])), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_state_that_is_not_a_number_ends() -> None:
    args = arguments((9,), 3)
    args[2][4] = np.nan
    found = kt.compile(Wander())(*args)
    assert found[2][4] == 1
    assert np.isnan(found[1][4]).all()
    assert np.isfinite(np.delete(found[1], 4, axis=0)).all()


def test_pickles_and_threads() -> None:
    function, args = kt.compile(Wander()), arguments((40_000,), 3)
    before = kt.threads(1)
    plain = function(*args)
    kt.threads(2)
    try:
        for again in (function, pickle.loads(pickle.dumps(function))):
            for x, y in zip(again(*args), plain, strict=True):
                np.testing.assert_array_equal(x, y)
    finally:
        kt.threads(before)
