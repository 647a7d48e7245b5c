"""Compiled values, first and second derivatives of quantities, for many samples at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.compile import compiled
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array
from kinetree.runtime.function import Function
from kinetree.signature import Signature, parse
from kinetree.transcribe.quantity import HIGHEST, CoordinateMap, SampleQuantity

VALUES, JACOBIAN, HESSIAN, GRADIENT = range(4)
_STEP = 1e-6  # of differences of gradients, relative


@dataclass(frozen=True)
class SampleFunction:
    """Quantities as one function of a sample z.

    Args:
        quantities: whose numbers it gives, one after the other.
        width: how many coordinates there are.
        order: of the highest derivative of these in z.
        output: VALUES, or also the JACOBIAN; of their weighted sum the gradient and the HESSIAN, or the GRADIENT alone.
        map: from the coordinates to the joints, None where they are these.
        parameters: how many numbers of the sample the quantities get.
    """

    quantities: tuple[SampleQuantity, ...]
    width: int
    order: int
    output: int
    map: CoordinateMap | None = None
    parameters: int = 0

    @property
    def __name__(self) -> str:
        return ("values", "jacobian", "hessian", "gradient")[self.output]

    def operands(self, robot: Mechanism) -> str:
        """What comes after z, as operands of a signature."""
        parameters = f", parameters({self.parameters})" if self.parameters else ""
        return parameters if self.map is None else f", {self.map.operand(robot)}{parameters}"

    def signature(self, robot: Mechanism) -> Signature:
        more = self.operands(robot)
        text = (
            f"z(nz){more} -> values(m)",
            f"z(nz){more} -> values(m), jacobian(m,nz)",
            f"z(nz), weights(m){more} -> gradient(nz), hessian(nz,nz)",
            f"z(nz), weights(m){more} -> gradient(nz)",
        )[self.output]
        return parse(text, robot, nz=self.width * (self.order + 1), m=sum(q.size(robot) for q in self.quantities))

    def arguments(self, robot: Mechanism, z: Sequence[Any], more: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The arguments of each quantity."""
        n = self.width
        parts = [z[n * r : n * (r + 1)] for r in range(self.order + 1)]
        parts += [[0.0] * n] * (HIGHEST - self.order)
        parameters, more = (more[-1], more[:-1]) if self.parameters else (None, more)
        if self.map is not None:
            parts = self.map.motion(robot, parts, more[-1])
        return [(robot, *parts, *((parameters,) if q.needs_parameters else ())) for q in self.quantities]

    def linearised(self, robot: Mechanism, z: Sequence[Any], more: Sequence[Any]) -> tuple[list[Any], list[list[Any]]]:
        """The values, and the rows of their Jacobian."""
        arguments = self.arguments(robot, z, more)
        each = [q.values(*given) for q, given in zip(self.quantities, arguments)]
        known = _jacobians(self.quantities, arguments) if self.map is None else [None] * len(each)
        rows = [row for values, own in zip(each, known) for row in _jacobian(values, own, z)]
        return [x for values in each for x in values], rows

    def __call__(self, robot: Mechanism, z: Sequence[Any], *more: Any) -> Any:
        if self.output == JACOBIAN:
            return self.linearised(robot, z, more)
        values = [x for q, given in zip(self.quantities, self.arguments(robot, z, more)) for x in q.values(*given)]
        if self.output == VALUES:
            return values
        gradient = pullback(values, more[0], z)
        if self.output == GRADIENT:
            return gradient
        H: list[list[Any]] = [[0.0] * len(z) for _ in z]
        for j, x in enumerate(z):
            for i, value in enumerate(pushforward(gradient[: j + 1], [x], [1.0])):
                H[i][j] = H[j][i] = value
        return gradient, H


def _jacobians(
    quantities: Sequence[SampleQuantity], arguments: Sequence[tuple[Any, ...]]
) -> list[list[list[Any]] | None]:
    """Of each quantity, None where it does not know it; one that several quantities are parts of is traced once."""
    whole: dict[SampleQuantity, list[list[Any]] | None] = {}
    found = []
    for q, given in zip(quantities, arguments):
        source, rows = q.part_of(given[0])
        if source not in whole:
            whole[source] = source.jacobian(*given)
        own = whole[source]
        found.append(own if own is None or rows is None else [[*own[r]] for r in rows])
    return found


def _jacobian(values: Sequence[Any], known: list[list[Any]] | None, z: Sequence[Any]) -> list[list[Any]]:
    """Of a quantity: its own where it knows it, else in forward mode, or of one number in reverse mode."""
    if known is not None:
        return [row + [0.0] * (len(z) - len(row)) for row in known]
    if len(values) == 1:
        return [pullback(values, [1.0], z)]
    columns = [pushforward(values, [x], [1.0]) for x in z]
    return [list(row) for row in zip(*columns)]


class SampleFunctions:
    """The functions of some quantities of a robot, compiled when first needed; arguments as for `SampleFunction`."""

    def __init__(
        self, robot: Any, quantities: Sequence[SampleQuantity], width: int, order: int,
        map: CoordinateMap | None = None, parameters: int = 0,
    ) -> None:  # fmt: skip
        self.robot, self.size = robot, sum(q.size(robot) for q in quantities)
        self._of, self._with = (tuple(quantities), width, order), (map, parameters)
        self._compiled: dict[int, Function] = {}
        self._scratch: Array = np.zeros((0, 0, 0, 0))

    def traced(self, output: int) -> SampleFunction:
        return SampleFunction(*self._of, output, *self._with)

    def __getitem__(self, output: int) -> Function:
        if output not in self._compiled:
            self._compiled[output] = compiled(self.traced(output), self.robot)
        return self._compiled[output]

    def jacobian_by_gradients(self, z: Array, *more: Array) -> Array:
        """The Jacobian of all values (k, m, nz), each row as a gradient: quick to compile."""
        rows = np.eye(self.size)
        return self[GRADIENT](z[:, None], rows, *(x[:, None] for x in more))

    def hessian_by_differences(self, z: Array, weights: Array, *more: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of the weighted sum, the latter by differences of the former: quick to compile."""
        gradient = self[GRADIENT]
        steps = _STEP * (1.0 + np.abs(z))
        k, n = z.shape
        if self._scratch.shape != (3, k, n, n):  # fresh memory of this size would cost more than filling it
            self._scratch = np.empty((3, k, n, n))
        around, there, H = (self._scratch[j] for j in range(3))
        around[...] = z[:, None, :]
        around[:, range(n), range(n)] += steps
        here = gradient(z, weights, *more)
        gradient(around, weights[:, None], *(x[:, None] for x in more), out=there)
        there -= here[:, None]
        there *= (0.5 / steps)[:, :, None]
        return here, np.add(there, there.transpose(0, 2, 1), out=H)
