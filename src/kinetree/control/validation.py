"""Checks of the numbers and named parameters that references and controllers take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kinetree.errors import InputError
from kinetree.scalar import Scalar, is_scalar


def number(value: Any, what: str, *, least: float = -math.inf, infinite: bool = False) -> Any:
    """A finite number not below the least one, as a float; a named parameter as it is."""
    if isinstance(value, Scalar):
        return value
    if not is_scalar(value) or isinstance(value, bool):
        raise InputError(f"{what} must be a number, got {value!r}")
    if not (value >= least) or not (infinite or math.isfinite(value)):
        bound = "" if least == -math.inf else f" not below {least:g}"
        raise InputError(f"{what} must be a {'' if infinite else 'finite '}number{bound}, got {value!r}")
    return float(value)


def positive(value: Any, what: str, *, infinite: bool = False) -> Any:
    """A number above zero."""
    value = number(value, what, least=0.0, infinite=infinite)
    if not isinstance(value, Scalar) and value == 0.0:
        raise InputError(f"{what} must be above 0, got {value!r}")
    return value


def numbers(values: Any, what: str, *, least: float = -math.inf) -> tuple[Any, ...]:
    """Several numbers; one number alone is a tuple of one."""
    if is_scalar(values):
        values = (values,)
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InputError(f"{what} must be numbers, got {values!r}")
    found = tuple(values)
    if not found:
        raise InputError(f"{what} must be at least one number, got none")
    return tuple(number(x, what, least=least) for x in found)


def one_or_each(values: Any, what: str, *, least: float = 0.0) -> Any:
    """One number for all, or a tuple with one for each."""
    return number(values, what, least=least) if is_scalar(values) else numbers(values, what, least=least)


def spread(values: Any, count: int, what: str) -> Sequence[Any]:
    """One number for each of so many, from `one_or_each`."""
    if not isinstance(values, tuple):
        return [values] * count
    if len(values) != count:
        raise InputError(f"{what} is one number, or one for each of the {count}; got {len(values)}")
    return values


def same_sizes(**given: tuple[Any, ...]) -> None:
    """Refuse tuples of different lengths."""
    if len({len(values) for values in given.values()}) > 1:
        sizes = ", ".join(f"{name} has {len(values)}" for name, values in given.items())
        raise InputError(f"as many numbers are needed for each: {sizes}")
