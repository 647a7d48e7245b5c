"""The shapes of a model file as parts of a page: solids, and meshes that are read, simplified and packed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import KinetreeError, printable
from kinetree.model import Mechanism
from kinetree.model.mesh.file import Surface, read_mesh
from kinetree.model.shape import MeshFile, Visual
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
        self.missing: list[str] = []
        self._block, self._known, self._left = block, {}, _ALL
        shapes: list[Visual] = list(mechanism.shapes)
        found = [(mechanism.index_of(x.frame.body), self._part(mechanism, x)) for x in shapes]
        self.parts = [one for _, one in found if one is not None]
        # the bodies that they show: all of each
        self.bodies = {one["body"] for one in self.parts} - {body for body, one in found if one is None}

    @property
    def notes(self) -> list[str]:
        """What could not be shown, in one sentence."""
        if not self.missing:
            return []
        more = f" and {len(self.missing) - _NAMED} more" if len(self.missing) > _NAMED else ""
        return [f"Drawn as plain bodies, as these meshes can't be read: {', '.join(self.missing[:_NAMED])}{more}."]

    def _part(self, mechanism: Mechanism, shape: Visual) -> Data | None:
        body, pose, kind, size = mechanism.index_of(shape.frame.body), rows(shape.frame.pose), shape.kind, [*shape.size]
        if shape.mesh is not None:
            k = self._mesh(shape.mesh)
            if k is None:
                return None
            size = [float(k), 1.0, 1.0, 1.0]
        elif not all(np.isfinite(size)) or not all(x > 0 for x in size):
            return None
        elif kind == "capsule":  # from one end on
            down = np.array(pose).reshape(3, 4)
            down[:, 3] -= size[1] * down[:, 2]
            pose, size = down.ravel().tolist(), [size[0], size[0], 2 * size[1]]
        made = part(kind, body, size, pose, "visual")
        return made if shape.colour is None else made | {"colour": [float(x) for x in shape.colour]}

    def _mesh(self, mesh: MeshFile) -> int | None:
        """The number of a mesh among those of the page; None where it can't be read."""
        key = mesh.address, mesh.matrix, mesh.offset
        if key not in self._known:
            self._known[key] = None
            try:
                path = resolve(mesh.address, mesh.packages, mesh.folder)
                surface = _reader(path)(path)
                points = surface.points @ np.array(mesh.matrix).T + mesh.offset
                packed = self._packed(points, surface.faces)
            except (KinetreeError, OSError, ValueError, ImportError):
                packed = None
            if packed is None:
                self.missing.append(printable(mesh.address.rpartition("/")[2])[:60])
            else:
                self._known[key] = len(self.meshes)
                self.meshes.append(packed)
        return self._known[key]

    def _packed(self, points: Array, faces: Any) -> Data | None:
        if faces is None or not len(faces) or not np.isfinite(points).all():
            return None
        points, faces = simplified(points, faces, max(500, min(_TRIANGLES, self._left)))
        self._left -= len(faces)
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


def _reader(path: Path) -> Callable[[Path], Surface]:
    return _with_trimesh if path.suffix.lower() in (".dae", ".ply", ".glb", ".gltf") else read_mesh


def _with_trimesh(path: Path) -> Surface:
    """A file of another format, by the package trimesh where it is installed."""
    import trimesh  # type: ignore[import-not-found]

    loaded: Any = trimesh.load(path, force="mesh")
    return Surface(np.asarray(loaded.vertices, float), np.asarray(loaded.faces, int))
