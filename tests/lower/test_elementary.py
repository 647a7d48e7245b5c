"""The elementary functions against mpmath: values, signed zeros, infinities, contracted or not.

The functions run on `Lanes`, scalars that hold an array and compute each operation at once, in
float64 or float32 with an exact fma, so that a thousand points cost little more than one.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from kinetree.graph.node import Graph, count
from kinetree.lower import elementary
from kinetree.scalar import Scalar

# measured over 4e7 points: 0.88; above 1 the low part of the reduced angle is lost or used twice
SINCOS_ULP = 1.0
# measured 1.58: one rounding of the reduced angle, one of its square and one of the result
SINCOS_SINGLE_ULP = 1.7
# measured 1.57 and 1.56: the sum, the quotient, t + tail and the result are rounded
ATAN2_ULP = 1.8
# without fma, measured 1.31 below FAR; beyond, 10.1: the nearest integer is not always found, and a polynomial is used
# outside of where it fits
UNFUSED_ULP, FAR, FAR_ULP = 1.4, 1e13, 12.0
# the hot path: what the pair may cost, in operations
SINCOS_OPERATIONS = 45
LIMIT = 2.0**50  # where sincos ends
ALLOWED = {
    "add", "sub", "mul", "div", "neg", "fma", "floor", "rint", "abs", "copysign", "select",
    "lt", "le", "eq", "and", "or", "xor", "not", "widen", "narrow", "sqrt",
}  # fmt: skip


# ---------------------------------------------------------------- the evaluator


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


def add_to_odd(a: Any, b: Any) -> Any:
    """a + b rounded to odd: a second rounding, to fewer digits, then rounds the true sum."""
    s, error = two_sum(a, b)
    is_even = s.view(np.int64) % 2 == 0
    return np.where((error != 0) & is_even, np.nextafter(s, np.copysign(np.inf, error)), s)


def fma_double(a: Any, b: Any, c: Any) -> Any:
    """a * b + c rounded once (Boldo and Melquiond), for results that are not subnormal."""
    (ma, ea), (mb, eb) = np.frexp(a), np.frexp(b)
    shift = np.clip(-(ea + eb), -2000, 2000)
    scaled = np.ldexp(c, shift)
    # ma * mb = high + low exactly (Dekker)
    a1, b1 = ma * 134217729.0, mb * 134217729.0
    a1, b1 = a1 - (a1 - ma), b1 - (b1 - mb)
    a2, b2 = ma - a1, mb - b1
    high = ma * mb
    low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
    t, t_low = two_sum(scaled, low)
    v, v_low = two_sum(high, t)
    fused = np.ldexp(v + add_to_odd(t_low, v_low), -shift)
    plain = (a == 0) | (b == 0) | ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c)
    return np.where(plain, a * b + c, np.where(np.isfinite(scaled), fused, c))


def fma(a: Any, b: Any, c: Any) -> Any:
    kind = np.result_type(a, b, c)
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    if kind == np.float64:
        return fma_double(a, b, c)
    exact = np.where(np.isfinite(a * b + c) & (a * b + c != 0), add_to_odd(a * b, c), a * b + c)
    return exact.astype(np.float32)


MEANING: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "fma": fma, "abs": np.abs, "copysign": np.copysign, "floor": np.floor, "rint": np.rint,
    "sqrt": np.sqrt, "lt": np.less, "le": np.less_equal, "eq": np.equal, "select": np.where,
    "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor, "not": np.logical_not,
    "odd": lambda t: t.view(np.int64) % 2 == 1, "turned": lambda x, t: np.where(t.view(np.int64) // 2 % 2 == 1, -x, x),
    "widen": lambda x: x.astype(np.float64), "narrow": lambda x: x.astype(np.float32),
}  # fmt: skip


class Lanes(Scalar):
    """An array, computed at once; a number takes the precision of the arrays beside it."""

    __slots__ = ("contract", "factors", "narrow", "value")

    def __init__(self, value: Any, narrow: Any, contract: bool, factors: Any = None) -> None:
        self.value, self.narrow, self.contract, self.factors = value, narrow, contract, factors

    def apply(self, op: str, *args: Any) -> Any:
        kinds = [x.value.dtype for x in args if isinstance(x, Lanes) and x.value.dtype != bool]
        kind = np.result_type(*kinds) if kinds else self.narrow
        values = [x.value if isinstance(x, Lanes) else np.asarray(x, kind) for x in args]
        factors = next((x.factors for x in args if isinstance(x, Lanes) and x.factors), None)
        with np.errstate(all="ignore"):
            if self.contract and factors and op in ("add", "sub"):
                result = self.contracted(op, args, values)
            else:
                result = MEANING[op](*values)
        return Lanes(result, self.narrow, self.contract, tuple(values) if op == "mul" else None)

    @staticmethod
    def contracted(op: str, args: Any, values: Any) -> Any:
        """a * b + c, c + a * b, a * b - c or c - a * b, as a compiler may fuse them."""
        product_first = isinstance(args[0], Lanes) and args[0].factors
        a, b = args[0 if product_first else 1].factors
        c = values[1 if product_first else 0]
        if op == "add":
            return fma(a, b, c)
        return fma(a, b, -c) if product_first else fma(-a, b, c)


def on_lanes(function: Any, *points: Any, contract: bool = False) -> Any:
    narrow = points[0].dtype
    result = function(*(Lanes(p, narrow, contract) for p in points))
    if not isinstance(result, tuple):
        return np.broadcast_to(result.value, points[0].shape)
    assert all(r.value.dtype == narrow for r in result)
    return tuple(r.value for r in result)


def ulps(result: Any, exact: Any) -> float:
    """The largest error in units of the last digit; exact is a double and what it lacks."""
    value, rest = exact
    unit = np.spacing(np.abs(value).astype(result.dtype)).astype(float)
    return float(np.max(np.abs((result.astype(float) - value) - rest) / unit))


def split(values: list[Any]) -> tuple[Any, Any]:
    high = [float(v) for v in values]
    return np.array(high), np.array([float(v - h) for v, h in zip(values, high)])


def exact_sincos(x: Any) -> tuple[Any, Any]:
    with mp.workprec(200):
        pairs = [mp.cos_sin(mp.mpf(float(v))) for v in x]
        return split([s for _, s in pairs]), split([c for c, _ in pairs])


# ---------------------------------------------------------------- the points


def random_angles(count: int) -> Any:
    rng = np.random.default_rng(1)
    near, usual = rng.uniform(-7, 7, count), rng.uniform(-1e5, 1e5, count)
    wide = rng.choice([-1.0, 1.0], count) * 2.0 ** rng.uniform(-30, np.log2(1e15), count)
    return np.concatenate([near, usual, wide])


def near_quarter_turns() -> Any:
    """The doubles nearest to k pi/2 and their neighbours."""
    rng = np.random.default_rng(2)
    k = np.concatenate([np.arange(1, 200), (2.0 ** rng.uniform(8, 49.2, 800)).astype(np.int64)])
    with mp.workprec(200):
        x = np.array([float(int(i) * mp.pi / 2) for i in k])
    x = np.concatenate([x, np.nextafter(x, 0), np.nextafter(x, np.inf)])
    return np.concatenate([x, -x])


def worst_angles(digits: int = 53) -> Any:
    """The m 2^e that come closest to a multiple k pi/2: m / k is a convergent of pi/2 2^-e."""
    found: set[float] = set()
    with mp.workprec(400):
        for e in range(-digits, 51 - digits):
            rest, before, m = mp.pi / 2 * mp.mpf(2) ** -e, 0, 1
            while m < 2**digits:
                found.update(float(i * m) * 2.0**e for i in (1, 2, 3) if i * m < 2**digits)
                whole = int(mp.floor(rest))
                before, m, rest = m, whole * m + before, 1 / (rest - whole)
                found.update(float(m - i * before) * 2.0**e for i in (1, 2) if 0 < m - i * before < 2**digits)
    x = np.array(sorted(v for v in found if v < LIMIT))
    return np.concatenate([x, -x])


# ---------------------------------------------------------------- the constants


def test_the_coefficients_are_those_of_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[2] / "tools" / "fit_elementary.py"
    spec = importlib.util.spec_from_file_location("fit_elementary", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, tool)  # its dataclass looks itself up
    spec.loader.exec_module(tool)
    for name, fit in tool.FITS.items():
        assert getattr(elementary, name) == tool.coefficients(fit)[0], name


def test_the_parts_of_pi_add_up_to_it() -> None:
    with mp.workprec(300):
        assert abs(sum(map(mp.mpf, elementary.HALF_PI)) - mp.pi / 2) < 2.0**-160
        assert abs(sum(map(mp.mpf, elementary.QUARTER_PI)) - mp.pi / 4) < 2.0**-105
        assert abs(sum(map(mp.mpf, elementary.QUARTER_PI_SINGLE)) - mp.pi / 4) < 2.0**-48
        assert float(2 / mp.pi) == elementary.PER_QUARTER * elementary.SCALE


# ---------------------------------------------------------------- sine and cosine


@pytest.mark.parametrize("points", [random_angles(6000), near_quarter_turns(), worst_angles()], ids=len)
def test_sincos_is_right_however_it_is_contracted(points: Any) -> None:
    exact = exact_sincos(points)
    for contract in (False, True):
        for result, true in zip(on_lanes(elementary.sincos, points, contract=contract), exact):
            assert ulps(result, true) <= SINCOS_ULP


@pytest.mark.parametrize("points", [random_angles(6000), near_quarter_turns(), worst_angles()], ids=len)
def test_sincos_is_right_without_fma(points: Any) -> None:
    sincos = partial(elementary.sincos, fused=False)
    for most, some in ((UNFUSED_ULP, points[np.abs(points) < FAR]), (FAR_ULP, points)):
        for result, true in zip(on_lanes(sincos, some), exact_sincos(some)):
            assert ulps(result, true) <= most


def test_without_fma_tiny_and_huge_angles_are_as_with_it() -> None:
    tiny = np.finfo(float)
    small = np.array([0.0, tiny.smallest_subnormal, tiny.tiny, 1e-30, 1e-9])
    small = np.concatenate([small, -small])
    beyond = np.array([LIMIT, 1e30, tiny.max, np.inf, np.nan, -LIMIT, -np.inf])
    sin, cos = on_lanes(partial(elementary.sincos, fused=False), small)
    assert np.array_equal(sin, small)
    assert np.array_equal(np.signbit(sin), np.signbit(small))
    assert np.all(cos == 1)
    assert np.isnan(on_lanes(partial(elementary.sincos, fused=False), beyond)).all()
    used = count(elementary.sincos(Graph().input("q"), fused=False))
    assert "fma" not in used
    assert sum(used.values()) <= SINCOS_OPERATIONS + 35  # two exact products


def test_sincos_on_numbers_is_sincos_on_lanes() -> None:
    points = np.concatenate([random_angles(100), worst_angles()[::50]])
    by_number = np.array([elementary.sincos(float(x)) for x in points])
    assert np.array_equal(by_number.T, on_lanes(elementary.sincos, points))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_sine_of_a_tiny_angle_is_the_angle(kind: Any) -> None:
    tiny = np.finfo(kind)
    points = np.array([0.0, tiny.smallest_subnormal, 3 * tiny.smallest_subnormal, tiny.tiny, 1e-30, 1e-9], kind)
    points = np.concatenate([points, -points])
    function = elementary.sincos if kind is np.float64 else elementary.sincos_single
    for contract in (False, True):
        sin, cos = on_lanes(function, points, contract=contract)
        assert np.array_equal(sin, points)
        assert np.array_equal(np.signbit(sin), np.signbit(points))
        assert np.all(cos == 1)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_sincos_is_nan_where_an_angle_means_nothing(kind: Any) -> None:
    function = elementary.sincos if kind is np.float64 else elementary.sincos_single
    last = np.nextafter(kind(LIMIT), kind(0))
    beyond = np.array([LIMIT, 2 * LIMIT, 1e30, np.finfo(kind).max, np.inf, np.nan], kind)
    for sign in (1, -1):
        assert np.isnan(on_lanes(function, kind(sign) * beyond)).all()
        assert np.isfinite(on_lanes(function, kind(sign) * np.array([last]))).all()


@pytest.mark.parametrize(("fused", "contract"), [(True, False), (True, True), (False, False)])
def test_sincos_single_is_right(fused: bool, contract: bool) -> None:
    points = np.concatenate([random_angles(20000), near_quarter_turns(), worst_angles(24)]).astype(np.float32)
    points = points[np.abs(points) < LIMIT]
    wide = points.astype(float)
    # float64 is exact enough here: 29 digits more than the result has
    function = partial(elementary.sincos_single, fused=fused)
    for result, true in zip(on_lanes(function, points, contract=contract), (np.sin(wide), np.cos(wide))):
        assert ulps(result, (true, 0.0)) <= SINCOS_SINGLE_ULP


# ---------------------------------------------------------------- arc tangent and sign


def random_points(count: int) -> tuple[Any, Any]:
    """Points near the lines where the method changes, near the axes, and anywhere."""
    rng = np.random.default_rng(3)
    y, x = rng.uniform(-1, 1, (2, 3 * count))
    y[:count] = x[:count] * rng.choice([0.5, 1.0, 2.0], count) * rng.uniform(0.9, 1.1, count)
    y[count : 2 * count] *= 2.0 ** rng.uniform(-30, 30, count)
    return y, x


def test_atan2_is_right() -> None:
    y, x = random_points(6000)
    with mp.workprec(130):
        exact = split([mp.atan2(mp.mpf(float(a)), mp.mpf(float(b))) for a, b in zip(y, x)])
    for contract in (False, True):
        assert ulps(on_lanes(elementary.atan2, y, x, contract=contract), exact) <= ATAN2_ULP
    assert ulps(on_lanes(partial(elementary.atan2, fused=False), y, x), exact) <= ATAN2_ULP


@pytest.mark.parametrize(("fused", "contract"), [(True, False), (True, True), (False, False)])
def test_atan2_single_is_right(fused: bool, contract: bool) -> None:
    y, x = (v.astype(np.float32) for v in random_points(20000))
    exact = np.arctan2(y.astype(float), x.astype(float))
    function = partial(elementary.atan2_single, fused=fused)
    assert ulps(on_lanes(function, y, x, contract=contract), (exact, 0.0)) <= ATAN2_ULP


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_atan2_of_zeros_infinities_and_nan(kind: Any) -> None:
    info = np.finfo(kind)
    values = [0.0, info.smallest_subnormal, info.tiny, 1.0, 3.0, info.max / 4, np.inf, np.nan]
    y, x = (v.ravel() for v in np.meshgrid(*[np.array(values + [-v for v in values], kind)] * 2))
    function = elementary.atan2 if kind is np.float64 else elementary.atan2_single
    result, exact = on_lanes(function, y, x), np.arctan2(y.astype(float), x.astype(float))
    assert np.array_equal(np.isnan(result), np.isnan(exact))
    is_number = ~np.isnan(exact)
    assert ulps(result[is_number], (exact[is_number], 0.0)) <= ATAN2_ULP + 1  # the reference is rounded too
    assert np.array_equal(np.signbit(result[is_number]), np.signbit(exact[is_number]))


def test_sign_is_that_of_the_number() -> None:
    points = np.array([-np.inf, -2.0, -5e-324, -0.0, 0.0, 5e-324, 2.0, np.inf])
    assert np.array_equal(on_lanes(elementary.sign, points), np.sign(points))
    assert math.isnan(elementary.sign(math.nan))
    assert np.isnan(on_lanes(elementary.sign, np.array([np.nan]))).all()


# ---------------------------------------------------------------- traced


@pytest.mark.parametrize("name", ["sincos", "sincos_single", "atan2", "atan2_single", "sign"])
def test_only_operations_that_every_target_has_are_traced(name: str) -> None:
    graph = Graph()
    inputs = [graph.input("q", i) for i in range(2 if "atan2" in name else 1)]
    result = getattr(elementary, name)(*inputs)
    used = count(result if isinstance(result, tuple) else (result,))
    assert set(used) <= ALLOWED
    assert sum(used.values()) <= SINCOS_OPERATIONS
