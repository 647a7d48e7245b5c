"""Which constraints to loosen where no point satisfies them all.

At the least violation the multipliers of the constraints balance, sum y_i grad c_i = 0: those with y_i other than zero
are in conflict. Where a constraint is made wider by a small part of its width w_i the violation falls by that part of
|y_i| w_i. So these products tell what helps most, whatever the units. Equalities have no width: they can't be loosened.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from kinetree.nlp.problem import Problem
from kinetree.nlp.solution import Multipliers

_MOST, _LEAST = 3, 0.05  # how many groups are named, and the least share of one of them
_NAMES = 3  # constraints of one group that are named


def conflict(problem: Problem, multipliers: Multipliers) -> str:
    """The constraints that it helps most to loosen, as the end of a message; empty where there are none.

    Constraints whose names agree up to the first " of ", as "force of joint 1" and "force of joint 2", are one group.
    """
    bounds = problem.constraint_bounds
    width = np.where(np.isfinite(bounds.upper - bounds.lower), bounds.upper - bounds.lower, 1.0)
    gains = np.abs(multipliers.constraints) * width
    groups: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in np.flatnonzero(gains):
        name = problem.constraint_name(int(row))
        groups[name.split(" of ")[0]][name] += float(gains[row])
    ranked = sorted(groups.values(), key=lambda group: -sum(group.values()))
    total = sum(sum(group.values()) for group in ranked)
    shares = [(sum(group.values()) / total, group) for group in ranked[:_MOST]]
    messages = [_message(share, group) for share, group in shares if share > _LEAST]
    return f"; it helps most to loosen {'; '.join(messages)}" if messages else ""


def _message(share: float, group: dict[str, float]) -> str:
    """The first constraints of a group, and its share of the gain."""
    names = sorted(group, key=lambda name: -group[name])
    more = " and others" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more} ({share:.0%})"
