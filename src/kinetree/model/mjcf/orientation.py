"""Where an MJCF element stands: ``pos``, and an orientation said in one of five ways.

``quat`` is w, x, y, z; ``axisangle`` an axis and an angle; ``euler`` three angles about the axes of the compiler's
eulerseq; ``xyaxes`` the x axis and a vector that with it spans the xy plane; ``zaxis`` the z axis alone, to which
the shortest turn leads. ``fromto`` gives two points, with the z axis from the second to the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kinetree.joints import quaternion
from kinetree.joints.axis import Z_AXIS, rotation_about
from kinetree.model.mjcf.settings import Settings
from kinetree.model.text.xml import Element
from kinetree.spatial import Mat3, Rotation, Transform, Vec3
from kinetree.spatial.rotation import snapped

_ZERO = (0.0, 0.0, 0.0)
_SMALL = 1e-14  # as short as MuJoCo lets a direction be


def pose_of(given: Element, settings: Settings) -> Transform:
    """The place of an element in what is around it."""
    return Transform(orientation_of(given, settings), Vec3.of(given.numbers("pos", 3, _ZERO)))


def orientation_of(given: Element, settings: Settings) -> Rotation:
    """The orientation that the nearest source gives."""
    for source in (given, *given.defaults):
        ways = [way for way in _WAYS if way in source.attributes]
        if len(ways) > 1:
            raise source.error(f"<{source.tag}> has two orientations, {ways[0]} and {ways[1]}; remove one of them")
        if ways:
            return _exact(_WAYS[ways[0]](source, settings))
    return Rotation.identity


def pose_between(given: Element) -> tuple[Transform, float]:
    """The place of an element with ``fromto``, and half of its length."""
    speaker = given.speaker("fromto")
    ends = speaker.numbers("fromto", 6)
    start, end = Vec3.of(ends[:3]), Vec3.of(ends[3:])
    length = math.hypot(*(start - end))
    if not _SMALL < length < math.inf:
        raise speaker.error(f"<{speaker.tag} fromto=...>: the two points coincide, or are too far apart")
    turn = _turn_to(unit_vector([*(start - end)], speaker, "fromto"))
    return Transform(_exact(turn), (start + end) * 0.5), 0.5 * length


def unit_vector(values: Sequence[float], source: Element, attribute: str) -> Vec3:
    """The direction of a vector, which must have one."""
    scaled = _scaled(values, source, attribute, "the direction is zero; expected one such as 0 0 1")
    length = math.hypot(*scaled)
    return Vec3(*(x / length for x in scaled))


def _scaled(values: Sequence[float], source: Element, attribute: str, zero: str) -> list[float]:
    """The vector, its largest component made one; it must not be zero."""
    largest = max(map(abs, values))
    if largest < _SMALL:
        raise source.error(f"<{source.tag} {attribute}=...>: {zero}")
    return [x / largest for x in values]


# -- the ways ------------------------------------------------------------------------------------------------


def rotation_of_quat(values: Sequence[float], source: Element, attribute: str) -> Rotation:
    """The orientation of a quaternion w, x, y, z of any length but zero."""
    w, x, y, z = _scaled(values, source, attribute, "the quaternion is zero; without rotation it is 1 0 0 0")
    return _exact(quaternion.rotation((x, y, z, w)))


def _axisangle(source: Element, settings: Settings) -> Rotation:
    x, y, z, angle = source.numbers("axisangle", 4)
    return rotation_about(unit_vector((x, y, z), source, "axisangle"), angle * settings.angle)


def _euler(source: Element, settings: Settings) -> Rotation:
    result = Rotation.identity
    for letter, angle in zip(settings.eulerseq, source.numbers("euler", 3)):
        turn = Rotation.about("xyz".index(letter.lower()), angle * settings.angle)
        result = result.then(turn) if letter.islower() else turn.then(result)
    return result


def _xyaxes(source: Element, settings: Settings) -> Rotation:
    values = source.numbers("xyaxes", 6)
    x = unit_vector(values[:3], source, "xyaxes")
    near_y = unit_vector(values[3:], source, "xyaxes")
    across = near_y - x * x.dot(near_y)
    if math.hypot(*across) < _SMALL:
        raise source.error(f"<{source.tag} xyaxes=...>: the vectors are parallel; expected two that span a plane")
    y = unit_vector([*across], source, "xyaxes")
    return Rotation.of(Mat3(x, y, x.cross(y)).T)


_WAYS: Mapping[str, Callable[[Element, Settings], Rotation]] = {
    "quat": lambda source, _: rotation_of_quat(source.numbers("quat", 4), source, "quat"),
    "axisangle": _axisangle,
    "euler": _euler,
    "xyaxes": _xyaxes,
    "zaxis": lambda source, _: _turn_to(unit_vector(source.numbers("zaxis", 3), source, "zaxis")),
}


def _turn_to(direction: Vec3) -> Rotation:
    """The shortest turn that takes the z axis there; half a turn is about x."""
    axis = Z_AXIS.cross(direction)
    across = math.hypot(*axis)
    if across < _SMALL:
        return Rotation.identity if direction.z > 0 else Rotation.about(0, math.pi)
    return rotation_about(axis * (1.0 / across), math.atan2(across, direction.z))


def _exact(R: Rotation) -> Rotation:
    """The rotation with entries within rounding of -1, 0 and 1 made exact, so that rotations about axes are cheap."""
    return Rotation.of(snapped(R.matrix))
