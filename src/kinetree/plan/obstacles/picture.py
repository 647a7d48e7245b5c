"""Obstacles as solids of a picture."""

from __future__ import annotations

import numpy as np

from kinetree.plan.obstacles.scene import Scene
from kinetree.plan.obstacles.shapes import Capsule, HalfSpace, MovingObstacle, Solid, Sphere, axes_along
from kinetree.runtime.arrays import Array
from kinetree.scene import Fixture


def fixtures(scene: Scene, t: Array) -> list[Fixture]:
    """The obstacles of a scene, with the paths of those that move at times (n,) [s]."""
    return [_fixture(obstacle, scene.begin + t) for obstacle in scene.obstacles]


def _fixture(obstacle: Solid, t: Array) -> Fixture:
    moves = isinstance(obstacle, MovingObstacle)
    shape = obstacle.shape if moves else obstacle
    path = obstacle.along(t)[:, 0] if moves else None
    kind, size, axes, place = _solid(shape)
    return Fixture(kind, size, np.column_stack([axes, place]), obstacle.name, path)


def _solid(shape: Solid) -> tuple[str, list[float], Array, Array]:
    """The kind, the sizes, the axes and the place."""
    if isinstance(shape, Sphere):
        return "sphere", [shape.radius], np.eye(3), np.array(shape.center)
    if isinstance(shape, Capsule):
        start, way = np.array(shape.start), np.subtract(shape.end, shape.start)
        far = float(np.linalg.norm(way))
        if not far > 0.0:
            return "sphere", [shape.radius], np.eye(3), start
        return "capsule", [shape.radius, far], _z_along(way / far), start
    if isinstance(shape, HalfSpace):
        return "plane", [], _z_along(np.array(shape.normal)), np.array(shape.point)
    core = shape.core  # a box
    return "box", core.half.tolist(), core.axes, core.centre


def _z_along(direction: Array) -> Array:
    return np.roll(axes_along(direction), -1, axis=1)
