"""Arithmetic formulas in model files: ``pi/2``, ``d12*cos(g12)``, ``-0.5*L1^2``.

Numbers, names, ``+ - * /``, ``^`` or ``**``, parentheses, ``pi`` and the functions sin, cos, tan, sqrt and atan2. A
formula of numbers is a float; a name in it is a named parameter, and the formula an expression of parameters. The
text is untrusted: it is parsed, never evaluated by Python, and its length, depth and size are bounded.
"""

from __future__ import annotations

import keyword
import math
import operator
import re
from collections.abc import Callable
from typing import Any

from kinetree import scalar
from kinetree.errors import ModelError, check_name
from kinetree.model.text.file import MAX_DIGITS, TOO_SMALL, shown, vanishes
from kinetree.parameter import Expression, Parameter, parameter, parameters_in
from kinetree.scalar import Scalar

MAX_LENGTH = 1000  # characters
MAX_DEPTH = 30  # of parentheses, signs and exponents
MAX_OPERATIONS = 100  # on names

FUNCTIONS = {"sin": 1, "cos": 1, "tan": 1, "sqrt": 1, "atan2": 2}  # those of `kinetree.scalar`: how many arguments
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_PI = ("pi", "Pi")
_OF_ANGLES = ("sin", "cos", "tan", "atan2", *_PI)
_NOT_FINITE = ("nan", "inf", "infinity")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>\*\*|[-+*/^(),]))",
    re.ASCII,
)


def formula(text: str, *, degrees: bool = False) -> Any:
    """The value of a formula: a finite float, or a scalar of named parameters.

    Names become parameters without a default; whether a parameter may be called so is left to the caller.

    Args:
        text: the formula.
        degrees: whether it stands in a table in degrees, in which ``pi`` and functions of angles are refused because
            nobody could tell what they mean.

    Example:
        >>> formula("-pi/2") == -math.pi / 2, formula("2^3"), formula("cos(L)")
        (True, 8.0, Expression(op='cos', args=(Parameter(name='L', default=None),)))
    """
    if not text.strip():
        raise ModelError("there is nothing in it; expected a number or a formula such as pi/2")
    if len(text) > MAX_LENGTH:
        raise ModelError(f"{shown(text)} is longer than {MAX_LENGTH} characters")
    parser = _Parser(text, degrees)
    try:
        value = parser.sum()
    except OverflowError:
        raise parser.error("the result is too large for a number") from None
    except ZeroDivisionError:
        raise parser.error("division by zero") from None
    if parser.token[0]:
        raise parser.error(f"expected an operator before {parser.token[1]!r}")
    return finite(value, text)


def finite(value: Any, text: str) -> Any:
    """The value of a formula; a number must be finite."""
    if isinstance(value, Scalar):
        return value
    if not math.isfinite(value):
        raise ModelError(f"{shown(text)} is not a finite number")
    return value + 0.0  # -0.0 becomes 0.0


def check_names(value: Any) -> None:
    """Refuse names in a formula that no parameter can have."""
    for name in parameters_in(value):
        if keyword.iskeyword(name):
            raise ModelError(f"a parameter can't be called {name!r}, which is a word of Python's")
        parameter(name)


def slope(value: Any, name: str) -> float | None:
    """The constant factor of a parameter in a value that is linear in it; None where it has no such factor."""
    if isinstance(value, Parameter):
        return float(value.name == name)
    if not isinstance(value, Expression):
        return 0.0
    slopes = [slope(arg, name) for arg in value.args]
    if all(x == 0.0 for x in slopes):
        return 0.0
    if None in slopes or value.op not in _SLOPES:
        return None
    return _SLOPES[value.op](*slopes, *value.args)


def _slope_of_product(da: float, db: float, a: Any, b: Any) -> float | None:
    factor, rate = (a, db) if da == 0.0 else (b, da)
    return None if isinstance(factor, Scalar) else factor * rate


_SLOPES: dict[str, Callable[..., float | None]] = {
    "add": lambda da, db, a, b: da + db,
    "sub": lambda da, db, a, b: da - db,
    "neg": lambda da, a: -da,
    "mul": _slope_of_product,
    "div": lambda da, db, a, b: None if isinstance(b, Scalar) else da / b,
}


