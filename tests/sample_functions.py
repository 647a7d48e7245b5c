"""Functions that the compiler and the exports are tested on."""

from __future__ import annotations

from typing import Any

from kinetree import scalar as s


def every_operation(x: list[Any]) -> list[Any]:
    """Nine results that use each operation of the graph at least once."""
    a, b, c = x
    inside = (a < b) & ~((b <= c) | (s.equal(a, c) ^ (c < 0.0)))
    return [
        a + b - c * 2.0,
        -(a / b),
        s.fma(a, b, c),
        s.sin(a) + s.cos(b),
        s.atan2(a, b),
        s.sqrt(abs(a)) * s.sign(b),
        s.copysign(s.floor(a), s.rint(b)),
        s.select(inside, a, b),
        s.narrow(s.widen(a) * s.widen(b)),
    ]


def crossing(x: Any) -> Any:
    """Truth values, double-precision values inside float32 code and plain ones, all used long after they are made."""
    flags = [(v < 0.25) ^ (x[0] < v) for v in x]
    angles = [s.sin(v) * s.cos(v) for v in x]
    total = sum(angles, 0.0)
    later = [s.select(f, total * a, total - a) for f, a in zip(flags, angles)]
    return [s.select(f & g, u, v) for f, g, u, v in zip(flags, flags[::-1], later, x)]
