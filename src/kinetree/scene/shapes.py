"""The shapes of a model file as parts of a page: solids, and meshes that are read, simplified and packed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import KinetreeError, printable
from kinetree.model import Mechanism
from kinetree.model.mesh.collada import Colour, Patch, read_collada
from kinetree.model.mesh.file import Surface, read_mesh
from kinetree.model.shape import MeshFile, Visual
from kinetree.model.text.file import MAX_BYTES
from kinetree.model.urdf.packages import resolve
from kinetree.runtime.arrays import Array
from kinetree.scene.packed import PackedArrays
from kinetree.scene.parts import part
from kinetree.scene.tree import Data, rows

_TRIANGLES, _ALL = 16_000, 400_000  # of one mesh, and of all; more are simplified
_FINEST, _COARSEST = 256, 8  # cells along the longest side of a mesh that is simplified
_STEPS = 65535  # of a coordinate over the size of the mesh
_NAMED = 6  # missing files that a note names


class Shapes:
    """The shapes of a mechanism.

    Args:
        mechanism: with ``shapes``.
        block: for the arrays of the meshes.
    """

    def __init__(self, mechanism: Mechanism, block: PackedArrays) -> None:
        self.meshes: list[Data] = []
        self.surfaces: list[Surface] = []  # of the meshes
        self.missing: list[str] = []
        self._block, self._left = block, _ALL
        self._known: dict[Any, list[tuple[int, Colour | None]]] = {}
        shapes: list[Visual] = list(mechanism.shapes)
        found = [(mechanism.index_of(x.frame.body), self._parts(mechanism, x)) for x in shapes]
        self.parts = [one for _, own in found for one in own]
        # the bodies that they show: all of each
        self.bodies = {one["body"] for one in self.parts} - {body for body, own in found if not own}

    @property
    def notes(self) -> list[str]:
        """What could not be shown, in one sentence."""
        if not self.missing:
            return []
        more = f" and {len(self.missing) - _NAMED} more" if len(self.missing) > _NAMED else ""
        return [f"Drawn as plain bodies, for want of their meshes: {', '.join(self.missing[:_NAMED])}{more}."]

    def _parts(self, mechanism: Mechanism, shape: Visual) -> list[Data]:
        body, pose, kind, size = mechanism.index_of(shape.frame.body), rows(shape.frame.pose), shape.kind, [*shape.size]
        if shape.mesh is not None:  # its own colours, or else that of the model
            own = self._mesh(shape.mesh)
            return [_coloured(part(kind, body, [k, 1, 1, 1], pose, "visual"), c or shape.colour) for k, c in own]
        if not all(np.isfinite(size)) or not all(x > 0 for x in size):
            return []
        if kind == "capsule":  # from one end on
            down = np.array(pose).reshape(3, 4)
            down[:, 3] -= size[1] * down[:, 2]
            pose, size = down.ravel().tolist(), [size[0], size[0], 2 * size[1]]
        return [_coloured(part(kind, body, size, pose, "visual"), shape.colour)]

    def _mesh(self, mesh: MeshFile) -> list[tuple[int, Colour | None]]:
        """The numbers of its surfaces among those of the page, and their colours; none where it can't be read."""
        key = mesh.address, mesh.matrix, mesh.offset
        if key not in self._known:
            patches, why = _read(mesh)
            self._known[key] = [*self._surfaces(patches, mesh)]
            if not self._known[key]:
                self.missing.append(f"{printable(mesh.address.rpartition('/')[2])[:60]} ({why})")
        return self._known[key]

    def _surfaces(self, patches: list[Patch], mesh: MeshFile) -> Iterator[tuple[int, Colour | None]]:
        """A mesh of so many triangles at the most, its surfaces of one colour as one."""
        count = sum(len(x.surface.faces) for x in patches if x.surface.faces is not None)
        share = max(500, min(_TRIANGLES, self._left)) / max(count, 1)
        for colour in dict.fromkeys(x.colour for x in patches):
            own = _joined([x.surface for x in patches if x.colour == colour])
            points = own.points @ np.array(mesh.matrix).T + mesh.offset
            if own.faces is None or not len(own.faces) or not np.isfinite(points).all():
                continue
            points, faces = simplified(points, own.faces, math.ceil(share * len(own.faces)))
            self._left -= len(faces)
            self.meshes.append(self._packed(points, faces))
            self.surfaces.append(Surface(points, faces))
            yield len(self.meshes) - 1, colour

    def _packed(self, points: Array, faces: Array) -> Data:
        low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
        step = size / _STEPS
        small = np.round((points - low) / step - 32768.0)
        return {
            "points": self._block.add(small, "i2"),
            "indices": self._block.add(faces, "u4"),
            "low": low.tolist(),
            "step": step.tolist(),
        }


