"""How much a motion tells of the base parameters of a robot, as a cost of a planning problem.

A motion gives the observation matrix W, the regressor at many of its instants one below the other, each row over the
size of its joint's force. A = W^T W / instants is the information on the parameters; C is A with columns of W of
length one. The cost is

    J = - log det(A) / p + log(tr(C^-1) / p),        p parameters:

the mean logarithm of their variances, which asks for large motions, and the logarithm of the mean factor by which these
are larger than if no other parameter were there, which asks for columns that differ: a small condition number.
With G = dJ/dA the gradient is dJ = 2 <W G, dW> / instants. Curvature is learnt from gradients.
Reference: [Swevers1997] for the determinant; [Nocedal2006] procedure 18.2 for the curvature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.closed_chain import Actuation, Loops
from kinetree.algorithms.regressor import regressor
from kinetree.closed import ClosedChain
from kinetree.identify.base_parameters import BaseParameters
from kinetree.identify.fourier import Fourier
from kinetree.model.mechanism import Mechanism
from kinetree.plan.block import Block
from kinetree.plan.kernel import Kernel
from kinetree.plan.quantity import Quantity
from kinetree.plan.spline import Spline
from kinetree.plan.transcription import Rows, Transcription
from kinetree.plan.way import Way
from kinetree.scalar import sqrt

Array = NDArray[np.float64]
INSTANTS = 20  # for each harmonic
_POWELL = 0.2  # of the curvature so far, what a step must show at least


@dataclass(frozen=True)
class Observation(Quantity):
    """Columns of the regressor, row by row over the size of the force there.

    Args:
        columns: of `Robot.regressor`.
        sizes: of the forces [N m, N].
        dry: rows, columns and factors of dry friction, whose jump is smoothed,
        slow: over these velocities [rad/s, m/s].
        drives: of a closed chain, whose rows are those of its independent joints.
    """

    columns: tuple[int, ...] = ()
    sizes: tuple[float, ...] = ()
    dry: tuple[tuple[int, int, float], ...] = ()
    slow: tuple[float, ...] = ()
    actuation: Actuation | None = None

    def size(self, robot: Mechanism) -> int:
        return len(self.sizes) * len(self.columns)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"observation {k}" for k in range(self.size(robot))]

    def values(self, robot: Mechanism, q: Any, qd: Any, qdd: Any, qddd: Any) -> list[Any]:
        rows = regressor(robot, q, qd, qdd)
        for row, column, factor in self.dry:
            rows[row][column] = factor * qd[row] / sqrt(qd[row] * qd[row] + self.slow[row] ** 2)
        columns = [[row[c] for row in rows] for c in self.columns]
        if self.actuation is not None:
            loops = Loops(robot, self.actuation, q)
            columns = [loops.projected(column) for column in columns]
        return [column[k] * (1.0 / size) for k, size in enumerate(self.sizes) for column in columns]


def observation(base: BaseParameters, sizes: Sequence[float], slow: Sequence[float]) -> Observation:
    """What a robot's base parameters show of themselves in one instant."""
    tree = base.tree
    first = 10 * tree.nbodies + sum(body.joint.kind.nv for body in tree.bodies)
    moved = [(row, body) for body, rows in zip(tree.bodies, tree.v_slices) for row in range(tree.nv)[rows]]
    dry = tuple(
        (row, column, abs(float(body.joint.mimic_multiplier))) for column, (row, body) in enumerate(moved, first)
    )
    actuation = base.robot.actuation if isinstance(base.robot, ClosedChain) else None
    return Observation(base.columns, tuple(sizes), dry, tuple(slow), actuation)


