"""What every operation means.

`evaluate` computes a graph with NumPy, one operation at a time, in the precision of its inputs. It is slow, and it
is the definition: every emitter is tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from kinetree.graph.node import Node, live
from kinetree.scalar import fma


def _fma(a: Any, b: Any, c: Any) -> Any:
    dtype = np.result_type(a, b, c)

    def once(x: float, y: float, z: float) -> float:
        result = fma(x, y, z)
        if dtype == np.float32 and np.isfinite([x, y, z, result]).all():
            # rounded to odd first, so that the rounding to float32 sees on which side of a tie the sum is
            error = Fraction(x) * Fraction(y) + Fraction(z) - Fraction(result)
            if error and np.float64(result).view(np.int64) % 2 == 0:
                return np.nextafter(result, np.inf if error > 0 else -np.inf)
        return result

    a, b, c = (np.asarray(x, dtype).astype(float) for x in (a, b, c))
    return np.vectorize(once, otypes=[float])(a, b, c).astype(dtype)


def _dot(start: Any, *factors: Any) -> Any:
    return sum((a * b for a, b in zip(factors[::2], factors[1::2])), start)


def _odd(t: Any) -> Any:
    return np.asarray(t, np.float64).view(np.int64) % 2 == 1


def _turned(x: Any, t: Any) -> Any:
    return np.where(np.asarray(t, np.float64).view(np.int64) // 2 % 2 == 1, -x, x)


MEANING: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "fma": _fma, "dot": _dot, "sin": np.sin, "cos": np.cos, "atan2": np.arctan2, "sqrt": np.sqrt,
    "abs": np.abs, "sign": np.sign, "copysign": np.copysign, "floor": np.floor, "rint": np.rint,
    "lt": np.less, "le": np.less_equal, "eq": np.equal,
    "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor, "not": np.logical_not,
    "odd": _odd, "turned": _turned,
    "select": np.where, "widen": lambda x: np.asarray(x, np.float64),
}  # fmt: skip


def evaluate(outputs: Iterable[Node], inputs: Mapping[str, Any], dtype: Any = np.float64) -> list[Any]:
    """The values of the outputs.

    Args:
        outputs: nodes of one graph.
        inputs: for each operand an array whose *first* axis is the flattened core and whose other axes broadcast.
        dtype: float64 or float32.

    Returns:
        One array per output, in the order given.
    """
    outputs = list(outputs)
    values = computed(outputs, inputs, dtype)
    return [np.asarray(values[node], None if node.is_boolean else dtype) for node in outputs]


def computed(outputs: Iterable[Node], inputs: Mapping[str, Any], dtype: Any = np.float64) -> dict[Node, Any]:
    """The values of all nodes that the outputs need, each in its own precision; arguments as for `evaluate`."""
    meaning = {**MEANING, "narrow": lambda x: np.asarray(x, dtype)}
    values: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in live(outputs):
            if node.op == "const":
                values[node] = node.value  # takes the precision of the operation that uses it
            elif node.op == "input":
                operand, position = node.value
                values[node] = np.asarray(inputs[operand], dtype)[position]
            else:
                value = meaning[node.op](*(values[arg] for arg in node.args))
                flat = all(arg.op == "const" for arg in node.args[1:]) and node.op == "select"
                values[node] = np.asarray(value, dtype) if flat else value
    return values
