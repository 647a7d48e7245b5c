"""Branch-free sine, cosine, arc tangent and sign, in operations that every target has.

`sincos` takes n, the integer nearest to 2x/pi, and r + low = x - n pi/2 with pi/2 held in
three doubles, and evaluates two polynomials in r^2. `atan2` makes one division whose quotient is
at most 1/2, and one polynomial. Errors, measured on 4e7 points: sin and cos 0.88 ulp, atan2
1.6 ulp in float64; 1.6 ulp all three in float32. From |x| = 2^50 on neighbouring doubles are
1/4 rad apart, an angle means nothing, and `sincos` gives NaN. A target may contract ``a * b + c``
or not: no product here feeds a sum whose rounding matters, every exact step is an explicit `fma`.
The polynomials are fitted by tools/fit_elementary.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kinetree.scalar import Real, copysign, equal, fma, narrow, odd, select, turned, widen

# pi/2 and pi/4 as sums of doubles (of floats), largest first
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
QUARTER_PI = (0.7853981633974483, 3.061616997868383e-17)
QUARTER_PI_SINGLE = (0.7853981852531433, -2.1855694143368964e-08)

# x * SCALE is infinite from 2^50 on; adding TO_INTEGER rounds to an integer
SCALE = 2.0**974
PER_QUARTER = 0.6366197723675814 / SCALE
TO_INTEGER = 1.5 * 2.0**52
SPLIT = 2.0**27 + 1.0  # cuts a double into halves

# sin r = r - r z S(z),  z = r^2
SIN = (
    0.16666666666666566, -0.008333333333306813, 0.00019841269818014973, -2.7557309835466136e-06,
    2.505018936398272e-08, -1.5865745736379607e-10,
)  # fmt: skip
SIN_SINGLE = (0.16666646301746368, -0.00833167228847742, 0.0001945360709214583)
# cos r = 1 + z (-1/2 + z C(z)),  z = r^2
COS = (
    0.041666666666666456, -0.0013888888888850997, 2.4801587276013995e-05, -2.75573107209097e-07,
    2.0875262031607206e-09, -1.1337302658356224e-11,
)  # fmt: skip
COS_SINGLE = (0.041666630655527115, -0.0013886637752875686, 2.4361144824069925e-05)
# atan t = t + t z A(z),  z = t^2
ATAN = (
    -0.3333333333333298, 0.19999999999903093, -0.14285714276383482, 0.11111110659505116,
    -0.09090896240974788, 0.07692073848517382, -0.0666380992776486, 0.058582941001143425,
    -0.0512198399304388, 0.04186442663605991, -0.02743395953943528, 0.010116158598719128,
)  # fmt: skip
ATAN_SINGLE = (
    -0.3333323299884796, 0.19994166493415833, -0.14174175262451172, 0.10155528038740158,
    -0.051244013011455536,
)  # fmt: skip


def sincos(x: Real, *, fused: bool = True) -> tuple[Any, Any]:
    """(sin x, cos x) in double precision; NaN from |x| = 2^50 on.

    Args:
        x: the angle.
        fused: whether the target has `fma`; without it 1.3 ulp up to 1e13 rad, 10 beyond.
    """
    multiply_add = fma if fused else _rounded_twice
    n, turns = _quarter_turns(x, multiply_add)
    # r - minus_low = x - n pi/2: the first step is exact, of the second the error is kept
    if fused:
        first = fma(n, -HALF_PI[0], x)
        step = fma(n, HALF_PI[1], 0.0)  # not a product, which could be contracted into `first - step`
        rounded = fma(n, HALF_PI[1], -step)
    else:
        high, low = two_product(n, HALF_PI[0])
        first = (x - high) - low
        step, rounded = two_product(n, HALF_PI[1])
    r = first - step
    lost = (r - first) + step
    minus_low = multiply_add(n, HALF_PI[2], lost + rounded)
    # a zero minus_low is +0, so that r - (+0) keeps the sign of a zero r
    z = multiply_add(r, r, -((r + r) * minus_low))
    sin = r - multiply_add(r, z * _polynomial(SIN, z, multiply_add), minus_low)
    return _turn(turns, sin if fused else _at_zero(x, sin), _cosine(COS, z, multiply_add))


def sincos_single(x: Real, *, fused: bool = True) -> tuple[Any, Any]:
    """(sin x, cos x) in single precision, the angle reduced in double; NaN from |x| = 2^50 on."""
    multiply_add = fma if fused else _rounded_twice
    wide = widen(x)
    n, turns = _quarter_turns(wide, multiply_add)
    if fused:
        reduced = narrow(fma(n, -HALF_PI[1], fma(n, -HALF_PI[0], wide)))
        r = fma(reduced, 0.0, reduced)  # NaN where infinite
    else:
        high, low = two_product(n, HALF_PI[0])  # low is NaN where n is infinite
        r = narrow(((wide - high) - low) - n * HALF_PI[1])
    z = r * r
    sin = r - multiply_add(r, z * _polynomial(SIN_SINGLE, z, multiply_add), 0.0)
    return _turn(turns, sin if fused else _at_zero(narrow(wide), sin), _cosine(COS_SINGLE, z, multiply_add))


def atan2(y: Real, x: Real, *, fused: bool = True) -> Any:
    """Angle of the point (x, y) in double precision; a finite |x| + |y| must not overflow."""
    return _atan2(y, x, ATAN, QUARTER_PI, fma if fused else _rounded_twice)


def atan2_single(y: Real, x: Real, *, fused: bool = True) -> Any:
    """Angle of the point (x, y) in single precision; a finite |x| + |y| must not overflow."""
    return _atan2(y, x, ATAN_SINGLE, QUARTER_PI_SINGLE, fma if fused else _rounded_twice)


def sign(x: Real) -> Any:
    """-1, 0 or 1; NaN for NaN."""
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, x))


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """a b, and what rounding has lost of it, for targets without `fma` (Dekker)."""
    product = a * b
    high_a, high_b = (x * SPLIT - (x * SPLIT - x) for x in (a, b))
    low_a, low_b = a - high_a, b - high_b
    return product, low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)


def _at_zero(x: Any, sin: Any) -> Any:
    """The sine of a small angle: that of a zero has its sign, which sums with more roundings lose."""
    return select(equal(x, 0.0), x, sin)


def _rounded_twice(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _polynomial(coefficients: Sequence[float], z: Real, multiply_add: Callable[..., Any] = fma) -> Any:
    """The polynomial by Horner's rule; the coefficients start with the lowest power."""
    *rest, result = coefficients
    for c in reversed(rest):
        result = multiply_add(z, result, c)
    return result


