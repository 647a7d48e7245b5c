"""The step of inverse kinematics as a function that compiled code repeats for each row until it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.algorithms.tasks import Task
from kinetree.signature import Signature, parse

# what a search is told, and what it changes; results under the name of an operand are its value for the next step
SEARCH = "centre(nq), span(nv), lower(nq), upper(nq)"
STOP = "tolerance(3), iterations(), starts(), seed()"
STATE = "q(nq), best(nq), error(3), merit(), least(), stalled(), start(), count()"


@dataclass(frozen=True)
class InverseKinematicsStep:
    """One step of the search for a configuration.

    Args:
        tasks: what shall be fulfilled.
        loops: whether the loops and couplings of the robot shall be closed.
        preferred: whether there is a preferred configuration.
    """

    tasks: tuple[Task, ...]
    loops: bool = False
    preferred: bool = False

    repeats: ClassVar[bool] = True  # until its last result is zero

    @property
    def __name__(self) -> str:
        return "inverse_kinematics"

    @property
    def target_names(self) -> tuple[str, ...]:
        """The names of the operands of the targets."""
        n = len(self.tasks)
        return ("target",) if n == 1 else tuple(f"target{k}" for k in range(1, n + 1))

    def signature(self, robot: Any) -> Signature:
        targets = [f"{n}({','.join(map(str, t.shape))})" for n, t in zip(self.target_names, self.tasks)]
        preferred = ["preferred(nq)"] if self.preferred else []
        operands = ", ".join([*targets, SEARCH, *preferred, STOP, STATE])
        return parse(f"{operands} -> {STATE}, again()", robot)

    def __call__(self, robot: Any, *args: Any) -> tuple[Any, ...]:
        from kinetree.algorithms.inverse_kinematics import Search, State, inverse_kinematics_step

        count = len(self.tasks)
        targets, given, state = args[:count], [*args[count:-8]], State(*args[-8:])
        if not self.preferred:
            given.insert(4, None)
        after, again = inverse_kinematics_step(robot, self.tasks, self.loops, Search(targets, *given), state)
        return (*vars(after).values(), again)
