"""Closing the loops of a mechanism: dependent coordinates for given independent ones, a step at a time.

A configuration follows its independent coordinates from where they are to where they shall be in short strides, so that
it stays in the same assembly. At each stride the dependent coordinates are found by the method of Levenberg and
Marquardt: undamped while steps help, which makes the convergence quadratic; where one does not, the search goes back
and takes a shorter, damped one. Everything that it decides is in the step, so that compiled code repeats it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any

from kinetree.algorithms.closed_chain import Actuation, closing_step
from kinetree.model import Mechanism
from kinetree.scalar import Real, Vector, dot, floor, maximum, minimum, select, sqrt

STRIDE, STRIDES = 0.2, 100.0  # [rad, m], how far the independent coordinates go at once; how many times at the most
ON_THE_WAY = 1e-4  # the error at which a stride is good enough for the next
MORE, LESS, FIRST, NONE = 8.0, 0.1, 1e-4, 1e-9  # how damping grows, shrinks, starts, and ends
ENOUGH = 1e6  # damping at which no step is left
ROUNDING = 1e-5  # of the tolerance: above it, a closed configuration is worth another step
FAR = 1e300
CLOSED, OPEN, NOT_A_NUMBER = 0.0, 1.0, 2.0  # the status at the end


@dataclass(frozen=True)
class Way:
    """From where to where, and when to stop.

    Args:
        start: a configuration, closed or nearly.
        target: of the independent coordinates.
        tolerance: the error at which loops count as closed [m, rad].
        iterations: the most steps at one stride.
        indices: of the independent coordinates in q.
        quaternions: where unit quaternions begin among them.
    """

    start: Vector
    target: Vector
    tolerance: Real
    iterations: Real
    indices: Sequence[int]
    quaternions: Sequence[int]

    def strides(self) -> Any:
        """How many."""
        way = [abs(x - y) for x, y in zip(self._nearest(), self._first)]
        return maximum(minimum(-floor(-reduce(maximum, way, 0.0) * (1.0 / STRIDE)), STRIDES), 1.0)

    def placed(self, q: Vector, stride: Any) -> list[Any]:
        """A configuration with the independent coordinates where they are after a stride."""
        part = stride / self.strides()
        values = [x + part * (y - x) for x, y in zip(self._first, self._nearest())]
        for k in self.quaternions:
            length = sqrt(dot(values[k : k + 4], values[k : k + 4]))
            values[k : k + 4] = [x / length for x in values[k : k + 4]]
        last, placed = part >= 1.0, [*q]
        for k, x, end in zip(self.indices, values, self.target):
            placed[k] = select(last, end, x)
        return placed

    def is_finite(self) -> Any:
        """Whether everything that was given is."""
        return finite((*self.start, *self.target))

    @property
    def _first(self) -> list[Any]:
        return [self.start[k] for k in self.indices]

    def _nearest(self) -> list[Any]:
        """The target, with quaternions of the sign that is nearer to the start: both are the same orientation."""
        target, first = [*self.target], self._first
        for k in self.quaternions:
            opposite = dot(target[k : k + 4], first[k : k + 4]) < 0.0
            target[k : k + 4] = [select(opposite, -x, x) for x in target[k : k + 4]]
        return target


@dataclass(frozen=True)
class ClosingState:
    """What a step changes; all begins with the start as q and best, and with zeros.

    Args:
        q: the configuration to look at.
        best: the best of this stride.
        error: its error [m, rad].
        damping: of the next step.
        retry: whether q is the best again, for a shorter step.
        polished: whether the last step after the end is behind.
        stride: the number of the stride.
        left: steps that may still be taken in it.
        count: all steps so far.
        status: CLOSED, OPEN or NOT_A_NUMBER.
    """

    q: Any
    best: Any
    error: Any
    damping: Any
    retry: Any
    polished: Any
    stride: Any
    left: Any
    count: Any
    status: Any

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls))


def closing_iteration(
    robot: Mechanism, actuation: Actuation, way: Way, state: ClosingState
) -> tuple[ClosingState, Any]:
    """The state after one step, and whether to go on: 1.0 or 0.0."""
    strides, begins = way.strides(), state.stride < 0.5
    stride, q = maximum(state.stride, 1.0), _either(begins, way.placed(state.q, 1.0), state.q)
    error, left = select(begins, FAR, state.error), select(begins, way.iterations, state.left) - 1.0
    following, found = closing_step(robot, q, state.damping, actuation)
    best = _either(begins, q, state.best)

    # forwards from a better configuration, otherwise back with a shorter step
    improved = found < error
    helped = improved | (state.retry > 0.5)
    best, error = _either(improved, q, best), select(improved, found, error)
    shrunk = select(state.damping * LESS < NONE, 0.0, state.damping * LESS)
    less = select(improved, shrunk, state.damping)
    damping = select(helped, less, maximum(state.damping * MORE, FIRST))
    usable = helped & finite(following)
    q = _either(usable, following, best)

    # the end of a stride, and of the last one
    last = stride >= strides
    near = error <= select(last, way.tolerance, ON_THE_WAY)
    over = near | (~helped & (state.damping > ENOUGH)) | (left <= 0.5)
    polished = (state.polished > 0.5) | (error <= ROUNDING * way.tolerance) | ~near
    given = way.is_finite()
    done = (over & last & polished) | ~given
    onwards = over & ~last
    stride = select(onwards, select(near, minimum(stride + 1.0, strides), strides), stride)
    q = _either(onwards, way.placed(best, stride), q)
    status = select(given & (error < FAR), select(error <= way.tolerance, CLOSED, OPEN), NOT_A_NUMBER)
    after = ClosingState(
        q,
        _either(onwards, q, best),
        select(done, select(status >= NOT_A_NUMBER, math.nan, error), select(onwards, FAR, error)),
        select(onwards, 0.0, damping),
        select(onwards | helped, 0.0, 1.0),
        select(over & last, 1.0, 0.0),
        stride,
        select(onwards, way.iterations, left),
        state.count + 1.0,
        status,
    )
    return after, select(done, 0.0, 1.0)


def finite(x: Sequence[Any]) -> Any:
    """Whether all numbers are."""
    return sum(map(abs, x), 0.0) < FAR


def _either(condition: Any, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [select(condition, x, y) for x, y in zip(a, b)]
