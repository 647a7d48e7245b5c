"""How far compiled code may be from the interpreter: a bound for every value of a graph, by running error analysis.

Code may contract a product and a sum into one operation (rounded once), and has sines, cosines and arc tangents of its
own; all other operations are rounded correctly. A value on which neither has an effect has the bound 0: it must be the
same number. Where an error decides a comparison, or may have made a number infinite, the bound is infinite. The sign
of a computed zero is not defined, so that the bound behind a division by one is infinite too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.graph.node import Node

ULPS = 4  # of sin, cos and atan2, each within 2 of the truth here and in NumPy
LARGEST_ANGLE = 2.0**49  # from 2^50 on there is no sine
TINY = 5e-324  # so that no error vanishes in a product
ELEMENTARY = ("sin", "cos", "atan2")

Error = Any  # an array of bounds, or 0.0 where all are; for truth values where they are uncertain


class Bounds:
    """The bounds of the nodes of a graph at some states, from their values there."""

    def __init__(self, values: Mapping[Node, Any], kind: Any) -> None:
        self.values, self.kind = values, np.dtype(kind)
        self.errors: dict[Node, Error] = {}
        self.rough: set[Node] = set()  # computed from sines of wide values, which are those of float32
        with np.errstate(all="ignore"):
            for node in values:
                if self.kind == np.float32 and (node.op in ELEMENTARY or any(x in self.rough for x in node.args)):
                    self.rough.add(node)
                rule = getattr(self, f"_{node.op}", None)
                self.errors[node] = 0.0 if rule is None else self.within_range(node, rule(node, *node.args))

    # -- what rules are made of ------------------------------------------------------------------------------------

    def info(self, node: Node) -> Any:
        """What is known of numbers of the precision in which a value is computed."""
        wide = np.asarray(self.values[node]).dtype == np.float64 and (self.kind == np.float64 or node not in self.rough)
        return np.finfo(np.float64 if wide else np.float32)

    def within_range(self, node: Node, error: Error) -> Error:
        """The error, infinite where it may have made the value infinite."""
        if node.is_boolean or isinstance(error, float):
            return error
        size = self.size(node)
        over = (error > 0) & np.isfinite(size) & (size + error >= float(self.info(node).max))
        return np.where(over, np.inf, error)

    def rounding(self, node: Node) -> Any:
        """The error of one rounding of a value of this size, twice over."""
        info, size = self.info(node), self.size(node)
        return np.where(size < float(info.max), size * float(info.eps) + float(info.smallest_subnormal), np.inf)

    def total(self, node: Node, error: Error) -> Error:
        """The error that comes from the arguments, and that of rounding where there is any."""
        if isinstance(error, float) and error == 0.0 and node not in self.rough:
            return 0.0
        forced = node in self.rough
        return np.where((error > 0) | forced | np.isnan(error), error + self.rounding(node), 0.0)

    def loose(self, node: Node) -> Error:
        """The error of a value that goes into a sum: a product may go there without having been rounded."""
        if node.op == "neg":
            return self.loose(node.args[0])
        if node.op != "mul":
            return self.errors[node]
        a, b = (self.size(arg) for arg in node.args)
        return self.errors[node] + np.where(np.isfinite(a) & np.isfinite(b), self.rounding(node), 0.0)

    def size(self, node: Node) -> Any:
        return np.abs(np.asarray(self.values[node], np.float64))

    def is_loose_zero(self, node: Node) -> Any:
        """Where a value is a zero whose sign is not defined, or a NaN likewise."""
        if node.op in ("input", "const"):
            return False
        return (self.size(node) == 0) | np.isnan(self.size(node))

    def product(self, a: Node, b: Node) -> Error:
        ea, eb = self.errors[a], self.errors[b]
        if isinstance(ea, float) and isinstance(eb, float):
            return 0.0
        return _times(self.size(a), eb) + _times(self.size(b), ea) + ea * eb

    # -- one rule for each operation -------------------------------------------------------------------------------

    def _neg(self, node: Node, a: Node) -> Error:
        return self.errors[a]

    _abs = _widen = _neg

    def _narrow(self, node: Node, a: Node) -> Error:
        return self.total(node, self.errors[a])

    def _add(self, node: Node, a: Node, b: Node) -> Error:
        return self.total(node, self.loose(a) + self.loose(b))

    _sub = _add

    def _mul(self, node: Node, a: Node, b: Node) -> Error:
        return self.total(node, self.product(a, b))

    def _fma(self, node: Node, a: Node, b: Node, c: Node) -> Error:
        return self.total(node, self.product(a, b) + self.loose(c))

    def _dot(self, node: Node, start: Node, *factors: Node) -> Error:
        pairs = [*zip(factors[::2], factors[1::2])]
        error, size = self.loose(start), self.size(start)
        for a, b in pairs:
            error, size = error + self.product(a, b), size + self.size(a) * self.size(b)
        info = np.finfo(np.float32 if self.kind == np.float32 else np.float64)
        whole = np.where(size < float(info.max), size, np.inf)
        # what is infinite or not a number without any error stays so
        own = (len(pairs) + 2) * (whole * float(info.eps) + float(info.smallest_subnormal))
        return error + own

    def _div(self, node: Node, a: Node, b: Node) -> Error:
        ea, eb, size = self.errors[a], self.errors[b], self.size(b)
        error = np.where(self.is_loose_zero(b), np.inf, 0.0)
        if not (isinstance(ea, float) and isinstance(eb, float)):
            moved = (ea + _times(self.size(node), eb)) / np.maximum(size - eb, 0.0)
            error = error + np.where((ea + eb) > 0, moved + TINY, np.where(np.isnan(ea + eb), np.inf, 0.0))
        return self.total(node, error)

    def _sqrt(self, node: Node, a: Node) -> Error:
        e, value = self.errors[a], np.asarray(self.values[a], np.float64)
        if isinstance(e, float):
            return self.total(node, 0.0)
        moved = np.where(value > e, e / np.sqrt(np.maximum(value - e, 0.0)), np.inf)
        return self.total(node, np.where(e == 0, 0.0, np.where(value < -e, 0.0, moved)))

    def _sin(self, node: Node, a: Node) -> Error:
        e, spread = self.errors[a], np.finfo(self.kind)
        ours = ULPS * (self.size(node) * float(spread.eps) + float(spread.smallest_subnormal))
        far = (self.size(a) + e > LARGEST_ANGLE) & np.isfinite(self.size(a)) | ~np.isfinite(e)
        return np.where(far, np.inf, np.where(np.isfinite(self.size(node)), ours, 0.0) + np.minimum(e, 2.0))

    _cos = _sin

    def _atan2(self, node: Node, y: Node, x: Node) -> Error:
        e, spread = self.errors[y] + self.errors[x], np.finfo(self.kind)
        ours = ULPS * (self.size(node) * float(spread.eps) + float(spread.smallest_subnormal))
        radius = self.size(x) + self.size(y)
        moved = np.where(e == 0, 0.0, np.where(e < 0.1 * radius, 4.0 * e / radius, np.inf))
        left = ~(np.asarray(self.values[x], np.float64) > 0)
        cut = (self.size(y) <= self.errors[y]) & (self.is_loose_zero(y) | (self.errors[y] > 0)) & left
        cut = cut | (self.is_loose_zero(x) & (self.size(y) == 0)) | self.is_loose_zero(y) & left
        finite = np.isfinite(self.size(x)) & np.isfinite(self.size(y))
        far = (np.maximum(self.size(x), self.size(y)) > float(spread.max) / 8) & finite
        return np.where(cut | far, np.inf, np.where(np.isnan(self.values[node]), 0.0, ours) + moved)

    def _sign(self, node: Node, a: Node) -> Error:
        e = self.errors[a]
        return 0.0 if isinstance(e, float) else np.where((e == 0) | (self.size(a) > e), 0.0, np.inf)

    def _copysign(self, node: Node, a: Node, b: Node) -> Error:
        e = self.errors[b]
        certain = (self.size(b) > e) if not isinstance(e, float) else ~np.asarray(self.is_loose_zero(b))
        certain = certain & ~np.asarray(self.is_loose_zero(b))
        return self.errors[a] + np.where(certain, 0.0, np.inf)

    def _floor(self, node: Node, a: Node) -> Error:
        e, value = self.errors[a], np.asarray(self.values[a], np.float64)
        if isinstance(e, float):
            return 0.0
        step = np.floor if node.op == "floor" else np.rint
        return np.where(e == 0, 0.0, np.where(step(value - e) == step(value + e), 0.0, np.inf))

    _rint = _floor

    def _lt(self, node: Node, a: Node, b: Node) -> Error:
        ea, eb = self.errors[a], self.errors[b]
        if isinstance(ea, float) and isinstance(eb, float):
            return False
        apart = np.abs(np.asarray(self.values[a], np.float64) - np.asarray(self.values[b], np.float64))
        return ~((apart > ea + eb) | (ea + eb == 0))

    _le = _eq = _lt

    def _and(self, node: Node, *args: Node) -> Error:
        return np.any(np.broadcast_arrays(*(self.errors[arg] for arg in args)), axis=0)

    _or = _xor = _not = _and

    def _select(self, node: Node, p: Node, a: Node, b: Node) -> Error:
        if isinstance(self.errors[a], float) and isinstance(self.errors[b], float) and not np.any(self.errors[p]):
            return 0.0
        error = np.where(self.errors[p], np.inf, np.where(self.values[p], self.errors[a], self.errors[b]))
        return self.total(node, error) if node in self.rough else error


def _times(size: Any, error: Error) -> Any:
    """Their product; a number without an error brings none, however large it is multiplied."""
    return 0.0 if isinstance(error, float) and error == 0.0 else np.where(error == 0, 0.0, size * error + TINY)


def bounds(outputs: Sequence[Node], values: Mapping[Node, Any], kind: Any) -> list[Any]:
    """How far each output may be from its value, as arrays of float64; NaN or infinite where anything may be."""
    made = Bounds(values, kind)
    largest = float(np.finfo(kind).max)
    found = []
    for node in outputs:
        error = made.errors[node]
        if node.is_boolean:
            found.append(np.where(error, np.inf, 0.0))
        else:
            size = made.size(node)
            narrowed = np.asarray(made.values[node]).dtype != np.dtype(kind) and np.dtype(kind) == np.float32
            error = np.asarray(error, np.float64)
            if narrowed and node.op != "const":  # and then rounded to float32
                error = np.where((error > 0) | (node in made.rough), error + size * 2.0**-22 + 2.0**-148, error)
            near = np.isfinite(size) & (size + error >= largest) & (error > 0)
            found.append(np.where(near, np.inf, error))
    return found