def simplified(points: Array, faces: Any, most: int) -> tuple[Array, Any]:
    """A surface whose equal points are one, with so many triangles at the most: points in a cell become one.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        >>> simplified(corners, np.array([[0, 1, 2], [3, 4, 5]]), 10)[0].shape
        (4, 3)
    """
    points, faces = _merged(points, faces, np.round(points / max(float(np.ptp(points)), 1e-12) * 2**20))
    cells = _FINEST
    fine = points, faces
    while len(faces) > most and cells >= _COARSEST:
        size = max(float(np.ptp(fine[0], axis=0).max()), 1e-12)
        points, faces = _merged(*fine, np.floor((fine[0] - fine[0].min(axis=0)) / size * cells))
        cells = int(cells * 0.75)
    return points, faces


def _merged(points: Array, faces: Any, cells: Array) -> tuple[Array, Any]:
    """One point for those in the same cell, in their middle; faces that vanish are left out, and such as are twice."""
    _, which = np.unique(cells, axis=0, return_inverse=True)
    which = which.reshape(-1)
    count = np.bincount(which)
    middle = np.stack([np.bincount(which, weights=x) for x in points.T], axis=1) / count[:, None]
    kept = which[faces]
    kept = kept[(kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2]) & (kept[:, 0] != kept[:, 2])]
    _, first = np.unique(np.sort(kept, axis=1), axis=0, return_index=True)
    return middle, kept[np.sort(first)]


def _coloured(made: Data, colour: Colour | None) -> Data:
    return made if colour is None else made | {"colour": [float(x) for x in colour]}


def _joined(surfaces: list[Surface]) -> Surface:
    """Several surfaces as one; those without faces are left out."""
    full = [x for x in surfaces if x.faces is not None]
    starts = np.cumsum([0, *(len(x.points) for x in full)])
    faces = [x.faces + start for x, start in zip(full, starts) if x.faces is not None]
    return (
        Surface(np.concatenate([x.points for x in full]), np.concatenate(faces)) if full else Surface(np.zeros((0, 3)))
    )


def _read(mesh: MeshFile) -> tuple[list[Patch], str]:
    """The surfaces of a mesh, or in a few words why there are none."""
    try:
        path = resolve(mesh.address, mesh.packages, mesh.folder)
        if (size := path.stat().st_size) > MAX_BYTES:
            return [], f"{size / 1e6:.0f} MB, at most {MAX_BYTES / 1e6:.0f} are read"
    except (KinetreeError, OSError, ValueError):
        return [], "not found"
    try:
        return _patches(path), "has no triangles"
    except ImportError:
        return [], "needs the package trimesh"
    except (KinetreeError, OSError, ValueError):
        return [], "not readable"


def _patches(path: Path) -> list[Patch]:
    """The surfaces of a file, each of one colour."""
    if path.suffix.lower() == ".dae":
        return read_collada(path)
    other = path.suffix.lower() in (".ply", ".glb", ".gltf")
    return [Patch(_with_trimesh(path) if other else read_mesh(path), None)]


def _with_trimesh(path: Path) -> Surface:
    """A file of another format, by the package trimesh where it is installed."""
    import trimesh  # type: ignore[import-not-found]

    loaded: Any = trimesh.load(path, force="mesh")
    return Surface(np.asarray(loaded.vertices, float), np.asarray(loaded.faces, int))
