"""Inverse kinematics with targets on a GPU: the same search, one thread for each row. Rotations are not checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kinetree.compile import compile
from kinetree.errors import InputError
from kinetree.robot.inverse.region import Region
from kinetree.robot.inverse.solution import KinematicsSolution
from kinetree.runtime.cuda.arrays import beside, library_of
from kinetree.scalar import maximum, minimum


@dataclass(frozen=True)
class Arguments:
    """What the search takes on a GPU.

    Args:
        targets: of the tasks, of which at least one is there.
        guess: configurations, or None.
        region: the limits.
        nothing: the state before the first step, behind the configuration.
    """

    targets: Sequence[Any]
    guess: Any
    region: Region
    nothing: Any

    def listed(self, preferred: Any, stop: Any) -> list[Any]:
        """In the order of the search."""
        place = next(x for x in self.targets if library_of(x) is not None)
        targets = [_double(beside(x, place)) for x in self.targets]

        def there(x: Any) -> Any:
            return beside(np.asarray(x, float), targets[0])

        region = self.region
        limits = [there(x) for x in (region.lower, region.upper)]
        centre, span = there(region.centre), there(region.span)
        if self.guess is None:
            state = there(np.concatenate([region.centre, self.nothing], axis=-1))
        else:
            guess = _double(beside(self.guess, place))
            if guess.shape[-1] != len(region.free):
                raise InputError(f"the guess has {len(region.free)} positions; got shape {tuple(guess.shape)}")
            begin = _beginning(tuple(region.free.tolist()), len(self.nothing))
            state, centre = begin(guess, *limits, centre, there(self.nothing))
        more = [] if preferred is None else [there(preferred)]
        return [*targets, centre, span, *limits, *more, there(stop), state]


def solution(state: Any, nq: int) -> KinematicsSolution:
    """The results of a search, which stay where they are."""
    numbers = state[..., 2 * nq :]
    return KinematicsSolution(state[..., nq : 2 * nq], numbers[..., 3] > 0.0, numbers[..., :2], numbers[..., 4])


def _double(x: Any) -> Any:
    library: Any = library_of(x)
    return x if library.view(x).kind == "d" else library.cast(x, "d")


@cache
def _beginning(free: tuple[bool, ...], numbers: int) -> Callable[..., Any]:
    """(guess, lower, upper, centre, nothing) -> the first state, and the middle of further starts."""

    def begin(guess: Any, lower: Any, upper: Any, centre: Any, nothing: Any) -> Any:
        inside = [maximum(minimum(x, high), low) for x, low, high in zip(guess, lower, upper)]
        return [*inside, *nothing], [x if one else y for x, y, one in zip(inside, centre, free)]

    n = len(free)
    signature = (
        f"guess({n}), lower({n}), upper({n}), centre({n}), nothing({numbers}) -> state({n + numbers}), middle({n})"
    )
    return compile(begin, signature=signature)
