"""Which method solves a problem: our own, and IPOPT where that does not come to an end.

Our own method needs a small dense matrix only and is several times faster on motions, but it has no way back from a
point where it can't go on, and can't tell that there is no solution. IPOPT, if it is installed, has a second look then.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.plan import interior, solver
from kinetree.plan.solver import Ending, Solution
from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]


def solve(problem: Transcription, start: Array, lower: Array, upper: Array, **options: Any) -> Solution:
    """Solve a problem; arguments as for `kinetree.plan.solver.solve`.

    Going on from a solution is tried twice, the second time with a ``nearness`` given; only then IPOPT has a look.
    """
    own = interior.solve(problem, start, lower, upper, **options)
    options.pop("enough", None)  # IPOPT is exact
    first_of_two = options.get("multipliers") is not None and "nearness" not in options
    settled = own.ending in (Ending.OPTIMAL, Ending.INTERRUPTED) or first_of_two
    if settled or find_spec("ipyopt") is None:
        return own
    second = solver.solve(problem, start, lower, upper, **options)
    return replace(second, iterations=own.iterations + second.iterations, seconds=own.seconds + second.seconds)
