"""The inertia of an MJCF body: from its <inertial>, or from its geoms, within the compiler's bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from kinetree.model import Inertia
from kinetree.model.mjcf.geom import geom_inertia
from kinetree.model.mjcf.mesh import Meshes
from kinetree.model.mjcf.orientation import orientation_of, pose_of
from kinetree.model.mjcf.settings import Settings
from kinetree.model.text.xml import Element
from kinetree.spatial import Rotation, Sym3, Transform, Vec3

Placed = tuple[Element, Transform]  # an element, and the frame around it in the body
_SWEEPS = 20  # of Jacobi's rotations; five are enough
_NOTHING = 2.0**-60  # of the largest element: beyond rounding


def body_inertia(
    inertial: Placed | None, geoms: Sequence[Placed], at: Vec3, settings: Settings, meshes: Meshes | None = None
) -> tuple[Inertia, list[Element]]:
    """The inertia of a body in its frame, and the geoms that belong to it but have no known mass.

    Args:
        inertial: the element and the frame around it, if there is one.
        geoms: all geoms of the body.
        at: the ``pos`` of the body; there MuJoCo puts the centre of a body that has neither.
        settings: which of the two counts, and the bounds.
        meshes: of the file; None leaves their mass out.
    """
    first, last = settings.groups
    weighed = [placed for placed in geoms if first <= placed[0].number("group", 0.0) <= last]
    from_geoms = settings.inertiafromgeom == "true" or (settings.inertiafromgeom == "auto" and inertial is None)
    result, unknown = Inertia(0.0, at), []
    if from_geoms and weighed:
        found = [(geom, around, geom_inertia(geom, settings, meshes)) for geom, around in weighed]
        unknown = [geom for geom, _, inertia in found if inertia is None]
        result = sum((inertia.moved(around) for _, around, inertia in found if inertia), Inertia())
    elif inertial is not None:
        element, around = inertial
        result = _of_inertial(element, settings).moved(around)
    return _bounded(result, settings), unknown


def _of_inertial(element: Element, settings: Settings) -> Inertia:
    mass, centre = element.number("mass"), Vec3.of(element.numbers("pos", 3))
    if "fullinertia" not in element.attributes:
        diagonal = Sym3.diagonal(*element.numbers("diaginertia", 3, (0.0, 0.0, 0.0)))
        return Inertia(mass, Vec3.zero, diagonal).moved(pose_of(element, settings))
    if "diaginertia" in element.attributes or orientation_of(element, settings) != Rotation.identity:
        raise element.error("fullinertia stands alone, without diaginertia and without an orientation; remove one")
    return Inertia(mass, centre, Sym3(*element.numbers("fullinertia", 6)))


# -- bounds --------------------------------------------------------------------------------------------------


def _bounded(inertia: Inertia, settings: Settings) -> Inertia:
    """The inertia with the least mass and moments that the compiler allows, and balanced where it is told to."""
    mass = max(inertia.mass, settings.bound_mass) if settings.bound_mass > 0 else inertia.mass
    if settings.bound_inertia <= 0 and not settings.balance:
        return Inertia(mass, inertia.com, inertia.about_com)
    moments, R = principal_moments(inertia.about_com)
    if settings.bound_inertia > 0:
        moments = [max(moment, settings.bound_inertia) for moment in moments]
    if settings.balance and 2 * max(moments) > sum(moments):
        moments = [sum(moments) / 3] * 3
    return Inertia(mass, inertia.com, R.similar_symmetric(Sym3.diagonal(*moments)))


def principal_moments(J: Sym3) -> tuple[list[float], Rotation]:
    """The eigenvalues of a symmetric matrix, and the rotation to their axes, by Jacobi's rotations."""
    R = Rotation.identity
    for _ in range(_SWEEPS):
        if max(map(abs, (J.xy, J.xz, J.yz))) <= _NOTHING * max(map(abs, (J.xx, J.yy, J.zz))):
            break
        for axis, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
            rows = [[*row] for row in J.full]
            across, along = 2 * rows[i][j], rows[i][i] - rows[j][j]
            # the smaller of the two angles that do it, or the sweeps need not end
            angle = 0.5 * math.atan2(across * math.copysign(1.0, along), abs(along))
            turn = Rotation.elementary(axis, math.cos(angle), math.sin(angle))
            J = replace(turn.T.similar_symmetric(J), **{("yz", "xz", "xy")[axis]: 0.0})  # it is zero up to rounding
            R = Rotation.of(R.then(turn).matrix)
    return [J.xx, J.yy, J.zz], R
