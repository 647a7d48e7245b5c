"""Volume, centre and moments of what a mesh encloses, by the divergence theorem; in the ways of MuJoCo.

"exact" adds up the signed pyramids over the faces. "legacy" takes their sizes without signs, about the centroid of
the faces and then about the centre of mass: too much where the mesh is not convex. "shell" is the surface itself,
and "convex" what its convex hull encloses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.errors import ModelFileError
from kinetree.model.mesh.file import Surface
from kinetree.model.mesh.hull import convex_hull

WAYS = ("convex", "exact", "legacy", "shell")
_LEAST = 1e-14  # of a volume [m^3], as in MuJoCo

Array = np.ndarray


@dataclass(frozen=True)
class MeshMass:
    """Of density one: the volume [m^3] or area [m^2], the centre [m], and the inertia matrix about it (3, 3)."""

    volume: float
    centre: Array
    inertia: Array


def mesh_mass(mesh: Surface, way: str, strict: bool = True) -> MeshMass:
    """The mass of a mesh.

    Args:
        mesh: scaled, with faces that look outward.
        way: one of `WAYS`.
        strict: refuse open meshes where the way is "exact"; else pyramids over the faces that are there count, with
            their tops in the middle, as in MuJoCo.
    """
    faces = convex_hull(mesh.points) if way == "convex" or mesh.faces is None else mesh.faces
    if strict and way == "exact" and mesh.faces is not None:
        _check_closed(mesh)
    corners = mesh.points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.sqrt(np.einsum("ij,ij->i", normals, normals)) / 2
    if not areas.sum() >= _LEAST:
        raise ModelFileError("the mesh has no area; its points coincide")
    middle = areas @ corners.sum(1) / (3 * areas.sum())

    def sizes_about(point: Array) -> Array:
        """The areas of the triangles, or the volumes of the pyramids over them with their tops at a point."""
        volumes = np.einsum("ij,ij->i", corners[:, 0] - point, normals) / 6
        sizes = {"shell": areas, "legacy": np.abs(volumes)}.get(way, volumes)
        _check_volume(sizes.sum())
        return sizes

    sizes, parts = sizes_about(middle), 3 if way == "shell" else 4
    centre = middle + sizes @ (corners.sum(1) - 3 * middle) / parts / sizes.sum()
    sizes, corners = sizes_about(centre), corners - centre
    # of a triangle and of a pyramid: the squares of the corners and of their sum
    vectors = np.concatenate([corners, corners.sum(1, keepdims=True)], axis=1).reshape(-1, 3)
    second = vectors.T @ (np.repeat(sizes, 4)[:, None] * vectors) / (parts * (parts + 1))
    return MeshMass(float(sizes.sum()), centre, np.trace(second) * np.eye(3) - second)


def _check_volume(volume: float) -> None:
    if not volume >= _LEAST:
        wrong = "is negative: its faces look inward" if volume < -_LEAST else "is zero"
        raise ModelFileError(f'the volume of the mesh {wrong}; repair it, or use <mesh inertia="convex"> or "shell"')


def _check_closed(mesh: Surface) -> None:
    """Each edge has as many faces that run along it as such that run against it."""
    _, same = np.unique(mesh.points, axis=0, return_inverse=True)
    faces = same.reshape(-1)[mesh.faces]
    start, end = (np.concatenate([faces[:, (k + j) % 3] for k in range(3)]) for j in (0, 1))
    forth, back = np.sort(start * len(same) + end), np.sort(end * len(same) + start)
    if not np.array_equal(forth, back):
        wrong = "the mesh is open, or faces beside each other look to different sides: what it encloses is not defined"
        remedy = 'close it, use <mesh inertia="convex">, or pass strict=False to take it as MuJoCo does'
        raise ModelFileError(f"{wrong}; {remedy}")
