"""The operations of the graph: their number of arguments, and which give a truth value."""

from __future__ import annotations

OPERATIONS: dict[str, int] = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "fma": 3,
    "sin": 1, "cos": 1, "atan2": 2, "sqrt": 1, "abs": 1, "sign": 1, "copysign": 2, "floor": 1, "rint": 1,
    "lt": 2, "le": 2, "eq": 2, "and": 2, "or": 2, "xor": 2, "not": 1,
    "select": 3,
    "widen": 1, "narrow": 1,
}  # fmt: skip

# besides, a sum of products of any length: dot(start, a, b, c, d, ...) = start + a b + c d + ...
# and what lowering makes of sines and cosines, from t, which is an integer n on top of 2^52 or 2^53:
# odd(t): whether n is odd; turned(x, t): x, negative where n // 2 is odd
LOGICAL = frozenset({"and", "or", "xor", "not"})
BOOLEAN = LOGICAL | {"lt", "le", "eq", "odd"}
