"""Meshes in Collada files (.dae), with the colours of their materials, for pictures.

The scene of the file is followed: nodes inside nodes, each with its transformations. As in ROS, the unit of the file
counts and its vertical axis does not. Textures, curves and animations are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinetree.errors import ModelFileError
from kinetree.model.mesh.file import MAX_POINTS, Surface, surface
from kinetree.model.text.xml import Element, read_xml

_DEEPEST = 64  # nodes inside nodes
_NODES, _TRIANGLES = 10_000, 3_000_000  # of a scene; nodes may be shown several times
Colour = tuple[float, ...]
Array = np.ndarray


class Patch(NamedTuple):
    """A surface of one colour: red, green, blue and opacity from 0 to 1; None where its material has none."""

    surface: Surface
    colour: Colour | None


def read_collada(path: Path) -> list[Patch]:
    """The surfaces of a file, in metres; refuses a file without any."""
    root = read_xml(path, "COLLADA")
    found = [*_Document(root).patches()]
    if not found:
        raise root.error("the scene of the file has no triangles; export the mesh again, with triangles")
    return found


class _Document:
    """A file whose elements refer to each other by their names."""

    def __init__(self, root: Element) -> None:
        self.root, self.nodes, self.triangles = root, 0, 0
        self.named = {e.attributes["id"]: e for e in root.walk() if "id" in e.attributes}

    def patches(self) -> Iterator[Patch]:
        units = [e for e in self.root.walk() if e.tag == "unit"]
        metre = units[0].number("meter", 1.0) if units else 1.0
        for scene in (e for e in self.root.walk() if e.tag == "visual_scene"):
            for node in scene.all("node"):
                yield from self._node(node, np.diag([metre, metre, metre, 1.0]), 0)

    def _node(self, node: Element, outer: Array, depth: int) -> Iterator[Patch]:
        self.nodes += 1
        if depth > _DEEPEST or self.nodes > _NODES:
            raise node.error(f"more than {_DEEPEST} nodes inside each other, or {_NODES} in all")
        X = outer @ _transformation(node)
        for child in node.children:
            if child.tag == "node":
                yield from self._node(child, X, depth + 1)
            elif child.tag == "instance_node":
                yield from self._node(self._at(child, "url"), X, depth + 1)
            elif child.tag == "instance_geometry":
                yield from self._geometry(child, X)

    def _geometry(self, instance: Element, X: Array) -> Iterator[Patch]:
        bound = {e.attributes.get("symbol", ""): e for e in instance.walk() if e.tag == "instance_material"}
        for mesh in self._at(instance, "url").all("mesh"):
            for part in mesh.children:
                if part.tag not in ("triangles", "polylist"):
                    continue
                places, faces = self._points(part), _faces(part)
                if not len(faces):
                    continue
                if not 0 <= faces.min() <= faces.max() < len(places):
                    raise part.error(f"a face names a point that is not there; there are {len(places)}")
                self.triangles += len(faces)
                if self.triangles > _TRIANGLES:
                    raise part.error(f"the scene has more than {_TRIANGLES} triangles; simplify it")
                used, own = np.unique(faces, return_inverse=True)
                turned = places[used] @ X[:3, :3].T + X[:3, 3]
                order = own.reshape(-1, 3)[:, :: 1 if np.linalg.det(X[:3, :3]) >= 0 else -1]
                material = bound.get(part.attributes.get("material", ""))
                yield Patch(surface(_enough(turned), order), self._colour(material))

    def _points(self, part: Element) -> Array:
        """The places that the corners of faces are at, by their numbers."""
        vertex = next((e for e in part.all("input") if e.attributes.get("semantic") == "VERTEX"), None)
        if vertex is None:
            raise part.error(f"<{part.tag}> has no <input> of vertices")
        inputs = self._at(vertex, "source").all("input")
        position = next((e for e in inputs if e.attributes.get("semantic") == "POSITION"), None)
        source = self._at(position if position is not None else vertex, "source")
        values = _numbers(source.required("float_array"), float)
        if len(values) % 3 or len(values) > 3 * MAX_POINTS:
            raise source.error(f"expected three numbers for each of at most {MAX_POINTS} points, got {len(values)}")
        return values.reshape(-1, 3)

    def _colour(self, material: Element | None) -> Colour | None:
        """The diffuse colour of a material that is bound to a part."""
        try:
            effect = self._at(self._at(material, "target").required("instance_effect"), "url") if material else None
        except ModelFileError:
            return None
        diffuse = next((e for e in effect.walk() if e.tag == "diffuse"), None) if effect else None
        colour = diffuse.child("color") if diffuse else None
        values = _numbers(colour, float) if colour else np.zeros(0)
        if len(values) != 4 or not np.isfinite(values).all():
            return None
        return tuple(float(x) for x in np.clip([*values[:3], 1.0], 0.0, 1.0))

    def _at(self, element: Element, attribute: str) -> Element:
        """The element that another names, as "#name"."""
        name = element.string(attribute).removeprefix("#")
        if name not in self.named:
            raise element.error(f"there is no element with the id {name!r:.80} in the file")
        return self.named[name]


def _enough(points: Array) -> Array:
    """A triangle alone is drawn, too: a surface has four points or more."""
    return points if len(points) > 3 else np.concatenate([points, points[:1]])


def _numbers(element: Element, kind: type) -> Array:
    try:
        return np.array(element.text.split(), dtype=kind)
    except (ValueError, OverflowError):
        raise element.error(f"<{element.tag}> has something that is no number") from None


def _faces(part: Element) -> Array:
    """The numbers of the corners (n, 3): of triangles, or of polygons as fans."""
    offsets = [int(e.number("offset", 0.0)) for e in part.all("input")]
    own = next(int(e.number("offset", 0.0)) for e in part.all("input") if e.attributes.get("semantic") == "VERTEX")
    p = part.child("p")
    indices = _numbers(p, int) if p else np.zeros(0, int)
    if not 0 <= own <= max(offsets) < 64 or len(indices) % (max(offsets) + 1):
        raise part.error(f"<{part.tag}>: its numbers are not so many for each corner")
    corners = indices.reshape(-1, max(offsets) + 1)[:, own]
    if part.tag == "triangles":
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    counts = _numbers(part.required("vcount"), int)
    if (counts < 0).any() or counts.sum() != len(corners):
        raise part.error(f"<vcount> has {counts.sum()} corners, <p> {len(corners)}")
    starts = np.cumsum(counts) - counts
    fans = np.repeat(starts, np.maximum(counts - 2, 0))
    second = np.concatenate([np.arange(1, n - 1) for n in counts] or [np.zeros(0, int)])
    return corners[np.stack([fans, fans + second, fans + second + 1], axis=1)]


def _transformation(node: Element) -> Array:
    """All transformations of a node, one after another (4, 4)."""
    X = np.eye(4)
    for child in node.children:
        count = {"matrix": 16, "translate": 3, "scale": 3, "rotate": 4}.get(child.tag)
        if count is None:
            continue
        values = _numbers(child, float)
        if len(values) != count or not np.isfinite(values).all():
            raise child.error(f"<{child.tag}> has {count} finite numbers")
        step = np.eye(4)
        if child.tag == "matrix":
            step = values.reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = values
        elif child.tag == "scale":
            step[[0, 1, 2], [0, 1, 2]] = values
        else:
            step[:3, :3] = _rotation(values[:3], math.radians(values[3]))
        X = X @ step
    return X


def _rotation(axis: Array, angle: float) -> Array:
    """Rodrigues' formula; none where the axis is zero."""
    length = float(np.linalg.norm(axis))
    if not length > 0:
        return np.eye(3)
    x, y, z = axis / length
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
