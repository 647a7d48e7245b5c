"""Functions of Dask arrays: lazily, block by block, without a copy.

Dask fuses the tasks that make the blocks of arguments with those that use them only if no dimension ends there.
Otherwise a block of q is often made on another worker than that of qd, and sent; and `dask.array.apply_gufunc` ends all
cores, copies every block, and calls with arrays of length 1. So here the dimensions of the cores of arguments and
results have the same names, though not the same sizes, and results have as many of them as arguments at least: some of
size 1, which are taken off afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.runtime.arrays import plain

if TYPE_CHECKING:
    from kinetree.runtime.function import Function


def is_dask(a: Any) -> bool:
    """Whether it is a Dask array (an xarray has Dask's methods too, and is none)."""
    return type(a).__module__.startswith("dask.array")


def call(function: Function, args: Sequence[Any]) -> Any:
    """The results as Dask arrays; the cores of all arrays are in one block each."""
    arrays = [a if is_dask(a) else plain(a, o.name) for a, o in zip(args, function.operands)]
    function.check_shapes(arrays)
    blocks = _Blocks(function, arrays)
    dtype = np.float32 if function.is_single(arrays) else np.float64
    if len(function.results) == 1:
        return blocks.result(function, blocks.arguments, function.results[0].shape, dtype)
    # blocks of all results together, of which each takes its own
    together = blocks.mapped(function, blocks.arguments, (), object), blocks.rank
    return tuple(blocks.result(_OneOf(k), [together], r.shape, dtype) for k, r in enumerate(function.results))


class _Blocks:
    """Arguments that have the same blocks along the dimensions of the batch.

    Args:
        function: which takes them.
        arrays: of Dask, or of NumPy; those of NumPy that have no batch come as they are.
    """

    def __init__(self, function: Function, arrays: Sequence[Any]) -> None:
        import dask.array as da
        from dask.array.core import unify_chunks

        ranks = [
            len(o.shape) if is_dask(a) or a.ndim > len(o.shape) else None for a, o in zip(arrays, function.operands)
        ]
        self.batch = [f"b{k}" for k in range(max(a.ndim - rank for a, rank in zip(arrays, ranks) if rank is not None))]
        self.rank = max(rank for rank in ranks if rank is not None)
        given: list[Any] = []
        for k, (a, rank) in enumerate(zip(arrays, ranks)):
            if rank is None:
                given += [a, None]
            else:  # cores of the same size need not be the same
                whole = da.asarray(a).rechunk({a.ndim - 1 - d: -1 for d in range(rank)})
                given += [whole, self.names(a, [f"{k}.{d}" for d in range(rank)])]
        self.chunks, aligned = unify_chunks(*given)
        self.arguments = [*zip(aligned, ranks)]

    def names(self, a: Any, core: Sequence[str]) -> list[str]:
        """Those of the dimensions of an array."""
        return [*self.batch[len(self.batch) - (a.ndim - len(core)) :], *core]

    def mapped(self, call: Any, arguments: Sequence[tuple[Any, int | None]], core: tuple[int, ...], dtype: Any) -> Any:
        """A call on all blocks, whose results have a core of the rank of the arguments' at least."""
        import dask.array as da

        core = (*core, *(1,) * (self.rank - len(core)))
        sizes = {f"c{d}": size for d, size in enumerate(core)}
        ends = [*sizes]
        names = [None if rank is None else self.names(a, ends[:rank]) for a, rank in arguments]
        return da.blockwise(
            call,
            [*self.batch, *ends],
            *(x for (a, _), own in zip(arguments, names) for x in (a, own)),
            new_axes={name: sizes[name] for name in ends[self.rank :]},
            adjust_chunks={name: self.chunks.get(name, sizes.get(name)) for name in (*self.batch, *ends[: self.rank])},
            align_arrays=False,  # cores that share a name differ in size
            dtype=dtype,
            meta=np.empty((0,) * (len(self.batch) + len(core)), dtype),
        )

    def result(self, call: Any, arguments: Sequence[tuple[Any, int | None]], core: tuple[int, ...], dtype: Any) -> Any:
        """The same without the dimensions that the core has not."""
        more = tuple(range(len(self.batch) + len(core), len(self.batch) + self.rank))
        if not more:
            return self.mapped(call, arguments, core, dtype)
        return self.mapped(_Deep(call, len(more)), arguments, core, dtype).squeeze(axis=more)


@dataclass(frozen=True)
class _OneOf:
    """One of the results of a block."""

    number: int

    def __call__(self, found: tuple[Any, ...]) -> Any:
        return found[self.number]


@dataclass(frozen=True)
class _Deep:
    """A call whose result gets some more dimensions, of size 1."""

    call: Any
    more: int

    @property
    def __name__(self) -> str:
        return getattr(self.call, "__name__", "result")

    def __call__(self, *blocks: Any) -> Any:
        found = self.call(*blocks)
        return found.reshape(*found.shape, *(1,) * self.more)
