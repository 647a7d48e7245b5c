"""Roll, pitch and yaw that give back a rotation bit for bit.

The rotation of a model is R = Rz(yaw) Ry(pitch) Rx(roll) with every product rounded (`rotation_of_rpy`). The angles by
arc tangents are off by a rounding or two; the angles with few digits nearby, and the neighbouring floats, are tried
until R comes out to the last bit. Where no angles do that, those on a grid that come nearest are taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from kinetree.model.urdf.tree import rotation_of_rpy
from kinetree.spatial import ElementaryRotation, Mat3, Rotation, Vec3

Angles = tuple[float, ...]  # roll, pitch, yaw

_NEAR = 4 * 2.0**-52  # how far from the arc tangents angles with few digits are looked for
_SMALL = math.sqrt(2 * _NEAR)  # angles whose cosine is within rounding of 1
_GRID = 2.0**-53  # the rounding of numbers near 1: finer angles can't be told from a rotation
_HALF_TURN = 3.0  # people write 3.1416, which is more; beyond this both ways to say an angle are tried
_STEPS = (0, 1, -1, 2, -2, 3, -3)
_MANY_STEPS = sorted(range(-16, 17), key=abs)  # of a single angle, which are cheap to try
_LEAST = math.ulp(0.0)
_ZERO: Angles = (0.0, 0.0, 0.0)


def angles_of(R: Rotation) -> Angles:
    """Roll, pitch, yaw of a rotation of numbers, such that `rotation_of_rpy` gives it back or comes nearest.

    The angles of what these angles give are the same angles: writing a second time changes nothing.
    """
    angles = _search(R)
    made = rotation_of_rpy(*angles)
    return angles if made == R else _search(made)


def _search(R: Rotation) -> Angles:
    if not R.factors:
        return _ZERO
    if len(R.factors) == 1 and isinstance(turn := R.factors[0], ElementaryRotation):
        return _of_turn(turn)
    matrix = Mat3(*(Vec3(*(x + 0.0 for x in row)) for row in R.matrix))  # -0.0 would be another angle
    for estimate in _estimates(matrix):
        exact = _nearest(matrix, [_neighbours(angle, _STEPS) for angle in estimate], _LEAST)
        if exact:
            return exact[1]
    within, angles = math.inf, _ZERO
    for estimate in _balanced(matrix):
        within, angles = _nearest(matrix, [_grid(angle) for angle in estimate], within) or (within, angles)
    return angles


def _of_turn(turn: ElementaryRotation) -> Angles:
    candidates = _neighbours(_arc(turn.s, turn.c), _MANY_STEPS)
    best = min(candidates, key=lambda x: _distance(Rotation.about(turn.axis, x).matrix, turn.matrix))
    return tuple(best if k == turn.axis else 0.0 for k in range(3))


# -- estimates ---------------------------------------------------------------------------------------------------------


def _estimates(m: Mat3) -> Iterator[Angles]:
    """Both sets of angles of a rotation; to their last digits where the matrix was made of angles."""
    sides = (-1.0, 1.0) if m.z.y == 0 and m.z.z < 0 else (1.0, -1.0)  # no roll before one of half a turn
    for side in sides if m.x.x or m.y.x else ():
        pitch = _arc(-m.z.x, side * math.hypot(m.x.x, m.y.x))
        yield _arc(side * m.z.y, side * m.z.z), pitch, _arc(side * m.y.x, side * m.x.x)
    yield from _balanced(m)


def _balanced(m: Mat3) -> Iterator[Angles]:
    """Angles where roll and yaw make up for each other, because neither means much if the pitch is a quarter turn."""
    yaw = _arc(m.y.x, m.x.x) if m.x.x or m.y.x else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    yield _arc(s * m.x.z - c * m.y.z, c * m.y.y - s * m.x.y), _arc(-m.z.x, c * m.x.x + s * m.y.x), yaw
    roll = _arc(m.z.y, m.z.z) if m.z.y or m.z.z else 0.0
    c, s = math.cos(roll), math.sin(roll)
    yield roll, _arc(-m.z.x, c * m.z.z + s * m.z.y), _arc(s * m.x.z - c * m.x.y, c * m.y.y - s * m.y.z)


def _arc(s: float, c: float) -> float:
    """The arc tangent of s / c; the cosine of a small angle is 1 in rotations of numbers, and s the angle."""
    return s / c if abs(s) < _SMALL * c else math.atan2(s, c)


def _neighbours(angle: float, steps: Iterable[int]) -> Sequence[float]:
    """The number with the fewest decimals nearby, which is what people write, then the nearest floats."""
    same = [angle, angle - math.copysign(2 * math.pi, angle)] if abs(angle) > _HALF_TURN else [angle]
    tries = (*map(_few_digits, same), *(x + k * math.ulp(x) for x in same for k in steps))
    return [*dict.fromkeys(tries)]


def _grid(angle: float) -> Sequence[float]:
    """Points of a grid that does not depend on the estimate."""
    step = max(math.ulp(angle), _GRID)
    nearest = round(angle / step)
    return [*dict.fromkeys((_few_digits(angle), *((nearest + k) * step for k in _STEPS[:5])))]


def _few_digits(angle: float) -> float:
    quarters = round(angle / (math.pi / 2)) * (math.pi / 2)
    tries = (quarters, *(round(angle, digits) for digits in range(17)))
    return next((x for x in tries if abs(x - angle) <= _NEAR), angle) + 0.0


# -- search ------------------------------------------------------------------------------------------------------------


def _nearest(matrix: Mat3, candidates: Sequence[Sequence[float]], within: float) -> tuple[float, Angles] | None:
    """The angles whose rotation is nearest to the matrix and its distance, if less than the given one."""
    rolls, pitches, yaws = candidates
    best: tuple[float, Angles] | None = None
    inner = {roll: Rotation.about(0, roll) for roll in rolls}
    first_column = [matrix.T.x]
    for yaw, pitch in product(yaws, pitches):
        outer = Rotation.about(2, yaw).then(Rotation.about(1, pitch))
        # the roll does not change the first column
        if _distance([outer.matrix.T.x], first_column) >= within:
            continue
        for roll in rolls:
            distance = _distance(outer.then(inner[roll]).matrix, matrix)
            if distance < within:
                within, best = distance, (distance, (roll, pitch, yaw))
            if distance == 0:
                return best
    return best


def _distance(a: Iterable[Vec3], b: Iterable[Vec3]) -> float:
    return max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))
