"""The geoms of an MJCF file as shapes: those of pictures, or those that collide. What can't be read is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from kinetree.errors import ModelError
from kinetree.model.frame import Frame
from kinetree.model.mjcf.expand import Scope
from kinetree.model.mjcf.mesh import mesh_path
from kinetree.model.mjcf.orientation import pose_between, pose_of, rotation_of_quat
from kinetree.model.shape import KINDS, MeshFile, Visual
from kinetree.model.text.xml import Element
from kinetree.spatial import Transform

_SHOWN = (0, 1, 2)  # groups of geoms that MuJoCo draws
_GREY = (0.5, 0.5, 0.5, 1.0)
_ZERO = (0.0, 0.0, 0.0)


def geom_shapes(
    body: str, geoms: Iterable[tuple[Element, Transform]], scope: Scope, materials: Mapping[str, Element],
    colliding: bool = False,
) -> Iterator[Visual]:  # fmt: skip
    """The shapes of geoms, each with the frame around it in its body: of those that MuJoCo draws, or that collide."""
    for geom, around in geoms:
        try:
            if not (_collides(geom) if colliding else int(geom.number("group", 0.0)) in _SHOWN):
                continue
            shape = _shape(body, geom, around, scope, materials)
        except (ModelError, ArithmeticError, ValueError):
            continue
        if shape is not None and (colliding or (shape.colour or _GREY)[3] > 0):
            yield shape


def _collides(geom: Element) -> bool:
    """Whether MuJoCo looks for contacts of a geom with any other."""
    return any(int(geom.number(mask, 1.0)) for mask in ("contype", "conaffinity"))


def _shape(
    body: str, geom: Element, around: Transform, scope: Scope, materials: Mapping[str, Element]
) -> Visual | None:
    kind = geom.choice("type", (*KINDS, "plane", "hfield", "sdf"), "sphere")
    if kind not in KINDS or (geom.has("mesh") and kind != "mesh"):
        return None
    colour = _colour(geom, materials)
    if kind == "mesh":
        pose, mesh = pose_of(geom, scope.settings), _mesh(geom, scope)
        return mesh and Visual(Frame(body, around @ pose), kind, (), colour, mesh)
    size = geom.leading("size", _ZERO)
    if geom.has("fromto"):
        pose, half = pose_between(geom)
        size = (size[0],) * (KINDS[kind] - 1) + (half,)
    else:
        pose, size = pose_of(geom, scope.settings), size[: KINDS[kind]]
    return Visual(Frame(body, around @ pose), kind, tuple(size), colour)


def _mesh(geom: Element, scope: Scope) -> MeshFile | None:
    asset = scope.meshes.assets.get(geom.speaker("mesh").string("mesh"))
    if asset is None or "file" not in asset.attributes:
        return None
    turn = rotation_of_quat(asset.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0)), asset, "refquat")
    # a mesh is moved by refpos, turned back by refquat, then scaled
    scale = np.diag(asset.numbers("scale", 3, (1.0, 1.0, 1.0)))
    matrix = scale @ np.array([[float(x) for x in row] for row in turn.T.matrix])
    offset = -matrix @ asset.numbers("refpos", 3, _ZERO)
    path, meshes = mesh_path(asset.string("file"), scope.settings), scope.meshes
    rows = tuple(tuple(row) for row in matrix.tolist())
    return MeshFile(path, meshes.folder, meshes.folders, rows, tuple(offset.tolist()))


def _colour(geom: Element, materials: Mapping[str, Element]) -> tuple[float, ...]:
    if geom.has("rgba"):
        return geom.numbers("rgba", 4)
    material = materials.get(geom.speaker("material").string("material")) if geom.has("material") else None
    return _GREY if material is None else material.numbers("rgba", 4, (1.0, 1.0, 1.0, 1.0))
