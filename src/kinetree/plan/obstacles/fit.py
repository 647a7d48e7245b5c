"""Capsules that contain the geometry of a model file: conservative, so that what they don't touch the robot doesn't."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np

from kinetree.errors import InputError, check_name
from kinetree.model.mesh.file import read_mesh
from kinetree.model.text.xml import Element
from kinetree.model.urdf.packages import Folders, Packages, package_folders, resolve
from kinetree.model.urdf.tree import origin_of, read_urdf
from kinetree.plan.obstacles.shapes import Capsule, Solid, Sphere
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
    source: str | os.PathLike[str], *, packages: Packages = (), geometry: str = "collision"
) -> dict[str, list[Solid]]:
    """Capsules and spheres that contain the geometry of a URDF file, for ``shapes=`` of the robot of that file.

    Args:
        source: the path of the file, or its text.
        packages: folders for addresses of meshes, as for `Robot.from_urdf`.
        geometry: "collision", or "visual"; links that have none of it have no shapes.

    Returns:
        For each link, one capsule or sphere that contains each of its boxes, cylinders, spheres and meshes.

    Example:
        >>> import kinetree as kt
        >>> box = '<collision><geometry><box size="1 0.2 0.2"/></geometry></collision>'
        >>> shapes = kt.plan.fitted_shapes(f'<robot name="r"><link name="arm">{box}</link></robot>')
        >>> [*shapes], round(shapes["arm"][0].radius, 3)
        (['arm'], 0.141)
    """
    check_name("kind of geometry", geometry, ("collision", "visual"))
    text = isinstance(source, str) and source.lstrip().startswith("<")
    folder, folders = None if text else Path(source).parent, package_folders(packages)
    found: dict[str, list[Solid]] = {}
    for name, link in read_urdf(source, strict=False).links.items():
        if own := [_contained(x, folders, folder) for x in link.element.all(geometry)]:
            found[name] = own
    if not found:
        raise InputError(f"no link of the file has <{geometry}> geometry; give shapes= of your own")
    return found


def _contained(element: Element, packages: Folders, folder: Path | None) -> Solid:
    X = origin_of(element).transform
    R, p = np.array([[*row] for row in X.R.matrix], float), np.array([*X.p], float)
    shape = element.required("geometry")
    if (ball := shape.child("sphere")) is not None:
        return Sphere(p, ball.number("radius"))
    return containing_capsule(_points(shape, packages, folder) @ R.T + p)


def _points(shape: Element, packages: Folders, folder: Path | None) -> Array:
    """Points whose convex hull contains a box, a cylinder, a capsule or a mesh."""
    if (box := shape.child("box")) is not None:
        signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        return signs * np.array(box.numbers("size", 3))
    if (mesh := shape.child("mesh")) is not None:
        points = read_mesh(resolve(mesh.string("filename"), packages, folder)).points
        return np.asarray(points, float) * np.array(mesh.numbers("scale", 3, (1.0, 1.0, 1.0)))
    round_shape = shape.child("cylinder") or shape.child("capsule")
    if round_shape is None:
        raise shape.error("<geometry> has a box, cylinder, sphere, capsule or mesh")
    angle = 2.0 * math.pi * np.arange(_ROUND) / _ROUND
    radius = round_shape.number("radius") / math.cos(math.pi / _ROUND)
    circle = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    half = 0.5 * round_shape.number("length") + (round_shape.number("radius") if round_shape.tag == "capsule" else 0.0)
    return np.concatenate([np.column_stack([circle, np.full(_ROUND, z)]) for z in (-half, half)])
