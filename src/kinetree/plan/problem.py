"""`Problem`: a task for a robot, stated in a few lines and solved for the best motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError, UnknownNameError
from kinetree.plan.block import Block
from kinetree.plan.quantity import Derivative, Force, ForceRate, Quantity, Squares, quantity
from kinetree.plan.spline import Spline
from kinetree.plan.transcription import Integral, Rows, Transcription, rows_of
from kinetree.robot import Robot

Array = NDArray[np.float64]
COSTS: dict[str, Quantity] = {
    "effort": Squares(Force()),
    "jerk": Squares(Derivative(3)),
    "acceleration": Squares(Derivative(2)),
    "force_rate": Squares(ForceRate()),
}
TIMES = (1e-3, 1e3)  # s, between which a free duration is looked for


@dataclass(frozen=True)
class Limit:
    """Bounds on a quantity along the whole motion."""

    quantity: Quantity
    lower: Array
    upper: Array


@dataclass(frozen=True)
class Condition:
    """Bounds on a quantity at one place s of the motion, 0 its start and 1 its end."""

    quantity: Quantity
    place: float
    lower: Array
    upper: Array


class Problem:
    """The best motion of a robot under limits: what to keep, what to minimise, then `solve`.

    The motion is a clamped B-spline in each joint; its control points are the unknowns, and its duration unless that
    is fixed.

    Args:
        robot: a `Robot` without quaternions among its coordinates.
        control_points: for each joint.
        degree: of the splines, 3 or more.

    Example:
        >>> import kinetree as kt
        >>> problem = kt.plan.Problem(kt.robots.two_link(), control_points=12)
        >>> problem.start([0.0, -2.0])
        >>> problem.end([1.0, -1.0])
        >>> problem.limit("force", 10.0)
        >>> problem.minimise("time")
        >>> plan = problem.solve()
        >>> round(plan.duration, 2)
        0.4

    Reference: [Barman] chapter IV.
    """

    def __init__(self, robot: Robot, *, control_points: int = 20, degree: int = 3) -> None:
        if robot.quaternions:
            raise InputError(
                f"robot {robot.name!r} has quaternions among its coordinates; plan its joints on a fixed or prescribed "
                "base, or give it joints with angles"
            )
        if robot.parameters:
            raise InputError(f"the model has open parameters ({', '.join(robot.parameters)}); planning needs numbers")
        self.robot, self.spline = robot, Spline(control_points, degree)
        self.limits: list[Limit] = []
        self.conditions: list[Condition] = []
        self.costs: list[tuple[Quantity, float]] = []
        self.time_weight = 0.0
        self.times: tuple[float, float] = TIMES

    # -- the task ------------------------------------------------------------------------------------------------

    def start(self, q: ArrayLike, qd: ArrayLike | None = 0.0, qdd: ArrayLike | None = None) -> None:
        """Where and how the motion starts: positions, velocities (rest by default), accelerations (free by default)."""
        self._end_at(0.0, q, qd, qdd)

    def end(self, q: ArrayLike, qd: ArrayLike | None = 0.0, qdd: ArrayLike | None = None) -> None:
        """Where and how the motion ends; as for `start`."""
        self._end_at(1.0, q, qd, qdd)

    def _end_at(self, place: float, *derivatives: Any) -> None:
        self.conditions = [c for c in self.conditions if c.place != place or not isinstance(c.quantity, Derivative)]
        for degree, value in enumerate(derivatives):
            if value is not None:
                self.via(place, Derivative(degree), value)

    def via(
        self,
        place: float,
        what: str | Quantity,
        value: ArrayLike | None = None,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> None:
        """Something that must hold at one place of the motion.

        Args:
            place: from 0, the start, to 1, the end: the part of the duration that has passed.
            what: "position", "velocity", ..., or a quantity of `kinetree.plan` such as FramePosition("tool").
            value: what it must be; or give ``lower`` and ``upper``.
        """
        wanted = quantity(what)
        if not 0.0 <= place <= 1.0:
            raise InputError(f"a place of a motion is between 0 and 1, got {place!r}")
        low, high = (value, value) if value is not None else (lower, upper)
        self.conditions.append(Condition(wanted, float(place), *self._bounds(wanted, low, high)))

    def limit(
        self,
        what: str | Quantity,
        bound: ArrayLike | None = None,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> None:
        """Keep a quantity between bounds along the whole motion.

        Args:
            what: "position", "velocity", "acceleration", "jerk", "force", "force_rate", "power", or a quantity of
                `kinetree.plan`: Reaction, FramePosition, FrameVelocity, Distance, Custom.
            bound: from -bound to bound; a number, or one for each of its numbers. Or give ``lower`` and ``upper``.
        """
        wanted = quantity(what)
        if bound is not None:
            b = np.asarray(bound, float)
            if not (b > 0).all():
                raise InputError(f"a bound on {wanted.title} must be above 0, got {bound!r}; or give lower= and upper=")
            lower, upper = -b, b
        self.limits.append(Limit(wanted, *self._bounds(wanted, lower, upper)))

    def minimise(self, what: str | Quantity, weight: float = 1.0) -> None:
        """Add a cost: "time", "effort" (the integral of the squared forces), "jerk", "acceleration", "force_rate",
        or the integral of a quantity with one number."""
        if not (np.isfinite(weight) and weight >= 0):
            raise InputError(f"the weight of a cost must be a number not below 0, got {weight!r}")
        if what == "time":
            self.time_weight += weight
            return
        if isinstance(what, str) and what not in COSTS:
            raise UnknownNameError("cost", what, ["time", *COSTS])
        cost = COSTS[what] if isinstance(what, str) else what
        cost.check(self.robot)
        if cost.size(self.robot) != 1:
            raise InputError(f"a cost is one number, {cost.title} has {cost.size(self.robot)}; sum it, or take Squares")
        self.costs.append((cost, float(weight)))

    def duration(self, least: float, most: float | None = None) -> None:
        """Fix the duration [s], or keep it between two."""
        most = least if most is None else most
        if not 0 < least <= most < np.inf:
            raise InputError(f"a duration is a positive number of seconds, got {least!r} to {most!r}")
        self.times = float(least), float(most)

    def _bounds(self, wanted: Quantity, lower: Any, upper: Any) -> tuple[Array, Array]:
        wanted.check(self.robot)
        n = wanted.size(self.robot)
        sides = []
        for side, missing in ((lower, -np.inf), (upper, np.inf)):
            values = np.asarray(missing if side is None else side, float)
            if values.ndim > 1 or (values.ndim == 1 and values.shape != (n,)) or np.isnan(values).any():
                raise InputError(f"{wanted.title} has {n} numbers; a bound is one number or {n}, got {side!r}")
            sides.append(np.broadcast_to(values, (n,)).copy())
        low, high = sides
        if (low > high).any():
            raise InputError(f"the lower bound of {wanted.title} is above the upper one: {low} and {high}")
        if not (np.isfinite(low) | np.isfinite(high)).any():
            raise InputError(f"a limit on {wanted.title} needs a finite bound")
        return low, high

    # -- in numbers ----------------------------------------------------------------------------------------------

    def transcription(self, places: Array, inwards: Array | float = 0.0) -> Transcription:
        """The optimisation problem with limits at places of the motion, moved inwards by parts of themselves."""
        rows: list[Rows] = []
        if self.limits:
            block = Block(self.robot, self.spline, [x.quantity for x in self.limits], places)
            rows.append(rows_of(block, [(x.lower, x.upper) for x in self.limits]).moved_inwards(inwards))
        for condition in self.conditions:
            if not self.is_fixed(condition):
                block = Block(self.robot, self.spline, [condition.quantity], np.array([condition.place]))
                rows.append(rows_of(block, [(condition.lower, condition.upper)]))
        costs = []
        for cost, weight in self.costs:
            at, weights = self.spline.quadrature(self.spline.degree + 1)
            costs.append(Integral(Block(self.robot, self.spline, [cost], at), weight * weights))
        return Transcription(self.size, rows, costs, self.time_weight)

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return self.spline.points * self.robot.nv + 1

    def bounds(self) -> tuple[Array, Array]:
        """Of the unknowns: control points at the ends that the conditions fix, and the duration."""
        shape = (self.spline.points, self.robot.nv)
        lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
        for place, order in ((0.0, 1), (1.0, -1)):
            found = self._at_rest(place)
            for k, value in enumerate(found):
                point = k if order > 0 else self.spline.points - 1 - k
                lower[point] = upper[point] = value
        return np.r_[lower.ravel(), self.times[0]], np.r_[upper.ravel(), self.times[1]]

    def _at_rest(self, place: float) -> list[Array]:
        """The control points at an end: as many as derivatives are known there, zero but for the first."""
        at_end = (c for c in self.conditions if c.place == place)
        known = {c.quantity.degree: c for c in at_end if isinstance(c.quantity, Derivative)}
        points: list[Array] = []
        while (degree := len(points)) in known and degree <= self.spline.degree:
            c = known[degree]
            if not np.array_equal(c.lower, c.upper) or (degree and np.any(c.lower)):
                break
            points.append(points[0] if degree else c.lower)
        return points

    def is_fixed(self, condition: Condition) -> bool:
        """Whether a condition holds by control points at an end that don't move."""
        if condition.place not in (0.0, 1.0) or not isinstance(condition.quantity, Derivative):
            return False
        return condition.quantity.degree < len(self._at_rest(condition.place))

    def end_positions(self) -> tuple[Array, Array]:
        """The positions at both ends; refuses a task without them."""
        ends = []
        for place, name in ((0.0, "start"), (1.0, "end")):
            found = [c for c in self.conditions if c.place == place and c.quantity == Derivative(0)]
            if not found:
                raise InputError(f"the motion has no {name}: give it with problem.{name}(q)")
            ends.append(found[-1].lower)
        return ends[0], ends[1]

    def solve(self, guess: Any = None, **options: Any) -> Any:
        """The best motion: a `Plan`.

        Args:
            guess: a `Plan` to start from, for re-planning; a straight way by default.
            options: those of `kinetree.plan.search.search`: tolerance, iterations, rounds, progress.
        """
        from kinetree.plan.search import search

        return search(self, guess, **options)
