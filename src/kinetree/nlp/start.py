"""Where the interior-point method starts: inside all sides, from a guess or from the solution of a similar problem."""

from __future__ import annotations

import numpy as np

from kinetree.nlp.iterate import Iterate
from kinetree.nlp.solution import Start
from kinetree.nlp.standard_form import Sides, StandardForm
from kinetree.runtime.arrays import Array

_PUSH, _WARM_PUSH = 1e-2, 1e-8  # how far slacks start inside at least: from a guess, from a solution
_BARRIER, _WARM_BARRIER = 0.1, 1e-7
_PER_VIOLATION, _MOST_PER_VIOLATION = 1e4, 1e-2  # of a warm start: its barrier, in units of itself times the violation


def initial(form: StandardForm, start: Start) -> tuple[Iterate, float] | None:
    """The first iterate and the first barrier; None outside the domain of the objective."""
    x, sides = start.inside(form.problem.bounds), form.sides
    values = form.values(x)
    if values is None:
        return None
    g = values[1]
    if start.multipliers is None:
        s = _inside(sides, g, _PUSH)
        y = np.zeros(len(form.equalities))
        return Iterate(x, s, sides.distances(s), sides.open.copy(), y, values), _BARRIER
    z, d = form.side_multipliers(start.multipliers), sides.distances(g)
    violation = float((-d).max(initial=0.0))
    least = _WARM_BARRIER if start.barrier is None else start.barrier
    mu = max(least, min(_PER_VIOLATION * least, _MOST_PER_VIOLATION) * violation)
    # the pair with product mu and the same difference of distance and multiplier
    root = np.sqrt((d - z) ** 2 + 4.0 * mu)
    centred = np.where(d > z, 0.5 * (d - z + root), 2.0 * mu / np.maximum(root - (d - z), 1e-300))
    width = np.tile(sides.u - sides.l, 2)
    inwards = np.maximum(np.minimum(centred, 0.5 * width) - d, 0.0) * sides.open
    s = _inside(sides, g - sides.row_multipliers(inwards), _WARM_PUSH)
    d = sides.distances(s)
    return Iterate(x, s, d, mu * sides.open / d, start.multipliers.constraints[form.equalities], values), mu


def _inside(sides: Sides, s: Array, push: float) -> Array:
    """Slacks at least so far inside, or so much of the width where that is less than 1."""
    by = push * np.minimum(1.0, sides.u - sides.l)
    return np.minimum(np.maximum(s, sides.l + by), sides.u - by)
