"""`Plan`: a motion that was planned, and how good it is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError, printable
from kinetree.nlp.solution import Termination
from kinetree.plan.coordinates import JointCoordinates, PlanCoordinates
from kinetree.plan.dynamics import Dynamics, Loads
from kinetree.plan.evaluate import evaluate
from kinetree.plan.named import quantity
from kinetree.plan.quantity import Coordinate, Derivative, Quantity
from kinetree.plan.status import PlanStatus
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline

if TYPE_CHECKING:
    from kinetree.control import Reference
    from kinetree.plan.active import Active
    from kinetree.plan.constraints import PathConstraint
    from kinetree.simulation import Motion
    from kinetree.view import Picture


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """A planned motion.

    Its splines describe the joints; of a closed chain the independent joints, along a path the path parameter, of a
    robot with elastic joints the links, and of one with quaternions positions and three parameters of each orientation.
    ``motion`` gives all coordinates of the robot as it has them, ``forces`` those of the actuated joints of a chain.

    Args:
        robot: what moves; of a closed chain its tree.
        spline: the space of its motions.
        control_points: (m, n) [rad, m].
        duration: [s].
        status: what was found.
        cost: what was minimised.
        violation: the largest violation of a constraint anywhere, relative to its bound.
        iterations, seconds: what it took.
        worst: the constraint that is most violated, or nearest to it.
        constraints: along the motion, each with ``quantity``, ``lower`` and ``upper``.
        external: constant loads on the bodies, rows of six numbers; None without any.
        residual: how far equalities along the motion are off between collocation points, in their own units.
        coordinates: what the splines describe; the joints by default.
        termination: why the solver stopped.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> plan = kt.plan.minimum_time(arm, q0=[0, -2], q1=[1, -1], force_limits=10)
        >>> round(plan.duration, 3), plan.message
        (0.393, 'the motion is (locally) optimal and satisfies all constraints')
        >>> plan.forces([0.0, 0.2]).shape
        (2, 2)
    """

    robot: Robot
    spline: BSpline
    control_points: Array
    duration: float
    status: PlanStatus
    cost: float
    violation: float
    iterations: int
    seconds: float
    worst: str = ""
    constraints: tuple[PathConstraint, ...] = ()
    external: Loads | None = None
    residual: float = 0.0
    coordinates: PlanCoordinates = None  # type: ignore[assignment]
    termination: Termination = Termination.CONVERGED

    def __post_init__(self) -> None:
        if self.coordinates is None:
            object.__setattr__(self, "coordinates", JointCoordinates(self.robot))

    @property
    def ok(self) -> bool:
        """Whether the motion satisfies all constraints."""
        return self.status.ok

    @property
    def message(self) -> str:
        """What was found, in words; why the search stopped early, and the constraint that is violated most."""
        return self.status.message(self.termination, self.worst)

    def __repr__(self) -> str:
        return printable(f"Plan of {self.robot.name}: {self.duration:.4g} s; {self.message}")

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>\n{self.plot()._repr_html_()}"

    # -- the motion ----------------------------------------------------------------------------------------------------

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
        return np.asarray(self.coordinates.system.inverse_dynamics(*self.motion(t)[:3], **self._loads), float)

    def force_rates(self, t: ArrayLike) -> Array:
        """The derivatives of the forces in time at times (...): as `forces` [N m/s, N/s]."""
        return self.values("force_rate", t)

    def wrenches(self, t: ArrayLike) -> Array:
        """What the joints transmit at times (...): (..., nbodies, 6), as `Robot.joint_wrenches`."""
        return np.asarray(self.coordinates.system.joint_wrenches(*self.motion(t)[:3], **self._loads), float)

    @property
    def _loads(self) -> dict[str, Any]:
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

    def active(self, tolerance: float = 0.01) -> list[Active]:
        """Which constraints are active, and when.

        Args:
            tolerance: how near to a bound is at it, relative to its size.

        Example:
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> print(plan.active()[0].name, plan.active()[0].side)
            force of joint1 lower
        """
        from kinetree.plan.active import active

        return active(self, tolerance)

    # -- to a controller -----------------------------------------------------------------------------------------------

    def reference(self, begin: float = 0.0) -> Reference:
        """The motion as a `kinetree.control.Reference`, for a controller that follows it from the time ``begin`` on.

        Example:
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> kt.control.ComputedTorque(plan.reference(), kp=400.0, kd=40.0).reference.size
            2
        """
        from kinetree.plan.reference import planned_motion

        return planned_motion(self, begin)

    def simulate(self, *, kp: Any = None, kd: Any = None, rest: float = 0.0, **options: Any) -> Motion:
        """The robot under computed torque along the plan: a `Motion`.

        A robot with elastic joints or quaternions moves under the forces of the plan alone: nothing corrects it.

        Args:
            kp, kd: gains of `kinetree.control.ComputedTorque`, 400 1/s^2 and 40 1/s by default.
            rest: how long it goes on after the end [s].
            options: ``robot``, another one than was planned for, ``q0`` and ``qd0``, another start; and the options of
                `kinetree.simulate`.

        Example:
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> bool(abs(plan.simulate().q[-1] - [1.0, -1.0]).max() < 1e-6)
            True
        """
        from kinetree.plan.execution import simulate_plan

        return simulate_plan(self, kp, kd, rest, **options)

    # -- pictures and files --------------------------------------------------------------------------------------------

    def plot(self, *what: str | Quantity, title: str = "") -> Picture:
        """Curves over time with their bounds, as a picture that notebooks show and ``.save("plan.svg")`` writes.

        Args:
            what: as for `values`; by default positions, velocities, forces and all that is bounded. Where joints have
                different bounds the curves are parts of them.
            title: above the first plot.
        """
        from kinetree.plan.report import plot

        return plot(self, what, title)

    def snapshots(self, count: int = 9, *, frame: str | None = None) -> Picture:
        """The robot at several times in one picture, seen along the axis of the world in which it is thinnest.

        Args:
            count: how many, both ends included.
            frame: whose path is drawn; that of the last body's tip by default.
        """
        from kinetree.view.snapshots import snapshots

        return snapshots(self.robot, lambda t: self.motion(t)[0], self.duration, count, frame)

    def report(self, path: str | os.PathLike[str], motion: Motion | None = None) -> Path:
        """Write a self-contained HTML page with an animation, plots and active constraints; gives the absolute path.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            motion: a simulation of the plan, to be compared with it.
        """
        from kinetree.plan.report import report

        return report(self, motion).write(path)

    def to_csv(self, path: str | os.PathLike[str], count: int = 1001) -> Path:
        """Write a table: a row for each of so many times; gives the absolute path.

        Columns are named by quantity and joint, such as ``q.joint1``, ``qd.joint1``, ``qdd.joint1`` and ``tau.joint1``.
        """
        from kinetree.plan.files import write_table

        return write_table(self, path, count)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the plan with its robot to a JSON file, the whole of it or nothing; gives the absolute path.

        Numbers keep all their digits. Constraints on functions of your own can't be written and are left out.
        """
        from kinetree.plan.files import save

        return save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Plan:
        """The plan of a file that `save` wrote; nothing in the file is run.

        Example:
            >>> import tempfile
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     again = kt.plan.Plan.load(plan.save(folder + "/plan.json"))
            >>> again.duration == plan.duration, again.robot == plan.robot
            (True, True)
        """
        from kinetree.plan.files import load

        return load(path)
