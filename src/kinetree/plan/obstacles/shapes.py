"""Shapes of obstacles and of robots: spheres, capsules, boxes and half-spaces, at rest or moving.

To the distances they are all one thing, a `Core`: a box with rounded edges, that is, all points within a radius of a
box. A sphere is a rounded point, a capsule a rounded line, a half-space a box that is large enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.runtime.arrays import Array

_HUGE = 1e3  # half the size of the box that stands for a half-space [m]
_ROTATION = 1e-6  # how far a matrix may be from a rotation
_STEP = 1e-4  # of differences in time [s]
Vector = tuple[float, ...]
T = TypeVar("T", bound="Solid")


class Core(NamedTuple):
    """All points within a radius of a box: its axes as columns (3, 3), centre (3,), half sizes (3,) and radius [m]."""

    axes: Array
    centre: Array
    half: Array
    radius: float


def numbers(given: Any, count: int, what: str) -> Vector:
    """So many finite numbers; refuses anything else."""
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise InputError(f"{what} is {count} finite numbers, got {given!r:.80}")
    return tuple(values.tolist())


def positive(given: Any, what: str) -> float:
    """A finite number above 0."""
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not 0.0 < given < math.inf:
        raise InputError(f"{what} is a positive number of metres, got {given!r:.80}")
    return float(given)


@dataclass(frozen=True, kw_only=True)
class Solid:
    """An obstacle, or a part of a robot's surface.

    Args:
        name: for messages; the kind of shape and a number by default.
    """

    name: str = ""

    @property
    def core(self) -> Core:
        """As a rounded box."""
        raise NotImplementedError


@dataclass(frozen=True)
class Sphere(Solid):
    """A sphere.

    Args:
        center: (3,) [m].
        radius: [m].

    Example:
        >>> import kinetree as kt
        >>> kt.plan.Sphere([0.4, 0.0, 0.5], 0.1, name="ball").radius
        0.1
    """

    center: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", numbers(self.center, 3, "the center of a sphere"))
        object.__setattr__(self, "radius", positive(self.radius, "the radius of a sphere"))

    @property
    def core(self) -> Core:
        return Core(np.eye(3), np.array(self.center), np.zeros(3), self.radius)


@dataclass(frozen=True)
class Capsule(Solid):
    """All points within a radius of a line: a cylinder with half a sphere at each end.

    Args:
        start, end: of the line (3,) [m].
        radius: [m].

    Example:
        >>> import kinetree as kt
        >>> post = kt.plan.Capsule([0.5, 0.2, 0.0], [0.5, 0.2, 1.0], 0.05)
        >>> post.core.half.round(3)
        array([0.5, 0. , 0. ])
    """

    start: ArrayLike
    end: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            object.__setattr__(self, name, numbers(getattr(self, name), 3, f"the {name} of a capsule"))
        object.__setattr__(self, "radius", positive(self.radius, "the radius of a capsule"))

    @property
    def core(self) -> Core:
        a, b = np.array(self.start), np.array(self.end)
        length = float(np.linalg.norm(b - a))
        axes = axes_along((b - a) / length) if length > 0.0 else np.eye(3)
        return Core(axes, 0.5 * (a + b), np.array([0.5 * length, 0.0, 0.0]), self.radius)


@dataclass(frozen=True)
class Box(Solid):
    """A box.

    Args:
        center: (3,) [m].
        size: its whole lengths along its axes (3,) [m].
        axes: a rotation matrix (3, 3), world from box; that of the world by default.

    Example:
        >>> import kinetree as kt
        >>> table = kt.plan.Box([0.5, 0.0, -0.05], [1.0, 1.0, 0.1], name="table")
        >>> table.core.half
        array([0.5 , 0.5 , 0.05])
    """

    center: ArrayLike
    size: ArrayLike
    axes: ArrayLike | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", numbers(self.center, 3, "the center of a box"))
        size = numbers(self.size, 3, "the size of a box")
        object.__setattr__(self, "size", tuple(positive(x, "each size of a box") for x in size))
        if self.axes is not None:
            object.__setattr__(self, "axes", _rotation(self.axes))

    @property
    def core(self) -> Core:
        axes = np.eye(3) if self.axes is None else np.array(self.axes)
        return Core(axes, np.array(self.center), 0.5 * np.array(self.size), 0.0)


@dataclass(frozen=True)
class HalfSpace(Solid):
    """All that is on one side of a plane, such as the floor.

    Args:
        normal: of the plane, out of the obstacle (3,); of any length.
        point: of the plane (3,) [m].

    Example:
        >>> import kinetree as kt
        >>> floor = kt.plan.HalfSpace([0.0, 0.0, 1.0], [0.0, 0.0, 0.0], name="floor")
    """

    normal: ArrayLike
    point: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        normal = np.array(numbers(self.normal, 3, "the normal of a half-space"))
        length = float(np.linalg.norm(normal))
        if not length > 0.0:
            raise InputError("the normal of a half-space must not be zero")
        object.__setattr__(self, "normal", tuple((normal / length).tolist()))
        object.__setattr__(self, "point", numbers(self.point, 3, "the point of a half-space"))

    @property
    def core(self) -> Core:
        n = np.array(self.normal)
        return Core(axes_along(n), np.array(self.point) - _HUGE * n, np.full(3, _HUGE), 0.0)


@dataclass(frozen=True)
class MovingObstacle(Solid):
    """An obstacle that moves along a known path without turning; t = 0 is the start of the motion that is planned.

    Args:
        shape: where it is at t = 0.
        path: its velocity (3,) [m/s], or a function of the time t [s] that gives its displacement (3,) [m].
        speed: a bound on its speed [m/s], which a function needs: clearances are certified with it.

    Example:
        >>> import kinetree as kt
        >>> ball = kt.plan.MovingObstacle(kt.plan.Sphere([0.5, -1.0, 0.5], 0.1), [0.0, 0.5, 0.0])
        >>> ball.at(2.0)[0]
        array([0., 1., 0.])
    """

    shape: Solid
    path: ArrayLike | Callable[[float], Any]
    speed: float | None = None
    _velocity: Array | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Solid) or isinstance(self.shape, MovingObstacle):
            raise InputError(f"what moves is a sphere, box, capsule or half-space, got {self.shape!r:.80}")
        if not self.name:
            object.__setattr__(self, "name", self.shape.name)
        if callable(self.path):
            if self.speed is None:
                raise InputError("an obstacle that moves along a function of time needs a bound on its speed: speed=")
            object.__setattr__(self, "speed", positive(self.speed, "the speed of an obstacle"))
            return
        velocity = numbers(self.path, 3, "the velocity of an obstacle")
        object.__setattr__(self, "path", velocity)
        object.__setattr__(self, "speed", float(np.linalg.norm(velocity)))
        object.__setattr__(self, "_velocity", np.array(velocity))

    @property
    def core(self) -> Core:
        return self.shape.core

    def along(self, t: Array) -> Array:
        """Displacements, velocities and accelerations at times (k,): (k, 3, 3), a row each [m, m/s, m/s^2]."""
        found = np.zeros((len(t), 3, 3))
        if self._velocity is not None:
            found[:, 0], found[:, 1] = t[:, None] * self._velocity, self._velocity
            return found
        times, where = np.unique(t, return_inverse=True)
        return np.array([self.at(x) for x in times.tolist()]).reshape(-1, 3, 3)[where]

    def at(self, t: float) -> Array:
        """The same at one time: (3, 3)."""
        if self._velocity is not None:
            return self.along(np.array([t]))[0]
        path: Any = self.path
        before, here, after = (np.array(numbers(path(t + k * _STEP), 3, "a displacement")) for k in (-1, 0, 1))
        return np.array([here, (after - before) / (2.0 * _STEP), (after - 2.0 * here + before) / _STEP**2])


def axes_along(x: Array) -> Array:
    """A rotation matrix whose first column is a unit vector."""
    a, b, c = x.tolist()
    least = min(abs(a), abs(b), abs(c))
    y = (0.0, c, -b) if abs(a) == least else (-c, 0.0, a) if abs(b) == least else (b, -a, 0.0)  # x across an axis
    d, e, f = (k / math.hypot(*y) for k in y)
    return np.array([[a, d, b * f - c * e], [b, e, c * d - a * f], [c, f, a * e - b * d]])


def named(shapes: Any) -> tuple[Solid, ...]:
    """Obstacles as a list, each with a name."""
    given = (shapes,) if isinstance(shapes, Solid) else tuple(shapes)
    found = []
    for k, shape in enumerate(given):
        if not isinstance(shape, Solid):
            raise InputError(
                f"obstacles are of kinetree.plan: Sphere, Capsule, Box, HalfSpace, MovingObstacle; got {shape!r:.80}"
            )
        kind = type(shape.shape if isinstance(shape, MovingObstacle) else shape).__name__.lower()
        found.append(shape if shape.name else _with_name(shape, f"{kind} {k + 1}"))
    return tuple(found)


def _with_name(shape: T, name: str) -> T:
    other = object.__new__(type(shape))
    vars(other).update(vars(shape), name=name)  # checked already
    return other


def _rotation(given: Any) -> tuple[Vector, ...]:
    R = np.asarray(given, float)
    if R.shape != (3, 3) or not np.isfinite(R).all():
        raise InputError(f"the axes of a box are a rotation matrix (3, 3), got {given!r:.80}")
    if np.abs(R @ R.T - np.eye(3)).max() > _ROTATION or np.linalg.det(R) < 0:
        raise InputError("the axes of a box are a rotation matrix; these are not orthogonal, or left-handed")
    return tuple(map(tuple, R.tolist()))
