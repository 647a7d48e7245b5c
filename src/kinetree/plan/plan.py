"""`Plan`: a motion that was planned, and how good it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from kinetree.errors import printable
from kinetree.nlp.solution import Termination
from kinetree.plan.motion import PlannedMotion
from kinetree.plan.options import Options
from kinetree.plan.quantity import Quantity
from kinetree.plan.status import PlanStatus
from kinetree.plan.warm import WarmStart

if TYPE_CHECKING:
    from kinetree.control import Reference
    from kinetree.plan.active import Active
    from kinetree.plan.constraints import PathConstraint
    from kinetree.plan.obstacles.approach import Clearance
    from kinetree.plan.obstacles.scene import Scene
    from kinetree.plan.problem import Problem
    from kinetree.scene import View
    from kinetree.simulation import Motion
    from kinetree.view import Picture


@dataclass(frozen=True, repr=False, eq=False)
class Plan(PlannedMotion):
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
        iterations, seconds: what the search took; a time limit is on these seconds.
        worst: the constraint that is most violated, or nearest to it.
        constraints: along the motion, each with ``quantity``, ``lower`` and ``upper``.
        residual: how far equalities along the motion are off between collocation points, in their own units.
        termination: why the solver stopped.
        compile_seconds: what compiling took before the search [s], 0 where all was compiled.
        warm: what a search that starts from this plan goes on with.
        problem: what was solved; None where that is not known.
        external: constant loads on the bodies, rows of six numbers; None without any.
        coordinates: what the splines describe; the joints by default.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> plan = kt.plan.minimum_time(arm, q0=[0, -2], q1=[1, -1], force_limits=10)
        >>> round(plan.duration, 3), plan.message
        (0.393, 'the motion is (locally) optimal and satisfies all constraints')
        >>> plan.forces([0.0, 0.2]).shape
        (2, 2)
    """

    status: PlanStatus
    cost: float
    violation: float
    iterations: int
    seconds: float
    worst: str = ""
    constraints: tuple[PathConstraint, ...] = ()
    residual: float = 0.0
    termination: Termination = Termination.CONVERGED
    warm: WarmStart | None = None
    problem: Problem | None = None
    compile_seconds: float = 0.0

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

    @property
    def scene(self) -> Scene | None:
        """The obstacles and the shapes of the robot that kept away from them; None without any."""
        return None if self.problem is None else self.problem.scene

    @property
    def clearance(self) -> Clearance | None:
        """The nearest approach to obstacles, or of the robot to itself, certified; None without a scene."""
        from kinetree.plan.obstacles.approach import clearance

        return clearance(self)

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

    def replan(
        self, *, q: ArrayLike | None = None, qd: ArrayLike | None = None, qdd: ArrayLike | None = None,
        goal: ArrayLike | None = None, obstacles: Any = None, t: float | None = None, **options: Any,
    ) -> Plan:  # fmt: skip
        """The best motion from where the robot is now, for the same task: a `Plan` that begins now.

        The rest of this motion and its multipliers are the start of the search, and nothing is compiled again.

        Args:
            q, qd: positions and velocities now (n,), of the coordinates that the splines describe; those of this plan
                at ``t`` by default.
            qdd: accelerations now (n,); free by default, so that forces may jump. Where jerks or rates of forces are
                limited it is that of this plan by default.
            goal: where to end (n,); the old goal by default.
            obstacles: other ones than before, with the same shapes of the robot; the same by default.
            t: how long this plan has been followed [s]; by default until it was nearest to ``q``.
            options: those of `kinetree.plan.Options`. ``optimality`` is 1e-2 by default: all limits hold, but the
                motion may take about a hundredth longer than the best one, which is found in a few iterations more.

        Example:
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> again = plan.replan(t=0.1, goal=[1.1, -1.1])
            >>> again.ok, again.motion(again.duration)[0].round(6).tolist()
            (True, [1.1, -1.1])
        """
        from kinetree.plan.replan import replan

        return replan(self, t, (q, qd, qdd), goal, obstacles, Options.of({"optimality": 1e-2} | options))

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

        Of a closed chain the independent joints are followed, by the forces of its actuated joints.
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

    def view(self, *others: Plan, beside: bool = False, names: Sequence[str] = ()) -> View:
        """The motion in three dimensions, to be played, among its obstacles; joints at their limits light up.

        Args:
            others: plans of the same robot, which are shown with it as ghosts.
            beside, names: whether they stand side by side instead; how this plan and the others are called.
        """
        from kinetree.plan.report import view

        return view(self, *others, beside=beside, names=names)

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
        from kinetree.plan.export import write_csv

        return write_csv(self, path, count)

    def to_json(self, path: str | os.PathLike[str], count: int = 1001) -> Path:
        """Write the same table as JSON: ``t``, ``q``, ``qd``, ``qdd`` and ``tau`` row by row, and their ``names``."""
        from kinetree.plan.export import write_json

        return write_json(self, path, count)

    def to_ros(self, path: str | os.PathLike[str], count: int = 101) -> Path:
        """Write a message of type trajectory_msgs/JointTrajectory, as YAML or, by its suffix, as JSON.

        Its points have positions, velocities, accelerations and effort at so many even times. Files that end in .yaml
        are what ``ros2 topic pub`` takes.

        Example:
            >>> import tempfile
            >>> import kinetree as kt
            >>> plan = kt.plan.minimum_time(kt.robots.two_link(), q0=[0, -2], q1=[1, -1], force_limits=10)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     print(plan.to_ros(folder + "/plan.yaml", 3).read_text().splitlines()[1])
            joint_names: ["joint1", "joint2"]
        """
        from kinetree.plan.export import write_ros

        return write_ros(self, path, count)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the plan with its robot to a JSON file, the whole of it or nothing; gives the absolute path.

        Numbers keep all their digits. The task is in it, and what a search goes on with, so that a plan that was loaded
        can be planned again. Constraints on functions of your own can't be written and are left out, and such a task.
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
