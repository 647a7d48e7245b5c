"""The whole search of inverse kinematics as one function of targets and a guess, to be exported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kinetree.algorithms.kinematics import integrate
from kinetree.robot.inverse.step import NUMBERS, InverseKinematicsStep
from kinetree.robot.inverse.targets import target_at
from kinetree.scalar import maximum, minimum, select
from kinetree.signature import Signature, parse

_NEARBY = 0.05  # [rad, m]


@dataclass(frozen=True)
class StandaloneSearch:
    """The same step with the region and the end of the search built in, and a state that begins as zeros.

    Args:
        step: without a preferred configuration.
        centre, span, lower, upper, stop: its operands, as numbers.
        reached: configurations inside the limits, with closed loops, for tests.
    """

    step: InverseKinematicsStep
    centre: tuple[float, ...]
    span: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    stop: tuple[float, ...]
    reached: tuple[tuple[float, ...], ...]

    repeats: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("state",)

    @property
    def __name__(self) -> str:
        return "inverse_kinematics"

    @property
    def frame(self) -> str | None:
        """The frame, where there is one."""
        return getattr(self.step.tasks[0], "frame", None) if len(self.step.tasks) == 1 else None

    def signature(self, robot: Any) -> Signature:
        targets = ", ".join(f"{name}({','.join(map(str, shape))})" for name, shape in self.step.targets.items())
        results = "q(nq), error(2), solved(), state(size), again()"
        return parse(f"{targets}, guess(nq), state(size) -> {results}", robot, size=2 * robot.nq + NUMBERS)

    def __call__(self, robot: Any, *args: Any) -> tuple[Any, ...]:
        n, targets, guess, state = robot.nq, args[:-2], args[-2], args[-1]
        is_first = state[2 * n + 4] < 0.5
        inside = [maximum(minimum(x, high), low) for x, low, high in zip(guess, self.lower, self.upper)]
        begin = [*inside, *[math.nan] * (n + 3), 0.0, 0.0, 0.0, math.inf, math.inf, 0.0]
        before = [select(is_first, x, y) for x, y in zip(begin, state)]
        after, again = self.step(robot, *targets, self.centre, self.span, self.lower, self.upper, self.stop, before)
        solved = after[2 * n + 3]
        error = [select(solved > 0.0, 0.0, x) for x in after[2 * n : 2 * n + 2]]
        return after[n : 2 * n], error, solved, after, again

    def examples(self, robot: Any, count: int, values: Mapping[str, Any]) -> dict[str, Any]:
        """Targets in reach and guesses nearby, which a search follows alike whatever the rounding."""
        rng = np.random.default_rng(0)
        q = np.resize(np.array(self.reached), (count, robot.nq))
        targets = [target_at(task, robot, q, values) for task in self.step.tasks]
        steps = rng.uniform(-_NEARBY, _NEARBY, (count, robot.nv)).tolist()
        guess = [integrate(robot, row, step, 1.0) for row, step in zip(q.tolist(), steps)]
        state = np.zeros((count, 2 * robot.nq + NUMBERS))
        return {**dict(zip(self.step.targets, targets)), "guess": guess, "state": state}
