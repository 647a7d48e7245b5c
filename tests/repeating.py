"""A step that repeats, with states of all kinds, and what the interpreter makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kinetree.graph.interpret import evaluate
from kinetree.scalar import cos, select, sin
from kinetree.signature import Signature, parse
from kinetree.tracing import trace


@dataclass(frozen=True)
class Wander:
    """Two states that change places, one that counts, and results of all kinds; it ends after `most` steps at last."""

    repeats: ClassVar[bool] = True
    __name__: ClassVar[str] = "wander"
    size: int = 3

    def signature(self, robot: Any) -> Signature:
        text = "most(), gain(2,n), a(n), b(n), count() -> b(n), a(n), count(), c(2,n), d(), e(2), again()"
        return parse(text, n=self.size)

    def __call__(self, most: Any, gain: Any, a: Any, b: Any, count: Any) -> Any:
        following = [x + 0.1 * sin(y * g) for x, y, g in zip(a, b, gain[0])]
        again = (count < most) & (cos(a[0]) < 0.999)
        return a, following, count + 1.0, [b, gain[1]], 7.0, [count, count * a[-1]], select(again, 1.0, 0.0)


def arguments(batch: tuple[int, ...], size: int, kind: Any = float, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    most = rng.integers(0, 40, batch).astype(kind)
    shapes = [(2, size), (size,), (size,)]
    return [most, *(rng.normal(size=(*batch, *shape)).astype(kind) for shape in shapes), np.zeros(batch, kind)]


def expected(step: Wander, row: list[Any], kind: Any = float) -> list[Any]:
    """One state by the interpreter, step after step."""
    traced = trace(step)
    values = dict(zip((o.name for o in traced.operands), row))
    while True:
        flat = iter(evaluate(traced.outputs, {name: np.ravel(x) for name, x in values.items()}, kind))
        results = {r.name: np.array([next(flat) for _ in range(r.size)]).reshape(r.shape) for r in traced.results}
        if not results.pop("again") > 0:
            return [*results.values()]
        values |= {name: x for name, x in results.items() if name in values}
