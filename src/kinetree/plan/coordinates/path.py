"""Paths in joint space: curves q(s), s from 0 to 1, without a time law; and motions along them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.coordinates.coordinates import Array, Motion, PlanCoordinates
from kinetree.plan.quantity import TITLES, Quantity
from kinetree.robot import Robot
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.quantity import HIGHEST

PATH_TERMS = 6  # coefficients of a path: second derivatives of what depends on the third derivative need as many
_DEGREE = 5  # of paths through points
_SAMPLES = 81  # of a path that is a function


@dataclass(frozen=True)
class PathMap:
    """The motion of the joints along a path: z = (s, sd, ...), and q(s) is a polynomial about the present s.

    Its coefficients are an operand of each sample; the code thus doesn't know the path, and serves all.
    """

    def operand(self, robot: Mechanism) -> str:
        return f"path({robot.nv},{PATH_TERMS})"

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], operand: Any) -> list[list[Any]]:
        return along(operand, *(part[0] for part in parts))


class PathCoordinate(PlanCoordinates):
    """The path parameter of a motion along a given path."""

    kind, labels, map = "path", ("the path parameter",), PathMap()

    def __init__(self, robot: Robot, path: Path) -> None:
        self.robot, self.path = robot, path

    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]:
        """Samples that count from the present s, and the polynomials about these."""
        moved = z.copy()
        moved[:, 0] = 0.0
        return moved, self.path.about(z[:, 0])

    def at_point(self, degree: int, s: float, lower: Any, upper: Any) -> tuple[Quantity, Any, Any]:
        raise InputError(f"on a given path the {TITLES[degree]} at a point can't be chosen")

    def joint_motion(self, z: Callable[[int], Array]) -> Motion:
        s, *rates = z(3)[..., 0]
        coefficients = self.path.about(s.ravel()).transpose(1, 2, 0)
        parts = along(list(coefficients), np.zeros(s.size), *(x.ravel() for x in rates))
        q, qd, qdd, qddd = (np.stack(part, axis=-1).reshape(*s.shape, -1) for part in parts)
        return q, qd, qdd, qddd

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, **self.path.spline.to_json(self.path.points)}


def along(path: Sequence[Sequence[Any]], s: Any, sd: Any, sdd: Any, sddd: Any) -> list[list[Any]]:
    """q, qd, qdd, qddd of a motion along polynomials of s, by the chain rule.

    qd = q' sd, qdd = q' sdd + q" sd^2, qddd = q' sddd + 3 q" sd sdd + q"' sd^3.
    """
    motion: list[list[Any]] = [[], [], [], []]
    for coefficients in path:
        slopes: list[Any] = []
        for _ in range(HIGHEST + 1):
            value: Any = 0.0
            for c in reversed(coefficients):
                value = value * s + c
            slopes.append(value)
            coefficients = [k * c for k, c in enumerate(coefficients)][1:]
        q, first, second, third = slopes
        motion[0].append(q)
        motion[1].append(first * sd)
        motion[2].append(first * sdd + second * sd * sd)
        motion[3].append(first * sddd + 3.0 * second * sd * sdd + third * sd * sd * sd)
    return motion


@dataclass(frozen=True, eq=False)
class Path:
    """A spline in joint space.

    Args:
        spline: the space that it belongs to.
        points: its control points (m, nv) [rad, m].

    Example:
        >>> path = Path.through([[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]])
        >>> [round(float(x), 9) + 0.0 for x in path(0.5)]
        [0.5, 1.0]
    """

    spline: BSpline
    points: Array

    @staticmethod
    def through(points: ArrayLike, at: ArrayLike | None = None) -> Path:
        """A smooth curve through points (m, nv), two or more.

        Args:
            points: where it passes [rad, m].
            at: the values of s there, rising from 0 to 1; in proportion to the distances between the points by default.
        """
        P = np.asarray(points, float)
        if P.ndim != 2 or len(P) < 2 or not np.isfinite(P).all():
            raise InputError(f"a path needs two points or more, each a row of finite numbers; got an array {P.shape}")
        steps = np.linalg.norm(np.diff(P, axis=0), axis=1)
        if not (steps > 0).all():
            raise InputError(f"points {int(np.argmin(steps))} and {int(np.argmin(steps)) + 1} of the path are the same")
        s = np.r_[0.0, np.cumsum(steps) / steps.sum()] if at is None else np.asarray(at, float)
        s[-1] = 1.0 if at is None else s[-1]
        if s.shape != (len(P),) or s[0] != 0.0 or s[-1] != 1.0 or not (np.diff(s) > 0).all():
            raise InputError(f"the parameters of {len(P)} points rise from 0 to 1, got {at!r}")
        if len(P) <= _DEGREE:  # one polynomial through all of them
            few = np.linspace(0.0, 1.0, _DEGREE + 1)
            powers = np.linalg.solve(np.vander(s), P)
            P, s = np.vander(few, len(s)) @ powers, few
        inner = tuple(float(s[k : k + _DEGREE].mean()) for k in range(1, len(s) - _DEGREE))
        spline = BSpline(len(s), _DEGREE, inner)
        return Path(spline, spline.interpolate(s, P))

    @staticmethod
    def of(given: Any, nv: int) -> Path:
        """A path from points, or from a function of s, for so many coordinates."""
        if isinstance(given, Path):
            path = given
        elif callable(given):
            at = np.linspace(0.0, 1.0, _SAMPLES)
            path = Path.through(np.array([np.asarray(given(s), float) for s in at.tolist()]), at)
        else:
            path = Path.through(given)
        if path.points.shape[1] != nv:
            raise InputError(f"the path has {path.points.shape[1]} coordinates, the robot has {nv}")
        return path

    def __call__(self, s: ArrayLike) -> Array:
        """q at s (...): (..., nv)."""
        at = np.asarray(s, float)
        return self.spline.curve(self.points, at.ravel(), 0)[0].reshape(*at.shape, -1)

    @cached_property
    def _pieces(self) -> Array:
        """The coefficients of each knot interval about its left end (intervals, terms, nv)."""
        terms = max(PATH_TERMS, self.spline.degree + 1)
        slopes = self.spline.curve(self.points, self.spline.breakpoints[:-1], terms - 1)
        factorials = [math.factorial(r) for r in range(terms)]
        return (slopes / np.reshape(factorials, (-1, 1, 1))).transpose(1, 0, 2)

    def about(self, s: Array) -> Array:
        """The coefficients of the polynomial about each s (k,): (k, nv, PATH_TERMS)."""
        breaks, pieces = self.spline.breakpoints, self._pieces
        k = np.clip(np.searchsorted(breaks, s, side="right") - 1, 0, len(pieces) - 1)
        terms = pieces.shape[1]
        powers = (s - breaks[k])[:, None] ** np.arange(terms)
        # sum_j c_j (x + d)^j has the coefficients sum_j c_j (j over i) d^(j - i)
        over = np.array([[math.comb(j, i) for j in range(terms)] for i in range(PATH_TERMS)], float)
        less = np.maximum(np.arange(terms) - np.arange(PATH_TERMS)[:, None], 0)
        moved = (over * powers[:, less]) @ pieces[k]
        return np.ascontiguousarray(moved.transpose(0, 2, 1))
