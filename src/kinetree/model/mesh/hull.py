"""The convex hull of points, by Quickhull [Barber1996], in exact arithmetic.

From a tetrahedron on, the point farthest outside of a face is added: the faces that see it are replaced by those
between it and their border. Points are rounded to integers of 29 bits first, so that the side of a plane on which a
point lies, a sum of three products, is exact in two integers of 64 bits; floats decide where they can.
"""

from __future__ import annotations

import numpy as np

from kinetree.errors import ModelFileError

MAX_FACES = 50_000
_BITS = 29  # of coordinates; a normal has 61
_HALF = 30  # bits of the lower part of a normal
_UNSURE = 2.0**-18  # of |n|: floats within are wrong by less, for coordinates below 2^30
_THIN = 1e-5  # area by volume, in the unit of the integers: the rounding shows beyond
_PLANE = "the points of the mesh lie in a plane, or nearly; use a box, or give the body an <inertial>"

Array = np.ndarray


def convex_hull(points: Array) -> Array:
    """The faces (m, 3) of the hull of points (n, 3), numbers of points in the order that looks outward."""
    middle = (points.min(0) + points.max(0)) / 2
    size = np.abs(points - middle).max(0)  # stretching the axes does not change which points are on the hull
    hull = _Hull(np.rint((points - middle) * (2.0**_BITS / np.where(size > 0, size, 1.0))).astype(np.int64))
    while hull.grow():
        if len(hull.faces) > MAX_FACES:
            raise ModelFileError(f"the convex hull has more than {MAX_FACES} faces; use a coarser mesh")
    if hull.planes.lengths.sum() / 2 > _THIN * hull.planes.offsets.sum() / 6:
        raise ModelFileError(_PLANE)
    return hull.faces


class _Hull:
    """The faces so far, their planes, and the points outside: each with the face that it is farthest from."""

    def __init__(self, points: Array) -> None:
        self.points = points
        corners = self._tetrahedron()
        self.faces = np.array([[corners[k] for k in face] for face in ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))])
        self.planes = _Planes.of(points[self.faces])
        self.waiting, self.owner, self.away = self._outside(np.arange(len(points)), self.planes)

    def grow(self) -> bool:
        """Add the farthest point outside; False where none is left."""
        if not len(self.waiting):
            return False
        apex = self.waiting[np.argmax(self.away)]
        seen = self.planes.heights(self.points[apex]) > 0
        made = self._cone(self.faces[seen], apex)
        planes = _Planes.of(self.points[made])
        orphan = seen[self.owner]
        which, owner, away = self._outside(self.waiting[orphan & (self.waiting != apex)], planes)
        number = np.cumsum(~seen) - 1  # of the faces that stay
        self.waiting = np.concatenate([self.waiting[~orphan], which])
        self.owner = np.concatenate([number[self.owner[~orphan]], owner + (~seen).sum()])
        self.away = np.concatenate([self.away[~orphan], away])
        self.faces = np.concatenate([self.faces[~seen], made])
        self.planes = self.planes.replaced(~seen, planes)
        return True

    def _cone(self, seen: Array, apex: int) -> Array:
        """The faces between a point and the border of the faces that see it."""
        count = len(self.points)
        start, end = (np.concatenate([seen[:, (k + j) % 3] for k in range(3)]) for j in (0, 1))
        border = ~np.isin(start * count + end, end * count + start)
        start, end = start[border], end[border]
        return np.stack([start, end, np.full(len(start), apex)], axis=1)

    def _outside(self, which: Array, planes: _Planes) -> tuple[Array, Array, Array]:
        """Those of the points that are outside of a plane, the plane that each is farthest from, and how far."""
        owner, far = np.full(len(which), -1), np.zeros(len(which))
        points = self.points[which]
        for k in range(len(planes.anchors)):
            away = planes.heights(points, k) / planes.lengths[k]
            owner[away > far] = k
            far = np.maximum(far, away)
        return which[owner >= 0], owner[owner >= 0], far[owner >= 0]

    def _tetrahedron(self) -> list[int]:
        """Four points far from each other, the first three seen anticlockwise from outside."""
        x = self.points.astype(float)
        first = int(np.argmin(x[:, 0]))
        second = int(np.argmax(np.linalg.norm(x - x[first], axis=1)))
        third = int(np.argmax(np.linalg.norm(np.cross(x - x[first], x[second] - x[first]), axis=1)))
        heights = _Planes.of(self.points[[[first, second, third]]]).heights(self.points, 0)
        fourth = int(np.argmax(np.abs(heights)))
        if heights[fourth] == 0:
            raise ModelFileError(_PLANE)
        return [first, third, second, fourth] if heights[fourth] > 0 else [first, second, third, fourth]


class _Planes:
    """Planes of triangles: normals (m, 3) and points on them (m, 3), exact; both as floats, too."""

    def __init__(self, normals: Array, anchors: Array) -> None:
        self.normals, self.anchors = normals, anchors
        self.floats = normals.astype(float)
        self.offsets = np.einsum("ij,ij->i", self.floats, anchors.astype(float))
        self.slack = np.abs(self.floats).sum(1) * _UNSURE
        self.lengths = np.sqrt(np.einsum("ij,ij->i", self.floats, self.floats))

    @staticmethod
    def of(corners: Array) -> _Planes:
        a, b, c = (corners[:, k] for k in range(3))
        return _Planes(np.cross(b - a, c - a), a)

    def replaced(self, kept: Array, others: _Planes) -> _Planes:
        """Some of these planes, and others behind them."""
        result = _Planes.__new__(_Planes)
        for name, values in vars(self).items():
            setattr(result, name, np.concatenate([values[kept], getattr(others, name)]))
        return result

    def heights(self, points: Array, plane: int | None = None) -> Array:
        """n . (p - a), of the right sign: of points (k, 3) over one plane, or of one point (3,) over each."""
        which = slice(None) if plane is None else plane
        values = self.floats[which] @ points.astype(float).T - self.offsets[which]
        unsure = np.flatnonzero(np.abs(values) < self.slack[which])
        if len(unsure):
            normals, anchors = self.normals[which], self.anchors[which]
            if plane is None:
                values[unsure] = _exact(normals[unsure], points - anchors[unsure])
            else:
                values[unsure] = _exact(normals, points[unsure] - anchors)
        return values


def _exact(normals: Array, offsets: Array) -> Array:
    """Products of normals and offsets as floats of the right sign: the sums of upper and of lower parts are exact."""
    upper = ((normals >> _HALF) * offsets).sum(-1)
    lower = ((normals & (2**_HALF - 1)) * offsets).sum(-1)
    return (upper + (lower >> _HALF)) * 2.0**_HALF + (lower & (2**_HALF - 1))
