"""The step of inverse kinematics as a function that compiled code repeats for each row until it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.algorithms.tasks import KinematicTask
from kinetree.signature import Signature, parse

NUMBERS = 9  # of a state besides two configurations


@dataclass(frozen=True)
class InverseKinematicsStep:
    """One step of the search for a configuration.

    Its operands are the targets, the region to look in, when to stop (three tolerances, iterations, starts, seed), and
    the state: the configuration to look at, the best one, its distance, angle and open loops, whether it is a solution,
    how many steps and starts lie behind, and three numbers more (`kinetree.algorithms.inverse_kinematics.SearchState`).

    Args:
        tasks: what shall be fulfilled.
        loops: whether the loops and couplings of the robot shall be closed.
        preferred: whether there is a preferred configuration.
    """

    tasks: tuple[KinematicTask, ...]
    loops: bool = False
    preferred: bool = False

    repeats: ClassVar[bool] = True  # until its last result is zero

    @property
    def __name__(self) -> str:
        return "inverse_kinematics"

    @property
    def targets(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of the operands of the targets."""
        n = len(self.tasks)
        names = ["target"] if n == 1 else [f"target{k}" for k in range(1, n + 1)]
        return {name: task.shape for name, task in zip(names, self.tasks)}

    def signature(self, robot: Any) -> Signature:
        targets = [f"{name}({','.join(map(str, shape))})" for name, shape in self.targets.items()]
        where = ["centre(nq)", "span(nv)", "lower(nq)", "upper(nq)", *(["preferred(nq)"] if self.preferred else [])]
        operands = ", ".join([*targets, *where, "stop(6)", "state(size)"])
        return parse(f"{operands} -> state(size), again()", robot, size=2 * robot.nq + NUMBERS)

    def __call__(self, robot: Any, *args: Any) -> tuple[Any, ...]:
        from kinetree.algorithms.inverse_kinematics import SearchState, TargetSearch, inverse_kinematics_step

        count, n = len(self.tasks), robot.nq
        targets, where, stop, state = args[:count], args[count:-2], args[-2], args[-1]
        centre, span, lower, upper, preferred = where if self.preferred else (*where, None)
        tolerance, (iterations, starts, seed) = stop[:3], stop[3:]
        search = TargetSearch(targets, centre, span, lower, upper, preferred, tolerance, iterations, starts, seed)
        before = SearchState(state[:n], state[n : 2 * n], state[2 * n : 2 * n + 3], *state[2 * n + 3 :])
        after, again = inverse_kinematics_step(robot, self.tasks, self.loops, search, before)
        return [*after.q, *after.best, *after.error, *list(vars(after).values())[3:]], again


@dataclass(frozen=True)
class InverseVelocityStep:
    """One step of the search for joint velocities.

    Its operands are the wanted velocities of the tasks, the positions, limits, the time step, the damping, and the
    state: velocities, which joints are held at a limit, and how many steps lie behind.

    Args:
        tasks: whose velocities are given.
        preferred: whether there is a preferred configuration.
    """

    tasks: tuple[KinematicTask, ...]
    preferred: bool = False

    repeats: ClassVar[bool] = True

    @property
    def __name__(self) -> str:
        return "inverse_velocity"

    def signature(self, robot: Any) -> Signature:
        motions = [f"motion{k}({task.size})" for k, task in enumerate(self.tasks, 1)]
        limits = ["lower(nq)", "upper(nq)", "speed(nv)", "dt()", "damping()"]
        operands = ", ".join(
            ["q(nq)", *motions, *limits, *(["preferred(nq)"] if self.preferred else []), "state(size)"]
        )
        return parse(f"{operands} -> state(size), again()", robot, size=2 * robot.nv + 1)

    def __call__(self, robot: Any, q: Any, *args: Any) -> tuple[Any, ...]:
        from kinetree.algorithms.inverse_velocity import ActiveSet, VelocityProblem, inverse_velocity_step

        count, n, state = len(self.tasks), robot.nv, args[-1]
        lower, upper, speed, dt, damping = args[count : count + 5]
        preferred = args[-2] if self.preferred else None
        problem = VelocityProblem(q, args[:count], lower, upper, speed, dt, damping, preferred)
        before = ActiveSet(state[:n], state[n : 2 * n], state[2 * n])
        after, again = inverse_velocity_step(robot, self.tasks, problem, before)
        return [*after.v, *after.held, after.count], again
