"""The <mesh> assets of MJCF: their mass, and the primitive shapes that are fitted to them.

A mesh is moved by refpos, turned back by refquat, then scaled. A file is opened only where its mass is needed; it
lies in the folder of the model (in ``meshdir`` there) or in one of the folders that the caller named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinetree.errors import ModelFileError
from kinetree.model import Inertia
from kinetree.model.mesh.file import LARGEST, MAX_POINTS, Surface, read_mesh, surface
from kinetree.model.mesh.mass import WAYS, MeshMass, mesh_mass
from kinetree.model.mjcf.defaults import Defaults
from kinetree.model.mjcf.orientation import rotation_of_quat
from kinetree.model.mjcf.settings import Settings
from kinetree.model.text.file import MAX_BYTES, located
from kinetree.model.text.xml import Element
from kinetree.model.urdf.packages import Folders, resolve
from kinetree.spatial import Sym3, Transform, Vec3

MAX_MESH_BYTES = 32 * MAX_BYTES  # of all meshes of a model
_SAME = 1e-9  # of the largest moment
_PLUGIN = "load the model with MuJoCo and save it (mujoco.mj_saveLastXML), or give the body an <inertial>"


@dataclass
class Meshes:
    """The meshes of a model by their names.

    Args:
        assets: the elements, with their classes.
        settings: of the compiler.
        folder: of the model file; None for a text.
        folders: in which files may lie, too.
        strict: refuse meshes whose mass is not known; else they have none.
    """

    assets: Mapping[str, Element]
    settings: Settings
    folder: Path | None
    folders: Folders = ()
    strict: bool = True
    size: int = 0
    known: dict[str, MeshMass | None] = field(default_factory=dict)

    def mass_of(self, geom: Element) -> MeshMass | None:
        """The mass of the mesh that a geom names, of density one, in the frame of the mesh's points; None: unknown."""
        speaker = geom.speaker("mesh")
        name = speaker.string("mesh")
        speaker.check_name("mesh", name, self.assets)
        if name not in self.known:
            try:
                self.known[name] = self._mass(self.assets[name])
            except ModelFileError:
                if self.strict:
                    raise
                self.known[name] = None
        return self.known[name]

    def _mass(self, asset: Element) -> MeshMass:
        def placed(message: str) -> ModelFileError:
            message += "" if "strict=False" in message else "; strict=False leaves its mass out"
            return ModelFileError(message) if message.startswith(f"{asset.file}, line ") else asset.error(message)

        with located(placed):
            return mesh_mass(self._surface(asset), asset.choice("inertia", WAYS, "legacy"), self.strict)

    def _surface(self, asset: Element) -> Surface:
        if "builtin" in asset.attributes or asset.child("plugin"):
            raise ModelFileError(f"meshes that MuJoCo makes (builtin, plugin) are not read; {_PLUGIN}")
        mesh = self._points(asset)
        points = mesh.points - asset.numbers("refpos", 3, (0.0, 0.0, 0.0))
        turn = rotation_of_quat(asset.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0)), asset, "refquat")
        scale = asset.numbers("scale", 3, (1.0, 1.0, 1.0))
        with np.errstate(over="ignore", invalid="ignore"):
            points = points @ np.array([[*row] for row in turn.matrix]) * scale
        if not np.abs(points).max() <= LARGEST:
            raise ModelFileError(f"the mesh is larger than {LARGEST:g} m; use a smaller scale and refpos")
        faces = mesh.faces
        if faces is not None and np.prod(scale) < 0:
            faces = faces[:, ::-1]
        limit = int(asset.number("maxhullvert", -1.0))
        if -1 < limit < len(points) and (faces is None or asset.choice("inertia", WAYS, "legacy") == "convex"):
            raise ModelFileError(f"a convex hull with {limit} points at the most is not unique; remove maxhullvert")
        return Surface(points, faces)

    def _points(self, asset: Element) -> Surface:
        """The points and faces of a mesh as they are given."""
        if "file" not in asset.attributes:
            return surface(_list(asset, "vertex"), _faces(asset) if "face" in asset.attributes else None)
        path = mesh_path(asset.string("file"), self.settings)
        found = resolve(path, self.folders, self.folder)
        self.size += found.stat().st_size
        if self.size > MAX_MESH_BYTES:
            raise ModelFileError(f"the meshes of the model are larger than {MAX_MESH_BYTES} bytes together")
        return read_mesh(found)


def mesh_path(file: str, settings: Settings) -> str:
    """The path of a mesh as MuJoCo makes it of the file's name."""
    file = file.replace("\\", "/")
    if settings.strippath:
        file = file.rpartition("/")[2]
    return os.path.join(settings.meshdir, file) if settings.meshdir else file


def read_meshes(root: Element, defaults: Defaults) -> dict[str, Element]:
    """The <mesh> elements of a file by their names; one without a name has that of its file."""
    elements: Iterator[Element] = (mesh for section in root.all("asset") for mesh in section.all("mesh"))
    found: dict[str, Element] = {}
    for element in elements:
        name = element.attributes.get("name") or Path(element.attributes.get("file", "").replace("\\", "/")).stem
        if name in found:
            raise element.error(f"a second mesh is called {name!r}, the first is in line {found[name].line}")
        found[name] = defaults.of(element)
    return found


def unit_inertia(mesh: MeshMass) -> Inertia:
    """The inertia of a mesh of mass one, in the frame of its points."""
    J = mesh.inertia / mesh.volume
    moments = Sym3(*(float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
    return Inertia(1.0, Vec3.of(mesh.centre.tolist()), moments)


def fitted(mesh: MeshMass, kind: str, geom: Element) -> tuple[Transform, tuple[float, ...]]:
    """The frame of a primitive shape that is fitted to a mesh, in that of its points, and the sizes of the shape.

    They are those of the box with the same moments; MuJoCo's rules for other shapes.
    """
    moments, axes = np.linalg.eigh(mesh.inertia / mesh.volume)
    x, y, z = moments[::-1]  # the largest first
    if kind in ("capsule", "cylinder") and y - z <= _SAME * x:
        given = f"the mesh has two equal principal moments, so that the axis of a {kind} is not determined"
        raise geom.error(f"{given}; give the shape without mesh=, with its own size")
    a, b, c = (float(np.sqrt(max(1.5 * half, 0.0))) for half in (y + z - x, x + z - y, x + y - z))
    sizes = {
        "sphere": ((a + b + c) / 3,),
        "capsule": ((a + b) / 2, max(0.0, c - (a + b) / 4)),
        "cylinder": ((a + b) / 2, c),
    }.get(kind, (a, b, c))
    axes = axes[:, ::-1] * (1.0, 1.0, np.sign(np.linalg.det(axes[:, ::-1])))
    scale = geom.number("fitscale", 1.0)
    return Transform(axes.tolist(), mesh.centre.tolist()), tuple(scale * size for size in sizes)


def _list(asset: Element, attribute: str) -> np.ndarray:
    values = np.array(asset.numbers(attribute, len(asset.attributes.get(attribute, "").split())))
    if len(values) % 3:
        raise asset.error(f"<mesh {attribute}=...>: expected three numbers for each, got {len(values)} in all")
    return values


def _faces(asset: Element) -> np.ndarray:
    values = _list(asset, "face")
    if (values != np.round(values)).any() or np.abs(values).max(initial=0.0) > MAX_POINTS:
        raise asset.error("<mesh face=...>: expected the numbers of three points for each face")
    return values.astype(int).reshape(-1, 3)
