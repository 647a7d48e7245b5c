"""The functions on scalars.

An algorithm is written once over *scalars*: Python floats, graph nodes while it is traced, or named parameters
inside a model. Floats are computed at once; every other kind is a `Scalar` and records the operation. These
functions and the operators ``+ - * / < <= > >=`` are all that an algorithm may do with a number.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from numbers import Real as Number
from typing import Any, TypeAlias

from kinetree.errors import TraceError


def _operators(op: str) -> tuple[Any, Any]:
    """The methods for an operation that a scalar is the first, or the second argument of."""

    def first(self: Scalar, other: Any) -> Any:
        return self.apply(op, self, other) if is_scalar(other) else NotImplemented

    def second(self: Scalar, other: Any) -> Any:
        return self.apply(op, other, self) if is_scalar(other) else NotImplemented

    return first, second


class Scalar:
    """A number that is not known yet. A subclass says what `apply` records."""

    __slots__ = ()
    __array_ufunc__ = None  # np.float64(2) * scalar must come to scalar.__rmul__

    def apply(self, op: str, *args: Any) -> Any:
        """Record the operation ``op`` on ``args``, of which at least one is of this kind."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to record {op!r}")

    def plus_products(self, start: Any, pairs: Sequence[tuple[Any, Any]]) -> Any:
        """start + the sum of the products of pairs; at least one of their numbers is of this kind."""
        return sum((a * b for a, b in pairs), start)

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("sub")
    __mul__, __rmul__ = _operators("mul")
    __truediv__, __rtruediv__ = _operators("div")
    __lt__, __gt__ = _operators("lt")
    __le__, __ge__ = _operators("le")

    def __neg__(self) -> Any:
        return self.apply("neg", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.apply("abs", self)

    def __pow__(self, exponent: int) -> Any:
        if not isinstance(exponent, int) or isinstance(exponent, bool):
            raise TraceError(f"x ** {exponent!r}: only integer exponents can be traced, such as x ** 2")
        if exponent < 0:
            return 1.0 / self**-exponent
        half = self ** (exponent // 2) if exponent > 1 else 1.0
        return half * half * self if exponent % 2 else half * half

    def __and__(self, other: Any) -> Any:
        return self.apply("and", self, other)

    def __or__(self, other: Any) -> Any:
        return self.apply("or", self, other)

    def __xor__(self, other: Any) -> Any:
        return self.apply("xor", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return self.apply("not", self)

    def __bool__(self) -> bool:
        raise TraceError(
            "the truth of a traced value is not known while tracing, so `if`, `and`, `or`, `max` and the like "
            "can't look at it; use kinetree.scalar.select(condition, a, b), & and | instead"
        )

    def __float__(self) -> float:
        raise TraceError("a traced value has no number yet; use the functions of kinetree.scalar instead of math's")

    __index__ = __int__ = __float__  # type: ignore[assignment]


Real: TypeAlias = float | Scalar
Vector: TypeAlias = Sequence[Real]


def is_scalar(x: Any) -> bool:
    """Whether an operator may take it: a number of Python or NumPy, or a number that is not known yet."""
    return isinstance(x, (float, int, Scalar, Number))


def is_finite(x: Any) -> bool:
    """Whether it is a finite number, or a number that is not known yet."""
    return isinstance(x, Scalar) or (is_scalar(x) and math.isfinite(x))


def is_zero(x: Any) -> bool:
    """Whether it is zero whatever the state: a number that is known, and zero."""
    return not isinstance(x, Scalar) and x == 0


def _apply(op: str, on_floats: Any, *args: Any) -> Any:
    for x in args:
        if isinstance(x, Scalar):
            return x.apply(op, *args)
    return on_floats(*args)


def sin(x: Real) -> Any:
    """Sine of an angle in radians."""
    return x.apply("sin", x) if isinstance(x, Scalar) else math.sin(x)


def cos(x: Real) -> Any:
    """Cosine of an angle in radians."""
    return x.apply("cos", x) if isinstance(x, Scalar) else math.cos(x)


def tan(x: Real) -> Any:
    """Tangent of an angle in radians."""
    return sin(x) / cos(x)


def sqrt(x: Real) -> Any:
    """Square root; NaN for negative numbers."""
    return x.apply("sqrt", x) if isinstance(x, Scalar) else (math.sqrt(x) if x >= 0 else math.nan)


def atan2(y: Real, x: Real) -> Any:
    """Angle of the point (x, y), in radians between -pi and pi."""
    return _apply("atan2", math.atan2, y, x)


def asin(x: Real) -> Any:
    """Arc sine, in radians."""
    return atan2(x, sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Real) -> Any:
    """Arc cosine, in radians."""
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x)


def sign(x: Real) -> Any:
    """-1, 0 or 1; NaN for NaN."""
    if isinstance(x, Scalar):
        return x.apply("sign", x)
    return float((x > 0) - (x < 0)) if x == x else math.nan


def copysign(magnitude: Real, sign_of: Real) -> Any:
    """|magnitude| with the sign of the second argument, signed zeros included."""
    return _apply("copysign", math.copysign, magnitude, sign_of)


def floor(x: Real) -> Any:
    """The largest integer not above x."""
    return x.apply("floor", x) if isinstance(x, Scalar) else float(math.floor(x)) if math.isfinite(x) else x


def rint(x: Real) -> Any:
    """The nearest integer, ties to even."""
    return x.apply("rint", x) if isinstance(x, Scalar) else float(round(x)) if math.isfinite(x) else x


def fma(a: Real, b: Real, c: Real) -> Any:
    """a * b + c, rounded once."""
    return _apply("fma", _fma, a, b, c)


def _fma(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    from fractions import Fraction  # needed here alone, and not at the start

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else a * b + c  # a fraction has no -0
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def odd(t: Real) -> Any:
    """Whether an integer is odd that is held on top of 2^52 or 2^53: the last bit of a double."""
    return t.apply("odd", t) if isinstance(t, Scalar) else _bits(t) % 2 == 1


def turned(x: Real, t: Real) -> Any:
    """x, with the other sign where n // 2 is odd for such an integer n."""
    return _apply("turned", lambda y, n: -y if _bits(n) // 2 % 2 else y, x, t)


def _bits(x: float) -> int:
    return int.from_bytes(struct.pack("<d", x), "little")


def widen(x: Real) -> Any:
    """The same number in double precision, whatever precision the code is compiled for."""
    return x.apply("widen", x) if isinstance(x, Scalar) else x


def narrow(x: Real) -> Any:
    """Back from `widen` to the precision that the code is compiled for."""
    return x.apply("narrow", x) if isinstance(x, Scalar) else x


def equal(a: Real, b: Real) -> Any:
    """Whether two numbers are the same (``==`` compares the identity of traced values)."""
    return _apply("eq", lambda x, y: x == y, a, b)


def select(condition: Any, if_true: Real, if_false: Real) -> Any:
    """``if_true`` where the condition holds, else ``if_false``. Both are computed."""
    if isinstance(condition, Scalar):
        return condition.apply("select", condition, if_true, if_false)
    return if_true if condition else if_false


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """The sum of the products of two rows of numbers."""
    return sum((x * y for x, y in zip(a, b)), 0.0)


def plus_products(start: Real, a: Iterable[Any], b: Iterable[Any]) -> Any:
    """start + the sum of the products of two rows of numbers; in a graph they are one operation.

    Of many such sums the compiled code is short, and it is fast where those that follow one another have the same
    first row: made for large linear systems.
    """
    pairs = [(x, y) for x, y in zip(a, b) if not (is_zero(x) or is_zero(y))]
    scalar = next((x for pair in pairs for x in pair if isinstance(x, Scalar)), None)
    return sum((x * y for x, y in pairs), start) if scalar is None else scalar.plus_products(start, pairs)


def minimum(a: Real, b: Real) -> Any:
    """The smaller of two numbers; the second where either is NaN."""
    return select(a < b, a, b)


def maximum(a: Real, b: Real) -> Any:
    """The larger of two numbers; the second where either is NaN."""
    return select(a > b, a, b)