class Information:
    """The cost J of a motion, with its gradient and a positive definite stand-in for its second derivative."""

    def __init__(self, base: BaseParameters, basis: Fourier, what: Observation, way: Way | None = None) -> None:
        count = INSTANTS * basis.harmonics
        places = np.arange(count) / count
        self.block = Block(base.geometry, cast(Spline, basis), [what], places, way)
        mapping = None if way is None else way.mapping
        self.slopes = Kernel(base.geometry, [what], what.order, mapping).function(1)  # W and dW/dz of an instant
        self.way = way
        self._near: Array | None = None
        self.parameters = len(base)
        self._x: Array = np.zeros(0)
        self._gradient: Array = np.zeros(0)
        self._curvature: Array | None = None
        self._before: tuple[Array, Array] | None = None

    def rows(self, x: Array) -> Array:
        """W (instants nv, p)."""
        return self.block.values(x).reshape(-1, self.parameters)

    def value(self, x: Array) -> float:
        w = self.rows(x)
        return criterion(w.T @ w / self.block.count)[0]

    def gradient(self, x: Array) -> Array:
        if not np.array_equal(x, self._x):
            w, count = self.rows(x), self.block.count
            by = (2.0 / count) * (w @ criterion(w.T @ w / count)[1])
            # with respect to the instants first: there are fewer numbers in these than unknowns
            of_instants = by.reshape(count, 1, -1) @ self.slopes(*self._given(self.block.instants(x)))[1]
            found = self.block.chained(of_instants, x).sum(axis=0)[0]
            found[-1] = 0.0  # the duration is given
            self._x, self._gradient = x.copy(), found
        return self._gradient

    def _given(self, z: Array) -> tuple[Array, ...]:
        """Instants, with closed postures beside those of a closed chain."""
        if self.way is None:
            return (z,)
        given = self.way.given(z, self._near)
        self._near = given[1]
        return given

    def hessian(self, x: Array) -> Array:
        """Learnt from the gradients at the points where it was asked for, and damped to stay positive definite."""
        gradient = self.gradient(x)
        if self._curvature is None or self._before is None:
            self._curvature = np.eye(len(x)) / self.parameters
        else:
            step, change = x - self._before[0], gradient - self._before[1]
            along = self._curvature @ step
            least = float(step @ along)
            if least > 0.0:
                seen = float(step @ change)
                part = 1.0 if seen >= _POWELL * least else (1.0 - _POWELL) * least / (least - seen)
                change = part * change + (1.0 - part) * along
                self._curvature = self._curvature - np.outer(along, along) / least
                self._curvature += np.outer(change, change) / float(step @ change)
        self._before = x.copy(), gradient.copy()
        return self._curvature


def criterion(a: Array) -> tuple[float, Array]:
    """J for an information matrix, and dJ/dA; infinite where a parameter can't be seen."""
    p, diagonal = len(a), np.diag(a)
    if not (diagonal > 0.0).all() or not np.isfinite(a).all():
        return np.inf, np.zeros_like(a)
    d = 1.0 / np.sqrt(diagonal)
    c = a * d[:, None] * d
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(c))
    except np.linalg.LinAlgError:
        return np.inf, np.zeros_like(a)
    inverse = inverse.T @ inverse
    total = float(np.trace(inverse))
    value = float(-np.linalg.slogdet(c)[1] + 2.0 * np.log(d).sum()) / p + np.log(total / p)
    of_c = -inverse @ inverse / total
    slope = (of_c - inverse / p) * d[:, None] * d - np.diag((of_c * c).sum(axis=1) / diagonal)
    return float(value), slope


class Exciting(Transcription):
    """Limits on a motion, and the information that it gives as the cost."""

    def __init__(self, size: int, rows: Sequence[Rows], information: Information) -> None:
        super().__init__(size, rows, [], 0.0)
        self.information = information

    def objective(self, x: Array) -> float:
        return self.information.value(x)

    def gradient(self, x: Array) -> Array:
        return self.information.gradient(x)

    def condensed(self, x: Array, multipliers: Array, weights: Array) -> Array:
        return super().condensed(x, multipliers, weights) + self.information.hessian(x)
