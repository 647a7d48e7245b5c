"""Reference motions over time, written over scalars: a position with its first four derivatives.

All of them are at rest before their beginning and after their end, as far as they have one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetree.control.validation import number, numbers
from kinetree.errors import InputError, check_names
from kinetree.graph.interpret import evaluate
from kinetree.parameter import bound, parameters_in
from kinetree.scalar import Scalar, select
from kinetree.tracing import trace


class Target(NamedTuple):
    """A reference motion at one time: positions and their first four derivatives, a number for each coordinate."""

    q: Any
    qd: Any
    qdd: Any
    qddd: Any
    qdddd: Any


@dataclass(frozen=True)
class Reference:
    """A motion of some coordinates, given for all times.

    A subclass is a frozen dataclass with tuples of numbers, which may be named parameters. It overrides `at`, and
    `finish` if it ends.
    """

    def at(self, t: Any) -> Target:
        """The target at the time t [s], a number or a scalar of a graph."""
        raise NotImplementedError(f"{type(self).__name__} has no at()")

    @property
    def finish(self) -> Any:
        """When it comes to rest [s]; infinite if never."""
        return math.inf

    @property
    def size(self) -> int:
        """How many coordinates it moves."""
        return len(self.at(0.0).q)

    def sample(self, times: ArrayLike, **parameters: float) -> Target:
        """The motion at many times, as arrays.

        Args:
            times: of any shape (...) [s].
            parameters: values of the named parameters among its numbers.

        Returns:
            A `Target` of arrays (..., size): positions and their first four derivatives.

        Example:
            >>> import numpy as np
            >>> import kinetree as kt
            >>> motion = kt.control.Quintic([0.0, 1.0], [1.0, 1.0], duration=2.0).sample(np.linspace(0, 2, 101))
            >>> motion.q.shape, float(motion.qd.max())
            ((101, 2), 0.9375)
        """
        t = np.asarray(times, float)
        if not np.isfinite(t).all():
            raise InputError("times must be finite numbers")
        motion = bound(self, _values(parameters_in(self), parameters))
        n = motion.size
        traced = trace(motion.at, signature="t() -> " + ", ".join(f"{name}({n})" for name in Target._fields))
        values = [np.broadcast_to(x, t.shape) for x in evaluate(traced.outputs, {"t": t[None]})]
        return Target(*(np.stack(values[k * n : (k + 1) * n], axis=-1) for k in range(len(Target._fields))))

    def then(self, following: Reference, switch: Any = None) -> Then:
        """This motion, and another one after it; see `Then`."""
        return Then(self, following, switch)


def _values(known: dict[str, Any], given: dict[str, Any]) -> dict[str, float]:
    check_names("parameter", given, known)
    values = {name: given.get(name, parameter.default) for name, parameter in known.items()}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise InputError(f"parameters without a default: give {', '.join(f'{name}=...' for name in missing)}")
    return {name: number(value, f"the parameter {name!r}") for name, value in values.items()}


@dataclass(frozen=True)
class Hold(Reference):
    """A constant configuration.

    Args:
        position: of each coordinate [rad, m].

    Example:
        >>> Hold((0.1, 0.2)).at(3.0).qd
        [0.0, 0.0]
    """

    position: Sequence[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", numbers(self.position, "the position"))

    def at(self, t: Any) -> Target:
        still = [0.0] * len(self.position)
        return Target([*self.position], still, still, still, still)


@dataclass(frozen=True)
class Then(Reference):
    """Two motions, one after the other; the time of the second starts at zero where it takes over.

    Where the second does not start at the position and velocity at which the first is left, the target jumps.

    Args:
        first, second: of as many coordinates.
        switch: when the second takes over [s]; the end of the first by default.

    Example:
        >>> import kinetree as kt
        >>> there = kt.control.Quintic([0.0], [1.0], duration=2.0)
        >>> back = kt.control.Quintic([1.0], [0.0], duration=1.0)
        >>> motion = there.then(back)
        >>> motion.finish, motion.at(2.5).q
        (3.0, [0.5])
    """

    first: Reference
    second: Reference
    switch: Any = None

    def __post_init__(self) -> None:
        for part in (self.first, self.second):
            if not isinstance(part, Reference):
                raise InputError(f"a motion is a kinetree.control.Reference, got {part!r}")
        if self.first.size != self.second.size:
            raise InputError(f"the first motion has {self.first.size} coordinates, the second {self.second.size}")
        switch = self.first.finish if self.switch is None else self.switch
        if not isinstance(switch, Scalar) and switch == math.inf:
            name = type(self.first).__name__
            raise InputError(f"a {name} never ends; give switch=, the time when the next one takes over")
        object.__setattr__(self, "switch", number(switch, "switch"))

    @property
    def finish(self) -> Any:
        return self.switch + self.second.finish

    def at(self, t: Any) -> Target:
        late, parts = t >= self.switch, (self.second.at(t - self.switch), self.first.at(t))
        return Target(*([select(late, x, y) for x, y in zip(*values)] for values in zip(*parts)))
