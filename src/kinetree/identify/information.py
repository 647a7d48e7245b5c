"""The information that a motion gives on the base parameters of a robot, as a cost of a planning problem.

A motion gives the observation matrix W, the regressor at many of its samples one below the other, each row over the
size of its joint's force. A = W^T W / samples is the information on the parameters; C is A with columns of W of
length one. The cost is

    J = - log det(A) / p + log(tr(C^-1) / p),        p parameters:

the mean logarithm of their variances, which asks for large motions, and the logarithm of the mean factor by which these
are larger than if no other parameter were there, which asks for columns that differ: a small condition number.
With G = dJ/dA the gradient is dJ = 2 <W G, dW> / samples. The Hessian is a quasi-Newton one.
Reference: [Swevers1997] for the determinant; [Nocedal2006] procedure 18.2 for the curvature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.algorithms.closed_chain import Actuation, Loops
from kinetree.algorithms.regressor import regressor
from kinetree.closed import ClosedChain
from kinetree.identify.base_parameters import BaseParameters
from kinetree.model import Mechanism
from kinetree.nlp.problem import Bounds, Linearisation
from kinetree.plan.quantity import Quantity
from kinetree.runtime.arrays import Array
from kinetree.scalar import sqrt
from kinetree.transcribe.block import CollocationBlock
from kinetree.transcribe.constraints import BoundedBlock
from kinetree.transcribe.fourier import Fourier
from kinetree.transcribe.quantity import Coordinates
from kinetree.transcribe.sample import JACOBIAN
from kinetree.transcribe.transcription import Transcription

_PER_INTERVAL = 5  # samples in each of the four knot intervals of a harmonic
_POWELL = 0.2  # of the curvature so far, the least that a step may have


@dataclass(frozen=True)
class Observation(Quantity):
    """Columns of the regressor, row by row over the size of the force there.

    Args:
        columns: of `Robot.regressor`.
        sizes: of the forces [N m, N].
        coulomb: rows, columns and factors of Coulomb friction, whose jump is smoothed,
        slow: over these velocities [rad/s, m/s].
        actuation: of a closed chain, whose rows are those of its independent joints.
    """

    columns: tuple[int, ...] = ()
    sizes: tuple[float, ...] = ()
    coulomb: tuple[tuple[int, int, float], ...] = ()
    slow: tuple[float, ...] = ()
    actuation: Actuation | None = None

    def size(self, robot: Mechanism) -> int:
        return len(self.sizes) * len(self.columns)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"observation {k}" for k in range(self.size(robot))]

    def values(self, robot: Mechanism, q: Any, qd: Any, qdd: Any, qddd: Any) -> list[Any]:
        rows = regressor(robot, q, qd, qdd)
        for row, column, factor in self.coulomb:
            rows[row][column] = factor * qd[row] / sqrt(qd[row] * qd[row] + self.slow[row] ** 2)
        columns = [[row[c] for row in rows] for c in self.columns]
        if self.actuation is not None:
            loops = Loops(robot, self.actuation, q)
            columns = [loops.projected(column) for column in columns]
        return [column[k] * (1.0 / size) for k, size in enumerate(self.sizes) for column in columns]


def observation(base: BaseParameters, sizes: Sequence[float], slow: Sequence[float]) -> Observation:
    """The observation of a robot's base parameters in one sample."""
    tree = base.tree
    first = 10 * tree.nbodies + sum(body.joint.kind.nv for body in tree.bodies)
    moved = [(row, body.joint) for body, rows in zip(tree.bodies, tree.v_slices) for row in range(tree.nv)[rows]]
    factors = ((row, column, joint.mimic_multiplier) for column, (row, joint) in enumerate(moved, first))
    coulomb = tuple((row, column, abs(float(factor))) for row, column, factor in factors)
    actuation = base.robot.actuation if isinstance(base.robot, ClosedChain) else None
    return Observation(base.columns, tuple(sizes), coulomb, tuple(slow), actuation)


class Information:
    """The cost J of a motion, with its gradient and a positive definite approximation of its Hessian."""

    def __init__(self, base: BaseParameters, basis: Fourier, what: Observation, coordinates: Coordinates) -> None:
        s, _ = basis.quadrature(_PER_INTERVAL)
        self.block = CollocationBlock(base.geometry, basis, coordinates, [what], s)
        self.parameters = len(base)
        self._x: Array = np.zeros(0)
        self._gradient: Array = np.zeros(0)
        self._curvature: Array | None = None
        self._before: tuple[Array, Array] | None = None

    def rows(self, x: Array) -> Array:
        """W (samples nv, p)."""
        return self.block.values(x).reshape(-1, self.parameters)

    def value(self, x: Array) -> float:
        w = self.rows(x)
        return criterion(w.T @ w / len(self.block.s))[0]

    def gradient(self, x: Array) -> Array:
        if not np.array_equal(x, self._x):
            w, count, block = self.rows(x), len(self.block.s), self.block
            weights = (2.0 / count) * (w @ criterion(w.T @ w / count)[1])
            # with respect to the samples first: there are fewer numbers in these than variables
            jacobian = block.functions[JACOBIAN](*block.operands(block.samples(x)))[1]
            found = block.chained(weights.reshape(count, 1, -1) @ jacobian, x).sum(axis=0)[0]
            found[-1] = 0.0  # the duration is given
            self._x, self._gradient = x.copy(), found
        return self._gradient

    def hessian(self, x: Array) -> Array:
        """By damped BFGS updates between the points where it was asked for."""
        gradient = self.gradient(x)
        if self._curvature is None or self._before is None:
            self._curvature = np.eye(len(x)) / self.parameters
        else:
            step, change = x - self._before[0], gradient - self._before[1]
            along = self._curvature @ step
            least = float(step @ along)
            if least > 0.0:
                found = float(step @ change)
                part = 1.0 if found >= _POWELL * least else (1.0 - _POWELL) * least / (least - found)
                change = part * change + (1.0 - part) * along
                self._curvature = self._curvature - np.outer(along, along) / least
                self._curvature += np.outer(change, change) / float(step @ change)
        self._before = x.copy(), gradient.copy()
        return self._curvature


def criterion(a: Array) -> tuple[float, Array]:
    """J for an information matrix, and dJ/dA; infinite where a parameter is not identifiable."""
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
    """Constraints of a motion, and the information that it gives as the objective: a `kinetree.nlp.Problem`."""

    exact_hessian = False

    def __init__(self, bounds: Bounds, constraints: Sequence[BoundedBlock], information: Information) -> None:
        super().__init__(bounds, constraints, packed=False)
        self.information = information

    def objective(self, x: Array) -> float:
        return self.information.value(x)

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        free, of_constraints = self.bounds.free, super().linearise(x, y, sigma)
        hessian = objective_weight * self.information.hessian(x)[np.ix_(free, free)]
        gradient = self.information.gradient(x)[free]
        return Linearisation(gradient, of_constraints.jacobian, of_constraints.matrix + hessian)
