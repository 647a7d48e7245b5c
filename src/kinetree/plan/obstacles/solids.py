"""Obstacles as arrays of rounded boxes: all points within a radius of a box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.plan.obstacles.shapes import Core
from kinetree.runtime.arrays import Array, Indices


@dataclass(frozen=True, eq=False)
class Solids:
    """Axes (k, 3, 3), centres and half sizes (k, 3), radii, and those of balls around all of it."""

    axes: Array
    centre: Array
    half: Array
    radius: Array
    around: Array

    @staticmethod
    def of(cores: list[Core]) -> Solids:
        half, radius = np.array([core.half for core in cores]), np.array([core.radius for core in cores])
        around = np.linalg.norm(half, axis=1) + radius
        return Solids(np.array([c.axes for c in cores]), np.array([c.centre for c in cores]), half, radius, around)

    def distances(self, points: Array, which: Indices) -> Array:
        """Signed ones of points (k, 3), given from the centre, from some of them (k,)."""
        beyond = np.abs(np.matmul(points[:, None], self.axes[which])[:, 0]) - self.half[which]
        inside = np.minimum(beyond.max(axis=1), 0.0)
        return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + inside - self.radius[which]
