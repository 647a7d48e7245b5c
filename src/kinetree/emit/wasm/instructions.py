"""Operations of the graph as instructions of WebAssembly, and as functions where it has none.

WebAssembly has no elementary functions and no fused multiply-add: sine, cosine, arc tangent, sign and ``fma`` become
functions of the module, written over scalars as everything else.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from kinetree.emit.wasm.binary import signed
from kinetree.graph.node import Graph, Node
from kinetree.lower import elementary
from kinetree.lower.order import ordered
from kinetree.lower.signs import settle_signs
from kinetree.scalar import select

# operation -> instruction, none for what double precision does not need, or the name of a function of `FUNCTIONS`
OPERATIONS: Mapping[str, bytes | str] = {
    "add": b"\xa0", "sub": b"\xa1", "mul": b"\xa2", "div": b"\xa3", "neg": b"\x9a", "sqrt": b"\x9f", "abs": b"\x99",
    "copysign": b"\xa6", "floor": b"\x9c", "rint": b"\x9e",
    "lt": b"\x63", "le": b"\x65", "eq": b"\x61", "and": b"\x71", "or": b"\x72", "xor": b"\x73", "not": b"\x45",
    "select": b"\x1b", "widen": b"", "narrow": b"",
    "sin": "sincos", "cos": "sincos", "atan2": "atan2", "sign": "sign", "fma": "fma",
}  # fmt: skip

# what lowering makes of sines and cosines: the last bit of a double, and +1 or -1 from the last but one as a factor
BITS = {
    "odd": b"\xbd\xa7\x41\x01\x71",
    "turned": b"\xbd\x42\x3e\x86\x42" + signed(-1 << 63) + b"\x83\x42" + signed(0x3FF << 52) + b"\x84\xbf\xa2",
}

ZERO = b"\x41\0"  # i32.const 0
DROP = b"\x1a"
TO_NUMBER, TO_TRUTH = b"\xb8", b"\x44" + bytes(8) + b"\x62"  # f64.convert_i32_u; != 0.0


def constant(value: float) -> bytes:
    """A number on the stack."""
    return b"\x44" + struct.pack("<d", value)


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b, and what rounding has lost of it."""
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


def _fma(a: Any, b: Any, c: Any) -> Any:
    """a b + c rounded once (Boldo and Melquiond); twice where a product is near overflow or underflow."""
    high, low = elementary.two_product(a, b)
    middle, least = _two_sum(c, low)
    top, rest = _two_sum(high, middle)
    s, lost = _two_sum(least, rest)
    exact = top + a.graph.make("odd_sum", s, lost)
    finite = (abs(exact) < math.inf) & (abs(low) < math.inf)
    return select(finite, exact, high + c)


# name -> (how many numbers it takes, its results over scalars)
FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "sincos": (1, lambda x: elementary.sincos(x, fused=False)),
    "atan2": (2, lambda y, x: [elementary.atan2(y, x, fused=False)]),
    "sign": (1, lambda x: [elementary.sign(x)]),
    "fma": (3, lambda a, b, c: [_fma(a, b, c)]),
    "odd_sum": (2, lambda s, lost: []),  # written out below
}
NEEDS = {"fma": ("odd_sum",)}

# a sum and what rounding has lost of it -> the sum rounded to odd: if it is even, its neighbour on the lost side
ODD_SUM = (
    b"\x20\0\xbd\x22\2"  # its bits, as a local
    b"\x20\2\x42\1\x83\xa7\x45"  # ... are even
    b"\x20\1\x44" + bytes(8) + b"\x62\x71"  # and something was lost
    b"\x20\0\x99" + constant(math.inf) + b"\x63\x71\xad"  # and it is finite: by how much the bits change
    b"\x42\1\x42\x7f"
    b"\x20\1\x44" + bytes(8) + b"\x64\x20\0\x44" + bytes(8) + b"\x64\x46\x1b"  # outwards or inwards
    b"\x7e\x7c\xbf"
)  # fmt: skip


@cache
def traced(name: str) -> tuple[list[Node], list[Node]]:
    """The operations of a function in order, and its outputs; its arguments are ("x", 0), ("x", 1), ..."""
    count, function = FUNCTIONS[name]
    graph = Graph()
    outputs = settle_signs([graph.node(x) for x in function(*(graph.input("x", k) for k in range(count)))])
    return ordered(outputs), outputs
