"""`Problem`: a task for a robot, stated in a few lines and solved for the best motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, UnknownNameError
from kinetree.plan import conditions
from kinetree.plan.begin import at_rest, begun
from kinetree.plan.chains import Closed
from kinetree.plan.conditions import TIMES, Condition, Limit
from kinetree.plan.costs import COSTS
from kinetree.plan.frames import FramePosition, FrameTurn
from kinetree.plan.given import (
    base_is_driven,
    choice_of_knots,
    coordinates_of,
    flat,
    image,
    kind_of_second,
    loads,
    refuse,
)
from kinetree.plan.in_numbers import InNumbers
from kinetree.plan.path import Path
from kinetree.plan.quantity import Derivative, Parameter, Quantity, quantity
from kinetree.plan.spline import kept_spline
from kinetree.plan.way import Coordinates, Way
from kinetree.robot import Robot

if TYPE_CHECKING:
    from kinetree.plan.plan import Plan

Array = NDArray[np.float64]


class Problem(InNumbers):
    """The best motion of a robot under limits: what to keep, what to minimise, then `solve`.

    The motion is a clamped B-spline in each joint; its control points are the unknowns, and its duration unless that
    is fixed.

    Args:
        robot: a `Robot`, or a `ClosedChain`; the splines are then those of its independent joints, of links before
            elastic motors, or of charts of orientations. Start, end and positions at places are those of independent
            joints, of links, or (nq) with quaternions, where NaN leaves a number open.
        control_points: for each joint.
        degree: of the splines, 3 or more.
        knots: "even"; "adapted" to solve twice, the second time with knots where the motion needs them; "free" to look
            for the best ones, in many solves; or the inner knots, control_points - degree - 1 numbers that rise
            between 0 and 1.
        external: constant loads on the bodies (nbodies, 6), in world axes about their origins [N m, N].
        path: points (m, nv), a function of s from 0 to 1 (read at 81 places), or a `Path`: the motion then follows it
            from end to end, from rest to rest, and the spline describes where it is on the path.
        posture: of a closed chain, a closed one (nq) in whose assembly it moves; ``chain.neutral`` by default.
        base: of a floating robot, "undriven", the default: nothing acts on it but the loads; or "driven".
        known: numbers that quantities may use, as a function of places s (k,) that gives (k, m).
        second: "compiled", exact second derivatives; or "differences" of compiled first ones, for large robots.

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

    def __init__(
        self,
        robot: Robot | ClosedChain,
        *,
        control_points: int = 20,
        degree: int = 3,
        knots: str | ArrayLike = "even",
        external: ArrayLike | None = None,
        path: Any = None,
        posture: ArrayLike | None = None,
        base: str | None = None,
        known: Callable[[Array], Array] | None = None,
        second: str = "compiled",
    ) -> None:
        self.closed = Closed(robot, posture) if isinstance(robot, ClosedChain) else None
        robot = robot.robot if isinstance(robot, ClosedChain) else robot
        refuse(robot, self.closed is not None)
        self.robot, self.knots = robot, choice_of_knots(knots)
        self.spline = kept_spline(control_points, degree, None if isinstance(knots, str) else tuple(flat(knots)))
        self.external = loads(robot, external)
        self.base_driven = base_is_driven(robot, base)
        other = coordinates_of(robot, self.external, degree, self.base_driven)
        self.coordinates: Coordinates | None = self.closed or other
        self.limits: list[Limit] = []
        self.conditions: list[Condition] = []
        self.costs: list[tuple[Quantity, float]] = []
        self.time_weight = 0.0
        self.times: tuple[float, float] = TIMES
        self.seam: int | None = None
        self.mirror: Array | None = None
        self.known, self.second = known, kind_of_second(second)
        if path is not None and self.coordinates is not None:
            what = "a closed chain" if self.closed is not None else "elastic joints and quaternions"
            raise InputError(f"{what} can't be planned along a path yet; give via points")
        self.path = None if path is None else Path.of(path, robot.nv)
        self.way: Way | None = self.path if self.coordinates is None else self.coordinates
        self.advance = np.zeros(self.width)
        begun(self)

    # -- the task ------------------------------------------------------------------------------------------------

    def start(self, q: ArrayLike, qd: ArrayLike | None = 0.0, qdd: ArrayLike | None = None) -> None:
        """Where and how the motion starts: positions, velocities (rest by default), accelerations (free by default)."""
        self._end_at(0.0, q, qd, qdd)

    def end(self, q: ArrayLike | None, qd: ArrayLike | None = 0.0, qdd: ArrayLike | None = None) -> None:
        """Where and how the motion ends, as for `start`; q may be None where `via_frame` or `via` says it."""
        self._end_at(1.0, q, qd, qdd)

    def _end_at(self, place: float, *derivatives: Any) -> None:
        if self.path is not None:
            raise InputError("the path says where the motion starts and ends")
        straight = type(self.linear(0))
        self.conditions = [c for c in self.conditions if c.place != place or not isinstance(c.quantity, straight)]
        for degree, value in enumerate(at_rest(self, derivatives)):
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
        low, high = (value, value) if value is not None else (lower, upper)
        if self.coordinates is not None and isinstance(wanted, Derivative):
            wanted, low, high = self.coordinates.stated(wanted.degree, place, low, high)
        else:
            wanted = self._loaded(wanted)
        if not 0.0 <= place <= 1.0:
            raise InputError(f"a place of a motion is between 0 and 1, got {place!r}")
        if self.path is not None and isinstance(wanted, Derivative):
            raise InputError(f"on a given path the {wanted.title} at a place can't be chosen")
        self.conditions.append(Condition(wanted, float(place), *conditions.bounds(self.robot, wanted, low, high)))

    def via_frame(
        self, place: float, frame: str, *, position: ArrayLike | None = None, axes: ArrayLike | None = None
    ) -> None:
        """A pose of a frame at one place of the motion.

        Args:
            place: from 0, the start, to 1, the end.
            frame: its name.
            position: of its origin in the world (3,) [m].
            axes: a rotation matrix (3, 3), world from frame.
        """
        if position is None and axes is None:
            raise InputError(f"give a position or axes for frame {frame!r}")
        if position is not None:
            self.via(place, FramePosition(frame), position)
        if axes is not None:
            self.via(place, FrameTurn.from_axes(frame, axes), 0.0)

    def periodic(self, order: int = 2, advance: ArrayLike = 0.0, mirror: ArrayLike | None = None) -> None:
        """The motion ends as it starts and can be repeated.

        Args:
            order: up to which derivative both ends agree: 1 velocities, 2 accelerations, 3 jerks.
            advance: how far positions at the end are beyond those at the start, for joints that turn on [rad, m].
            mirror: a matrix (nv, nv): the end is then the start's image in it, as of left and right after one step.
        """
        if self.path is not None:
            raise InputError("a motion along a path goes from rest to rest; it is not periodic")
        if order not in (0, 1, 2, 3):
            raise InputError(f"a periodic motion agrees up to a derivative from 0 to 3, got {order!r}")
        self.seam, self.advance = order, conditions.bounds(self.robot, self.linear(0), advance, advance)[0]
        self.mirror = image(self.width, mirror)

    def limit(
        self,
        what: str | Quantity,
        bound: ArrayLike | str | None = None,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        during: tuple[float, float] = (0.0, 1.0),
        scale: float | None = None,
    ) -> None:
        """Keep a quantity between bounds along the whole motion, or a part of it.

        Args:
            what: "position", "velocity", "acceleration", "jerk", "force", "force_rate", "power", or a quantity of
                `kinetree.plan`: Reaction, FramePosition, FrameVelocity, Distance, Custom.
            bound: from -bound to bound; a number, or one for each of its numbers. Or give ``lower`` and ``upper``.
                "model" for the limits of position, velocity or force that the model has.
            during: the places from and to which it holds, the whole motion from 0 to 1 by default.
            scale: what a violation is measured by, in units of the quantity; the bound itself by default.
        """
        wanted = self._loaded(quantity(what))
        if isinstance(bound, str):
            if bound != "model":
                raise UnknownNameError("source of limits", bound, ["model"])
            lower, upper = conditions.of_model(self.robot, wanted)
            if not np.isfinite(np.r_[lower, upper]).any():
                return
        elif bound is not None:
            b = np.asarray(bound, float)
            if not (b > 0).all():
                raise InputError(f"a bound on {wanted.title} must be above 0, got {bound!r}; or give lower= and upper=")
            lower, upper = -b, b
        low, high = conditions.bounds(self.robot, wanted, lower, upper)
        self.limits.append(Limit(wanted, low, high, *conditions.span(during, scale)))

    def minimise(self, what: str | Quantity, weight: float = 1.0) -> None:
        """Add a cost: "time", "effort" (the integral of the squared forces), "energy" (that of the absolute power),
        "jerk", "acceleration", "force_rate", "reaction", or the integral of a quantity with one number."""
        if not (np.isfinite(weight) and weight >= 0):
            raise InputError(f"the weight of a cost must be a number not below 0, got {weight!r}")
        if isinstance(what, str) and what == "time":
            self.time_weight += weight
            return
        if isinstance(what, str) and what not in COSTS:
            raise UnknownNameError("cost", what, ["time", *COSTS])
        cost = self._loaded(COSTS[what] if isinstance(what, str) else what)
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

    def _loaded(self, wanted: Quantity) -> Quantity:
        loaded = wanted if self.external is None else wanted.loaded(self.external)
        return loaded if self.coordinates is None else self.coordinates.quantity(loaded)

    def linear(self, degree: int) -> Quantity:
        """What the spline describes (0), or a derivative of it in time."""
        if self.coordinates is not None:
            return self.coordinates.linear(degree)
        return Derivative(degree) if self.path is None else Parameter(degree)

    def solve(self, guess: Plan | ArrayLike | None = None, **options: Any) -> Plan:
        """The best motion: a `Plan`.

        Args:
            guess: where to start: a `Plan`, for re-planning, control points (m, nv), or a posture (nv,) to rest in; a
                straight way by default.
            options: those of `kinetree.plan.search.search`: tolerance, optimality, places, margin, yielding,
                iterations, rounds, time_limit, tell, progress, starts, seed.
        """
        from kinetree.plan.search import search

        return search(self, guess, **options)