class _Parser:
    """Recursive descent: a sum of products of signed powers."""

    def __init__(self, text: str, degrees: bool) -> None:
        self.text, self.degrees = text, degrees
        self.end = self.depth = 0
        self.counted: dict[int, tuple[Any, int]] = {}
        self.token = ("", "")
        self.next()

    def error(self, message: str) -> ModelError:
        return ModelError(f"{shown(self.text)}: {message}")

    def next(self) -> str:
        """The text of the token; the one after it is looked at from now on."""
        token = self.token[1]
        if not self.text[self.end :].strip():
            self.token = ("", "")
            return token
        found = _TOKEN.match(self.text, self.end)
        if found is None:
            rest = self.text[self.end :].strip()
            raise self.error(f"the character {rest[0]!r} has no place in a formula")
        self.end = found.end()
        self.token = (str(found.lastgroup), found[str(found.lastgroup)])
        return token

    def take(self, *signs: str) -> str | None:
        """The token if it is one of these signs."""
        return self.next() if self.token[0] == "sign" and self.token[1] in signs else None

    def deeper(self, rule: Callable[[], Any]) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"parentheses, signs and exponents are nested more than {MAX_DEPTH} deep")
        value = rule()
        self.depth -= 1
        return value

    # -- the grammar -----------------------------------------------------------------------------------------------

    def sum(self) -> Any:
        return self.chain(self.product, "+", "-")

    def product(self) -> Any:
        return self.chain(self.signed, "*", "/")

    def chain(self, operand: Callable[[], Any], *signs: str) -> Any:
        value = operand()
        while sign := self.take(*signs):
            other = operand()
            if sign == "/" and scalar.is_zero(other):
                raise self.error("division by zero")
            value = self.bounded(_OPERATIONS[sign](value, other))
        return value

    def signed(self) -> Any:
        if sign := self.take("+", "-"):
            value = self.deeper(self.signed)
            return self.bounded(-value if sign == "-" else value)
        return self.power()

    def power(self) -> Any:
        value = self.atom()
        return self.bounded(self.raised(value, self.deeper(self.signed))) if self.take("^", "**") else value

    def raised(self, base: Any, exponent: Any) -> Any:
        if isinstance(exponent, Scalar):
            raise self.error("an exponent must be a number")
        if not isinstance(base, Scalar):
            result = base**exponent
            if isinstance(result, complex):
                raise self.error(f"{base:g} can't be raised to {exponent:g}")
            return result
        if exponent != round(exponent) or abs(exponent) > MAX_OPERATIONS:
            given = f"the exponent {exponent:g} of a name must be an integer, {MAX_OPERATIONS} at most"
            raise self.error(f"{given}; use sqrt for roots")
        return base ** int(exponent)

    def atom(self) -> Any:
        kind, text = self.token
        if kind == "number":
            if len(text) > MAX_DIGITS:
                raise self.error(f"a number has more than {MAX_DIGITS} digits")
            self.next()
            if vanishes(text, float(text)):
                raise self.error(f"{text} {TOO_SMALL}")
            return finite(float(text), text)
        if kind == "name":
            self.next()
            return self.named(text)
        if self.take("("):
            value = self.deeper(self.sum)
            self.close()
            return value
        raise self.error(f"expected a number or a name {f'instead of {text!r}' if text else 'at the end'}")

    def named(self, name: str) -> Any:
        if self.degrees and name in _OF_ANGLES:
            remedy = "write the number, or the whole table in radians"
            raise self.error(f"{name!r} has no place in a table in degrees, where its unit is not clear; {remedy}")
        if self.take("("):
            return self.called(name)
        if name in FUNCTIONS:
            raise self.error(f"the function {name!r} needs its argument in parentheses")
        if name.lower() in _NOT_FINITE:
            raise self.error(f"{name!r} is not a finite number")
        return math.pi if name in _PI else Parameter(name)

    def called(self, name: str) -> Any:
        check_name("function", name, FUNCTIONS, shown(self.text))
        count = FUNCTIONS[name]
        arguments = [self.deeper(self.sum)]
        while self.take(","):
            arguments.append(self.deeper(self.sum))
        self.close()
        if len(arguments) != count:
            raise self.error(f"{name} takes {count} argument{'s' * (count > 1)}, got {len(arguments)}")
        return self.bounded(getattr(scalar, name)(*arguments))

    def close(self) -> None:
        if not self.take(")"):
            raise self.error("a parenthesis is not closed")

    def bounded(self, value: Any) -> Any:
        if self.operations(value) > MAX_OPERATIONS:
            raise self.error(f"there are more than {MAX_OPERATIONS} operations on names")
        return value

    def operations(self, value: Any) -> int:
        """How many operations a value consists of; each part is counted once and remembered."""
        if not isinstance(value, Expression):
            return 0
        if id(value) not in self.counted:
            self.counted[id(value)] = (value, 1 + sum(map(self.operations, value.args)))
        return self.counted[id(value)][1]
