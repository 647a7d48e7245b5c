"""Capsules that contain the geometry of a model file: conservative, so that what they don't touch the robot doesn't."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np

from kinetree.errors import InputError, check_name
from kinetree.model.files import MJCF, format_of
from kinetree.model.frame import Frame
from kinetree.model.mesh.file import read_mesh
from kinetree.model.mjcf.reader import shapes_of_mjcf
from kinetree.model.shape import Visual
from kinetree.model.text.xml import is_text
from kinetree.model.urdf.packages import Packages, package_folders, resolve
from kinetree.model.urdf.tree import read_urdf
from kinetree.model.urdf.visuals import Visuals
from kinetree.plan.obstacles.shapes import Capsule, Solid, Sphere
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array

_ROUND = 24  # corners of a polygon around a circle
_GROWN = 1e-9  # of radii, for rounding [m]


def containing_capsule(points: Array, name: str = "") -> Capsule | Sphere:
    """A small capsule, or a sphere, that contains points (n, 3): along the principal axis that needs least volume.

    Example:
        >>> import numpy as np
        >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 0.2) for z in (0, 0.2)], float)
        >>> round(containing_capsule(corners).radius, 4)
        0.1414
    """
    middle = 0.5 * (points.max(axis=0) + points.min(axis=0))
    away = points - middle
    axes = np.linalg.eigh(away.T @ away)[1].T
    found = [_along(points, axis, name) for axis in (*axes, *np.eye(3))]
    return min(found, key=_volume)


def _along(points: Array, axis: Array, name: str) -> Capsule | Sphere:
    along = points @ axis
    flat = points - along[:, None] * axis
    centre = 0.5 * (flat.max(axis=0) + flat.min(axis=0))
    centre = centre - (centre @ axis) * axis
    squared = ((flat - centre) ** 2).sum(axis=1)
    radius = math.sqrt(float(squared.max()))
    caps = np.sqrt(np.maximum(radius**2 - squared, 0.0))
    low, high = float((along + caps).min()), float((along - caps).max())
    if high <= low:  # the caps alone contain all: one sphere
        place = centre + 0.5 * (low + high) * axis
        return Sphere(place, float(np.linalg.norm(points - place, axis=1).max()) + _GROWN, name=name)
    return Capsule(centre + low * axis, centre + high * axis, radius + _GROWN, name=name)


def _volume(shape: Capsule | Sphere) -> float:
    length = 0.0 if isinstance(shape, Sphere) else float(np.linalg.norm(np.subtract(shape.end, shape.start)))
    return math.pi * shape.radius**2 * (length + 4.0 / 3.0 * shape.radius)


def fitted_shapes(
    source: str | os.PathLike[str] | Robot, *, packages: Packages = (), geometry: str = "collision"
) -> dict[str, list[Solid]]:
    """Capsules and spheres that contain the geometry of a URDF or MJCF file, or that of a robot, for ``shapes=``.

    Args:
        source: the path of a file, or its text. Or a `Robot` from a file: its geometry is what pictures show of it.
        packages: folders for addresses of meshes, as for `Robot.from_urdf`.
        geometry: of a file: "collision", or "visual"; links that have none of it have no shapes. Of MJCF: geoms whose
            contype and conaffinity are not both zero, in whatever group, or those that MuJoCo draws.

    Returns:
        For each link or body, one capsule or sphere that contains each of its solids and meshes.

    Example:
        >>> import kinetree as kt
        >>> box = '<collision><geometry><box size="1 0.2 0.2"/></geometry></collision>'
        >>> shapes = kt.plan.fitted_shapes(f'<robot name="r"><link name="arm">{box}</link></robot>')
        >>> [*shapes], round(shapes["arm"][0].radius, 3)
        (['arm'], 0.141)
    """
    check_name("kind of geometry", geometry, ("collision", "visual"))
    if isinstance(source, Robot):
        visuals, none = [*source.shapes], f"robot {source.name!r} is from no file with shapes of its bodies"
    else:
        read, none = _of_mjcf if _is_mjcf(source) else _of_urdf, f"no link of the file has <{geometry}> geometry"
        visuals = read(source, packages, geometry)
    found: dict[str, list[Solid]] = {}
    for visual in visuals:
        if visual.frame.body is not None:
            found.setdefault(visual.frame.body, []).append(_contained(visual))
    if not found:
        raise InputError(f"{none}; give shapes= of your own")
    return found


def _is_mjcf(source: str | os.PathLike[str]) -> bool:
    if is_text(source):
        return "<mujoco" in str(source)
    return Path(source).suffix.lower() in (".xml", ".mjcf") and format_of(source) == MJCF


def _of_mjcf(source: str | os.PathLike[str], packages: Packages, geometry: str) -> list[Visual]:
    return shapes_of_mjcf(source, packages, geometry == "collision")


def _of_urdf(source: str | os.PathLike[str], packages: Packages, geometry: str) -> list[Visual]:
    text = isinstance(source, str) and source.lstrip().startswith("<")
    tree = read_urdf(source, strict=False)
    reader = Visuals(tree.element, None if text else Path(source).parent, package_folders(packages))
    links = tree.links.items()
    return [x for name, link in links for x in reader.of(link.element, Frame(name), geometry, strict=True)]


def _contained(visual: Visual) -> Solid:
    X = visual.frame.pose
    R, p = np.array([[*row] for row in X.R.matrix], float), np.array([*X.p], float)
    if visual.kind == "sphere":
        return Sphere(p, visual.size[0])
    if visual.kind == "capsule":
        radius, half = visual.size
        return Capsule(p - half * R[:, 2], p + half * R[:, 2], radius)
    return containing_capsule(_points(visual) @ R.T + p)


def _points(visual: Visual) -> Array:
    """Points whose convex hull contains a box, an ellipsoid, a cylinder or a mesh."""
    if (mesh := visual.mesh) is not None:
        points = np.asarray(read_mesh(resolve(mesh.address, mesh.packages, mesh.folder)).points, float)
        return points @ np.array(mesh.matrix, float).T + mesh.offset
    if visual.kind in ("box", "ellipsoid"):
        signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
        return signs * np.array(visual.size)
    radius, half = visual.size
    angle = 2.0 * math.pi * np.arange(_ROUND) / _ROUND
    circle = radius / math.cos(math.pi / _ROUND) * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.concatenate([np.column_stack([circle, np.full(_ROUND, z)]) for z in (-half, half)])
