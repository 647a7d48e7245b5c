"""The mass of an MJCF geom: solids and shells of uniform density.

Sizes are half of the extents: of a sphere the radius; of a capsule and a cylinder the radius and half of the
length of the straight part; of an ellipsoid and a box the three halves. A mesh has the mass of what it encloses; a
shape that names one is fitted to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kinetree.model import Inertia
from kinetree.model.mjcf.mesh import Meshes, fitted, unit_inertia
from kinetree.model.mjcf.orientation import pose_between, pose_of
from kinetree.model.mjcf.settings import Settings
from kinetree.model.text.xml import Element
from kinetree.spatial import Sym3, Transform, Vec3

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
_WATER = 1000.0  # kg/m^3, the default density
_LEAST, _MOST = 1e-30, 1e30  # m, of a size; their products are finite
_BOOLEAN = ("true", "false")


def geom_inertia(geom: Element, settings: Settings, meshes: Meshes | None) -> Inertia | None:
    """The inertia of a geom in the frame around it; None where it is that of a mesh and not known.

    Args:
        geom: with its class.
        settings: of the file.
        meshes: of the file; None leaves their mass out.
    """
    kind = geom.choice("type", TYPES, "sphere")
    mass, density = geom.number("mass", math.inf), geom.number("density", _WATER)
    if mass < 0 or density < 0:
        raise geom.error(f"the geom has the negative mass {mass:g} kg" if mass < 0 else "the density is below 0")
    if mass == 0 or (density == 0 and math.isinf(mass)):
        return Inertia()
    meshed, mesh = kind in ("mesh", "sdf") or geom.has("mesh"), None
    if meshed:
        mesh = meshes and meshes.mass_of(geom)
        if mesh is None:
            return Inertia() if meshes is None else None
        if kind in ("mesh", "sdf"):
            mass = density * mesh.volume if math.isinf(mass) else mass
            return _times(unit_inertia(mesh), mass).moved(pose_of(geom, settings))
    if kind not in _SHAPES:
        return Inertia()
    (sizes, solid, shell), size = _SHAPES[kind], geom.leading("size", (0.0, 0.0, 0.0))
    if mesh is not None:
        if settings.fitaabb:
            raise geom.error('<compiler fitaabb="true"> is not read; give the shape without mesh=, with its own size')
        inner, size = fitted(mesh, kind, geom)
        pose = pose_of(geom, settings) @ inner
    elif geom.has("fromto"):
        pose, half = _between(geom, kind)
        size = (size[0],) * (sizes - 1) + (half,)
    else:
        pose, size = pose_of(geom, settings), size[:sizes]
    if not all(_LEAST < x < _MOST for x in size):
        raise geom.speaker("size").error(f"the sizes of a {kind} must be lengths above 0, got {size}")
    part = shell if geom.choice("shellinertia", _BOOLEAN, "false") == "true" else solid
    volume, moments = part(*size)
    mass = density * volume if math.isinf(mass) else mass
    return _times(Inertia(1.0, Vec3.zero, Sym3.diagonal(*moments)), mass).moved(pose)


def _times(unit: Inertia, mass: float) -> Inertia:
    return Inertia(mass, unit.com, unit.about_com * mass)


def _between(geom: Element, kind: str) -> tuple[Transform, float]:
    speaker = geom.speaker("fromto")
    if kind == "sphere":
        raise speaker.error("a sphere has no fromto; expected a capsule, cylinder, ellipsoid or box")
    if any(geom.numbers("pos", 3, (0.0, 0.0, 0.0))):
        raise speaker.error("the geom has both pos and fromto; remove one of them")
    return pose_between(geom)


# -- volume (or area) and principal moments for a unit mass ---------------------------------------------------

Measures = tuple[float, Sequence[float]]


def _sphere(r: float) -> Measures:
    return 4 / 3 * math.pi * r * r * r, [2 / 5 * r * r] * 3


def _sphere_shell(r: float) -> Measures:
    return 4 * math.pi * r * r, [2 / 3 * r * r] * 3


def _cylinder(r: float, h: float) -> Measures:
    across = r * r / 4 + h * h / 3
    return 2 * math.pi * r * r * h, (across, across, r * r / 2)


def _cylinder_shell(r: float, h: float) -> Measures:
    disk, side = math.pi * r * r, 4 * math.pi * r * h
    area = 2 * disk + side
    across = (side * (r * r / 2 + h * h / 3) + 2 * disk * (r * r / 4 + h * h)) / area
    return area, (across, across, (side * r * r + disk * r * r) / area)


def _capsule(r: float, h: float) -> Measures:
    ball, side = 4 / 3 * math.pi * r * r * r, 2 * math.pi * r * r * h
    return _with_ends(r, h, ball, side, 2 / 5, (r * r / 4 + h * h / 3, r * r / 2), 3 / 8)


def _capsule_shell(r: float, h: float) -> Measures:
    ball, side = 4 * math.pi * r * r, 4 * math.pi * r * h
    return _with_ends(r, h, ball, side, 2 / 3, (r * r / 2 + h * h / 3, r * r), 1 / 2)


def _with_ends(
    r: float, h: float, ball: float, side: float, gyration: float, straight: tuple[float, float], centre: float
) -> Measures:
    """A straight part and two halves of a ball; the centre of a half is at ``centre`` r above its base."""
    total = ball + side
    turned = gyration * r * r
    # a half about the middle: from its base to its centre, from there to the middle
    away = (h + centre * r) ** 2 - (centre * r) ** 2
    across = (side * straight[0] + ball * (turned + away)) / total
    return total, (across, across, (side * straight[1] + ball * turned) / total)


def _ellipsoid(a: float, b: float, c: float) -> Measures:
    return 4 / 3 * math.pi * a * b * c, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)


def _ellipsoid_shell(a: float, b: float, c: float) -> Measures:
    """By MuJoCo's definition: Thomsen's area; the moments between two ellipsoids a micrometre apart."""
    power = 1.6075
    area = 4 * math.pi * (((a * b) ** power + (b * c) ** power + (c * a) ** power) / 3) ** (1 / power)
    inner, less = _ellipsoid(a, b, c)
    outer, more = _ellipsoid(a + 1e-6, b + 1e-6, c + 1e-6)
    return area, [(outer * j - inner * i) / (outer - inner) for i, j in zip(less, more)]


def _box(a: float, b: float, c: float) -> Measures:
    return 8 * a * b * c, ((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)


def _box_shell(a: float, b: float, c: float) -> Measures:
    sides = ((b * c, a, (b, c)), (c * a, b, (c, a)), (a * b, c, (a, b)))
    area = sum(side for side, _, _ in sides)
    # the second moments of x, y, z over the six sides
    squares = [0.0, 0.0, 0.0]
    for k, (side, away, (first, second)) in enumerate(sides):
        for axis, square in ((k, away**2), ((k + 1) % 3, first**2 / 3), ((k + 2) % 3, second**2 / 3)):
            squares[axis] += side * square / area
    x, y, z = squares
    return 8 * area, (y + z, x + z, x + y)


# how many sizes; solid, shell
_SHAPES: Mapping[str, tuple[int, Callable[..., Measures], Callable[..., Measures]]] = {
    "sphere": (1, _sphere, _sphere_shell),
    "capsule": (2, _capsule, _capsule_shell),
    "cylinder": (2, _cylinder, _cylinder_shell),
    "ellipsoid": (3, _ellipsoid, _ellipsoid_shell),
    "box": (3, _box, _box_shell),
}
