"""Numbers as text: four digits for tables, all digits for JSON, and expressions of named parameters as formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from kinetree.parameter import Expression, Parameter
from kinetree.scalar import Scalar

_LONGEST = 60  # operations of an expression that is written out
_SIGNS: Mapping[str, tuple[str, int]] = {"add": (" + ", 1), "sub": (" - ", 1), "mul": ("*", 2), "div": ("/", 2)}


def plain(value: Any) -> float | str | None:
    """A number for JSON: None where it is infinite or NaN, a formula where it depends on named parameters.

    Example:
        >>> import kinetree as kt
        >>> plain(2), plain(float("inf")), plain(2.5 + kt.parameter("m"))
        (2.0, None, '2.5 + m')
    """
    if isinstance(value, Scalar):
        return exact(value)
    return float(value) if math.isfinite(value) else None


def total(values: list[Any]) -> float | str | None:
    """The sum of numbers, as `plain` gives it; expressions of named parameters stay terms."""
    parts = [part for value in values for part in _parts(value)]
    known = sum((x for x in parts if not isinstance(x, Scalar)), 0.0)
    terms = [exact(x) for x in parts if isinstance(x, Scalar)]
    return " + ".join([*[exact(known)] * (known != 0), *terms]) if terms else plain(known)


def _parts(value: Any) -> tuple[Any, ...]:
    """The terms of a sum of a number and an expression of named parameters."""
    if isinstance(value, Expression) and value.op == "add" and not all(isinstance(x, Scalar) for x in value.args):
        return value.args
    return (value,)


def exact(value: Any) -> str:
    """A number or a formula with all digits."""
    return formula(value, lambda x: repr(x).removesuffix(".0"))


def short(value: float | str | None) -> str:
    """A number of `plain` in four digits; nothing for None.

    Example:
        >>> short(-0.0), short(9.80665), short(2500.0), short(123456.0)
        ('0', '9.807', '2500', '1.235e5')
    """
    if value is None or isinstance(value, str):
        return value or ""
    text = f"{value + 0.0:.4g}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else text


def formula(value: Any, number: Callable[[float], str] = short) -> str:
    """An expression of parameters as people write it; a very long one as a function of its parameters.

    Example:
        >>> import kinetree as kt
        >>> a, b = kt.parameter("a"), kt.parameter("b")
        >>> formula((a + 2.0) * b - b / (a * a))
        '(a + 2)*b - b/(a*a)'
    """
    names, operations = _walk(value)
    if operations > _LONGEST:
        return f"f({', '.join(names)})"
    return _written(value, number, 0)


def _written(value: Any, number: Callable[[float], str], around: int) -> str:
    if isinstance(value, Parameter):
        return value.name
    if not isinstance(value, Expression):
        return number(float(value))
    if value.op in _SIGNS:
        op, a, b = _quotient(value)
        sign, level = _SIGNS[op]
        # the right side of a difference or a quotient binds closer
        text = _written(a, number, level) + sign + _written(b, number, level + (op in ("sub", "div")))
    elif value.op == "neg":
        level, text = 1, "-" + _written(value.args[0], number, 2)
    else:
        return f"{value.op}({', '.join(_written(x, number, 0) for x in value.args)})"
    return f"({text})" if level < around else text


def _quotient(value: Expression) -> tuple[str, Any, Any]:
    """The operation and its two sides; a (1/b) is a/b."""
    a, b = value.args
    if value.op == "mul" and isinstance(b, Expression) and b.op == "div" and b.args[0] == 1:
        return "div", a, b.args[1]
    return value.op, a, b


def _walk(value: Any) -> tuple[list[str], int]:
    """The names in an expression, and its operations counted as often as they would be written."""
    names: dict[str, None] = {}
    seen: set[int] = set()
    stack, operations = [value], 0
    while stack:
        x = stack.pop()
        if isinstance(x, Parameter):
            names[x.name] = None
        elif isinstance(x, Expression):
            operations += 1
            # beyond what is written out, every part is met once
            if operations <= _LONGEST or id(x) not in seen:
                stack.extend(reversed(x.args))
            seen.add(id(x))
    return list(names), operations
