"""`Plan`: a motion that was planned, and how good it is."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.plan.kernel import Kernel
from kinetree.plan.quantity import Derivative, Loads, Parameter, Quantity, quantity
from kinetree.plan.spline import Spline
from kinetree.robot import Robot

if TYPE_CHECKING:
    from kinetree.control import Reference
    from kinetree.plan.active import Active
    from kinetree.plan.conditions import Limit
    from kinetree.plan.problem import Problem
    from kinetree.simulation import Motion
    from kinetree.view import Picture

Array = NDArray[np.float64]


class PlanStatus(enum.Enum):
    """How planning ended; the value is the sentence."""

    OPTIMAL = "the motion is (locally) optimal and keeps all limits"
    BETWEEN = "optimal, but limits are broken between the places where they were set; allow more rounds"
    STOPPED = "stopped before it was optimal; the motion keeps all limits"
    INTERRUPTED = "interrupted or out of time; the best motion so far keeps all limits"
    INTERRUPTED_EARLY = "interrupted or out of time before a motion that keeps all limits was found"
    INFEASIBLE = "no motion was found that keeps all limits"
    FAILED = "the solver failed"


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """A planned motion.

    Args:
        robot: what moves.
        spline: the space of its motions.
        points: control points (m, nv) [rad, m].
        duration: [s].
        status: how planning ended.
        cost: what was minimised.
        violation: the largest violation of a limit on a dense grid, relative to it.
        iterations, seconds: what it took.
        worst: the limit that is nearest to being broken, or most broken.
        limits: what was to be kept along the motion, each with ``quantity``, ``lower`` and ``upper``.
        external: constant loads on the bodies, rows of six numbers; None without any.
        residual: how far limits that are equations are off between the places where they are set, in their own units.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> plan = kt.plan.minimum_time(arm, q0=[0, -2], q1=[1, -1], force_limits=10)
        >>> round(plan.duration, 3), plan.sentence
        (0.393, 'the motion is (locally) optimal and keeps all limits')
        >>> plan.forces([0.0, 0.2]).shape
        (2, 2)
    """

    robot: Robot
    spline: Spline
    points: Array
    duration: float
    status: PlanStatus
    cost: float
    violation: float
    iterations: int
    seconds: float
    worst: str = ""
    limits: tuple[Limit, ...] = ()
    external: Loads | None = None
    residual: float = 0.0

    @classmethod
    def of(
        cls, problem: Problem, x: Array, status: PlanStatus, cost: float, violation: float, iterations: int,
        seconds: float, **more: Any,
    ) -> Plan:  # fmt: skip
        points = x[:-1].reshape(-1, problem.width).copy()
        return cls(problem.robot, problem.spline, points, float(x[-1]), status, float(cost), violation, iterations,
                   seconds, limits=tuple(problem.limits), external=problem.external, **more)  # fmt: skip

    @property
    def ok(self) -> bool:
        """Whether the motion keeps all limits."""
        return self.status in (PlanStatus.OPTIMAL, PlanStatus.STOPPED, PlanStatus.INTERRUPTED)

    @property
    def sentence(self) -> str:
        """How planning ended, in words; with the limit that is broken most, where one is."""
        broken = not self.ok and self.worst
        return self.status.value + (f"; {self.worst}" if broken else "")

    def __repr__(self) -> str:
        return f"Plan of {self.robot.name}: {self.duration:.4g} s; {self.sentence}"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(repr(self))}</p>\n{self.plot()._repr_html_()}"

    # -- the motion ----------------------------------------------------------------------------------------------------

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and jerks at times (...), each (..., nv).

        Before the start and after the end the robot rests at the ends.
        """
        t = np.asarray(t, float)
        if not np.isfinite(t).all():
            raise InputError("times must be finite numbers")
        s = np.clip(t.ravel() / self.duration, 0.0, 1.0)
        table, numbers = self.spline.local(s, 3)
        powers = self.duration ** np.arange(4)
        z = np.einsum("kra,kan->rkn", table, self.points[numbers]) / powers[:, None, None]
        z[1:, (t.ravel() < 0.0) | (t.ravel() > self.duration)] = 0.0
        q, qd, qdd, qddd = (part.reshape(*t.shape, -1) for part in z)
        return q, qd, qdd, qddd

    def forces(self, t: ArrayLike) -> Array:
        """The joint forces at times (...): (..., nv) [N m, N]."""
        return np.asarray(self.robot.inverse_dynamics(*self.motion(t)[:3], **self._loads), float)

    def force_rates(self, t: ArrayLike) -> Array:
        """How fast the joint forces change at times (...): (..., nv) [N m/s, N/s]."""
        still = {} if self.external is None else {"external_rate": np.zeros((self.robot.nbodies, 6))}
        return np.asarray(self.robot.force_rates(*self.motion(t), **self._loads, **still), float)

    def wrenches(self, t: ArrayLike) -> Array:
        """What the joints carry at times (...): (..., nbodies, 6), as `Robot.joint_wrenches`."""
        return np.asarray(self.robot.joint_wrenches(*self.motion(t)[:3], **self._loads), float)

    @property
    def _loads(self) -> dict[str, Any]:
        return {} if self.external is None else {"external": np.array(self.external)}

    def values(self, what: str | Quantity, t: ArrayLike) -> Array:
        """Anything that a limit or a cost may speak of, at times (...).

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
        wanted, z = self.loaded(what), self.motion(t)
        wanted.check(self.robot)
        if isinstance(wanted, Parameter):
            raise InputError("the place on a path is given by the method parameter of a plan along one")
        if isinstance(wanted, Derivative):
            return z[wanted.degree]
        instants = np.concatenate(z[: wanted.order + 1], axis=-1)
        return Kernel(self.robot, [wanted], wanted.order).function(0)(instants)

    def loaded(self, what: str | Quantity) -> Quantity:
        """A quantity by name or itself, with the loads of the plan."""
        wanted = quantity(what)
        return wanted if self.external is None else wanted.loaded(self.external)

    def active(self, tolerance: float = 0.01) -> list[Active]:
        """Which limits the motion touches, and when.

        Args:
            tolerance: how near to a limit is at it, relative to its size.

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

    def simulate(self, *, kp: Any = 400.0, kd: Any = 40.0, rest: float = 0.0, **options: Any) -> Motion:
        """The robot under computed torque along the plan: a `Motion`.

        Args:
            kp, kd: gains of `kinetree.control.ComputedTorque` [1/s^2], [1/s].
            rest: how long it goes on after the end [s].
            options: ``robot``, another one than was planned for, ``q0`` and ``qd0``, another start; and the options of
                `kinetree.simulate`.

        Example:
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> bool(abs(plan.simulate().q[-1] - [1.0, -1.0]).max() < 1e-6)
            True
        """
        from kinetree.control import ComputedTorque
        from kinetree.simulation import simulate

        q, qd = self.motion(0.0)[:2]
        robot, q0, qd0 = (options.pop(name, x) for name, x in (("robot", self.robot), ("q0", q), ("qd0", qd)))
        if self.external is not None:
            options.setdefault("external", np.array(self.external))
        control = ComputedTorque(self.reference(), kp, kd, model=None if robot is self.robot else self.robot)
        return simulate(robot, q0, qd0, self.duration + rest, control, **options)

    # -- pictures and files --------------------------------------------------------------------------------------------

    def plot(self, *what: str | Quantity, title: str = "") -> Picture:
        """Curves over time with their limits, as a picture that notebooks show and ``.save("plan.svg")`` writes.

        Args:
            what: as for `values`; by default positions, velocities, forces and all that has a limit. Where joints have
                different limits the curves are parts of them.
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
        """Write a self-contained HTML page with an animation, plots and active limits; gives the absolute path.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            motion: a simulation of the plan, to be compared with it.
        """
        from kinetree.plan.report import report

        return report(self, motion).write(path)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the plan with its robot to a JSON file, the whole of it or nothing; gives the absolute path.

        Numbers keep all their digits. Limits on functions of your own can't be written and are left out.
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
