"""Numbers in JSON: plain ones bit for bit, named parameters and operations on them by their structure.

A parameter is {"parameter": "m", "default": 1.0}, an operation {"op": "mul", "args": [2.0, {"parameter": "m"}]}.
Only the operations of `kinetree.parameter` are read. What is not finite has no form.
"""

from __future__ import annotations

import inspect
import math
from typing import Any

from kinetree.errors import ModelError, UnknownNameError
from kinetree.model.json.location import Location
from kinetree.parameter import FUNCTIONS as OPERATIONS, Expression, Parameter, parameter
from kinetree.scalar import Scalar, is_scalar

MAX_DEPTH = 200  # of operations inside each other
_EXACT = 2**53  # integers beyond it are written as floats
_TRUTHS = ("lt", "le", "eq", "and", "or", "xor", "not")  # operations that say yes or no
_OF_TRUTHS = ("and", "or", "xor", "not")
_ARITY = {name: len(inspect.signature(function).parameters) for name, function in OPERATIONS.items()}


class Number:
    """A finite number, a named parameter or an operation on them."""

    def write(self, value: Any, location: Location) -> Any:
        return _written(value, location, 0)

    def read(self, value: Any, location: Location) -> Any:
        number = _read(value, location, 0)
        if _is_truth(number):
            raise location.error(f"the operation {number.op!r} says yes or no; expected a number")
        return number


class Numbers:
    """One number, or a list of them."""

    def write(self, value: Any, location: Location) -> Any:
        if isinstance(value, list | tuple):
            return [_written(x, location, 0) for x in value]
        return _written(value, location, 0)

    def read(self, value: Any, location: Location) -> Any:
        if isinstance(value, list):
            return tuple(Number().read(x, location.item(i)) for i, x in enumerate(value))
        if isinstance(value, dict) or type(value) in (int, float):
            return Number().read(value, location)
        raise location.expected("a number or a list of numbers", value)


def _written(value: Any, location: Location, depth: int) -> Any:
    if isinstance(value, Parameter):
        default = {} if value.default is None else {"default": _written(value.default, location, depth)}
        return {"parameter": value.name, **default}
    if depth > MAX_DEPTH:
        raise location.error(f"operations more than {MAX_DEPTH} deep can't be written as JSON", ModelError)
    if isinstance(value, Expression) and value.op in OPERATIONS:
        return {"op": value.op, "args": [_written(x, location, depth + 1) for x in value.args]}
    if isinstance(value, Scalar) or not is_scalar(value) or not math.isfinite(value):
        raise location.error(f"{value!r} can't be written as JSON; expected finite numbers and parameters", ModelError)
    return value if type(value) is int and abs(value) <= _EXACT else float(value)


def _read(value: Any, location: Location, depth: int) -> Any:
    if type(value) in (int, float):
        return value if abs(value) <= _EXACT else float(value)
    if not isinstance(value, dict):
        raise location.expected("a number", value)
    if depth > MAX_DEPTH:
        raise location.error(f"operations are nested more than {MAX_DEPTH} deep")
    if "parameter" in value:
        return _parameter(value, location)
    location.check_keys(value, ("op", "args"), ("op", "args"))
    op, args = value["op"], value["args"]
    if not isinstance(op, str) or op not in OPERATIONS:
        raise location.error(str(UnknownNameError("operation", op, OPERATIONS)))
    if len(location.checked(args, list, "a list of arguments")) != _ARITY[op]:
        raise location.error(f"the operation {op!r} takes {_ARITY[op]} arguments, got {len(args)}")
    made = Expression(op, tuple([_read(x, location, depth + 1) for x in args]))
    _check_arguments(made, location)
    return made


def _check_arguments(made: Expression, location: Location) -> None:
    """Raise where an operation is one of numbers alone, or takes a comparison for a number or the reverse."""
    if not any(isinstance(x, Scalar) for x in made.args):
        raise location.error(f"the operation {made.op!r} has no parameter in it; write the number that it gives")
    for i, x in enumerate(made.args):
        wanted = made.op in _OF_TRUTHS or (made.op == "select" and i == 0)
        if _is_truth(x) != wanted:
            what = "a comparison such as 'lt'" if wanted else "a number"
            raise location.error(f"the argument {i + 1} of the operation {made.op!r} must be {what}")


def _is_truth(value: Any) -> bool:
    return isinstance(value, Expression) and value.op in _TRUTHS


def _parameter(value: dict[str, Any], location: Location) -> Parameter:
    location.check_keys(value, ("parameter", "default"), ("parameter",))
    default = value.get("default")
    if default is not None and type(default) not in (int, float):
        raise location.key("default").expected("a number", default)
    with location.constructing():
        return parameter(value["parameter"], default)