def _cosine(coefficients: Sequence[float], z: Real, multiply_add: Callable[..., Any] = fma) -> Any:
    return multiply_add(z, _polynomial((-0.5, *coefficients), z, multiply_add), 1.0)


def _quarter_turns(x: Real, multiply_add: Callable[..., Any] = fma) -> tuple[Any, Any]:
    """The integer nearest to 2x/pi, +0 for both zeros, infinite from |x| = 2^50 on; and its bits, on top of 2^52."""
    turns = multiply_add(x * SCALE, PER_QUARTER, TO_INTEGER)
    return turns - TO_INTEGER, turns


def _turn(turns: Real, sin: Real, cos: Real) -> tuple[Any, Any]:
    """The sine and cosine of an angle that is larger by quarter turns."""
    crossed = odd(turns)
    return turned(select(crossed, cos, sin), turns), turned(select(crossed, -sin, cos), turns)


def _atan2(
    y: Real, x: Real, coefficients: Sequence[float], quarter_pi: Sequence[float], multiply_add: Callable[..., Any] = fma
) -> Any:
    abs_x, abs_y, minus_x = abs(x), abs(y), -x
    difference, total = abs_y - abs_x, abs_y + abs_x
    # in the upper half plane the angle is k pi/4 + atan t, from the nearest axis or the diagonal
    is_steep = abs_x < abs_y
    is_near_axis = total <= 3.0 * abs(difference)
    numerator = select(is_near_axis, select(is_steep, minus_x, abs_y), difference)
    denominator = select(is_near_axis, select(is_steep, abs_y, x), copysign(total, x))
    # equal magnitudes: 0/0 and inf/inf are no quotients, and inf - inf has chosen the diagonal
    t = select(equal(abs_x, abs_y), 0.0, numerator / denominator)
    k = copysign(select(is_near_axis, select(is_steep, 0.0, 2.0), 1.0), minus_x) + 2.0
    z = t * t
    tail = multiply_add(t, z * _polynomial(coefficients, z, multiply_add), k * quarter_pi[1])
    return copysign(multiply_add(k, quarter_pi[0], t + tail), y)
