"""A row is a row: its result does not depend on its neighbours, its place, the layout, or the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import guard_pages
import numpy as np
import pytest

import kinetree as kt
from kinetree.runtime.threads import LARGE
from kinetree.scalar import atan2, cos, select, sin, sqrt

Array = np.ndarray
KINDS = (np.float64, np.float32)


def motion(q: list[Any], v: list[Any]) -> Any:
    """Everything that rounds: contracted sums of products, divisions, roots, sines, choices."""
    s = [sin(x) * y for x, y in zip(q, v)]
    total = sum((a * b for a, b in zip(s, v)), 0.0)
    r = sqrt(total * total + 1.0)
    return [select(a < b, a / r, cos(b) - a * total) for a, b in zip(s, q)], atan2(total, r)


@pytest.fixture(scope="module")
def function() -> kt.runtime.function.Function:
    return kt.compile(motion, signature="(6),(6)->(6),()")


@pytest.fixture(autouse=True)
def same_threads_afterwards() -> Iterator[None]:
    count = kt.threads()
    yield
    kt.threads(count)


def batch(rows: int | tuple[int, ...], kind: Any = np.float64, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    shape = (rows,) if isinstance(rows, int) else rows
    return rng.normal(size=(*shape, 6)).astype(kind), rng.normal(size=(*shape, 6)).astype(kind)


def assert_same(actual: tuple[Array, ...], expected: tuple[Array, ...]) -> None:
    """Bit for bit."""
    for a, b in zip(actual, expected):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_gives_the_same_bits_alone_and_at_every_index_of_every_batch(function: Any, kind: Any) -> None:
    q, v = batch(40, kind)
    whole = function(q, v)
    for k in range(40):
        assert_same(function(q[k], v[k]), tuple(r[k] for r in whole))
        assert_same(function(q[: k + 1], v[: k + 1]), tuple(r[: k + 1] for r in whole))
        assert_same(function(q[k:], v[k:]), tuple(r[k:] for r in whole))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", guard_pages.WRITABLE)
def test_the_layout_changes_no_bit(function: Any, layout: str, kind: Any) -> None:
    q, v = batch(37, kind)
    memory = np.zeros(10**5, np.uint8)
    strides = guard_pages.WRITABLE[layout](q.shape, q.itemsize)
    moved = guard_pages.placed(memory, q.shape, strides, kind, at_end=False)
    moved[...] = q
    assert_same(function(moved, v), function(q, v))
    assert_same(function(v, moved), function(v, q))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_threads_changes_no_bit(function: Any, kind: Any, count: int) -> None:
    rows = LARGE // 6 + 5
    q, v = batch(rows, kind)
    kt.threads(count)
    pieces = [function(q[k : k + 1000], v[k : k + 1000]) for k in range(0, rows, 1000)]
    assert_same(function(q, v), tuple(np.concatenate(column) for column in zip(*pieces)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_what_is_not_finite_stays_in_its_row(function: Any, poison: float, kind: Any) -> None:
    q, v = batch(33, kind)
    clean = function(q, v)
    for row in (0, 7, 8, 20, 32):
        bad = v.copy()
        bad[row, 2] = poison
        with np.errstate(all="ignore"):
            r, angle = function(q, bad)
        assert not np.isfinite(r[row]).all()
        others = np.arange(33) != row
        assert_same((r[others], angle[others]), tuple(x[others] for x in clean))


def test_a_nan_stays_in_its_row_among_threads(function: Any) -> None:
    q, v = batch(LARGE // 6 + 1)
    kt.threads(3)
    clean = function(q, v)
    v[12345, 0] = np.nan
    with np.errstate(all="ignore"):
        r, angle = function(q, v)
    assert np.isnan(angle[12345])
    others = np.arange(len(q)) != 12345
    assert_same((r[others], angle[others]), tuple(x[others] for x in clean))


def test_no_warning_tells_of_a_branch_that_was_not_taken() -> None:
    guarded = kt.compile(lambda x: select(x > 0.0, 1.0 / x, 0.0), signature="()->()")
    np.testing.assert_array_equal(guarded([0.0, 2.0]), [0.0, 0.5])
    angle = kt.compile(lambda y, x: atan2(y, x), signature="(),()->()")
    np.testing.assert_array_equal(angle([0.0, 0.0], [0.0, 1.0]), [0.0, 0.0])
    assert np.isnan(guarded([np.nan, 1.0])).tolist() == [False, False]


# -- shapes ------------------------------------------------------------------------------------------------------------


def test_leading_dimensions_broadcast() -> None:
    f = kt.compile(lambda a, b, c: [x * y + z for x, y, z in zip(a, b, c)], signature="(6),(6),(6)->(6)")
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(-9, 9, shape).astype(float) for shape in ((3, 1, 6), (4, 6), (6,)))
    np.testing.assert_array_equal(f(a, b, c), a * b + c)
    assert f(a, b, c).shape == (3, 4, 6)
    np.testing.assert_array_equal(f(c, c, a), c * c + a)


def test_large_batches_broadcast_too(function: Any) -> None:
    q, v = batch((1, LARGE // 6 + 1))
    rows = v[:, :3].reshape(3, 1, 6)
    kt.threads(1)
    alone = function(q, rows)
    kt.threads(2)
    assert_same(function(q, rows), alone)
    assert_same(function(q[0], rows), alone)
    assert_same(function(np.moveaxis(q, 0, 1), rows[:1, 0]), tuple(np.moveaxis(r[:1], 0, 1) for r in alone))


def test_no_rows_give_no_rows(function: Any) -> None:
    for shape in ((0,), (0, 3), (3, 0)):
        q, v = batch(shape)
        r, angle = function(q, v)
        assert (r.shape, angle.shape) == ((*shape, 6), shape)


def test_one_state_gives_numpy_scalars_and_plain_vectors(function: Any) -> None:
    r, angle = function(*batch(()))
    assert isinstance(r, np.ndarray)
    assert r.shape == (6,)
    assert isinstance(angle, np.float64)
    assert isinstance(function(*batch((), np.float32))[1], np.float32)


def test_anything_that_numpy_can_cast_safely_is_taken(function: Any) -> None:
    q, v = np.arange(6), np.arange(6.0)
    expected = function(q.astype(float), v)
    for given in (q, q.astype(np.int16), q.astype(np.float32), q.astype(np.float16), q.tolist(), tuple(q.tolist())):
        assert_same(function(given, v), expected)
        assert function(given, v)[0].dtype == np.float64
    assert function(q.astype(np.float32), v.astype(np.float32))[0].dtype == np.float32


# -- out= --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [5, LARGE // 6 + 1])
def test_out_receives_the_results_and_is_returned(function: Any, rows: int) -> None:
    kt.threads(2)
    q, v = batch(rows)
    expected = function(q, v)
    r, angle = np.empty((rows, 6)), np.empty(rows)
    returned = function(q, v, out=(r, angle))
    assert returned[0] is r
    assert returned[1] is angle
    assert_same((r, angle), expected)
    assert_same(function(q, v, out=(None, angle)), expected)


def doubled() -> kt.runtime.function.Function:
    return kt.compile(lambda x: [x[0] + x[1], x[0] - x[1]], signature="(2)->(2)")


@pytest.mark.parametrize("rows", [11, LARGE])
@pytest.mark.parametrize("count", [1, 3])
def test_out_may_overlap_the_input_as_for_any_ufunc(rows: int, count: int) -> None:
    f = doubled()
    kt.threads(count)
    x = np.random.default_rng(0).normal(size=(rows, 2))
    expected = f(x)
    for source, target in (
        (np.s_[:], np.s_[:]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:], np.s_[::-1]),
        (np.s_[:, :], np.s_[:, ::-1]),
    ):
        y = x.copy()
        returned = f(y[source], out=y[target])
        np.testing.assert_array_equal(returned, expected[source])
        np.testing.assert_array_equal(y[target], expected[source])
    y = x.copy()
    np.testing.assert_array_equal(f(y, out=y), expected)


@pytest.mark.parametrize("rows", [11, LARGE])
def test_out_that_does_not_fit_is_refused(rows: int) -> None:
    f = doubled()
    kt.threads(2)
    x = np.ones((rows, 2))
    frozen = np.empty((rows, 2))
    frozen.flags.writeable = False
    refused: list[tuple[Any, type[Exception], str]] = [
        (frozen, ValueError, "read-only"),
        (np.empty((rows + 1, 2)), ValueError, "broadcast"),
        (np.empty((rows - 1, 2)), ValueError, "broadcast"),
        (np.empty((rows, 3)), ValueError, "core dimension"),
        (np.empty((rows, 2), int), TypeError, "Cannot cast"),
        ([[0.0, 0.0]] * rows, TypeError, "ArrayType"),
        ((np.empty((rows, 2)),) * 2, ValueError, "tuple"),
    ]
    for out, error, message in refused:
        for _ in range(2):  # the first call compiles
            with pytest.raises(error, match=message):
                f(x, out=out)


@pytest.mark.parametrize("rows", [11, LARGE])
def test_out_may_be_larger_by_leading_dimensions(rows: int) -> None:
    f = doubled()
    kt.threads(2)
    x, out = np.ones((rows, 2)), np.empty((3, rows, 2))
    f(x, out=out)
    np.testing.assert_array_equal(out, np.broadcast_to([2.0, 0.0], out.shape))
