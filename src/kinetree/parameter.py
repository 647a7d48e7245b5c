"""Named parameters: numbers of a model that stay open until a function is called.

``kt.parameter("m_payload")`` stands anywhere in a model where a number may stand; arithmetic on it gives an
`Expression`. When a function of the model is compiled, every parameter becomes an input of that function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from kinetree import scalar
from kinetree.errors import ModelError
from kinetree.scalar import Scalar

RESERVED = (
    "q", "qd", "qdd", "tau", "frame", "external", "base_velocity", "base_acceleration", "out", "self",
    "parameters", "external_rate", "base_jerk", "qddd", "weights", "wrt", "name", "given",
    "known_forces", "guess", "q_independent", "tolerance", "iterations", "stabilisation",
)  # fmt: skip


class _Open(Scalar):
    """A number that stays open while the model is built."""

    def apply(self, op: str, *args: Any) -> Any:
        return _folded(op, args) if op in ("add", "sub", "mul") else Expression(op, args)


@dataclass(frozen=True, eq=True)
class Expression(_Open):
    """An operation on parameters and numbers."""

    op: str
    args: tuple[Any, ...]


@dataclass(frozen=True, eq=True)
class Parameter(_Open):
    """A number known by name."""

    name: str
    default: float | None = None


def parameter(name: str, default: float | None = None) -> Parameter:
    """A number of a model that is given when a function is called.

    Args:
        name: a Python identifier; the keyword under which the compiled functions take the value.
        default: the value where the keyword is left out; without one it must be given.

    Example:
        >>> import kinetree as kt
        >>> m = kt.parameter("m_payload", 1.0)
        >>> arm = kt.Robot.from_dh([kt.DH(a=1.0, mass=2.0 + m, com=(-0.5, 0, 0))])
        >>> arm.gravity_forces([0.0], m_payload=0.0).shape
        (1,)
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ModelError(f"a parameter's name must be a Python identifier such as 'm_payload', not {name!r}")
    if name in RESERVED:
        raise ModelError(f"a parameter can't be called {name!r}: functions take {', '.join(RESERVED)} already")
    if default is not None and (isinstance(default, Scalar) or not scalar.is_scalar(default)):
        raise ModelError(f"the default of the parameter {name!r} must be a number, not {default!r}")
    return Parameter(name, None if default is None else float(default))


def _folded(op: str, args: tuple[Any, ...]) -> Any:
    """The neutral elements folded away, so that a zero stays a zero."""
    a, b = args
    if op == "mul":
        if scalar.is_zero(a) or scalar.is_zero(b):
            return 0.0
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Scalar) and one == 1:
                return other
    elif scalar.is_zero(b):
        return a
    elif scalar.is_zero(a):
        return b if op == "add" else -b
    return Expression(op, args)


_OF_SCALARS = "sin cos sqrt atan2 sign copysign floor rint fma select widen narrow"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "lt": operator.lt, "le": operator.le, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "not": lambda p: ~p if isinstance(p, Scalar) else not p, "eq": scalar.equal, "abs": abs,
    **{name: getattr(scalar, name) for name in _OF_SCALARS.split()},
}  # fmt: skip


def substitute(value: Any, numbers: Mapping[str, Any]) -> Any:
    """The value with every parameter replaced by a number or another scalar."""
    if isinstance(value, Parameter):
        return numbers[value.name]
    if isinstance(value, Expression):
        return FUNCTIONS[value.op](*(substitute(arg, numbers) for arg in value.args))
    return value


def parameters_in(description: Any) -> dict[str, Parameter]:
    """The parameters that occur anywhere in a frozen description, by name, sorted."""
    found: dict[str, Parameter] = {}

    def visit(value: Any) -> None:
        if isinstance(value, (float, str, int)):  # most of a description: it is not looked at further
            return
        if isinstance(value, Parameter):
            if found.setdefault(value.name, value) != value:
                raise ModelError(f"the parameter {value.name!r} is given two different defaults")
        elif isinstance(value, Expression | tuple):
            for item in value.args if isinstance(value, Expression) else value:
                visit(item)
        elif isinstance(value, Mapping):
            for item in value.values():
                visit(item)
        elif is_dataclass(value):
            for field in fields(value):
                visit(getattr(value, field.name))

    visit(description)
    return dict(sorted(found.items()))


def bound(description: Any, numbers: Mapping[str, Any]) -> Any:
    """A frozen description with every parameter replaced; parts without parameters are shared."""
    if isinstance(description, Scalar):
        return substitute(description, numbers)
    if isinstance(description, tuple):
        items = tuple(bound(item, numbers) for item in description)
        return description if all(a is b for a, b in zip(items, description)) else items
    if is_dataclass(description) and not isinstance(description, type):
        old = {f.name: getattr(description, f.name) for f in fields(description) if f.init}
        new = {name: bound(value, numbers) for name, value in old.items()}
        return description if all(new[name] is old[name] for name in old) else replace(description, **new)
    return description
