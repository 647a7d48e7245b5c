"""A traced function as code is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from kinetree.lower.operand import Operand

if TYPE_CHECKING:
    from kinetree.graph.node import Node
    from kinetree.lower.program import Program


class Traced(Protocol):
    """What a function computes; see `kinetree.tracing.Trace`."""

    @property
    def operands(self) -> Sequence[Operand]: ...

    @property
    def results(self) -> Sequence[Operand]: ...

    @property
    def outputs(self) -> Sequence[Node]: ...

    @property
    def repeats(self) -> bool: ...


def lowered(traced: Traced, single: bool, *, chained: bool = False, fused: bool = True) -> Program:
    """Its straight-line program; with products in chains, for GPUs in single precision; with `fma` or not."""
    from kinetree.lower.program import lower  # not needed where the code is in the cache, as the passes

    own = traced.operands, traced.results, traced.outputs
    return lower(*own, single=single, repeats=traced.repeats, chained=chained, fused=fused)
