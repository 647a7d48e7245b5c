"""The runs of a batch as rows of arrays: initial states, wrenches on the bodies, and values of named parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.runtime.arrays import Array, plain
from kinetree.signature import MANY


@dataclass(frozen=True)
class Batch:
    """The runs that states, wrenches and parameters make together by broadcasting.

    Args:
        shape: of the batch; () for one run.
        q, qd: initial states (runs, nq), (runs, nv).
        external: wrenches (runs, nbodies, 6), if there are any.
        parameters: the values of the named parameters (runs), each.
    """

    shape: tuple[int, ...]
    q: Array
    qd: Array
    external: Array | None
    parameters: tuple[Array, ...]

    @staticmethod
    def of(q: Array, qd: Array, external: Array | None, parameters: Sequence[Array]) -> Batch:
        given = [] if external is None else [external]
        shapes = {"q0": [q.shape[:-1]], "qd0": [qd.shape[:-1]], "external": [x.shape[:-2] for x in given],
                  "parameters": [x.shape for x in parameters]}  # fmt: skip
        try:
            shape = np.broadcast_shapes(*(shape for each in shapes.values() for shape in each))
        except ValueError:
            named = ", ".join(f"{name} {shape}" for name, each in shapes.items() for shape in each if shape)
            raise InputError(f"the runs of the batch don't broadcast: {named}") from None
        loads = None if external is None else _rows(external, shape, 2)
        values = tuple(_rows(x, shape, 0) for x in parameters)
        return Batch(shape, _rows(q, shape, 1), _rows(qd, shape, 1), loads, values)

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def parameter_inputs(self) -> list[Array]:
        """The parameters as inputs of a compiled function, many of them as one array."""
        return [np.stack(self.parameters, axis=-1)] if len(self.parameters) > MANY else [*self.parameters]

    @property
    def step_inputs(self) -> list[Array]:
        """What a step takes besides the time and the state."""
        return self.parameter_inputs if self.external is None else [self.external, *self.parameter_inputs]


def checked(name: str, values: Any, shape: tuple[int, ...]) -> Array:
    """An array of finite numbers (..., *shape)."""
    try:
        x = np.asarray(plain(values, name), float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of real numbers: {error}") from None
    if x.shape[-len(shape) :] != shape:
        expected = "have {} numbers for each run" if len(shape) == 1 else "be (..., {}, {})"
        raise InputError(f"{name} must {expected.format(*shape)}, got an array of shape {x.shape}")
    if not np.isfinite(x).all():
        raise InputError(f"{name} has numbers that are not finite")
    return x


def _rows(x: Array, batch: tuple[int, ...], core: int) -> Array:
    """With the dimensions of the batch as one axis."""
    shape = x.shape[x.ndim - core :]
    return np.ascontiguousarray(np.broadcast_to(x, (*batch, *shape)).reshape(-1, *shape))
