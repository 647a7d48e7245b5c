"""The convex hull of points, by Quickhull [Barber, Dobkin, Huhdanpaa 1996].

From a tetrahedron on, the point farthest outside of a face is added: the faces that see it are replaced by those
between it and their border. Whatever rounding does to a border, the surface stays closed; a point within the
tolerance of a face counts as inside.
"""

from __future__ import annotations

import numpy as np

from kinetree.errors import ModelFileError

MAX_FACES = 50_000
_TOLERANCE = 1e-13  # of the largest coordinate

Array = np.ndarray


def convex_hull(points: Array) -> Array:
    """The faces (m, 3) of the hull of points (n, 3), numbers of points in the order that looks outward."""
    size = float(np.abs(points - points.mean(0)).max())
    hull = _Hull(points - points.mean(0), size * _TOLERANCE)
    while hull.grow():
        if len(hull.faces) > MAX_FACES:
            raise ModelFileError(f"the convex hull has more than {MAX_FACES} faces; use a coarser mesh")
    return hull.faces


class _Hull:
    """The faces so far, their planes, and the points outside: each with the face that it is farthest from."""

    def __init__(self, points: Array, tolerance: float) -> None:
        self.points, self.tolerance = points, tolerance
        corners = self._tetrahedron()
        self.faces = np.array([[corners[k] for k in face] for face in ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))])
        self.normals, self.offsets = self._planes(self.faces)
        self.waiting, self.owner, self.away = self._outside(np.arange(len(points)), self.normals, self.offsets)

    def grow(self) -> bool:
        """Add the farthest point outside; False where none is left."""
        if not len(self.waiting):
            return False
        farthest = np.argmax(self.away)
        apex = self.waiting[farthest]
        seen = self.normals @ self.points[apex] - self.offsets > self.tolerance
        seen[self.owner[farthest]] = True
        made = self._cone(self.faces[seen], apex)
        normals, offsets = self._planes(made)
        orphan = seen[self.owner]
        which, owner, away = self._outside(self.waiting[orphan & (self.waiting != apex)], normals, offsets)
        number = np.cumsum(~seen) - 1  # of the faces that stay
        self.waiting = np.concatenate([self.waiting[~orphan], which])
        self.owner = np.concatenate([number[self.owner[~orphan]], owner + (~seen).sum()])
        self.away = np.concatenate([self.away[~orphan], away])
        self.faces = np.concatenate([self.faces[~seen], made])
        self.normals = np.concatenate([self.normals[~seen], normals])
        self.offsets = np.concatenate([self.offsets[~seen], offsets])
        return True

    def _cone(self, seen: Array, apex: int) -> Array:
        """The faces between a point and the border of the faces that see it."""
        count = len(self.points)
        start, end = (np.concatenate([np.roll(seen, -k, axis=1)[:, 0] for k in range(j, j + 3)]) for j in (0, 1))
        border = ~np.isin(start * count + end, end * count + start)
        start, end = start[border], end[border]
        return np.stack([start, end, np.full(len(start), apex)], axis=1)

    def _planes(self, faces: Array) -> tuple[Array, Array]:
        """Outward unit normals, and the distances of the planes from the origin."""
        a, b, c = (self.points[faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals /= np.where(length > 0, length, 1.0)
        return normals, np.einsum("ij,ij->i", normals, a)

    def _outside(self, which: Array, normals: Array, offsets: Array) -> tuple[Array, Array, Array]:
        """Those of the points that are outside of a plane, the plane that each is farthest from, and how far."""
        owner, far = np.full(len(which), -1), np.full(len(which), self.tolerance)
        for k, (normal, offset) in enumerate(zip(normals, offsets)):
            away = self.points[which] @ normal - offset
            owner[away > far] = k
            far = np.maximum(far, away)
        return which[owner >= 0], owner[owner >= 0], far[owner >= 0]

    def _tetrahedron(self) -> list[int]:
        """Four points far from each other, the first three seen anticlockwise from outside."""
        x = self.points
        first = int(np.argmin(x[:, 0]))
        second = int(np.argmax(np.linalg.norm(x - x[first], axis=1)))
        across = np.cross(x - x[first], x[second] - x[first])
        third = int(np.argmax(np.linalg.norm(across, axis=1)))
        normal = np.cross(x[second] - x[first], x[third] - x[first])
        away = (x - x[first]) @ (normal / (np.linalg.norm(normal) or 1.0))
        fourth = int(np.argmax(np.abs(away)))
        if abs(away[fourth]) <= self.tolerance:
            raise ModelFileError("the points of the mesh lie in a plane; use a box, or give the body an <inertial>")
        return [first, third, second, fourth] if away[fourth] > 0 else [first, second, third, fourth]
