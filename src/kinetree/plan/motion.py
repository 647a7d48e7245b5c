"""`PlannedMotion`: curves of coordinates over time, and all that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.plan.coordinates import JointCoordinates, PlanCoordinates
from kinetree.plan.dynamics import Dynamics, Loads
from kinetree.plan.evaluate import evaluate
from kinetree.plan.named import quantity
from kinetree.plan.quantity import Coordinate, Derivative, Quantity
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline


@dataclass(frozen=True, repr=False, eq=False)
class PlannedMotion:
    """A motion of a robot whose coordinates are splines; arguments as for `kinetree.plan.Plan`."""

    robot: Robot
    spline: BSpline
    control_points: Array
    duration: float
    external: Loads | None = field(default=None, kw_only=True)
    coordinates: PlanCoordinates = field(default=None, kw_only=True)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.coordinates is None:
            object.__setattr__(self, "coordinates", JointCoordinates(self.robot))

    def coordinate_motion(self, t: ArrayLike, order: int = 3) -> Array:
        """The coordinates that the splines describe and their derivatives at times (...): (order + 1, ..., n).

        Before the start and after the end the robot rests at the ends.
        """
        t = np.asarray(t, float)
        if not np.isfinite(t).all():
            raise InputError("times must be finite numbers")
        z = self.spline.curve(self.control_points, np.clip(t.ravel() / self.duration, 0.0, 1.0), order)
        z = z / (self.duration ** np.arange(order + 1))[:, None, None]
        z[1:, (t.ravel() < 0.0) | (t.ravel() > self.duration)] = 0.0
        return z.reshape(order + 1, *t.shape, -1)

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Positions (..., nq), velocities, accelerations and jerks, each (..., nv), at times (...)."""
        return self.coordinates.joint_motion(lambda order: self.coordinate_motion(t, order))

    def forces(self, t: ArrayLike) -> Array:
        """The joint forces at times (...): (..., nv) [N m, N]; of the actuated joints of a closed chain."""
        return np.asarray(self.coordinates.system.inverse_dynamics(*self.motion(t)[:3], **self.loads), float)

    def force_rates(self, t: ArrayLike) -> Array:
        """The derivatives of the forces in time at times (...): as `forces` [N m/s, N/s]."""
        return self.values("force_rate", t)

    def wrenches(self, t: ArrayLike) -> Array:
        """What the joints transmit at times (...): (..., nbodies, 6), as `Robot.joint_wrenches`."""
        return np.asarray(self.coordinates.system.joint_wrenches(*self.motion(t)[:3], **self.loads), float)

    @property
    def loads(self) -> dict[str, Any]:
        """The constant loads on the bodies as methods of robots take them."""
        return {} if self.external is None else {"external": np.array(self.external)}

    @property
    def dynamics(self) -> Dynamics:
        """What quantities of the plan ask for forces."""
        return self.coordinates.dynamics(self.external)

    def values(self, what: str | Quantity, t: ArrayLike) -> Array:
        """Anything that a constraint or a cost may be on, at times (...).

        Args:
            what: "position", "velocity", "force", "power", ..., or a quantity of `kinetree.plan`.
            t: times of any shape (...) [s].

        Returns:
            An array (..., m) with the numbers of the quantity.

        Example:
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> plan.values(kt.plan.Reaction("link2"), [0.1, 0.2, 0.3]).shape
            (3, 1)
        """
        wanted = self.quantity(what)
        wanted.check(self.robot)
        if isinstance(wanted, Coordinate):
            return self.coordinate_motion(t, wanted.degree)[-1]
        motion = self.motion(t)
        return motion[wanted.degree] if isinstance(wanted, Derivative) else evaluate(self.robot, wanted, motion)

    def quantity(self, what: str | Quantity) -> Quantity:
        """A quantity by name or itself, of the mechanism of the plan."""
        return self.coordinates.quantity(quantity(what).under(self.dynamics))
