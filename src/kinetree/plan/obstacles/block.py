"""Distances of pairs at points of a motion, as rows of a nonlinear program; each row has its own point and pair."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kinetree.compile import compiled
from kinetree.plan.obstacles.distance import PairDerivatives
from kinetree.plan.obstacles.scene import Scene
from kinetree.transcribe.basis import Array, Basis, Indices


class ClearanceBlock:
    """Distances at some points of a motion; a `kinetree.transcribe.block.Block` whose points have one row each.

    Args:
        scene: whose pairs they are of.
        basis: of the motion.
        s: the points (k,), not falling.
        pairs: the index of the pair of each (k,).
        curved: whether second derivatives count. From far away a search does better without: those of distances make
            its matrix indefinite.
    """

    rows, packed = 1, False

    def __init__(self, scene: Scene, basis: Basis, s: Array, pairs: Indices, curved: bool = True) -> None:
        self.scene, self.basis, self.s, self.pairs, self.curved = scene, basis, s, pairs, curved
        self.n = scene.robot.nv
        table, self.points = basis.evaluate(s, 0)
        self.table = table[:, 0]
        own = (self.points[:, :, None] * self.n + np.arange(self.n)).reshape(len(s), -1)
        self.variables = np.concatenate([own, np.full((len(s), 1), basis.size * self.n)], axis=1)
        self._known: tuple[bytes, Array, Array] | None = None
        self._operands = scene.operands(pairs, np.zeros(len(s)))

    def names(self) -> list[str]:
        return ["clearance"]

    def _at(self, x: Array) -> tuple[Array, Array]:
        """Configurations, and what describes the pairs."""
        if self._known is None or self._known[0] != x.tobytes():
            P = x[:-1].reshape(-1, self.n)
            q = np.matmul(self.table[:, None], P[self.points])[:, 0]
            moved = self.scene.operands(self.pairs, self.s * x[-1]) if self.scene.moves else self._operands
            self._known = x.tobytes(), q, moved
        return self._known[1:]

    def values(self, x: Array) -> Array:
        return np.asarray(self.scene.distance(*self._at(x)), float)[:, None]

    @cached_property
    def _derivatives(self) -> Any:
        return compiled(PairDerivatives(), self.scene.robot)

    @cached_property
    def _products(self) -> Array:
        """Of basis functions, two each."""
        return (self.table[:, :, None] * self.table[:, None, :]).reshape(len(self.s), -1)

    def linearise(self, x: Array, y: Array, sigma: Array, starts: Indices) -> tuple[Array, Array]:
        n, p = self.n, self.table.shape[1]
        slopes, C = self._derivatives(*self._at(x), y[:, 0] if self.curved else 0.0, sigma[:, 0])
        J = np.empty((len(self.s), 1, p * n + 1))
        J[:, 0, :-1] = (self.table[:, :, None] * slopes[:, None, :n]).reshape(len(self.s), -1)
        J[:, 0, -1] = self.s * slopes[:, n]
        M = np.zeros((len(starts), p * n + 1, p * n + 1))
        inner = C[:, :n, :n].reshape(len(self.s), -1)
        for k, (a, b) in enumerate(zip(starts, (*starts[1:], len(self.s)))):
            both = (self._products[a:b].T @ inner[a:b]).reshape(p, p, n, n).transpose(0, 2, 1, 3)
            M[k, :-1, :-1] = both.reshape(p * n, p * n)
        if self.scene.moves:
            with_t = self.s[:, None] * (self.table[:, :, None] * C[:, None, :n, n]).reshape(len(self.s), -1)
            M[:, -1, :-1] = M[:, :-1, -1] = np.add.reduceat(with_t, starts, axis=0)
            M[:, -1, -1] = np.add.reduceat(self.s**2 * C[:, n, n], starts)
        return J, M
