"""What a spline describes where it is not the joints themselves."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.kernel import Mapping

Array = NDArray[np.float64]


class Way(Protocol):
    """How the joints of a robot follow: a path, or loops that are closed."""

    @property
    def mapping(self) -> Mapping:
        """The rule over scalars."""
        ...

    @property
    def width(self) -> int:
        """How many numbers the spline describes."""
        ...

    def given(self, z: Array, before: Array | None) -> tuple[Array, Array]:
        """Instants as the rule wants them, and the numbers beside them; ``before`` are those for nearby instants."""
        ...
