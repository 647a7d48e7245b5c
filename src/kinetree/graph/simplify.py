"""Exact peephole rules.

Each rule is an identity of the real numbers that also holds for every rounding, up to the sign of a zero, as long
as the operands are finite. Signs are pushed outwards until an addition absorbs them, so that ``a - b`` and
``b - a`` are one subtraction. Nothing is reassociated, distributed or expanded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kinetree.errors import TraceError
from kinetree.scalar import Scalar

_Rule = Callable[..., Any]
_Node: Any = Scalar  # the scalars here are nodes of a graph


def _is_neg(x: Any) -> bool:
    return isinstance(x, _Node) and x.op == "neg"


def _add(a: Any, b: Any) -> Any:
    if not isinstance(a, _Node):
        a, b = b, a
    if not isinstance(b, _Node):
        return a if b == 0 else _make_add(a, float(b))
    if a.op == "neg":
        return -(a.args[0] + b.args[0]) if b.op == "neg" else b - a.args[0]  # -x + -y -> -(x + y);  -x + y -> y - x
    if b.op == "neg":
        return a - b.args[0]  # x + -y -> x - y
    return None if a.index <= b.index else a.graph.make("add", b, a)  # x + y -> y + x


def _make_add(a: Any, constant: float) -> Any:
    if _is_neg(a):
        return -_make_add(a.args[0], -constant)  # -x + c -> -(x - c)
    return a.graph.make("add", a, constant)


def _sub(a: Any, b: Any) -> Any:
    if not isinstance(b, _Node):
        return _add(a, -b)  # x - c -> x + -c
    if not isinstance(a, _Node):
        return -b if a == 0 else -_add(b, -a)  # 0 - x -> -x;  c - x -> -(x - c)
    if a is b:
        return 0.0  # x - x -> 0
    if a.op == "neg":
        return b.args[0] - a.args[0] if b.op == "neg" else -(a.args[0] + b)  # -x - -y -> y - x;  -x - y -> -(x + y)
    if b.op == "neg":
        return a + b.args[0]  # x - -y -> x + y
    return None if a.index < b.index else -a.graph.make("sub", b, a)  # x - y -> -(y - x)


def _mul(a: Any, b: Any) -> Any:
    if not isinstance(a, _Node):
        a, b = b, a
    if not isinstance(b, _Node):
        if b == 0 or b == 1:
            return 0.0 if b == 0 else a  # x * 0 -> 0;  x * 1 -> x
        if b < 0:
            return -(a * -b)  # x * -c -> -(x * c)
        return -(a.args[0] * b) if a.op == "neg" else a.graph.make("mul", a, b)  # -x * c -> -(x * c);  c * x -> x * c
    if a.op == "neg":
        return a.args[0] * b.args[0] if b.op == "neg" else -(a.args[0] * b)  # -x * -y -> x * y;  -x * y -> -(x * y)
    if b.op == "neg":
        return -(a * b.args[0])  # x * -y -> -(x * y)
    return None if a.index <= b.index else a.graph.make("mul", b, a)  # x * y -> y * x


def _div(a: Any, b: Any) -> Any:
    if not isinstance(b, _Node):
        if b == 0:
            raise TraceError("division by a number that is always zero")
        if math.frexp(b)[0] in (0.5, -0.5) and math.isfinite(1.0 / b):
            return a * (1.0 / b)  # x / 2^k -> x * 2^-k
        return -(a / -b) if b < 0 else None  # x / -c -> -(x / c)
    if not isinstance(a, _Node) and a == 0:
        return 0.0  # 0 / x -> 0
    if _is_neg(a):
        return a.args[0] / b.args[0] if _is_neg(b) else -(a.args[0] / b)  # -x / -y -> x / y;  -x / y -> -(x / y)
    if _is_neg(b):
        return -(a / b.args[0])  # x / -y -> -(x / y)
    return None


def _neg(a: Any) -> Any:
    return a.args[0] if a.op == "neg" else None  # --x -> x


def _odd(op: str) -> _Rule:
    return lambda a: -a.graph.apply(op, a.args[0]) if _is_neg(a) else None  # f(-x) -> -f(x)


def _even(op: str) -> _Rule:
    return lambda a: a.graph.apply(op, a.args[0]) if _is_neg(a) else None  # f(-x) -> f(x)


def _abs(a: Any) -> Any:
    return a if a.op in ("abs", "sqrt") else _even("abs")(a)  # ||x|| -> |x|;  |sqrt x| -> sqrt x


def _not(a: Any) -> Any:
    return a.args[0] if a.op == "not" else None  # not not p -> p


def _connective(with_true: _Rule, with_false: _Rule, with_itself: _Rule) -> _Rule:
    """What p is with true, with false and with itself."""

    def rule(a: Any, b: Any) -> Any:
        if isinstance(a, bool):
            a, b = b, a
        if isinstance(b, bool):
            return with_true(a) if b else with_false(a)
        return with_itself(a) if a is b else None

    return rule


def _select(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, bool):
        return a if condition else b
    if not condition.is_boolean:
        raise TraceError(f"the condition of select must be a comparison, got {condition.op!r}")
    if a is b or (not isinstance(a, _Node) and not isinstance(b, _Node) and a == b):
        return a  # p ? x : x -> x
    return None


# operation -> a simpler value for it on some arguments, or None where the node must be made
RULES: dict[str, _Rule] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg,
    "sin": _odd("sin"), "cos": _even("cos"), "sign": _odd("sign"), "abs": _abs,
    "not": _not, "select": _select,
    "and": _connective(lambda p: p, lambda p: False, lambda p: p),
    "or": _connective(lambda p: True, lambda p: p, lambda p: p),
    "xor": _connective(lambda p: ~p, lambda p: p, lambda p: False),
}  # fmt: skip
