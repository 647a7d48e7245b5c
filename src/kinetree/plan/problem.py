"""`Problem`: a task for a robot, stated in a few lines and solved for the best motion."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, check_name
from kinetree.plan.checks import DURATIONS, refuse_robot
from kinetree.plan.constraints import PathConstraint, PointConstraint, both_sides, bounds, interval, mirror_matrix
from kinetree.plan.coordinates import FlatCoordinates, PathCoordinate, base_is_driven, coordinates_of, free_base
from kinetree.plan.dynamics import loads_on
from kinetree.plan.frames import FrameOrientation, FramePosition
from kinetree.plan.named import cost, quantity
from kinetree.plan.options import Options
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.splines import chosen_spline
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.transcribe.block import DIFFERENCES, EXACT

if TYPE_CHECKING:
    from kinetree.plan.obstacles.scene import Scene
    from kinetree.plan.plan import Plan


class Problem:
    """The best motion of a robot under constraints: what to satisfy, what to minimise, then `solve`.

    The motion is a clamped B-spline in each coordinate; its control points are the variables, and its duration unless
    that is fixed. Normalised time s goes from 0 at the start to 1 at the end.

    Args:
        robot: a `Robot`, or a `ClosedChain`. The coordinates are those of the joints; of a closed chain its independent
            joints, of a robot with elastic joints its links, and an orientation has three parameters. Start, end and
            positions at points are those of independent joints, of links, or (nq) with quaternions, where NaN leaves a
            number free.
        control_points: for each coordinate.
        degree: of the splines, 3 or more.
        knots: "even"; "adapted" to solve twice, the second time with knots where the motion needs them; "free" to look
            for the best ones, in many solves; or the inner knots, control_points - degree - 1 numbers that rise
            between 0 and 1.
        external: constant loads on the bodies (nbodies, 6), in world axes about their origins [N m, N].
        path: points (m, nv), a function of s from 0 to 1 (sampled 81 times), or a `Path`: the motion then follows it
            from end to end, from rest to rest, and the spline describes the path parameter.
        configuration: of a closed chain, a closed one (nq) in whose assembly it moves; ``chain.neutral`` by default.
        base: of a floating robot, "undriven", the default: nothing acts on it but the loads; or "driven".
        parameters: numbers that quantities may use, as a function of s (k,) that gives (k, m).
        hessian: "exact", compiled; or "differences" of compiled first derivatives, for large robots.

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
        configuration: ArrayLike | None = None,
        base: str | None = None,
        parameters: Callable[[Array], Array] | None = None,
        hessian: str = EXACT,
    ) -> None:
        tree = robot.robot if isinstance(robot, ClosedChain) else robot
        refuse_robot(tree, tree is not robot)
        self.robot: Robot = tree
        self.spline, self.knots = chosen_spline(control_points, degree, knots)
        loads = loads_on(tree, external)
        self.base_driven = base_is_driven(tree, base)
        self.coordinates = coordinates_of(robot, loads, self.base_driven, configuration, path)
        self.dynamics = self.coordinates.dynamics(loads)
        if isinstance(self.coordinates, FlatCoordinates):
            self.coordinates.check_degree(degree)
        self.constraints: list[PathConstraint] = []
        self.point_constraints: list[PointConstraint] = []
        self.costs: list[tuple[Quantity, float]] = []
        self.time_weight = 0.0
        self.durations: tuple[float, float] = DURATIONS
        self.periodic_order: int | None = None
        self.mirror: Array | None = None
        self.advance = np.zeros(self.coordinates.size)
        self.jerky_ends: set[float] = set()  # that may begin or end with any acceleration
        check_name("source of second derivatives", hessian, (EXACT, DIFFERENCES))
        self.parameters, self.hessian = parameters, hessian
        self.scene: Scene | None = None
        self.shared: dict[Any, Any] | None = None  # of transcriptions with the same limits, whatever the ends
        self._constrain_path_and_base()

    def _constrain_path_and_base(self) -> None:
        """A path goes from end to end, from rest to rest and forwards; an undriven base gets no force."""
        if isinstance(self.coordinates, PathCoordinate):
            for s in (0.0, 1.0):
                self.via(s, self.coordinates.linear(0), s)
                self.via(s, self.coordinates.linear(1), 0.0)
            self.limit(self.coordinates.linear(1), lower=0.0)
        base = [k for name in free_base(self.robot) for k in self.robot.velocities_of(name)]
        if base and not self.base_driven:
            bound = np.full(self.robot.nv, np.inf)
            bound[base] = 0.0
            self.limit("force", lower=-bound, upper=bound)

    # -- the task ------------------------------------------------------------------------------------------------

    def start(self, q: ArrayLike, qd: ArrayLike | None = 0.0, qdd: ArrayLike | str | None = None) -> None:
        """Where and how the motion starts.

        Args:
            q: positions (nv,) [rad, m].
            qd: velocities [rad/s, m/s], rest by default; None leaves them free.
            qdd: accelerations [rad/s^2, m/s^2], or "free". By default those of a motion from rest are zero where jerks
                or force rates are limited, so that a robot at rest can follow it, and free otherwise.
        """
        self._end_at(0.0, q, qd, qdd)

    def end(self, q: ArrayLike | None, qd: ArrayLike | None = 0.0, qdd: ArrayLike | str | None = None) -> None:
        """Where and how the motion ends, as for `start`; q may be None where `via_frame` or `via` constrains it."""
        self._end_at(1.0, q, qd, qdd)

    def _end_at(self, s: float, *derivatives: Any) -> None:
        if isinstance(self.coordinates, PathCoordinate):
            raise InputError("the path says where the motion starts and ends")
        extra, is_linear = self.coordinates.extra_order, self.coordinates.is_linear
        self.point_constraints = [c for c in self.point_constraints if c.s != s or not is_linear(c.quantity)]
        self.jerky_ends.discard(s)
        if isinstance(derivatives[2], str):
            check_name("acceleration", derivatives[2], ["free"])
            self.jerky_ends.add(s)
            derivatives = *derivatives[:2], None
        at_rest = derivatives[1] is not None and not np.any(derivatives[1]) and derivatives[2] is None
        if extra and at_rest:  # a robot with elastic joints rests where its motors rest too
            derivatives = *derivatives[:2], *[0.0] * extra
        for degree, value in enumerate(derivatives):
            if value is not None:
                self.via(s, Derivative(degree), value)

    def via(
        self,
        s: float,
        what: str | Quantity,
        value: ArrayLike | None = None,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> None:
        """A constraint at one point of the motion.

        Args:
            s: from 0, the start, to 1, the end: the part of the duration that has passed.
            what: "position", "velocity", ..., or a quantity of `kinetree.plan` such as FramePosition("tool").
            value: what it must be; or give ``lower`` and ``upper``.
        """
        wanted = quantity(what)
        low, high = (value, value) if value is not None else (lower, upper)
        if isinstance(wanted, Derivative):
            wanted, low, high = self.coordinates.at_point(wanted.degree, s, low, high)
        else:
            wanted = self._own(wanted)
        if not 0.0 <= s <= 1.0:
            raise InputError(f"a point of a motion is between s = 0 and 1, got {s!r}")
        self.point_constraints.append(PointConstraint(wanted, float(s), *bounds(self.robot, wanted, low, high)))

    def via_frame(
        self, s: float, frame: str, *, position: ArrayLike | None = None, axes: ArrayLike | None = None
    ) -> None:
        """A pose of a frame at s, from 0, the start, to 1, the end: the position of its origin in the world (3,) [m],
        its axes, a rotation matrix (3, 3), world from frame; or both."""
        if position is None and axes is None:
            raise InputError(f"give a position or axes for frame {frame!r}")
        if position is not None:
            self.via(s, FramePosition(frame), position)
        if axes is not None:
            self.via(s, FrameOrientation.from_axes(frame, axes), 0.0)

    def periodic(self, order: int = 2, advance: ArrayLike = 0.0, mirror: ArrayLike | None = None) -> None:
        """The motion ends as it starts and can be repeated.

        Args:
            order: up to which derivative both ends agree: 1 velocities, 2 accelerations, 3 jerks.
            advance: how far positions at the end are beyond those at the start, for joints that go on [rad, m].
            mirror: a matrix (nv, nv): the end is then the start's image in it, as of left and right after one step.
        """
        if isinstance(self.coordinates, PathCoordinate):
            raise InputError("a motion along a path goes from rest to rest; it is not periodic")
        if order not in (0, 1, 2, 3):
            raise InputError(f"a periodic motion agrees up to a derivative from 0 to 3, got {order!r}")
        self.periodic_order = order
        self.advance = bounds(self.robot, self.coordinates.linear(0), advance, advance)[0]
        self.mirror = None if mirror is None else mirror_matrix(mirror, self.coordinates.size)

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
        """A constraint on a quantity along the whole motion, or a part of it.

        Args:
            what: "position", "velocity", "acceleration", "jerk", "force", "force_rate", "power", or a quantity of
                `kinetree.plan`: Reaction, FramePosition, FrameVelocity, Distance, Custom.
            bound: from -bound to bound; a number, or one for each of its numbers. Or give ``lower`` and ``upper``.
                "model" for the limits of position, velocity or force that the model has.
            during: the values of s from and to which it holds, the whole motion from 0 to 1 by default.
            scale: what a violation is measured by, in units of the quantity; the bound itself by default.
        """
        wanted = self._own(quantity(what))
        if bound is not None:
            lower, upper = both_sides(self.robot, wanted, bound)
            if isinstance(bound, str) and not np.isfinite(np.r_[lower, upper]).any():
                return
        low, high = bounds(self.robot, wanted, lower, upper)
        self.constraints.append(PathConstraint(wanted, low, high, *interval(during, scale)))

    def avoid(
        self, obstacles: Any = (), *, shapes: Any = None, clearance: float = 0.0, self_collision: Any = True
    ) -> None:
        """Keep the robot away from obstacles and from itself, between samples too.

        Args:
            obstacles: Sphere, Capsule, Box, HalfSpace and MovingObstacle of `kinetree.plan`.
            shapes: of the robot: names of frames to spheres and capsules in their axes; None for `link_shapes`.
            clearance: the least distance [m].
            self_collision: True, but for neighbours and what touches in the neutral configuration; False; or pairs.
        """
        from kinetree.plan.obstacles.scene import scene_of

        self.scene = scene_of(self, obstacles, shapes, clearance, self_collision)

    def minimise(self, what: str | Quantity, weight: float = 1.0) -> None:
        """Add a cost: "time", "effort" (the integral of the squared forces), "energy" (that of the absolute power),
        "jerk", "acceleration", "force_rate", "reaction", or the integral of a quantity with one number."""
        if not (np.isfinite(weight) and weight >= 0):
            raise InputError(f"the weight of a cost must be a number not below 0, got {weight!r}")
        if isinstance(what, str) and what == "time":
            self.time_weight += weight
            return
        wanted = self._own(cost(what))
        wanted.check(self.robot)
        if wanted.size(self.robot) != 1:
            size = wanted.size(self.robot)
            raise InputError(f"a cost is one number, {wanted.title} has {size}; sum it, or take Squares")
        self.costs.append((wanted, float(weight)))

    def duration(self, least: float, most: float | None = None) -> None:
        """Fix the duration [s], or keep it between two."""
        most = least if most is None else most
        if not 0 < least <= most < np.inf:
            raise InputError(f"a duration is a positive number of seconds, got {least!r} to {most!r}")
        self.durations = float(least), float(most)

    def snapshot(self, shared: bool = False) -> Problem:
        """A copy for a plan to keep; one of the same limits, with other ends, may share what was computed for them."""
        other = copy.copy(self)
        other.constraints, other.point_constraints = [*self.constraints], [*self.point_constraints]
        other.costs, other.jerky_ends, other.shared = [*self.costs], {*self.jerky_ends}, self.shared if shared else {}
        return other

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"shared": None}

    def _own(self, wanted: Quantity) -> Quantity:
        """The quantity of this mechanism, in these coordinates."""
        return self.coordinates.quantity(wanted.under(self.dynamics))

    def solve(self, guess: Plan | ArrayLike | None = None, **options: Any) -> Plan:
        """The best motion: a `Plan`.

        Args:
            guess: where to start: a `Plan`, for re-planning, control points (m, nv), or a configuration (nv,) to rest
                in; a straight line by default.
            options: those of `kinetree.plan.Options`: tolerance, optimality, iterations, elastic, time_limit, ...
        """
        from kinetree.plan.attempts import search

        return search(self.snapshot(), guess, Options.of(options))
