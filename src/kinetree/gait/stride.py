"""Two steps as one task, for a walker whose sides differ: periodic, without a mirror.

Every limit of a step (`Step`) is one of a stride too. One that holds all along the step holds all along the stride; one
of a phase holds in that phase of the first step, and in its image, one step ahead, in that of the second. The strength
and the range of a joint are its own, so both steps may differ wherever the sides of the walker do.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.gait.phases import Timing
from kinetree.gait.quantities import LoadOffset, ZeroMomentPoint
from kinetree.gait.step import Step
from kinetree.plan.conditions import Limit
from kinetree.plan.frames import FramePosition
from kinetree.plan.problem import Problem
from kinetree.plan.quantity import Derivative

Array = NDArray[np.float64]
_ALWAYS = (0.0, 1.0)
_SEAM = 2  # both steps meet with equal accelerations in the middle of the spline; so they do at its ends
_EXCHANGED = [3, 4, 5, 0, 1, 2]  # the contacts of one foot, and those of the other


@dataclass(frozen=True)
class StrideTiming(Timing):
    """The phases of two steps; the times are parts of one step, the places s those of a stride."""

    def shares(self, places: ArrayLike) -> Array:
        """What part of the ground force each contact takes: the second step is the first with the feet exchanged."""
        s = np.asarray(places, float)
        second = s >= 0.5
        shares = super().shares(np.where(second, 2.0 * s - 1.0, 2.0 * s))
        return np.where(second[..., None], shares[..., _EXCHANGED], shares)


@dataclass(frozen=True)
class Stride(Step):
    """Two steps: from the strike of the left heel over that of the right one, s = 1/2, to the next of the left.

    Args:
        control_points: as for a step. A stride of n has 2 n + 1 for each coordinate, one more for each step because
            accelerations agree at both heel strikes; so there is a knot at the second.

    The others are those of `Step`. Both steps have the same length and duration.

    Example:
        >>> from kinetree.gait import Stride, Walker
        >>> stride = Stride(Walker(strength={"L_knee": 0.3}))
        >>> stride.duration, stride.problem().spline.points
        (1.0, 13)
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "timing", StrideTiming(*astuple(self.timing)))

    @property
    def duration(self) -> float:
        """Of both steps [s]."""
        return 2.0 * self.length / self.speed

    @property
    def points(self) -> int:
        """Control points of each coordinate."""
        return 2 * self.control_points + 1

    @property
    def first(self) -> Step:
        """The first step alone."""
        timing = Timing(*astuple(self.timing))
        return Step(self.walker, self.speed, self.length, self.width, timing, self.control_points)

    def problem(self) -> Problem:
        """The task: least dynamic effort (5.1)."""
        step = self.first.problem()
        problem = Problem(
            self.walker.robot, control_points=self.points, known=self.timing.shares, second=step.second
        )  # fmt: skip
        problem.duration(self.duration)
        problem.limits += [limit for one in step.limits for limit in self._both(one)]
        problem.periodic(_SEAM, 2.0 * step.advance)
        problem.costs += step.costs
        return problem

    def _both(self, limit: Limit) -> list[Limit]:
        if limit.during == _ALWAYS:
            return [limit]
        start, end = limit.during
        own = replace(limit, during=(0.5 * start, 0.5 * end))
        return [own, replace(self._image(limit), during=(0.5 + 0.5 * start, 0.5 + 0.5 * end))]

    def _image(self, limit: Limit) -> Limit:
        """A limit with left and right exchanged, one step ahead."""
        what = limit.quantity
        if isinstance(what, FramePosition):
            other = {"L": "R", "R": "L"}[what.frame[0]] + what.frame[1:]
            return _mapped(limit, np.diag([-1.0, 1.0, 1.0]), [0.0, 0.0, self.length], replace(what, frame=other))
        if isinstance(what, ZeroMomentPoint):
            return _mapped(limit, np.diag([-1.0, 1.0]), [0.0, self.length])
        if isinstance(what, LoadOffset):
            return _mapped(limit, np.diag([-1.0, 1.0]), [0.0, 0.0])
        if what == Derivative(0):
            ahead = [self.length * (name == "global_tz_forward") for name in self.walker.robot.joint_names]
            return _mapped(limit, self.walker.mirror, ahead)
        raise NotImplementedError(f"the image of a limit on {what.title} is not known")


def _mapped(limit: Limit, image: Array, ahead: ArrayLike, quantity: object = None) -> Limit:
    """Bounds in a mirror: a matrix with one number, 1 or -1, in each row; where it is -1 the sides change places."""
    whose = np.argmax(np.abs(image), axis=1)
    turned = image.sum(axis=1) < 0.0
    low, high = limit.lower[whose], limit.upper[whose]
    lower, upper = np.where(turned, -high, low) + ahead, np.where(turned, -low, high) + ahead
    return replace(limit, quantity=quantity or limit.quantity, lower=lower, upper=upper)
