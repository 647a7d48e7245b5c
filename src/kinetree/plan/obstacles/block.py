"""Distances of pairs at points of a motion, as rows of a nonlinear program; each row has its own point and pair."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kinetree.compile import compiled
from kinetree.plan.coordinates import PlanCoordinates
from kinetree.plan.obstacles.at_point import DistanceAtPoint, DistanceDerivativesAtPoint
from kinetree.plan.obstacles.distance import PairDerivatives
from kinetree.plan.obstacles.scene import Scene
from kinetree.plan.quantity import Derivative
from kinetree.runtime.function import Function
from kinetree.transcribe.basis import Array, Basis, Indices
from kinetree.transcribe.collocation import LARGEST
from kinetree.transcribe.sample import HESSIAN, JACOBIAN, SampleFunctions


class ClearanceBlock:
    """Distances at some points of a motion; a `kinetree.transcribe.block.Block` whose points have one row each.

    Args:
        scene: whose pairs they are of.
        basis: of the motion.
        s: the points (k,), not falling.
        pairs: the index of the pair of each (k,).
        curved: whether second derivatives count. From far away a search does better without: those of distances make
            its matrix indefinite.
        coordinates: of the motion; the joints by default.
    """

    rows = 1

    def __init__(
        self, scene: Scene, basis: Basis, s: Array, pairs: Indices, curved: bool = True,
        coordinates: PlanCoordinates | None = None,
    ) -> None:  # fmt: skip
        self.scene, self.basis, self.s, self.pairs, self.curved = scene, basis, s, pairs, curved
        self.coordinates = None if coordinates is None or coordinates.are_joints else coordinates
        self.n = scene.robot.nv if self.coordinates is None else self.coordinates.size
        self._joints: tuple[bytes, Array] | None = None  # variables, and the positions of all joints there
        table, self.points = basis.evaluate(s, 0)
        self.table = table[:, 0]
        own = (self.points[:, :, None] * self.n + np.arange(self.n)).reshape(len(s), -1)
        self.variables = np.concatenate([own, np.full((len(s), 1), basis.size * self.n)], axis=1)
        self._operands = scene.operands(pairs, np.zeros(len(s)))

    @property
    def packed(self) -> bool:
        """Whether one compiled function does all that a step needs."""
        return self.coordinates is None and self.variables.shape[1] <= LARGEST

    def names(self) -> list[str]:
        return ["clearance"]

    def needed_functions(self) -> list[Function]:
        """The compiled functions that `values` and `linearise` call."""
        return [self._distance, self._derivatives]

    @cached_property
    def _distance(self) -> Function:
        if self.coordinates is not None:
            return self.scene.distance
        return compiled(DistanceAtPoint(self.table.shape[1]), self.scene.robot)

    @cached_property
    def _derivatives(self) -> Function:
        whole = DistanceDerivativesAtPoint(self.table.shape[1]) if self.packed else PairDerivatives()
        return compiled(whole, self.scene.robot)

    def _pairs_at(self, x: Array) -> Array:
        """What describes the pairs."""
        return self.scene.operands(self.pairs, self.s * x[-1]) if self.scene.moves else self._operands

    def values(self, x: Array) -> Array:
        if self.coordinates is not None:
            return np.asarray(self._distance(self._positions(x)[1], self._pairs_at(x)), float)[:, None]
        return np.asarray(self._distance(x[self.variables], self.table, self._pairs_at(x)), float)[:, None]

    def linearise(self, x: Array, y: Array, sigma: Array, starts: Indices) -> tuple[Array, Array]:
        weights = (y if self.curved else np.zeros_like(y))[:, 0], sigma[:, 0]
        if not self.packed:
            return self._linearised(x, *weights, starts)
        return self._derivatives(x[self.variables], self.table, self._pairs_at(x), self.s, *weights)

    def _positions(self, x: Array) -> tuple[Array, Array]:
        """Of the coordinates, and of all joints."""
        z = np.matmul(self.table[:, None], x[:-1].reshape(-1, self.n)[self.points])[:, 0]
        if self.coordinates is None:
            return z, z
        if self._joints is None or self._joints[0] != x.tobytes():
            near = None if self._joints is None else self._joints[1]
            self._joints = x.tobytes(), self.coordinates.positions(z, near)
        return z, self._joints[1]

    @cached_property
    def _of_joints(self) -> SampleFunctions:
        """The positions of all joints as functions of the coordinates."""
        own = None if self.coordinates is None else self.coordinates.map
        return SampleFunctions(self.scene.robot, [Derivative(0)], self.n, 0, own)

    def _in_coordinates(self, z: Array, q: Array, slopes: Array, C: Array, y: Array) -> tuple[Array, Array]:
        """Gradients and matrices with respect to coordinates and time from those with respect to joints and time.

        With q(z), G = dq/dz and the gradient g of a distance the second derivative of y d is G^T D G + y g . d2q/dz2.
        """
        if self.coordinates is None:
            return slopes, C
        k, n, nv = len(z), self.n, q.shape[1]
        functions = self._of_joints
        G = np.zeros((k, nv + 1, n + 1))
        G[:, :nv, :n], G[:, nv, n] = functions[JACOBIAN](z, q)[1], 1.0
        M = np.matmul(np.matmul(G.transpose(0, 2, 1), C), G)
        if self.curved:
            M[:, :n, :n] += functions[HESSIAN](z, y[:, None] * slopes[:, :nv], q)[1]
        return np.matmul(slopes[:, None], G)[:, 0], M

    def _linearised(self, x: Array, y: Array, sigma: Array, starts: Indices) -> tuple[Array, Array]:
        """The same of points with many variables, or of closed chains, in NumPy."""
        n, p, (z, q) = self.n, self.table.shape[1], self._positions(x)
        slopes, C = self._derivatives(q, self._pairs_at(x), y, sigma)
        slopes, C = self._in_coordinates(z, q, slopes, C, y)
        J = np.empty((len(self.s), 1, p * n + 1))
        J[:, 0, :-1] = (self.table[:, :, None] * slopes[:, None, :n]).reshape(len(self.s), -1)
        J[:, 0, -1] = self.s * slopes[:, n]
        M = np.zeros((len(starts), p * n + 1, p * n + 1))
        products = (self.table[:, :, None] * self.table[:, None, :]).reshape(len(self.s), -1)
        inner = C[:, :n, :n].reshape(len(self.s), -1)
        for k, (a, b) in enumerate(zip(starts, (*starts[1:], len(self.s)))):
            both = (products[a:b].T @ inner[a:b]).reshape(p, p, n, n).transpose(0, 2, 1, 3)
            M[k, :-1, :-1] = both.reshape(p * n, p * n)
        if self.scene.moves:
            with_t = self.s[:, None] * (self.table[:, :, None] * C[:, None, :n, n]).reshape(len(self.s), -1)
            M[:, -1, :-1] = M[:, :-1, -1] = np.add.reduceat(with_t, starts, axis=0)
            M[:, -1, -1] = np.add.reduceat(self.s**2 * C[:, n, n], starts)
        return J, M
