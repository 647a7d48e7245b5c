"""A step or a stride as a task for the planner: where the feet are when, and which formulation says what it costs.

A stride is two steps as one periodic task, for a walker whose sides differ. What holds in a phase of its first step
holds with left and right exchanged, one step ahead, in that phase of the second. The strength and the range of a joint
are its own, so both steps may differ wherever the sides of the walker do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetree.gait.formulation import CUBIC_KNOTS, KNOTS, Formulation, formulation, nested_knots
from kinetree.gait.phases import CONTACTS, FOOT_LOADS, Timing
from kinetree.gait.walker import Walker
from kinetree.plan import Problem
from kinetree.plan.splines import chosen_spline
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline

Interval = tuple[float, float]
COARSE, MIDDLE = 7, 10  # control points of a step that is sought at first, and then, where it is to have more
_OTHER_FOOT = [3, 4, 5, 0, 1, 2]  # of the contacts
_USUAL = Timing()  # stands for the one that is usual at the speed


class Footstep(NamedTuple):
    """One step of a motion: which foot stands, from and to which s, and how far forward it is of the first step [m]."""

    stance: str
    start: float
    end: float
    advance: float

    def during(self, interval: Interval) -> Interval:
        """An interval of the step as one of the whole motion."""
        start, end = (self.start + (self.end - self.start) * s for s in interval)
        return start, end

    def named(self, name: str) -> str:
        """The frame or joint that has this name in a step on the left foot."""
        return name if self.stance == "L" else {"L": "R", "R": "L"}[name[0]] + name[1:]

    def bounds(self, lower: ArrayLike, upper: ArrayLike) -> tuple[Array, Array]:
        """Bounds on a position, x first and z last: with left and right exchanged where the right foot stands."""
        low, high = np.array(lower, float), np.array(upper, float)
        if self.stance == "R":
            low[0], high[0] = -high[0], -low[0]
        low[-1], high[-1] = low[-1] + self.advance, high[-1] + self.advance
        return low, high


@dataclass(frozen=True)
class Step:
    """One step, from the strike of the left heel to that of the right.

    Args:
        walker: who walks.
        speed: [m/s].
        length: of the step [m]; the usual one at the speed by default.
        width: between the midlines of the feet [m]; the usual one by default.
        timing: of the phases; the usual one at the speed by default.
        control_points: of each coordinate; as many as the formulation asks for by default.
        formulation: "natural" or "thesis", see `kinetree.gait.formulation`. In that of the thesis lengths, widths and
            timings of 0.6 m, 0.1 m and `Timing()` are usual at every speed.
        smooth: whether accelerations agree at the ends in any case, as in the middle of a stride.
    """

    walker: Walker
    speed: float = 1.2
    length: float = math.nan
    width: float = math.nan
    timing: Timing = _USUAL
    control_points: int = 0
    formulation: str = "natural"
    smooth: bool = False

    def __post_init__(self) -> None:
        length, width, timing = self.rules.usual(self.walker, self.speed)
        given = {"length": length, "width": width}
        usual = {name: value for name, value in given.items() if math.isnan(getattr(self, name))}
        usual |= {"timing": timing} if self.timing is None or self.timing is _USUAL else {}
        usual |= {} if self.control_points else {"control_points": self.rules.control_points}
        for name, value in usual.items():
            object.__setattr__(self, name, value)

    @property
    def rules(self) -> Formulation:
        """What it costs and what limits it."""
        return formulation(self.formulation)

    @property
    def steps(self) -> tuple[Footstep, ...]:
        """The steps that it consists of."""
        return (Footstep("L", 0.0, 1.0, 0.0),)

    @property
    def periodic_order(self) -> int:
        """Up to which derivative the end agrees with the start."""
        return 2 if self.smooth else self.rules.periodic_order

    @property
    def points(self) -> int:
        """Control points of each coordinate in all steps."""
        return self.control_points

    @property
    def degree(self) -> int:
        """Of the splines: cubic where control points are few, so that a search from far away is not led astray."""
        return self.rules.degree if self.control_points > COARSE else 3

    @property
    def knots(self) -> str | tuple[float, ...]:
        """Between the ends of the splines."""
        if not self.rules.nested:
            return "even"
        order = CUBIC_KNOTS if self.degree == 3 else KNOTS
        return nested_knots(self.timing.lift, self.timing.rise, self.control_points - self.degree - 1, order)

    @property
    def spline(self) -> BSpline:
        """The splines of its motions."""
        return chosen_spline(self.points, self.degree, self.knots)[0]

    @property
    def duration(self) -> float:
        """[s]."""
        return self.length / self.speed

    def load_distribution(self, s: ArrayLike) -> Array:
        """The fraction of the ground reaction force at each of `CONTACTS`: (k, 6)."""
        return self.timing.load_distribution(s)

    def loads(self, s: ArrayLike) -> Array:
        """What is known of the load distribution: all of it (k, 6), or that of each foot and its rates (k, 25)."""
        if not self.rules.nested:
            return self.load_distribution(s)
        rates = self.timing.foot_load_rates(s) * (self.speed / self.length)
        return np.concatenate([self.timing.foot_loads(s), rates], axis=-1)

    @cached_property
    def feet(self) -> dict[str, Array]:
        """Where the points of the feet are when they are in contact with the ground: x, y, z [m]; (5.10)."""
        strike, positions = self.length / 2.0, {}
        for point in CONTACTS:
            forward = float(self.walker.standing(point)[2] - self.walker.standing("L_heel")[2])
            if point[0] == "L":
                x, heel = self.width / 2.0, strike
            else:  # the right foot was one step behind, and will be one ahead
                x, heel = -self.width / 2.0, strike + (self.length if point == "R_heel" else -self.length)
            positions[point] = np.array([x, self.walker.ground, heel + forward])
        return positions

    def problem(self) -> Problem:
        """The planning problem: what walking costs and what limits it."""
        return self.rules.problem(self)

    def repeat(self, problem: Problem) -> None:
        """(7) the end is the mirror image of the start, one step ahead (5.8)."""
        problem.periodic(self.periodic_order, self.walker.advance(self.length), self.walker.mirror)


@dataclass(frozen=True)
class Stride(Step):
    """Two steps: from the strike of the left heel over that of the right one, s = 1/2, to the next of the left.

    Args:
        control_points: as for a step. A stride of n has 2 n - 3 for each coordinate: the splines of both steps, which
            go on into each other with equal accelerations. That of the thesis has 2 n + 1.

    The others are those of `Step`. Both steps have the same length and duration.

    Example:
        >>> from kinetree.gait import Stride, Walker
        >>> stride = Stride(Walker(strength={"L_knee": 0.3}))
        >>> round(stride.duration, 2), stride.spline.size
        (1.14, 25)
    """

    @property
    def steps(self) -> tuple[Footstep, ...]:
        return Footstep("L", 0.0, 0.5, 0.0), Footstep("R", 0.5, 1.0, self.length)

    @property
    def periodic_order(self) -> int:
        """Both steps meet with equal accelerations in the middle of the spline, and so they do at its ends."""
        return 2

    @property
    def of_each(self) -> int:
        """Control points of a step whose accelerations agree at its ends, on the spline of the stride."""
        return self.control_points + (0 if self.rules.nested else 2)

    @property
    def points(self) -> int:
        return 2 * self.of_each - 3

    @property
    def near_options(self) -> dict[str, float]:
        """How it is sought from a motion nearby."""
        return {"barrier": 1e-3} if self.rules.nested else {}

    @property
    def knots(self) -> str | tuple[float, ...]:
        inner = super().knots
        if isinstance(inner, str):
            return inner
        middle = (0.5,) * (self.degree - self.periodic_order)  # where as many derivatives agree as at the ends
        return (*(0.5 * s for s in inner), *middle, *(0.5 + 0.5 * s for s in inner))

    @property
    def duration(self) -> float:
        """Of both steps [s]."""
        return 2.0 * self.length / self.speed

    def load_distribution(self, s: ArrayLike) -> Array:
        """As for a step; the second step is the first with the feet exchanged."""
        s = np.asarray(s, float)
        second = s >= 0.5
        found = self.timing.load_distribution(np.where(second, 2.0 * s - 1.0, 2.0 * s))
        return np.where(second[..., None], found[..., _OTHER_FOOT], found)

    def loads(self, s: ArrayLike) -> Array:
        if not self.rules.nested:
            return self.load_distribution(s)
        s = np.asarray(s, float)
        second = s >= 0.5
        found = super().loads(np.where(second, 2.0 * s - 1.0, 2.0 * s))
        feet = [first + k for first in (0, 6, FOOT_LOADS, FOOT_LOADS + 6) for k in _OTHER_FOOT]
        return np.where(second[..., None], found[..., [*feet[:12], 12, *feet[12:]]], found)

    @property
    def first(self) -> Step:
        """The first step alone."""
        names = ("walker", "speed", "length", "width", "timing", "control_points", "formulation")
        return Step(**{name: getattr(self, name) for name in names})

    def repeat(self, problem: Problem) -> None:
        """(7) the end is the start, two steps ahead."""
        problem.periodic(self.periodic_order, 2.0 * self.walker.advance(self.length))
