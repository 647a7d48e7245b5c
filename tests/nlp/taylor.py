"""Numbers that carry their first and second derivatives, so that a test problem is no more than its functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Taylor:
    """A value with its gradient (n,) and its Hessian (n, n)."""

    __array_ufunc__ = None

    def __init__(self, value: float, gradient: Array, hessian: Array) -> None:
        self.value, self.gradient, self.hessian = value, gradient, hessian

    def of(self, value: float, first: float, second: float) -> Taylor:
        """A function of it with these derivatives."""
        outer = np.outer(self.gradient, self.gradient)
        return Taylor(value, first * self.gradient, first * self.hessian + second * outer)

    def __add__(self, other: Any) -> Taylor:
        if not isinstance(other, Taylor):
            return Taylor(self.value + other, self.gradient, self.hessian)
        return Taylor(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)

    def __mul__(self, other: Any) -> Taylor:
        if not isinstance(other, Taylor):
            return Taylor(self.value * other, self.gradient * other, self.hessian * other)
        mixed = np.outer(self.gradient, other.gradient)
        hessian = self.value * other.hessian + other.value * self.hessian + mixed + mixed.T
        gradient = self.value * other.gradient + other.value * self.gradient
        return Taylor(self.value * other.value, gradient, hessian)

    def __pow__(self, k: float) -> Taylor:
        v = np.float64(self.value)
        second = k * (k - 1) * v ** (k - 2) if k not in (0, 1) else 0.0
        return self.of(v**k, k * v ** (k - 1), second)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Taylor:
        return self * -1.0

    def __sub__(self, other: Any) -> Taylor:
        return self + -other

    def __rsub__(self, other: Any) -> Taylor:
        return -self + other

    def __truediv__(self, other: Any) -> Taylor:
        return self * other**-1

    def __rtruediv__(self, other: Any) -> Taylor:
        return self**-1 * other


def exp(x: Taylor) -> Taylor:
    e = np.exp(x.value)
    return x.of(e, e, e)


def log(x: Taylor) -> Taylor:
    v = np.float64(x.value)
    return x.of(np.log(v), 1.0 / v, -1.0 / v**2)


def sqrt(x: Taylor) -> Taylor:
    return x**0.5


def sin(x: Taylor) -> Taylor:
    s, c = np.sin(x.value), np.cos(x.value)
    return x.of(s, c, -s)


def cos(x: Taylor) -> Taylor:
    s, c = np.sin(x.value), np.cos(x.value)
    return x.of(c, -s, -c)


def evaluated(functions: Callable[..., Sequence[Any]], x: Array) -> tuple[Array, Array, Array]:
    """Values (m,), gradients (m, n) and Hessians (m, n, n) of functions of the elements of x."""
    n = len(x)
    variables = [Taylor(v, np.eye(n)[k], np.zeros((n, n))) for k, v in enumerate(x)]
    zero = Taylor(0.0, np.zeros(n), np.zeros((n, n)))
    with np.errstate(all="ignore"):
        found = [zero + f for f in functions(*variables)]
    values = np.array([f.value for f in found])
    first, second = (np.array([getattr(f, name) for f in found]) for name in ("gradient", "hessian"))
    return values, first.reshape(len(found), n), second.reshape(len(found), n, n)
